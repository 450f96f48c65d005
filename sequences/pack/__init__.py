# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the packers: constrained random, a directed test, real programs."""

from __future__ import annotations

from tilepath.engine.stimulus.corners import corner_tests
from tilepath.sequences.pack.directed import TESTS as _DIRECTED
from tilepath.sequences.pack.programs import TESTS as _PROGRAMS
from tilepath.sequences.pack.random_tests import TESTS as _RANDOM

TESTS = corner_tests("pack", {**_RANDOM, **_PROGRAMS, **_DIRECTED})
"""Name → test."""
