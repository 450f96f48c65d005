# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the front end, by topic."""

from __future__ import annotations

from tilepath.sequences.frontend.directed import corners, vectors
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {test.name: test for test in (*corners.TESTS, *vectors.TESTS)}
