# SPDX-License-Identifier: Apache-2.0
"""Kernels as items of the players: L1 first, then the configuration, then the programs."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath import isa
from tilepath.engine.description.packing import Items
from tilepath.isa import registers, tables
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine import addresses, items
from tilepath.tb.datapath.streams import CHUNK, HOLDING, LINE_BYTES, core_items, l1_items

_BANKS: Final = 2


def programs(kernel: Kernel) -> tuple[list[items.Item], list[list[items.Item]]]:
    """What core 0 stores before anything begins, and the programs of all three."""
    stores: list[items.Item] = []
    made: list[list[items.Item]] = [[] for _ in range(THREADS)]
    for given in kernel.config:
        if given.space == "Config":
            for bank in range(1 if given.word >= registers.GLOBAL_BASE else _BANKS):
                word = given.word + tables.CFG_WORDS * bank
                stores.append(items.Store(addresses.CONFIG + 4 * word, given.value))
        else:
            word = isa.assemble(f"SETC16 {given.word}, {given.value}")
            for program in made:
                program.append(items.Push((word,)))
    for thread, own in enumerate(kernel.programs):
        made[thread] += own
    return stores, made


def play(kernel: Kernel) -> dict[str, Items]:
    """Items of all players but those of levels.

    The programs begin when core 0 has stored the configuration. L1's first lines are written once
    more in between, which tells the machine without time (``tb.datapath.untimed``) as well.
    """
    l1 = np.array(machine_of(kernel).unpack.l1)
    stores, made = programs(kernel)
    first = l1_items(l1)
    configured = core_items(stores, after=HOLDING.after("l1_write", len(first)))
    stored = HOLDING.after("t0.core", len(configured))
    written = np.concatenate((first, l1_items(l1[: CHUNK * LINE_BYTES], after=stored)))
    begin = HOLDING.after("l1_write", len(written))
    found = {"l1_write": written}
    for thread, program in enumerate(made):
        own = core_items(program)
        own[:1] = core_items(program[:1], after=begin)[:1]
        found[f"t{thread}.core"] = own if thread else np.concatenate((configured, own))
    return found
