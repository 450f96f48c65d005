# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the packers, by theme: tables of cases, one after the other."""

from __future__ import annotations

from tilepath.sequences.pack.directed import addresses, contention, elements, faults, values
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {
    test.name: test
    for module in (values, elements, addresses, contention, faults)
    for test in module.TESTS
}
"""Name → test."""
