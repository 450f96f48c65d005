# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the flag pipe: constrained random tests, and corners of them; programs."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.corners import corner_tests
from tilepath.sequences.flag_pipe.programs import TESTS as _PROGRAMS
from tilepath.sequences.flag_pipe.programs import own_tests
from tilepath.sequences.flag_pipe.random_programs import TESTS as _DRAWN
from tilepath.sequences.flag_pipe.random_tests import TESTS as _RANDOM

PROJECT: dict[str, TestSpec] = corner_tests("flag_pipe", {**_RANDOM, **_DRAWN, **_PROGRAMS})
"""Name → test; ``TESTS`` has those of a user's files as well."""
TESTS: dict[str, TestSpec] = {**PROJECT, **own_tests()}
