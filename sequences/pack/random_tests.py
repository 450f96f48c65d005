# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.kernel.script import Feed
from tilepath.sequences.pack.knobs import PRESETS, Knobs
from tilepath.sequences.pack.random_scene import Scenes
from tilepath.sequences.pack.random_tile import Tiles
from tilepath.sequences.pack.script import Levels, Script, script_test
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.tb.pack import streams as s

_BLOCK: Final = 64
WARNINGS: Final = (
    "wrap", "limit_fifo", "reads_per_plane", "threads", "intf_group", "strided", "x_override",
    "empty",
)  # fmt: skip
"""Faults of legal traffic."""


def latency_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Endless stimulus of ``l1_latency``."""
    d = Draw(rng)
    while True:
        kinds = [d.by(knobs.latencies) for _ in range(_BLOCK)]
        values = [
            {"one": 1, "short": d.between(1, 6), "any": d.between(1, 31)}[kind] for kind in kinds
        ]
        yield s.levels(s.L1_LATENCY, rng.integers(1, 300, _BLOCK), latency=values)


def ready_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Endless stimulus of ``l1_ready``: each packer for itself, for some hundred cycles alike."""
    d = Draw(rng)
    while True:
        kind = d.by(knobs.ready)
        share = {"mostly": 0.85, "half": 0.5, "rarely": 0.15, "bursts": 0.5}.get(kind, 1.0)
        bits = rng.random((_BLOCK, 4)) < share
        cycles = rng.integers(1, 40, _BLOCK) if kind in ("bursts", "always") else 1
        yield s.levels(s.L1_READY, cycles, value=bits @ np.array([1, 2, 4, 8]))


def base_items(rng: np.random.Generator) -> Iterator[Items]:
    """Endless stimulus of ``setreg_base``."""
    while True:
        scalers = {f"scaler{k}": rng.integers(0, 512, _BLOCK) for k in range(4)}
        cycles, base = rng.integers(50, 800, _BLOCK), rng.integers(0, 1 << 24, _BLOCK)
        yield s.levels(s.SETREG_BASE, cycles, base=base, **scalers)


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players."""
    scenes = _MAKERS.get(ctx.test, Scenes)(ctx.rng("scenes"), knobs, ctx.profile)
    players: dict[str, Iterable[Items]] = Feed(Script(ctx.profile), scenes).stimulus()
    players["l1_latency"] = latency_items(ctx.rng("l1_latency"), knobs)
    players["l1_ready"] = ready_items(ctx.rng("l1_ready"), knobs)
    players["setreg_base"] = base_items(ctx.rng("setreg_base"))
    return players


def _to_the_end(name: str, scenes: int) -> TestSpec:
    """A finite test of some scenes: the packers without time must come to the same state."""
    knobs, make = PRESETS[name], _MAKERS.get(name, Scenes)

    def build(script: Script, ctx: Context) -> None:
        scene = make(ctx.rng("scenes"), knobs, ctx.profile)
        for _ in range(scenes):
            scene(script)

    def some(items: Callable[[np.random.Generator, Knobs], Iterator[Items]], blocks: int) -> Levels:
        player = items.__name__.removesuffix("_items")
        return {f"l1_{player}": lambda c: itertools.islice(items(c.rng(player), knobs), blocks)}

    return script_test(
        name.replace("random", "scenes"),
        f"{scenes} scenes of {name} to their end",
        build,
        {"issue": 5 * scenes, "w0.write": 2 * scenes},
        levels={**some(latency_items, 1), **some(ready_items, 8)},  # as long as the scenes
        faults=WARNINGS,
    )


def _preset(name: str) -> Callable[[Context], Stimulus]:
    return lambda ctx: random_stimulus(ctx, PRESETS[name])


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
        stimulus=_preset(name),
        endless=True,
        floor={"issue": 100, "w0.write": 100},
        faults=WARNINGS if PRESETS[name].legal() else ANY,
    )
    for name, summary in _SUMMARIES.items()
}
TESTS |= {
    test.name: test
    for name in _SUMMARIES
    if PRESETS[name].legal()
    for test in (_to_the_end(name, 12),)
}
