# SPDX-License-Identifier: Apache-2.0
"""Stimulus of ``frontend+control``."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.frontend_control.directed import TESTS as _DIRECTED
from tilepath.sequences.frontend_control.programs import TESTS as _PROGRAMS
from tilepath.sequences.frontend_control.random_tests import TESTS as _RANDOM

TESTS: dict[str, TestSpec] = {**_RANDOM, **_DIRECTED, **_PROGRAMS}
"""Name → test."""
