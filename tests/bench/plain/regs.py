# SPDX-License-Identifier: Apache-2.0
"""A plain bench of the registers."""

from __future__ import annotations

import random
from typing import ClassVar

import pyuvm

from tilepath.tests.bench.plain.common import (
    Coverage,
    Item,
    LevelDriver,
    OfferDriver,
    Pins,
    PlainTest,
)

CONTROL, SEEN, WRITES, SCRATCH = range(4)
MASKS = {CONTROL: 0xFF, SCRATCH: 0xFFFF_FFFF}
WEIGHTS = (4, 4, 4, 4, 1, 1, 1, 1)


def draw_access(rng: random.Random) -> Item:
    """An access to any register, most of them to one that there is."""
    (address,) = rng.choices(range(8), WEIGHTS)
    return Item((1, rng.randrange(2), address, rng.getrandbits(32)), cycles=rng.randrange(4))


def draw_events(rng: random.Random) -> Item:
    """Events, each in a quarter of the items."""
    return Item((rng.getrandbits(4) & rng.getrandbits(4),), cycles=rng.randrange(1, 9))


class Registers:
    """The golden model."""

    def __init__(self) -> None:
        self.held = dict.fromkeys(range(8), 0)
        self.answer: int | None = None

    def cycle(self, pins: Pins) -> dict[str, int]:
        """What the outputs are in a cycle; then the state is the next cycle's."""
        held, address, data = self.held, pins["bus_addr_i"], pins["bus_data_i"]
        wanted = {"control_o": held[CONTROL], "rsp_valid_o": int(self.answer is not None)}
        if self.answer is not None:
            wanted["rsp_data_o"] = self.answer
        self.answer = None
        if pins["bus_req_i"] and not pins["bus_write_i"]:
            self.answer = held[address]
        elif pins["bus_req_i"]:
            held[WRITES] = held[WRITES] + 1 & 0xFFFF
            if address == SEEN:
                held[SEEN] &= ~data
            if address in MASKS:
                held[address] = data & MASKS[address]
        held[SEEN] |= pins["events_i"]
        return wanted


class Accesses(Coverage):
    """Every register, read and written."""

    names = tuple((write, n) for write in range(2) for n in range(8))

    def write(self, pins: Pins) -> None:
        """Count requests."""
        if pins["bus_req_i"]:
            self.bins[pins["bus_write_i"], pins["bus_addr_i"]] += 1


BUS = ("bus_req_i", "bus_write_i", "bus_addr_i", "bus_data_i")


@pyuvm.test()
class RegsTest(PlainTest):
    """Registers at random, events at random."""

    interfaces: ClassVar = {
        "bus": ((OfferDriver, BUS, ("rsp_valid_o", "rsp_data_o")), draw_access),
        "events": ((LevelDriver, ("events_i",), ("control_o",)), draw_events),
    }
    model = Registers
    coverage = Accesses
