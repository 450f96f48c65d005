# SPDX-License-Identifier: Apache-2.0
"""Kernels as items of the players: L1 first, then the configuration, then the threads' programs."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath import isa
from tilepath.isa import registers, tables
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine import items
from tilepath.tb.datapath.streams import CONFIG, HOLDING, core_items, l1_items
from tilepath.tb.kernel.description.packing import Items

_BANKS: Final = 2


def programs(kernel: Kernel) -> tuple[list[items.Item], list[list[items.Item]]]:
    """What core 0 stores before anything begins, and the programs of all three."""
    stores: list[items.Item] = []
    made: list[list[items.Item]] = [[] for _ in range(THREADS)]
    for given in kernel.config:
        if given.space == "Config":
            for bank in range(1 if given.word >= registers.GLOBAL_BASE else _BANKS):
                word = given.word + tables.CFG_WORDS * bank
                stores.append(items.Store(CONFIG + 4 * word, given.value))
        else:
            word = isa.assemble(f"SETC16 {given.word}, {given.value}")
            for program in made:
                program.append(items.Push((word,)))
    for thread, own in enumerate(kernel.programs):
        made[thread] += own
    return stores, made


def play(kernel: Kernel, gaps: tuple[NDArray[np.uint32], ...] | None = None) -> dict[str, Items]:
    """Items of all players but ``l1_latency``.

    ``gaps``: in front of each core's items, repeated as often as it takes.
    """
    written = l1_items(np.array(machine_of(kernel).unpack.l1))
    stores, made = programs(kernel)
    configured = core_items(stores, after=HOLDING.after("l1_write", len(written)))
    begin = HOLDING.after("t0.core", len(configured))
    if not stores:
        begin = HOLDING.after("l1_write", len(written))
    found = {"l1_write": written}
    for thread, program in enumerate(made):
        own = core_items(program)
        if gaps is not None:
            own = core_items(program, gaps=np.resize(gaps[thread], len(own)))
        if thread == 0 and stores:
            own = np.concatenate((configured, own))
        elif len(own):
            own[:1] = core_items(program[:1], after=begin)[:1]
        found[f"t{thread}.core"] = own
    return found
