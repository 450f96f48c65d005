# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the registers, drawn from tables."""

from __future__ import annotations

from tilepath.engine.stimulus.at_random import at_random
from tilepath.engine.stimulus.tables import Table, choice, column, uniform

ACCESS = Table(
    "bus",
    write=choice([0, 1]),
    addr=choice(range(8), [4, 4, 4, 4, 1, 1, 1, 1]),
    data_=uniform(0, (1 << 32) - 1),
    gap=uniform(0, 3),
)
EVENTS = Table(
    "events",
    one=uniform(0, 15),
    other=uniform(0, 15),
    value=column(lambda one, other: one & other),
    cycles=uniform(1, 8),
)
TESTS = at_random("regs", ACCESS, EVENTS, floor={"rsp": 1000})
