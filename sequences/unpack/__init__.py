# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the unpackers: constrained random, directed, exhaustive tests, real sequences."""

from __future__ import annotations

from tilepath.engine.stimulus.corners import corner_tests
from tilepath.sequences.unpack.directed import TESTS as _DIRECTED
from tilepath.sequences.unpack.programs import TESTS as _PROGRAMS
from tilepath.sequences.unpack.random_tests import TESTS as _RANDOM

TESTS = corner_tests("unpack", {**_RANDOM, **_DIRECTED, **_PROGRAMS})
"""Name → test."""
