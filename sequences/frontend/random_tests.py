# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`, and the three busy threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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


def floors(streams: Mapping[str, int]) -> dict[str, int]:
    """A floor for each thread's instance of ``streams``."""
    return {f"t{i}.{name}": count for i in range(THREADS) for name, count in streams.items()}


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

# Fewest events of each thread in 10 000 cycles: half of the fewest that runs of many seeds had. A
# thread that draws long expansions takes few words of its core, however long the run.
_FLOORS: dict[str, dict[str, int]] = {
    "mix": {"issue": 2100, "accept": 144, "ingest": 39, "mopcfg": 69, "fault": 33},
    "mop": {"issue": 2700, "accept": 160, "ingest": 50, "mopcfg": 120, "sync": 15},
    "replay": {"issue": 2029, "accept": 78, "mq": 114},
    "backpressure": {"issue": 1330, "accept": 135, "ingest": 30, "ready": 7},
    "brisc": {"issue": 1889, "accept": 180, "ingest": 42, "brisc_accept": 24, "fault": 13},
    "race": {"issue": 2520, "accept": 120, "ingest": 28, "mopcfg": 57, "fault": 10},
    "illegal": {"issue": 2310, "accept": 165, "ingest": 48, "fault": 54},
    "default": {"issue": 2240, "accept": 105, "ingest": 36, "mopcfg": 69, "sync": 9},
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
            floor=floors(_FLOORS[preset]),
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
            floor=floors({"issue": 4500, "accept": 300, "ingest": 55, "mq": 500}),
        )
    )
    return {test.name: test for test in tests}


TESTS = _random_tests()
