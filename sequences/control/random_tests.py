# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

from collections.abc import Iterable

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import random_test
from tilepath.engine.stimulus.tables import Quick, Table
from tilepath.sequences.control import ports
from tilepath.sequences.control.random_program import thread_items
from tilepath.sequences.control.tables import PRESETS, varied
from tilepath.sequences.control.word_tables import UNITS, Hot
from tilepath.sequences.control.words import WARNINGS
from tilepath.tb.control.streams import THREADS

PORTS = {
    "risc": ("risc", ports.risc_items),
    "risc_sem": ("sem", ports.sem_items),
    "stream": ("stream", ports.stream_items),
    "conditions": ("level", ports.condition_items),
    "work": ("work", ports.work_items),
}
"""Player: its table, and what makes its items from that."""


def thread_tables(ctx: Context, hot: Hot, thread: int) -> dict[str, Table]:
    """What the words of ``thread`` are drawn from, with operands that all threads share."""
    words = {table.name: hot.of(ctx.table(table.name), thread) for table, _ in UNITS}
    own = {"segment": varied(ctx.table("segment"), thread)}
    return {**words, **own, **{name: ctx.table(name) for name in ("step", "gap", "ignored")}}


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players, varied from thread to thread."""
    hot = Hot(ctx.rng("hot"))
    players: dict[str, Iterable[Items]] = {
        player: made(Quick(ctx.rng(player).bit_generator), hot.of(ctx.table(name)))
        for player, (name, made) in PORTS.items()
    }
    for thread in range(THREADS):
        name = f"t{thread}.issue"
        rng = Quick(ctx.rng(name).bit_generator)
        players[name] = thread_items(rng, thread_tables(ctx, hot, thread), thread)
    return players


_SUMMARIES: dict[str, str] = {
    "default": "default constraints: what correct software does",
    "mix": "everything at once, faults included",
    "config": "config instructions and RISC accesses to few words",
    "sync": "semaphores and mutexes that all threads and the cores want",
    "gate": "waits of all kinds, conditions, busy and stalled units",
    "scalar": "the scalar unit, among config writes",
    "stream": "STREAMWAIT and STREAMWRCFG, counters around the targets, selectors that change",
    "faults": "every fault",
}

TESTS: dict[str, TestSpec] = {
    f"random_{preset}": random_test(
        "control",
        f"random_{preset}",
        summary,
        stimulus=random_stimulus,
        seeds=3 if preset == "mix" else 2,
        faults=WARNINGS if PRESETS[preset].legal else ANY,
        tables=PRESETS[preset],
    )
    for preset, summary in _SUMMARIES.items()
}
