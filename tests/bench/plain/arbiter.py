# SPDX-License-Identifier: Apache-2.0
"""A plain bench of the arbiter."""

from __future__ import annotations

import random
from typing import ClassVar

import cocotb
import pyuvm

from tilepath.tests.bench.ordinary.ports import reader
from tilepath.tests.bench.plain.common import (
    Coverage,
    Item,
    LevelDriver,
    OfferDriver,
    Pins,
    PlainTest,
)

CLIENTS = "abc"


def draw_word(rng: random.Random) -> Item:
    """A word, often right behind the one before."""
    return Item((1, rng.getrandbits(8)), cycles=rng.choice((0, 0, 3, 40)))


def draw_ready(rng: random.Random) -> Item:
    """Whether the output is ready."""
    return Item((rng.randrange(2),), cycles=rng.randrange(1, 6))


class ClientDriver(OfferDriver):
    """Offers words of a client."""

    def build_phase(self) -> None:
        """Look up its ready."""
        self.taken = reader(getattr(cocotb.top, f"{self.get_parent().get_name()}_ready_o"))


class Arbiter:
    """The golden model."""

    def __init__(self) -> None:
        self.first = 0

    def cycle(self, pins: Pins) -> dict[str, int]:
        """What the outputs are in a cycle; then the state is the next cycle's."""
        order = [(self.first + n) % len(CLIENTS) for n in range(len(CLIENTS))]
        chosen = next((n for n in order if pins[f"{CLIENTS[n]}_valid_i"]), None)
        taken = pins["out_ready_i"] and chosen is not None
        wanted = {f"{c}_ready_o": int(taken and n == chosen) for n, c in enumerate(CLIENTS)}
        wanted["out_valid_o"] = int(chosen is not None)
        if taken:
            wanted |= {"out_word_o": pins[f"{CLIENTS[chosen]}_word_i"], "out_client_o": chosen}
            self.first = (chosen + 1) % len(CLIENTS)
        return wanted


class Served(Coverage):
    """Who was served."""

    names = range(len(CLIENTS))

    def write(self, pins: Pins) -> None:
        """Count words that went out."""
        if pins["out_valid_o"] and pins["out_ready_i"]:
            self.bins[pins["out_client_o"]] += 1


@pyuvm.test()
class ArbiterTest(PlainTest):
    """Words at all clients."""

    interfaces: ClassVar = {
        "out": (
            (LevelDriver, ("out_ready_i",), ("out_valid_o", "out_word_o", "out_client_o")),
            draw_ready,
        ),
        **{
            c: ((ClientDriver, (f"{c}_valid_i", f"{c}_word_i"), (f"{c}_ready_o",)), draw_word)
            for c in CLIENTS
        },
    }
    model = Arbiter
    coverage = Served
