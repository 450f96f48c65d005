# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the math stand-in: constrained random, directed tests, programs of kernels."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.standin.directed import TESTS as _DIRECTED
from tilepath.sequences.standin.programs import TESTS as _PROGRAMS
from tilepath.sequences.standin.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
