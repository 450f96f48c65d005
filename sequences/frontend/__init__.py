# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the front end: constrained random, directed tests, real programs."""

from __future__ import annotations

from tilepath.engine.stimulus.corners import corner_tests
from tilepath.sequences.frontend.directed import TESTS as _DIRECTED
from tilepath.sequences.frontend.programs import TESTS as _PROGRAMS
from tilepath.sequences.frontend.random_tests import TESTS as _RANDOM

TESTS = corner_tests("frontend", {**_RANDOM, **_DIRECTED, **_PROGRAMS})
"""Name → test."""
