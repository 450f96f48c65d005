# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the unpackers, by topic."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack.directed import (
    contexts,
    exhaustive,
    faults,
    geometry,
    matrix,
    nops,
    output,
    packed,
    ranges,
    second_writes,
    stalls,
    timing,
    vectors,
)

_MODULES = (
    vectors,
    geometry,
    output,
    packed,
    ranges,
    contexts,
    second_writes,
    timing,
    stalls,
    nops,
    matrix,
    faults,
    exhaustive,
)

TESTS: dict[str, TestSpec] = {test.name: test for module in _MODULES for test in module.TESTS}
"""Name → test."""
