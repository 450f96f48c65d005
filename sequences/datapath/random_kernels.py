# SPDX-License-Identifier: Apache-2.0
"""Kernels drawn at random, one behind the other without end: which, of how many tiles, and pauses.

Each begins when all of the one before it is done: L1 is written anew, core 0 stores the
configuration, then all three cores go on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath import isa
from tilepath.isa.boundary.datapath import THREADS
from tilepath.isa.boundary.pack import PACKERS
from tilepath.models import kernels
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine import items
from tilepath.sequences.datapath.play import programs
from tilepath.sequences.kernel.tables import Table, Tables, chance, choice, uniform
from tilepath.tb.datapath.streams import (
    ALL_IDLE,
    HOLDING,
    L1_LATENCY,
    L1_READY,
    core_items,
    l1_items,
)
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

_FOLDER: Final = Path(__file__).parent / "programs"
_HEADER: Final = 16  # bytes of a tile
# Registers of a thread's own that a kernel leaves behind and the next one takes for 0
_LEFT: Final = ("UNPACK_MISC_CFG_CfgContextOffset_0", "DEST_TARGET_REG_CFG_MATH_Offset")
_BLOCK: Final = 64  # rows of a table that are drawn at once


NAMES: Final = ("copy", "formats", "add1", "broadcast", "matmul")
KERNEL: Final = Table(
    "kernel",
    kernel=choice(NAMES),
    tiles=uniform(1, 3),  # of matmul columns and terms of a sum, two at most
    pair=uniform(0, 4),
    mul=chance(0.5),
    cast=uniform(0, 3),
    phases=uniform(1, 4),
    terms=uniform(1, 2),
    share=choice((0, 2, 10, 50)),  # of items with a pause in front, in percent
    pause=uniform(1, 60),
)
L1: Final = Table("l1", cycles=uniform(50, 499), latency=uniform(1, 31))
READY: Final = Table(
    "ready",
    share=choice((100, 100, 100, 90, 50, 20)),  # of cycles in which L1 takes a packer's lines
    cycles=uniform(1, 40),
    draws=uniform(0, 99, shape=PACKERS),
)
TABLES: Final = Tables(KERNEL, L1, READY)


def _loaded(row: Any, profile: str) -> Kernel:
    """A kernel of a few tiles."""
    name, tiles, phases = NAMES[row.kernel], int(row.tiles), int(row.phases)
    given = {
        "formats": {"TILES": tiles, "PAIR": int(row.pair)},
        "broadcast": {"TILES": tiles, "MUL": int(row.mul), "BCAST": int(row.cast),
                      "PHASES": phases if row.mul else 1},
        "matmul": {"R": 1, "C": min(tiles, 2), "K": int(row.terms), "PHASES": phases},
    }.get(name, {"TILES": tiles})  # fmt: skip
    return kernels.load(_FOLDER / f"{name}.kernel", profile, given)


def _shuffled(kernel: Kernel, rng: np.random.Generator) -> Any:
    """L1 with the datums of each tile in another order."""
    l1 = np.array(machine_of(kernel).unpack.l1)
    for tile in kernel.tiles.values():
        for number in range(tile.count):
            first = tile.at + number * tile.size + _HEADER
            part = l1[first : tile.at + (number + 1) * tile.size].view(np.uint32)
            part[:] = rng.permutation(part)
    return l1


def _first(thread: int) -> list[items.Item]:
    """What brings a thread back to where a kernel begins."""
    words = [isa.config_field(name).addr32 for name in _LEFT]
    texts = [f"SETC16 {word}, 0" for word in words]
    if thread == 1:
        texts.append("SETRWC 0,0,0,0,0,15")
    return [items.Push((isa.assemble(text),)) for text in texts]


def _kernels(ctx: Context) -> Iterator[dict[str, Items]]:
    """The items of one kernel after the other, by player."""
    rng, done = ctx.rng("kernels"), 0
    for row in ctx.table("kernel").drawn(ctx.rng("kernel"), _BLOCK):
        kernel = _loaded(row, ctx.profile)
        stores, made = programs(kernel)
        before = HOLDING.after_all(done)
        written = l1_items(_shuffled(kernel, rng), idle=ALL_IDLE, after=before)
        found = {"l1_write": written}
        done += len(found["l1_write"])
        configured = core_items(stores, after=HOLDING.after_all(done))
        done += len(configured)
        begun = done
        for thread, program in enumerate(made):
            every = [*_first(thread), *program]
            count = len(core_items(every))
            paused = rng.integers(0, 100, count) < row.share
            gaps = np.where(paused, rng.integers(1, row.pause + 1, count), 0)
            own = core_items(every, gaps=gaps, after=HOLDING.after_all(begun))
            found[f"t{thread}.core"] = np.concatenate((configured, own)) if thread == 0 else own
            done += count
        yield found


def _stimulus(ctx: Context) -> Stimulus:
    names = ("l1_write", *(f"t{thread}.core" for thread in range(THREADS)))
    drawn = itertools.tee(_kernels(ctx), len(names))

    def of_player(player: str, found: Iterator[dict[str, Items]]) -> Iterator[Items]:
        return (one[player] for one in found)

    def latencies() -> Iterator[Items]:
        for rows in ctx.table("l1").blocks(ctx.rng("l1_latency"), _BLOCK):
            yield L1_LATENCY.pack(cycles=rows["cycles"], latency=rows["latency"])

    def readies() -> Iterator[Items]:
        for rows in ctx.table("ready").blocks(ctx.rng("l1_ready"), _BLOCK):
            bits = rows["draws"] < rows["share"][:, None]
            yield L1_READY.pack(cycles=rows["cycles"], value=bits @ (1 << np.arange(PACKERS)))

    players = {name: of_player(name, one) for name, one in zip(names, drawn, strict=True)}
    return {**players, "l1_latency": latencies(), "pack_l1_ready": readies()}


TESTS: Final = {
    "random_default": TestSpec(
        "random_default",
        "kernels drawn at random, with pauses, and latencies and back-pressure of L1 that change",
        "random",
        _stimulus,
        endless=True,
        floor={"t0.dispatch": 10, "math": 10, "pack": 1},
        tables=TABLES,
    )
}
