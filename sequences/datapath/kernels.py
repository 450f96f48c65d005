# SPDX-License-Identifier: Apache-2.0
"""Kernels of ``programs`` as tests, as ``kernels.toml`` has them, and files of ``OWN_KERNELS``.

Their items for the players: L1 first, then the configuration, then the programs.
"""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from tilepath import isa
from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.tables import Table, Tables, uniform
from tilepath.isa import registers, tables
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models import kernels
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
    OWN_KERNELS,
    STREAM_BUSY,
    core_items,
    l1_items,
)
from tilepath.tb.datapath.untimed import UntimedDatapath

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


# --- the tests

FOLDER: Final = Path(__file__).parent / "programs"
# Fewest words of the packers
_PACKED: Final[dict[str, dict[str, int]]] = {"waits": {}, "streams": {}}
# Word 1 has fields of math and packers: one writes its own while the other is busy.
_FAULTS: Final = {
    **dict.fromkeys(("twice", "mutex"), ("busy_config",)),
    "faults": ANY,
}
_CONTENTION: Final = 16  # cycles with and without contention for streams
ROLES: Final = tuple(
    dict(zip(("UNPACKS", "ADDS", "PACKS"), threads, strict=True))
    for threads in itertools.permutations(range(THREADS))
)
"""Constants of ``roles.kernel``."""


def kernel_test(
    name: str, path: Path, given: Mapping[str, int], latency: int = LATENCY, own: bool = False
) -> TestSpec:
    """The test ``name`` of the kernel file ``path`` with constants ``given``.

    ``latency``: cycles that L1 takes. ``own``: a user's file, which may raise any fault, and whose
    timing is that of its tables.
    """

    def stimulus(ctx: Context) -> Stimulus:
        kernel = kernels.load(path, ctx.profile, given)
        played = play(kernel)
        if own:
            return timed(ctx, played)
        cores = sum(len(made) for name, made in played.items() if name != "l1_write")
        cycles = len(played["l1_write"]) + PER_ITEM * cores
        level = L1_LATENCY.pack(cycles=cycles, latency=latency)
        found = {**{name: [made] for name, made in played.items()}, "l1_latency": [level]}
        if name == "streams":
            values = np.arange(cycles // _CONTENTION) % 2
            found["stream_busy"] = [STREAM_BUSY.pack(cycles=_CONTENTION, value=values)]
        return found

    constants = ", ".join(f"{key} {value}" for key, value in given.items())
    return TestSpec(
        name,
        f"kernel {path.name}" + (f" with {constants}" if constants else ""),
        "program",
        stimulus,
        floor={"dispatch": 1}
        if own
        else {"t0.dispatch": 10, "math": 8, **_PACKED.get(name, {"pack": 1})},
        faults=ANY if own else _FAULTS.get(path.stem, ()),
        untimed=lambda profile: UntimedDatapath(
            profile, kernels.load(path, profile, given), judged=own
        ),
        tables=TIMING if own else None,
    )


def own_files() -> dict[str, Path]:
    """Name → file, of those that ``OWN_KERNELS`` names."""
    named = map(Path, filter(None, os.environ.get(OWN_KERNELS, "").split(os.pathsep)))
    return {path.stem: path for path in named}


def own_tests() -> dict[str, TestSpec]:
    """Name → test, of these files."""
    return {name: kernel_test(name, path, {}, own=True) for name, path in own_files().items()}


def _directed() -> Iterator[tuple[str, TestSpec]]:
    """Name and test of each row of ``kernels.toml``."""
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items():
        path, latency = FOLDER / f"{row.pop('kernel', name)}.kernel", row.pop("latency", LATENCY)
        yield name, kernel_test(name, path, row, latency)


TESTS: Final = dict(_directed())
