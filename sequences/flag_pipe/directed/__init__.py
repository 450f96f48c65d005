# SPDX-License-Identifier: Apache-2.0
"""Directed tests, a file for each topic."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.flag_pipe.directed import faults, flow, halves, timing

TESTS: dict[str, TestSpec] = {
    test.name: test for topic in (timing, flow, faults, halves) for test in topic.TESTS
}
