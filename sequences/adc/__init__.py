# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the address counters: constrained random, directed tests, real sequences."""

from __future__ import annotations

from sequences.adc.directed import TESTS as _DIRECTED
from sequences.adc.programs import TESTS as _PROGRAMS
from sequences.adc.random_tests import TESTS as _RANDOM
from tb.kernel.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
