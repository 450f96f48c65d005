# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the FIFO: words at random, taken at random."""

from __future__ import annotations

from tilepath.engine.stimulus.at_random import at_random

TESTS = at_random("fifo", floor={"pop": 1000})
