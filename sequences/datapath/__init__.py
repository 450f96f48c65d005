# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the joined design: kernels, directed and drawn at random."""

from __future__ import annotations

from tilepath.sequences.datapath.kernels import TESTS as _KERNELS
from tilepath.sequences.datapath.random_kernels import TESTS as _RANDOM
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {**_RANDOM, **_KERNELS}
"""Name → test."""
