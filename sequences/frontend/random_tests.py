# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`presets`."""

from __future__ import annotations

from collections.abc import Iterable

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.sequences.frontend.ports import brisc_items, gate_items, sfpu_cc_items
from tilepath.sequences.frontend.presets import PRESETS, varied
from tilepath.sequences.frontend.random_program import core_items
from tilepath.tb.frontend.streams import THREADS


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

TESTS: dict[str, TestSpec] = {
    f"random_{preset}": TestSpec(
        name=f"random_{preset}",
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        seeds=1 if preset == "busy" else 3,
        floor=floors("frontend", f"random_{preset}"),
        faults=_FAULTS.get(preset, ()),
        tables=PRESETS[preset],
    )
    for preset, summary in _SUMMARIES.items()
}
