# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tilepath.sequences.control import ports
from tilepath.sequences.control.random_program import thread_items
from tilepath.sequences.control.tables import PRESETS, varied
from tilepath.sequences.control.word_tables import UNITS, Hot
from tilepath.sequences.kernel.tables import Quick, Table
from tilepath.tb.control.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec

_PORTS = {
    "risc": ("risc", ports.risc_items),
    "risc_sem": ("sem", ports.sem_items),
    "stream": ("stream", ports.stream_items),
    "conditions": ("level", ports.condition_items),
    "work": ("work", ports.work_items),
}


def thread_tables(ctx: Context, hot: Hot, thread: int) -> dict[str, Table]:
    """What the words of ``thread`` are drawn from, with operands that all threads share."""
    words = {table.name: hot.of(ctx.table(table.name), thread) for table, _ in UNITS}
    own = {"segment": varied(ctx.table("segment"), thread)}
    return {**words, **own, "step": ctx.table("step"), "gap": ctx.table("gap")}


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players, varied from thread to thread."""
    hot = Hot(ctx.rng("hot"))
    players: dict[str, Iterable[Items]] = {
        player: made(Quick(ctx.rng(player).bit_generator), hot.of(ctx.table(name)))
        for player, (name, made) in _PORTS.items()
    }
    for thread in range(THREADS):
        name = f"t{thread}.issue"
        rng = Quick(ctx.rng(name).bit_generator)
        players[name] = thread_items(rng, thread_tables(ctx, hot, thread), thread)
    return players


# preset → (summary, floor): fewest events in 10 000 cycles, of all threads together, a little less
# than half of what runs of several seeds had
_TESTS: dict[str, tuple[str, Mapping[str, int]]] = {
    "default": (
        "default constraints: what correct software does",
        {
            "issue": 2950,
            "latch": 415,
            "rdcfg": 180,
            "gpr": 185,
            "config_write": 600,
            "risc_sem_done": 1350,
            "semaphores": 815,
            "mutexes": 120,
        },
    ),
    "mix": (
        "everything at once, faults included",
        {
            "issue": 3050,
            "latch": 445,
            "fault": 50,
            "config_write": 580,
            "risc_fault": 7,
            "semaphores": 870,
            "scalar": 525,
        },
    ),
    "config": (
        "config instructions and RISC accesses to few words",
        {
            "issue": 4050,
            "setc16": 280,
            "rdcfg": 475,
            "config_write": 2100,
            "risc_done": 400,
            "risc_thread_write": 55,
        },
    ),
    "sync": (
        "semaphores and mutexes that all threads and the cores want",
        {
            "issue": 3450,
            "latch": 430,
            "semaphores": 1650,
            "mutexes": 805,
            "risc_sem_done": 1600,
        },
    ),
    "gate": (
        "waits of all kinds, conditions, busy and stalled units",
        {
            "issue": 1500,
            "latch": 555,
            "unpack0": 65,
            "unpack1": 50,
            "pack": 75,
            "math": 35,
            "sfpu": 28,
            "xmov": 28,
            "hold": 220,
        },
    ),
    "scalar": (
        "the scalar unit, among config writes",
        {
            "issue": 4200,
            "gpr": 915,
            "rdcfg": 500,
            "flop_write": 130,
            "flop_adc": 115,
            "config_write": 1150,
            "scalar": 1350,
        },
    ),
    "stream": (
        "STREAMWAIT and STREAMWRCFG, counters around the targets, selectors that change",
        {
            "issue": 3450,
            "latch": 780,
            "setc16": 450,
            "config_write": 1100,
            "stream_write": 2700,
            "stream_busy": 485,
        },
    ),
    "faults": (
        "every fault",
        {
            "issue": 3000,
            "fault": 475,
            "risc_fault": 185,
            "config_write": 645,
        },
    ),
}


def _random_tests() -> dict[str, TestSpec]:
    tests = {}
    for preset, (summary, floor) in _TESTS.items():
        name = f"random_{preset}"
        tests[name] = TestSpec(
            name=name,
            summary=summary,
            kind="random",
            stimulus=random_stimulus,
            endless=True,
            seeds=3 if preset == "mix" else 2,
            floor=floor,
            faults=() if PRESETS[preset].legal else ANY,
            tables=PRESETS[preset],
        )
    return tests


TESTS = _random_tests()
