# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the flag pipe: constrained random and directed tests, programs."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.flag_pipe.directed import TESTS as _DIRECTED
from tilepath.sequences.flag_pipe.programs import TESTS as _PROGRAMS
from tilepath.sequences.flag_pipe.programs import own_tests
from tilepath.sequences.flag_pipe.random_programs import TESTS as _DRAWN
from tilepath.sequences.flag_pipe.random_tests import TESTS as _RANDOM

PROJECT: dict[str, TestSpec] = {**_RANDOM, **_DRAWN, **_DIRECTED, **_PROGRAMS}
"""Name → test; ``TESTS`` has those of a user's files as well."""
TESTS: dict[str, TestSpec] = {**PROJECT, **own_tests()}
