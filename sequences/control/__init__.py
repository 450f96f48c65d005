# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the control block: constrained random, corners of it, real programs."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.corners import corner_tests
from tilepath.sequences.control.programs import TESTS as _PROGRAMS
from tilepath.sequences.control.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = corner_tests("control", {**_RANDOM, **_PROGRAMS})
"""Name → test."""
