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


_ALL: Mapping[str, int] = {"issue": 400, "latch": 30}

# preset → (summary, floors of each thread, floors of streams that all share)
_TESTS: dict[str, tuple[str, Mapping[str, int], Mapping[str, int]]] = {
    "default": ("default constraints: what correct software does", _ALL, {"config_write": 300}),
    "mix": (
        "everything at once, faults included",
        {"issue": 300, "latch": 40, "fault": 1},
        {"config_write": 300},
    ),
    "config": (
        "config instructions and RISC accesses to few words",
        {"issue": 500, "setc16": 15, "rdcfg": 30},
        {"config_write": 800, "risc_done": 200},
    ),
    "sync": (
        "semaphores and mutexes that all threads and the cores want",
        {"issue": 300, "latch": 30},
        {"semaphores": 400, "mutexes": 200, "risc_sem_done": 400},
    ),
    "gate": (
        "waits of all kinds, conditions, busy and stalled units",
        {"issue": 150, "latch": 60},
        {"unpack0": 20, "sfpu": 10},
    ),
    "scalar": (
        "the scalar unit, among config writes",
        {"issue": 300, "gpr": 60},
        {"flop_write": 60, "flop_adc": 40, "config_write": 200},
    ),
    "stream": (
        "STREAMWAIT and STREAMWRCFG, counters around the targets, selectors that change",
        {"issue": 300, "latch": 60, "setc16": 60},
        {"config_write": 300, "stream_write": 300},
    ),
    "faults": ("every fault", {"issue": 400, "fault": 60}, {"risc_fault": 20}),
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
