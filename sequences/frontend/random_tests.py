# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`presets`."""

from __future__ import annotations

from collections.abc import Iterable

from tilepath.sequences.frontend.ports import brisc_items, gate_items, sfpu_cc_items
from tilepath.sequences.frontend.presets import PRESETS, varied
from tilepath.sequences.frontend.random_program import core_items
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players that have a table, varied from thread to thread."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        name = f"t{thread}"
        core = {
            table: varied(ctx.table(table), thread)
            for table in ("segment", "step", "plain", "word", "gap")
        }
        players[f"{name}.core"] = core_items(ctx.rng(f"{name}.core"), core, ctx.profile)
        gate = varied(ctx.table("gate"), thread)
        players[f"{name}.gate"] = gate_items(ctx.rng(f"{name}.gate"), gate, ctx.table("level"))
        if brisc := ctx.table("brisc"):
            players[f"{name}.brisc"] = brisc_items(ctx.rng(f"{name}.brisc"), brisc)
    if sfpu_cc := ctx.table("sfpu_cc"):
        players["sfpu_cc"] = sfpu_cc_items(ctx.rng("sfpu_cc"), sfpu_cc)
    return players


_SUMMARIES = {
    "mix": "everything at once, faults included",
    "mop": "MOPs of both templates, loop counts and MopCfg contents at their corners",
    "replay": "loops recorded and played, from MOPs too",
    "backpressure": "an issue port that is often, or for long, not ready",
    "brisc": "BRISC words, with and without collisions",
    "race": "MopCfg written during expansions, mop_syncs that nobody waits for",
    "illegal": "words that must not reach the wait gate",
    "default": "default constraints: what correct software does",
    "busy": "three threads that issue in nearly every cycle; the benchmark's stimulus",
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
    "busy": {"issue": 13_700, "accept": 1650, "ingest": 375, "mq": 6350},
}


TESTS: dict[str, TestSpec] = {
    f"random_{preset}": TestSpec(
        name=f"random_{preset}",
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        seeds=1 if preset == "busy" else 3,
        floor=_FLOORS[preset],
        faults=_FAULTS.get(preset, ()),
        tables=PRESETS[preset],
    )
    for preset, summary in _SUMMARIES.items()
}
