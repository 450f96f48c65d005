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


# preset → (summary, floors of each thread, floors of streams that all share): fewest events in
# 10 000 cycles, half of the fewest that runs of several seeds had
_TESTS: dict[str, tuple[str, Mapping[str, int], Mapping[str, int]]] = {
    "default": (
        "default constraints: what correct software does",
        {"issue": 820, "latch": 95, "rdcfg": 35, "gpr": 42},
        {"config_write": 900, "risc_sem_done": 1700, "semaphores": 1000, "mutexes": 170},
    ),
    "mix": (
        "everything at once, faults included",
        {"issue": 1250, "latch": 145, "fault": 18},
        {"config_write": 900, "risc_fault": 14, "semaphores": 1100, "scalar": 750},
    ),
    "config": (
        "config instructions and RISC accesses to few words",
        {"issue": 1550, "setc16": 60, "rdcfg": 170},
        {"config_write": 2600, "risc_done": 530, "risc_thread_write": 60},
    ),
    "sync": (
        "semaphores and mutexes that all threads and the cores want",
        {"issue": 780, "latch": 150},
        {"semaphores": 2000, "mutexes": 1150, "risc_sem_done": 2000},
    ),
    "gate": (
        "waits of all kinds, conditions, busy and stalled units",
        {"issue": 560, "latch": 175},
        {"unpack0": 80, "unpack1": 70, "pack": 100, "math": 55, "sfpu": 40, "xmov": 50},
    ),
    "scalar": (
        "the scalar unit, among config writes",
        {"issue": 1250, "gpr": 200, "rdcfg": 120},
        {"flop_write": 230, "flop_adc": 190, "config_write": 1700, "scalar": 1900},
    ),
    "stream": (
        "STREAMWAIT and STREAMWRCFG, counters around the targets, selectors that change",
        {"issue": 1250, "latch": 210, "setc16": 150},
        {"config_write": 1500, "stream_write": 3400, "stream_busy": 600},
    ),
    "faults": (
        "every fault",
        {"issue": 1200, "fault": 150},
        {"risc_fault": 250, "config_write": 900},
    ),
}


def _random_tests() -> dict[str, TestSpec]:
    tests = {}
    for preset, (summary, own, shared) in _TESTS.items():
        name = f"random_{preset}"
        floor = {f"t{t}.{stream}": least for t in range(THREADS) for stream, least in own.items()}
        tests[name] = TestSpec(
            name=name,
            summary=summary,
            kind="random",
            stimulus=preset_stimulus(preset),
            endless=True,
            seeds=3 if preset == "mix" else 2,
            floor={**floor, **shared},
            faults=() if PRESETS[preset].legal() else ANY,
        )
    return tests


TESTS = _random_tests()
