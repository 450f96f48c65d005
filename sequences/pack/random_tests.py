# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`presets`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.engine.stimulus.script import Feed, Levels
from tilepath.engine.stimulus.tables import Table, Tables
from tilepath.sequences.pack.presets import PRESETS
from tilepath.sequences.pack.random_scene import Scenes
from tilepath.sequences.pack.random_tile import Tiles
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.pack import streams as s

_BLOCK: Final = 64
WARNINGS: Final = (
    "wrap", "limit_fifo", "reads_per_plane", "threads", "intf_group", "strided", "edge_neginf_bfp",
    "edge_position", "fp16_accumulate", "x_override", "empty",
)  # fmt: skip
"""Faults of legal traffic."""


def latency_items(rng: np.random.Generator, tables: Mapping[str, Table]) -> Iterator[Items]:
    """Endless stimulus of ``l1_latency``."""
    for rows in tables["latency"].blocks(rng, _BLOCK):
        yield s.levels(s.L1_LATENCY, rows["cycles"], latency=rows["latency"])


def ready_items(rng: np.random.Generator, tables: Mapping[str, Table]) -> Iterator[Items]:
    """Endless stimulus of ``l1_ready``: each packer for itself, for some hundred cycles alike."""
    for kind in tables["readies"].drawn(rng, _BLOCK):
        rows = tables["level"].rows(rng, _BLOCK, kind=kind.ready)
        yield s.levels(s.L1_READY, rows["cycles"], value=rows["bits"] @ np.array([1, 2, 4, 8]))


def dst_read_items(rng: np.random.Generator, tables: Mapping[str, Table]) -> Iterator[Items]:
    """Endless stimulus of ``dst_read``."""
    for rows in tables["dst_read"].blocks(rng, _BLOCK):
        times = rows["times"]
        number = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        rest, row, adjacent, wide = (
            np.repeat(rows[name], times) for name in ("rest", "first_row", "adjacent", "pair")
        )
        row = (row + number * adjacent) % 1024 & ~(8 * wide)
        yield s.DST_READ.pack(gap=np.where(number == 0, rest, 0), row=row, wide=wide)


def base_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Endless stimulus of ``setreg_base``."""
    for rows in table.blocks(rng, _BLOCK):
        scalers = {f"scaler{k}": rows["scaler"][:, k] for k in range(4)}
        yield s.levels(s.SETREG_BASE, rows["cycles"], base=rows["address"], **scalers)


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players."""
    tables = ctx.tables
    assert isinstance(tables, Tables)
    scenes = _MAKERS.get(ctx.test, Scenes)(ctx.rng("scenes"), tables, ctx.profile)
    players: dict[str, Iterable[Items]] = Feed(Script(ctx.profile), scenes).stimulus()
    players["l1_latency"] = latency_items(ctx.rng("l1_latency"), tables)
    players["l1_ready"] = ready_items(ctx.rng("l1_ready"), tables)
    players["dst_read"] = dst_read_items(ctx.rng("dst_read"), tables)
    players["setreg_base"] = base_items(ctx.rng("setreg_base"), tables["base"])
    return players


def _to_the_end(name: str, scenes: int) -> TestSpec:
    """A finite test of some scenes: the packers without time must come to the same state."""
    tables, make = PRESETS[name], _MAKERS.get(name, Scenes)

    def build(script: Script, ctx: Context) -> None:
        scene = make(ctx.rng("scenes"), tables, ctx.profile)
        for _ in range(scenes):
            scene(script)

    def some(items: Callable[..., Iterator[Items]], blocks: int) -> Levels:
        player = items.__name__.removesuffix("_items")
        made = player if player == "dst_read" else f"l1_{player}"
        return {made: lambda c: itertools.islice(items(c.rng(player), tables), blocks)}

    return script_test(
        name.replace("random", "scenes"),
        f"{scenes} scenes of {name} to their end",
        build,
        {"issue": scenes, "write": scenes},  # with some seeds there are five times as many
        levels={  # as long as the scenes
            **some(latency_items, 1),
            **some(ready_items, 8),
            **some(dst_read_items, 1),
        },
        faults=WARNINGS,
    )


_MAKERS: Final[dict[str, type[Scenes]]] = {"random_tile": Tiles}
_SUMMARIES: Final = {
    "random_tile": "whole tiles, as kernels pack them, in every format",
    "random_default": "default constraints: legal traffic of every kind",
    "random_formats": "every way of a datum through the formats, values of all classes",
    "random_address": "strides, offsets, counters and their modifiers, three threads",
    "random_edge": "edge masks, ReLU, threshold, downsampling, histograms",
    "random_compress": "compressed tiles",
    "random_accumulate": "accumulation in L1",
    "random_pressure": "L1 that is slow and not ready",
    "random_faults": "set-ups and instructions that are not legal",
}

TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        floor=floors("pack", name),
        faults=WARNINGS if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
}
TESTS |= {
    test.name: test
    for name in _SUMMARIES
    if PRESETS[name].legal
    for test in (_to_the_end(name, 12),)
}
