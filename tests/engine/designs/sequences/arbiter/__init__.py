# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the arbiter: words at all clients."""

from __future__ import annotations

from tilepath.engine.stimulus.at_random import at_random
from tilepath.engine.stimulus.tables import Table, choice, uniform

WORDS = [Table(c, word=uniform(0, 255), gap=choice([0, 3, 40], [2, 1, 1])) for c in "abc"]
READY = Table("out_ready", value=choice([0, 1]), cycles=uniform(1, 5))
TESTS = at_random("arbiter", *WORDS, READY, floor={"out": 1000})
