# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the control block: constrained random, directed tests, real programs."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control.directed import TESTS as _DIRECTED
from tilepath.sequences.control.programs import TESTS as _PROGRAMS
from tilepath.sequences.control.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
