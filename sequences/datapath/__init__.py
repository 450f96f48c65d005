# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the joined design: kernels, directed and drawn at random."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.datapath.kernels import TESTS as _KERNELS
from tilepath.sequences.datapath.kernels import own_tests
from tilepath.sequences.datapath.random_kernels import TESTS as _RANDOM

PROJECT: dict[str, TestSpec] = {**_RANDOM, **_KERNELS}
"""Name → test; ``TESTS`` has those of a user's files as well."""
TESTS: dict[str, TestSpec] = {**PROJECT, **own_tests()}
