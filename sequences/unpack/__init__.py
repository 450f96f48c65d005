# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the unpackers: constrained random, directed, exhaustive tests, real sequences."""

from __future__ import annotations

from sequences.unpack.directed import TESTS as _DIRECTED
from sequences.unpack.programs import TESTS as _PROGRAMS
from sequences.unpack.random_tests import TESTS as _RANDOM
from tb.kernel.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
