# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the address counters, by topic."""

from __future__ import annotations

from tilepath.sequences.adc.directed import (
    conflicts,
    counters,
    faults,
    instructions,
    order,
    ports,
    vectors,
)
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {
    test.name: test
    for module in (instructions, counters, order, ports, conflicts, faults, vectors)
    for test in module.TESTS
}
