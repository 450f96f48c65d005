# SPDX-License-Identifier: Apache-2.0
"""Endless random items for the players beside ``issue``: cores, streams, conditions, units.

They are what keeps threads from waiting for ever: semaphores and stream registers go again and
again to where every wait is met, and no condition is forced, no unit stalled, for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.stimulus.tables import Table
from tilepath.sequences.control.word_tables import stream_ids
from tilepath.tb.control import items
from tilepath.tb.control import streams as s
from tilepath.tb.control.streams import THREADS

_SEMAPHORES: Final = 8
_HIGHEST: Final = 15
STREAMS: Final = 64
REGISTERS: Final = (items.PHASE_REGISTER, items.COUNT_REGISTER)
LARGEST: Final = 0xFFFF_FFFF


def risc_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Reads and writes of configuration."""
    for rows in table.by_column(rng, 512):
        write = ~rows["read"]
        yield s.RISC.pack(
            write=write, address=rows["address"], data=rows["value"] * write, gap=rows["gap"]
        )


_ROUNDS: Final = 8
_BEFORE, _BEHIND, _ALONE = 48, 24, 6


def sem_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Posts, gets and reads; now and then semaphores are brought to 1, then to 2.

    With 1 every SEMWAIT is met if every maximum is at least 2, as it is here. A round: some
    accesses; six semaphores one after the other; more accesses; all semaphores together. To come
    to 2 from anywhere: get until nothing can be left, then post twice.
    """
    down = np.repeat((1, 0), (_HIGHEST, 2))
    alone, all_ = np.tile(down, _ALONE), np.repeat(down, _SEMAPHORES)
    for rows in table.by_column(rng, _ROUNDS * (_BEFORE + _BEHIND)):
        rounds = len(rows["does"]) // (_BEFORE + _BEHIND)
        order = rng.permuted(np.tile(np.arange(_SEMAPHORES), (rounds, 2, 1)), axis=2)
        one, every = order[:, 0, :_ALONE].repeat(len(down), 1), np.tile(order[:, 1], len(down))
        yield s.RISC_SEM.pack(
            write=_round(rows["does"] != 2, np.ones_like(one), np.ones_like(every)),
            get=_round(rows["does"] == 1, np.tile(alone, (rounds, 1)), np.tile(all_, (rounds, 1))),
            index=_round(rows["index"], one, every),
            gap=_round(rows["gap"], np.zeros_like(one), np.zeros_like(every)),
        )


def _round(accesses: Any, one: Any, every: Any) -> NDArray[np.int64]:
    """A field in the order in which a round has them."""
    some = accesses.reshape(len(one), -1)
    return np.concatenate((some[:, :_BEFORE], one, some[:, _BEFORE:], every), 1).reshape(-1)


_WRITES: Final = 96


def stream_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Counters that move around the targets of the waits; often all at their largest values.

    Which meets every wait: of the streams that selectors stand for three times, the fourth time of
    every stream, for one that the cores have written may stand for any.
    """
    used = sorted({stream for thread in range(THREADS) for stream in stream_ids(thread)})
    raised = [
        s.STREAM.pack(
            stream=np.tile(streams, 2), register=np.repeat(REGISTERS, len(streams)), data=LARGEST
        )
        for streams in [np.array(used)] * 3 + [np.arange(STREAMS)]
    ]
    for rows in table.by_column(rng, len(raised) * _WRITES):
        made = s.STREAM.pack(
            stream=rows["stream"], register=rows["register"], data=rows["value"], gap=rows["gap"]
        ).reshape(-1, _WRITES, s.STREAM.words)
        streams, gaps = (rng.integers(0, top, len(made)) for top in (STREAMS, 30))
        others = s.STREAM.pack(stream=streams, register=1000, gap=gaps)
        blocks = zip(made, cycle(raised), others[:, None], strict=False)
        yield np.concatenate([part for parts in blocks for part in parts])


_LEVELS: Final = 256


def condition_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Conditions, holds, ``stream_busy``, stalled units: short levels; all is free in between."""
    for rows in table.by_column(rng, 4 * _LEVELS):
        busy = rows["stream_busy"]
        cycles = np.where(rows["hold"] > 0, rows["phase"], rows["cycles"] + 1)
        made = items.conditions(
            cycles=np.where(busy, np.minimum(cycles, 4), cycles),
            stream_busy=busy,
            stall=rows["stall"],
            hold=rows["hold"],
            own=rows["busy"].T,
        )
        made = made.reshape(-1, _LEVELS, s.CONDITIONS.words)
        free = items.conditions(rng.integers(20, 60, len(made)))
        yield np.concatenate((made, free[:, None]), 1).reshape(-1, s.CONDITIONS.words)


def work_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """How long words keep units busy."""
    for rows in table.by_column(rng, 64):
        yield items.work(rows["cycles"], tuple(rows["times"].T))
