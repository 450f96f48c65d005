# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the packers: constrained random tests, real programs."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.pack.directed import TESTS as _DIRECTED
from tilepath.sequences.pack.programs import TESTS as _PROGRAMS
from tilepath.sequences.pack.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = {**_RANDOM, **_PROGRAMS, **_DIRECTED}
"""Name → test."""
