# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the address counters, by topic."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.adc.directed import corners, vectors

TESTS: dict[str, TestSpec] = {test.name: test for test in (*corners.TESTS, *vectors.TESTS)}
