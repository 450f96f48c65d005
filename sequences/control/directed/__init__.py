# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the control block, by topic."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control.directed import (
    arbitration,
    distance,
    faults,
    flop,
    gate,
    levels,
    mutexes,
    own,
    risc,
    semaphores,
    shiftmask,
    state,
    streamwait,
    visible,
)

_MODULES = (
    distance,
    visible,
    shiftmask,
    state,
    flop,
    semaphores,
    gate,
    levels,
    streamwait,
    mutexes,
    own,
    arbitration,
    risc,
    faults,
)

TESTS: dict[str, TestSpec] = {test.name: test for module in _MODULES for test in module.TESTS}
