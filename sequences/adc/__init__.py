# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the address counters: constrained random, directed tests, real sequences."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.adc.directed import TESTS as _DIRECTED
from tilepath.sequences.adc.programs import TESTS as _PROGRAMS
from tilepath.sequences.adc.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
