# SPDX-License-Identifier: Apache-2.0
"""Endless random items for the players beside ``issue``: cores, streams, conditions, units.

They are what keeps threads from waiting for ever: semaphores and stream registers go again and
again to where every wait is met, and no condition is forced, no unit stalled, for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.control import words as w
from tilepath.sequences.control.knobs import Knobs
from tilepath.sequences.control.random_program import weighted
from tilepath.sequences.control.random_words import TARGETS, Hot, stream_ids
from tilepath.tb.control import items
from tilepath.tb.control.streams import THREADS
from tilepath.tb.kernel.description.player import Items

_BLOCK: Final = 256
_SEMAPHORES: Final = 8
_HIGHEST: Final = 15
STREAMS: Final = 64
REGISTERS: Final = (items.PHASE_REGISTER, items.COUNT_REGISTER)
LARGEST: Final = 0xFFFF_FFFF


def _gaps(rng: np.random.Generator, mean: int, n: int) -> NDArray[np.int64]:
    """Idle cycles, ``mean`` on average; bursts without any, and pauses."""
    gaps = rng.geometric(1 / (mean + 1), n) - 1
    burst = np.repeat(rng.random(n // 8 + 1) < 0.2, 8)[:n]
    return np.minimum(np.where(burst, 0, gaps), 1000)


def risc_items(rng: np.random.Generator, knobs: Knobs, hot: Hot) -> Iterator[Items]:
    """Reads and writes of configuration, mostly of the hot words, in all address ranges."""
    n = _BLOCK
    while True:
        index = hot.index(rng, n)
        area = rng.integers(0, 4, n)
        thread = w.RISC_THREAD + w.THREAD_WORDS * rng.integers(0, THREADS, n)
        own = np.where(rng.random(n) < 0.3, 0, hot.draw(rng, hot.thread, w.THREAD_WORDS, n))
        address = np.choose(area, (index, 224 + index, w.RISC_BOTH + index, thread + own))
        if knobs.faults:
            edges = np.array((4, 228, 452, w.RISC_END, w.RISC_END + 1, 1023))
            wrong = np.where(rng.random(n) < 0.5, edges[rng.integers(0, 6, n)], 876)
            address = np.where(rng.random(n) < knobs.faults, wrong, address)
        gaps = _gaps(rng, knobs.risc_gap, n)
        made = items.risc_write(address, rng.integers(0, 1 << 32, n), gaps)
        reads = rng.random(n) < 0.4
        made[reads] = items.risc_read(address, gaps)[reads]
        yield made


def sem_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Posts, gets and reads; now and then semaphores are brought to 1, then to 2.

    With 1 every SEMWAIT is met if every maximum is at least 2, as it is here.
    """
    while True:
        yield _any_access(rng, 48, knobs.sem_gap)
        for index in rng.permutation(_SEMAPHORES)[:6]:
            yield _levelled(np.array([index]))
        yield _any_access(rng, 24, knobs.sem_gap)
        yield _levelled(rng.permutation(_SEMAPHORES))


def _any_access(rng: np.random.Generator, n: int, gap: int) -> Items:
    index, gaps = rng.integers(0, _SEMAPHORES, n), _gaps(rng, gap, n)
    made = items.sem_post(index, gaps)
    kind = rng.random(n)
    for chosen, kept in (
        (items.sem_get(index, gaps), kind < 0.45),
        (items.sem_read(index, gaps), kind < 0.15),
    ):
        made[kept] = chosen[kept]
    return made


def _levelled(semaphores: NDArray[np.int64]) -> Items:
    """Get until nothing can be left, then post twice."""
    down = items.sem_get(np.tile(semaphores, _HIGHEST))
    up = items.sem_post(np.tile(semaphores, 2))
    return np.concatenate((down, up))


def stream_items(rng: np.random.Generator, knobs: Knobs, hot: Hot) -> Iterator[Items]:
    """Counters that move around the targets of the waits; often all at their largest values."""
    used = np.unique(np.concatenate([stream_ids(thread) for thread in range(THREADS)]))
    near = np.unique(np.concatenate((TARGETS, TARGETS + 1, TARGETS + 0x400, [0x7FF, 0x800])))
    every = np.arange(STREAMS)
    place = 0
    while True:
        n = 96
        stream = used[rng.integers(0, len(used), n)]
        register = hot.draw(rng, hot.registers, 1024, n)
        counter = rng.random(n) < 0.8
        register = np.where(counter, np.array(REGISTERS)[rng.integers(0, 2, n)], register)
        data = np.where(counter, near[rng.integers(0, len(near), n)], rng.integers(0, 1 << 32, n))
        yield items.stream_write(stream, register, data, _gaps(rng, knobs.stream_gap, n))
        # a selector that the cores have written may stand for any stream
        place += 1
        yield _raised(every if place % 4 == 0 else used)
        yield items.stream_write(rng.integers(0, 64, 1), 1000, 0, rng.integers(0, 30, 1))


def _raised(streams: NDArray[np.int64]) -> Items:
    """All counters of ``streams`` reach their largest value, which meets every wait."""
    return items.stream_write(np.tile(streams, 2), np.repeat(REGISTERS, len(streams)), LARGEST)


def condition_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Conditions, ``stream_busy`` and stalled units: short levels; all is free in between."""
    n = _BLOCK
    while True:
        cycles = rng.geometric(0.2, n)
        bits = np.zeros(n, np.int64)
        for place in range(knobs.forced_bits):
            chosen = rng.random(n) < 1 / (place + 1)
            bits |= np.where(chosen, 1 << rng.integers(0, 13, n), 0)
        # runs of levels with, then without anything forced
        forced = np.repeat(rng.random(n // 8) < knobs.forced, 8) & (rng.random(n) < 0.8)
        stalled = np.repeat(rng.random(n // 8) < knobs.stalled, 8) & (rng.random(n) < 0.8)
        units = 1 << rng.integers(0, w.UNITS, n) | 1 << rng.integers(0, w.UNITS, n)
        stream_busy = rng.random(n) < knobs.stream_busy
        yield items.conditions(
            np.where(stream_busy, np.minimum(cycles, 4), cycles),
            np.where(forced, bits, 0),
            stream_busy,
            np.where(stalled, units, 0),
        )
        yield items.conditions(int(rng.integers(20, 60)))


def work_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """How long words keep units busy: phases of the kinds of ``knobs.work``."""
    while True:
        blocks = []
        for kind in weighted(knobs.work, rng, 16):
            cycles = int(rng.integers(30, 300))
            bound = {"none": 1, "short": 4, "long": 32}[kind]
            blocks.append(items.work(cycles, rng.integers(0, bound, w.UNITS).tolist()))
        yield np.concatenate(blocks)
