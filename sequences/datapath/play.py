# SPDX-License-Identifier: Apache-2.0
"""Kernels as items of the players: L1 first, then the configuration, then the programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from tilepath import isa
from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.engine.stimulus.tables import Table, Tables, uniform
from tilepath.isa import registers, tables
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine import addresses, items
from tilepath.tb.datapath.streams import (
    ALL_READY,
    CHUNK,
    HOLDING,
    L1_LATENCY,
    L1_READY,
    LATENCY,
    LINE_BYTES,
    core_items,
    l1_items,
)

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


# --- when things happen: pauses of the cores, and how soon L1 reads and takes. Tables of one value
# each, so that nothing is drawn unless it is asked for (``--knob gap1=0..40``)

PER_ITEM: Final = 12
"""Cycles for which a latency lasts, for each item of a core."""
GAPS: Final = tuple(f"gap{core}" for core in range(THREADS))
_SLOWER: Final = 8  # cycles of latency, or of lines held, by which all takes once more as long
CORES: Final = Table("cores", **{gap: uniform(0, within=range(256)) for gap in GAPS})
"""A row for each item: idle cycles in front of it."""
LATE: Final = Table(
    "late",
    core=uniform(0, within=range(THREADS)),
    step=uniform(0, within=24),  # item of it, from 0; core 0 begins with the configuration
    delay=uniform(0, within=range(1001)),  # more cycles in front of this one item
)
L1: Final = Table("l1", cycles=uniform(50, 499), latency=uniform(LATENCY, within=range(1, 32)))
LINES: Final = Table(
    "lines",
    held=uniform(0, within=range(256)),
    taken=uniform(1, within=range(1, 256)),
)
"""For so many cycles L1 takes no line of the packers, and then for so many all."""
TIMING: Final = Tables(CORES, LATE, L1, LINES)


def _levels(ctx: Context, cycles: int) -> Iterator[tuple[str, Items]]:
    """What L1 does, for so many cycles where it is fast, and for longer where it is slow."""
    l1, lines = (ctx.table(name).rows(ctx.rng(name), cycles) for name in ("l1", "lines"))
    cycles *= 1 + int(l1["latency"].mean() + lines["held"].mean()) // _SLOWER
    l1 = l1[: 1 + np.searchsorted(l1["cycles"].cumsum(), cycles)]
    yield "l1_latency", L1_LATENCY.pack(cycles=l1["cycles"], latency=l1["latency"])
    if lines["held"].any():
        spans = np.column_stack((lines["held"], lines["taken"])).reshape(-1)
        values = np.tile((0, ALL_READY), len(lines))
        some = (spans > 0) & (spans.cumsum() - spans < cycles)
        yield "pack_l1_ready", L1_READY.pack(cycles=spans[some], value=values[some])


def timed(ctx: Context, played: Mapping[str, Items]) -> Stimulus:
    """What a kernel plays, and when its cores and L1 go on, as the tables of ``TIMING`` say."""
    cores = [played[f"t{thread}.core"].copy() for thread in range(THREADS)]
    rows = ctx.table("cores").rows(ctx.rng("cores"), max(map(len, cores)))
    late = ctx.table("late").row(ctx.rng("late"))
    cycles = len(played["l1_write"])
    for thread, (core, gap) in enumerate(zip(cores, GAPS, strict=True)):
        gaps = rows[gap][: len(core)]
        gaps[late.step :][: late.core == thread] += late.delay
        core[:, 0] |= gaps.astype(np.uint32)
        cycles += PER_ITEM * len(core) + int(gaps.sum())
    own = {f"t{thread}.core": core for thread, core in enumerate(cores)}
    every = {**played, **own, **dict(_levels(ctx, cycles))}
    return {name: [made] for name, made in every.items()}
