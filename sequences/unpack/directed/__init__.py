# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the unpackers, by topic."""

from __future__ import annotations

from sequences.unpack.directed import (
    contexts,
    corners,
    counter_words,
    crosses,
    exhaustive,
    faults,
    geometry,
    nops,
    output,
    packed,
    stalls,
    timing,
    vectors,
)
from tb.kernel.stimulus import TestSpec

_MODULES = (
    vectors,
    geometry,
    output,
    packed,
    contexts,
    corners,
    counter_words,
    crosses,
    timing,
    stalls,
    nops,
    faults,
    exhaustive,
)

TESTS: dict[str, TestSpec] = {test.name: test for module in _MODULES for test in module.TESTS}
"""Name → test."""
