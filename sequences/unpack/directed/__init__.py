# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the unpackers, by topic."""

from __future__ import annotations

from sequences.unpack.directed import contexts, faults, geometry, nops, timing, vectors
from tb.kernel.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {
    test.name: test
    for module in (vectors, geometry, contexts, timing, nops, faults)
    for test in module.TESTS
}
