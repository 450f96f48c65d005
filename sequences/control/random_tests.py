# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tilepath.sequences.control import ports
from tilepath.sequences.control.knobs import PRESETS, Knobs
from tilepath.sequences.control.random_program import thread_items
from tilepath.sequences.control.random_words import Hot
from tilepath.tb.control.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players from ``knobs``, varied from thread to thread."""
    hot = Hot(ctx.rng("hot"), knobs.hot)
    players: dict[str, Iterable[Items]] = {
        "risc": ports.risc_items(ctx.rng("risc"), knobs, hot),
        "risc_sem": ports.sem_items(ctx.rng("risc_sem"), knobs),
        "stream": ports.stream_items(ctx.rng("stream"), knobs, hot),
        "conditions": ports.condition_items(ctx.rng("conditions"), knobs),
        "work": ports.work_items(ctx.rng("work"), knobs),
    }
    for thread in range(THREADS):
        name = f"t{thread}.issue"
        players[name] = thread_items(ctx.rng(name), knobs.varied(thread), hot, thread)
    return players


def preset_stimulus(preset: str) -> Callable[[Context], Stimulus]:
    """The ``TestSpec.stimulus`` of a preset; ``KeyError`` for an unknown one."""
    knobs = PRESETS[preset]
    return lambda ctx: random_stimulus(ctx, knobs)


# preset → (summary, floor): fewest events in 10 000 cycles, of all threads together, a little less
# than half of what runs of several seeds had
_TESTS: dict[str, tuple[str, Mapping[str, int]]] = {
    "default": (
        "default constraints: what correct software does",
        {
            "issue": 3700,
            "latch": 510,
            "rdcfg": 210,
            "gpr": 235,
            "config_write": 750,
            "risc_sem_done": 1500,
            "semaphores": 1050,
            "mutexes": 180,
        },
    ),
    "mix": (
        "everything at once, faults included",
        {
            "issue": 4850,
            "latch": 625,
            "fault": 135,
            "config_write": 1050,
            "risc_fault": 6,
            "semaphores": 935,
            "scalar": 910,
        },
    ),
    "config": (
        "config instructions and RISC accesses to few words",
        {
            "issue": 4500,
            "setc16": 350,
            "rdcfg": 535,
            "config_write": 2250,
            "risc_done": 455,
            "risc_thread_write": 70,
        },
    ),
    "sync": (
        "semaphores and mutexes that all threads and the cores want",
        {
            "issue": 4900,
            "latch": 710,
            "semaphores": 1850,
            "mutexes": 1200,
            "risc_sem_done": 1750,
        },
    ),
    "gate": (
        "waits of all kinds, conditions, busy and stalled units",
        {
            "issue": 1850,
            "latch": 800,
            "unpack0": 70,
            "unpack1": 60,
            "pack": 80,
            "math": 30,
            "sfpu": 60,
            "xmov": 30,
        },
    ),
    "scalar": (
        "the scalar unit, among config writes",
        {
            "issue": 4700,
            "gpr": 1000,
            "rdcfg": 600,
            "flop_write": 265,
            "flop_adc": 185,
            "config_write": 1400,
            "scalar": 1650,
        },
    ),
    "stream": (
        "STREAMWAIT and STREAMWRCFG, counters around the targets, selectors that change",
        {
            "issue": 3650,
            "latch": 870,
            "setc16": 550,
            "config_write": 1200,
            "stream_write": 2950,
            "stream_busy": 545,
        },
    ),
    "faults": (
        "every fault",
        {
            "issue": 4250,
            "fault": 835,
            "risc_fault": 220,
            "config_write": 780,
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
            stimulus=preset_stimulus(preset),
            endless=True,
            seeds=3 if preset == "mix" else 2,
            floor=floor,
            faults=() if PRESETS[preset].legal() else ANY,
        )
    return tests


TESTS = _random_tests()
