# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the front end, by topic."""

from __future__ import annotations

from tilepath.sequences.frontend.directed import (
    brisc,
    faults,
    fifo,
    ignored,
    replay,
    template0,
    template1,
    transition,
    vectors,
)
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {
    test.name: test
    for module in (template1, template0, transition, replay, fifo, ignored, brisc, faults, vectors)
    for test in module.TESTS
}
