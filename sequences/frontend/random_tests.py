# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`, and the three busy threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tilepath.sequences.frontend.busy import busy_items
from tilepath.sequences.frontend.knobs import PRESETS, Knobs
from tilepath.sequences.frontend.ports import brisc_items, gate_items, sfpu_cc_items
from tilepath.sequences.frontend.random_program import core_items
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players from ``knobs``, varied from thread to thread."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        own = knobs.varied(thread)
        name = f"t{thread}"
        players[f"{name}.core"] = core_items(ctx.rng(f"{name}.core"), own, ctx.profile)
        players[f"{name}.gate"] = gate_items(ctx.rng(f"{name}.gate"), own)
        if own.brisc_gap:
            players[f"{name}.brisc"] = brisc_items(ctx.rng(f"{name}.brisc"), own)
    if knobs.sfpu_cc:
        players["sfpu_cc"] = sfpu_cc_items(ctx.rng("sfpu_cc"), knobs.sfpu_cc)
    return players


def preset_stimulus(preset: str) -> Callable[[Context], Stimulus]:
    """The ``TestSpec.stimulus`` of a preset; ``KeyError`` for an unknown one."""
    knobs = PRESETS[preset]
    return lambda ctx: random_stimulus(ctx, knobs)


def busy_stimulus(ctx: Context) -> Stimulus:
    """Three busy threads; the issue ports refuse one cycle in about a thousand."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        name = f"t{thread}"
        players[f"{name}.core"] = busy_items(ctx.rng(f"{name}.core"), thread)
        players[f"{name}.gate"] = _rare_stalls(ctx.rng(f"{name}.gate"))
    return players


def _rare_stalls(rng: np.random.Generator) -> Iterable[Items]:
    while True:
        items = np.empty((64, 2), np.uint32)
        items[0::2, 0] = rng.integers(500, 1500, 32)
        items[0::2, 1] = 1
        items[1::2] = (1, 0)
        yield items


_SUMMARIES = {
    "mix": "everything at once, faults included",
    "mop": "MOPs of both templates, loop counts and MopCfg contents at their corners",
    "replay": "loops recorded and played, from MOPs too",
    "backpressure": "an issue port that is often, or for long, not ready",
    "brisc": "BRISC words, with and without collisions",
    "race": "MopCfg written during expansions, mop_syncs that nobody waits for",
    "illegal": "words that must not reach the wait gate",
    "default": "default constraints: what correct software does",
}

# Where a preset is not legal: unfinished records and MopCfg words in flight end as illegal words.
_FAULTS: dict[str, tuple[str, ...]] = {
    "mix": ANY,
    "replay": ("illegal",),
    "brisc": ("illegal", "collision"),
    "race": ("illegal", "mopcfg_race"),
    "illegal": ("illegal",),
}

# Fewest events of the three threads in 10 000 cycles: a little less than half of the fewest that
# runs of many seeds had.
_FLOORS: dict[str, dict[str, int]] = {
    "mix": {"issue": 9100, "accept": 1500, "ingest": 435, "mopcfg": 865, "fault": 505},
    "mop": {"issue": 10150, "accept": 1350, "ingest": 595, "mopcfg": 1050, "sync": 140},
    "replay": {"issue": 9750, "accept": 2300, "mq": 3600},
    "backpressure": {"issue": 6150, "accept": 1200, "ingest": 335, "ready": 3800},
    "brisc": {"issue": 8650, "accept": 1600, "ingest": 455, "brisc_accept": 270, "fault": 160},
    "race": {"issue": 10050, "accept": 1400, "ingest": 395, "mopcfg": 815, "fault": 285},
    "illegal": {"issue": 8900, "accept": 1900, "ingest": 520, "fault": 820},
    "default": {"issue": 9400, "accept": 1700, "ingest": 455, "mopcfg": 850, "sync": 105},
}


def _random_tests() -> dict[str, TestSpec]:
    tests = [
        TestSpec(
            name=f"random_{preset}",
            summary=summary,
            kind="random",
            stimulus=preset_stimulus(preset),
            endless=True,
            seeds=3,
            floor=_FLOORS[preset],
            faults=_FAULTS.get(preset, ()),
        )
        for preset, summary in _SUMMARIES.items()
    ]
    tests.append(
        TestSpec(
            name="random_busy",
            summary="three threads that issue in nearly every cycle; the benchmark's stimulus",
            kind="random",
            stimulus=busy_stimulus,
            endless=True,
            floor={"issue": 13_700, "accept": 1650, "ingest": 375, "mq": 6350},
        )
    )
    return {test.name: test for test in tests}


TESTS = _random_tests()
