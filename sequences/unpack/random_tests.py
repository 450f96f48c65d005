# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.sequences.unpack.plan import WARNINGS
from tilepath.sequences.unpack.random_scene import Scenes
from tilepath.sequences.unpack.script import Feed, Script
from tilepath.sequences.unpack.storm import storm_stimulus
from tilepath.sequences.unpack.tables import PRESETS
from tilepath.tb.unpack import items

_BLOCK: Final = 64


def latency_items(ctx: Context) -> Iterator[Items]:
    """Endless stimulus of ``l1_latency``."""
    for rows in ctx.table("latency").blocks(ctx.rng("l1_latency"), _BLOCK):
        yield items.l1_latency(rows["cycles"], rows["latencies"])


def base_items(ctx: Context) -> Iterator[Items]:
    """Endless stimulus of ``setreg_base``."""
    for rows in ctx.table("base").blocks(ctx.rng("setreg_base"), _BLOCK):
        yield items.setreg_base(rows["cycles"], *rows["bases"].T)


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players, of scenes, or of a storm: none waits for the others."""
    players: dict[str, Iterable[Items]] = {
        "l1_latency": latency_items(ctx), "setreg_base": base_items(ctx)
    }  # fmt: skip
    if ctx.table("scene") is None:
        return players | storm_stimulus(ctx)
    assert ctx.tables is not None
    scenes = Scenes(ctx.tables, lambda name: ctx.rng(f"scenes {name}"), ctx.profile)
    return players | Feed(Script(ctx.profile), scenes).stimulus()


_SUMMARIES: Final = {
    "random_default": "default constraints: legal traffic, everything else random",
    "random_packed": "compressed tiles",
    "random_pipeline": "many short instructions: pipelines full, banks late",
    "random_faults": "illegal instructions, set-ups and NOPs in between",
    "random_storm": "every player for itself: configuration that changes at any time",
}
_SEEDS: Final = {
    "random_default": 3,
    "random_packed": 1,
    "random_pipeline": 2,
    "random_faults": 2,
    "random_storm": 2,
}

TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        seeds=_SEEDS[name],
        floor=floors("unpack", name),
        # legal traffic raises warnings: rows that it need not write, instructions cut in two
        faults=tuple(sorted(WARNINGS)) if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
}
