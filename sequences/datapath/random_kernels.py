# SPDX-License-Identifier: Apache-2.0
"""Kernels drawn at random, one behind the other without end: which, of how many tiles, and pauses.

Each begins when all of the one before it is done: ``fresh.kernel`` clears what threads and units
keep, core 0 stores the configuration, with zeros where only kernels before had any, L1 is written
anew, then all three cores go on. In between nothing is under way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import random_test
from tilepath.engine.stimulus.tables import Table, Tables, chance, choice, uniform
from tilepath.isa.boundary.datapath import THREADS
from tilepath.isa.boundary.pack import PACKERS
from tilepath.models import kernels
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.kernels.program import ConfigWord
from tilepath.models.machine.items import Item
from tilepath.sequences.datapath.drawn_kernel import PLAN, plan
from tilepath.sequences.datapath.kernels import FOLDER, ROLES, programs
from tilepath.tb.datapath.streams import (
    ALL_IDLE,
    CHUNK,
    HOLDING,
    L1_LATENCY,
    L1_READY,
    LINE_BYTES,
    STREAM_BUSY,
    core_items,
    l1_items,
)

_HEADER: Final = 16  # bytes of a tile
FEW: Final = 4  # kernels of a run of the tests that end
_BLOCK: Final = 64  # rows of a table that are drawn at once
NAMES: Final = (
    "accumulate", "add1", "broadcast", "chain", "copy", "crosses", "formats", "matmul", "reuse",
    "roles", "streams", "waits", "writes",
)  # fmt: skip
KERNEL: Final = Table(
    "kernel",
    kernel=choice(NAMES),
    tiles=uniform(1, 3),  # of matmul columns, two at most; of reuse one side of out
    rows=uniform(1, 2),  # of both the other side
    pair=uniform(0, 4),
    mul=chance(0.5),
    cast=uniform(0, 3),
    phases=uniform(1, 4),
    terms=uniform(1, 2),  # of a sum, in a single row
    column=chance(0.5),
    roles=uniform(0, len(ROLES) - 1),
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
BUSY: Final = Table("busy", cycles=uniform(1, 60), streams=chance(0.3))
TABLES: Final = Tables(KERNEL, PLAN, L1, READY, BUSY)


def loaded(row: Any, profile: str) -> Kernel:
    """A kernel of a few tiles, as a row of ``KERNEL`` says.

    So few that even with a slow L1 no thread waits longer for the others than a check allows.
    """
    name, tiles, phases = NAMES[row.kernel], int(row.tiles), int(row.phases)
    rows, column = int(row.rows), int(row.column)
    terms = int(row.terms) if rows == 1 else 1
    given = {
        "formats": {"TILES": tiles, "PAIR": int(row.pair)},
        "broadcast": {"TILES": tiles, "MUL": int(row.mul), "BCAST": int(row.cast),
                      "PHASES": phases if row.mul else 1},
        "matmul": {"R": rows, "C": min(tiles, 2), "K": terms, "PHASES": phases},
        "reuse": {"R": tiles if column else rows, "C": rows if column else tiles, "K": terms,
                  "PHASES": phases, "COLUMN": column},
        "accumulate": {"TILES": 1},  # of three sums
        "chain": {"TILES": min(tiles, 2)},
        "roles": {"TILES": tiles, **ROLES[row.roles]},
        "streams": {},
        "waits": {},
    }.get(name, {"TILES": tiles})  # fmt: skip
    return kernels.load(FOLDER / f"{name}.kernel", profile, given)


def _shuffled(kernel: Kernel, rng: np.random.Generator) -> Any:
    """L1 with the datums of each tile in another order."""
    l1 = np.array(machine_of(kernel).unpack.l1)
    for tile in kernel.tiles.values():
        for number in range(tile.count):
            first = tile.at + number * tile.size + _HEADER
            part = l1[first : tile.at + (number + 1) * tile.size].view(np.uint32)
            part[:] = rng.permutation(part)
    return l1


Drawn = Iterator[tuple[Any, Kernel, Any]]
"""Of each kernel the row that it is drawn from, with ``share`` and ``pause``, itself, and L1."""


def _ready_made(ctx: Context, rng: np.random.Generator) -> Drawn:
    for row in ctx.table("kernel").drawn(ctx.rng("kernel"), _BLOCK):
        kernel = loaded(row, ctx.profile)
        yield row, kernel, _shuffled(kernel, rng)


def _planned(ctx: Context, _: np.random.Generator) -> Drawn:
    for row in ctx.table("plan").drawn(ctx.rng("plan"), _BLOCK):
        kernel = plan(row).kernel(ctx.profile)
        yield row, kernel, np.array(machine_of(kernel).unpack.l1)


def _kernels(
    ctx: Context, draw: Callable[[Context, np.random.Generator], Drawn]
) -> Iterator[dict[str, Items]]:
    """The items of one kernel after the other, by player."""
    rng, done = ctx.rng("kernels"), 0
    fresh = kernels.load(FOLDER / "fresh.kernel", ctx.profile).programs
    mark = np.zeros(LINE_BYTES * CHUNK, np.uint8)
    written: dict[tuple[str, int], int] = {}  # words of configuration that some kernel had
    for row, kernel, first in draw(ctx, rng):
        own = {(given.space, given.word): given.value for given in kernel.config}
        written |= dict.fromkeys(own, 0)
        config = [ConfigWord(*place, value) for place, value in (written | own).items()]
        stores, made = programs(replace(kernel, config=config))
        found: dict[str, list[Items]] = {"l1_write": []}
        phases: tuple[tuple[Any, Sequence[Sequence[Item]]], ...]
        phases = (mark, [stores]), (first, made)
        if done:
            phases = (mark, fresh), *phases
        for l1, phase in phases:
            found["l1_write"].append(l1_items(l1, idle=ALL_IDLE, after=HOLDING.after_all(done)))
            done += len(found["l1_write"][-1])
            after = HOLDING.after_all(done)
            for thread, program in enumerate(phase):
                count = len(core_items(program))
                paused = rng.integers(0, 100, count) < row.share
                gaps = np.where(paused, rng.integers(1, row.pause + 1, count), 0)
                part = core_items(program, gaps=gaps, after=after)
                found.setdefault(f"t{thread}.core", []).append(part)
                done += count
        yield {player: np.concatenate(parts) for player, parts in found.items()}


def _stimulus(
    ctx: Context,
    few: int | None = None,
    draw: Callable[[Context, np.random.Generator], Drawn] = _ready_made,
) -> Stimulus:
    """Of so many kernels, or without end."""
    names = ("l1_write", *(f"t{thread}.core" for thread in range(THREADS)))
    drawn = itertools.tee(_kernels(ctx, draw), len(names))

    def of_player(player: str, found: Iterator[dict[str, Items]]) -> Iterator[Items]:
        return (one[player] for one in found)

    def latencies() -> Iterator[Items]:
        for rows in ctx.table("l1").blocks(ctx.rng("l1_latency"), _BLOCK // 8):
            yield L1_LATENCY.pack(cycles=rows["cycles"], latency=rows["latency"])

    def readies() -> Iterator[Items]:
        for rows in ctx.table("ready").blocks(ctx.rng("l1_ready"), _BLOCK):
            bits = rows["draws"] < rows["share"][:, None]
            yield L1_READY.pack(cycles=rows["cycles"], value=bits @ (1 << np.arange(PACKERS)))

    def busies() -> Iterator[Items]:
        for rows in ctx.table("busy").blocks(ctx.rng("stream_busy"), _BLOCK):
            yield STREAM_BUSY.pack(cycles=rows["cycles"], value=rows["streams"])

    players = {name: of_player(name, one) for name, one in zip(names, drawn, strict=True)}
    players |= {"l1_latency": latencies(), "pack_l1_ready": readies(), "stream_busy": busies()}
    return {name: itertools.islice(arrays, few) for name, arrays in players.items()}


TESTS: Final = {
    "random_default": random_test(
        "datapath",
        "random_default",
        "kernels drawn at random, with pauses, and latencies and back-pressure of L1 that change",
        stimulus=_stimulus,
        tables=TABLES,
    ),
    "four_kernels": TestSpec(
        "four_kernels",
        "four kernels drawn so, which leave what the machine without time comes to",
        "program",
        partial(_stimulus, few=FEW),
        floor={"t0.dispatch": 10, "math": 10, "pack": 1},
        tables=TABLES,
    ),
    "random_plans": TestSpec(
        "random_plans",
        "four kernels drawn from one plan, of one to four stages each",
        "program",
        partial(_stimulus, few=FEW, draw=_planned),
        floor={"t0.dispatch": 10, "math": 1, "pack": 1},  # some go past the Matrix Unit
        tables=TABLES,
    ),
}
