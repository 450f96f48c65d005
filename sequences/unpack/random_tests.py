# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.unpack.checks import WARNINGS
from tilepath.sequences.unpack.knobs import PRESETS, Knobs
from tilepath.sequences.unpack.random_scene import Scenes
from tilepath.sequences.unpack.scenes import PLAYERS, Feed, Script
from tilepath.sequences.unpack.storm import storm_stimulus
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.tb.unpack import items

_BLOCK: Final = 64


def latency_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Endless stimulus of ``l1_latency``."""
    d = Draw(rng)
    while True:
        kinds = [d.by(knobs.latencies) for _ in range(_BLOCK)]
        values = [
            {"one": 1, "short": d.between(1, 6), "any": d.between(1, 31)}[kind] for kind in kinds
        ]
        yield items.l1_latency(rng.integers(1, 300, _BLOCK), values)


def base_items(rng: np.random.Generator) -> Iterator[Items]:
    """Endless stimulus of ``setreg_base``."""
    while True:
        bases = rng.integers(0, 1 << 20, (2, _BLOCK))
        yield items.setreg_base(rng.integers(50, 800, _BLOCK), bases[0], bases[1])


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players."""
    scenes = Scenes(Draw(ctx.rng("scenes")), knobs, ctx.profile)
    players: dict[str, Iterable[Items]] = Feed(Script(ctx.profile), scenes).stimulus()
    players["l1_latency"] = latency_items(ctx.rng("l1_latency"), knobs)
    players["setreg_base"] = base_items(ctx.rng("setreg_base"))
    return players


def storm(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players, none of which waits for the others."""
    players = storm_stimulus({name: ctx.rng(name) for name in PLAYERS}, knobs)
    players["l1_latency"] = latency_items(ctx.rng("l1_latency"), knobs)
    players["setreg_base"] = base_items(ctx.rng("setreg_base"))
    return players


def _preset(name: str) -> Callable[[Context], Stimulus]:
    knobs = PRESETS[name]
    make = storm if knobs.storm else random_stimulus
    return lambda ctx: make(ctx, knobs)


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
# unpacker or thread where there are several.
_FLOORS: Final[dict[str, dict[str, int]]] = {
    "random_default": {
        "issue": 190, "write": 480, "counter": 990, "matrix": 280, "matrix_read": 120, "cfg": 690,
    },
    "random_packed": {
        "issue": 130, "write": 360, "counter": 540, "matrix": 190, "matrix_read": 75, "cfg": 530,
    },
    "random_pipeline": {
        "issue": 300, "write": 218, "counter": 720, "matrix": 440, "matrix_read": 220, "cfg": 460,
    },
    "random_faults": {
        "issue": 220, "write": 560, "counter": 750, "matrix": 260, "fault": 80, "write_fault": 34,
    },
    "random_storm": {
        "issue": 980, "write": 2000, "counter": 1530, "matrix": 1260, "fault": 740,
        "write_fault": 160,
    },
}  # fmt: skip


TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=_preset(name),
        endless=True,
        seeds=_SEEDS[name],
        floor=_FLOORS[name],
        # legal traffic raises warnings: rows that it need not write, instructions cut in two
        faults=tuple(sorted(WARNINGS)) if PRESETS[name].legal() else ANY,
    )
    for name, summary in _SUMMARIES.items()
}
