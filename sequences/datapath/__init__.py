# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the joined design: kernels."""

from __future__ import annotations

from tilepath.sequences.datapath.kernels import TESTS as _KERNELS
from tilepath.tb.kernel.description.stimulus import TestSpec

TESTS: dict[str, TestSpec] = {**_KERNELS}
"""Name → test."""
