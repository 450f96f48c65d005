# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tilepath.sequences.unpack.checks import WARNINGS
from tilepath.sequences.unpack.random_scene import Scenes
from tilepath.sequences.unpack.scenes import Feed, Script
from tilepath.sequences.unpack.storm import storm_stimulus
from tilepath.sequences.unpack.tables import PRESETS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec
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
# Fewest events in 10 000 cycles: half of the fewest that runs of several seeds had; of each
# unpacker or thread where there are several. Rows of SrcA come in clumps: fewer, for short runs.
_FLOORS: Final[dict[str, dict[str, int]]] = {
    "random_default": {
        "issue": 190, "write": 480, "counter": 940, "matrix": 200, "answer_a": 5, "cfg": 550,
        "flop": 175, "store": 95,
    },
    "random_packed": {
        "issue": 110, "write": 290, "counter": 540, "matrix": 130, "answer_a": 3, "cfg": 335,
        "flop": 125, "store": 70,
    },
    "random_pipeline": {
        "issue": 300, "write": 218, "counter": 720, "matrix": 440, "answer_a": 50, "cfg": 460,
        "flop": 100, "store": 55,
    },
    "random_faults": {
        "issue": 220, "write": 560, "counter": 750, "matrix": 260, "fault": 80, "write_fault": 34,
        "flop": 180, "store": 100,
    },
    "random_storm": {
        "issue": 980, "write": 2000, "counter": 1530, "matrix": 1260, "fault": 740,
        "write_fault": 160, "matrix_write": 500, "answer_d": 200, "implied": 100,
        "flop": 180, "store": 240,
    },
}  # fmt: skip


TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        seeds=_SEEDS[name],
        floor=_FLOORS[name],
        # legal traffic raises warnings: rows that it need not write, instructions cut in two
        faults=tuple(sorted(WARNINGS)) if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
}
