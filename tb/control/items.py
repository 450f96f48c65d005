# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the control block, and what they can wait for; ``streams`` describes them.

The functions here make items from scalars and arrays, which broadcast against one another to n
items; ``ValueError`` for a value that does not fit its field. Addresses, indices and words that the
block reports as a fault do fit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.boundary import fitting
from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import Player
from tilepath.tb.control import streams as s

PHASE_REGISTER = 29  # of a stream: what STREAMWAIT compares, 20 and 17 bits
COUNT_REGISTER = 259

_PORTS = {"risc": 4, "risc_sem": 5}  # sources of ``after``; thread t is 1 + t


def held(player: Player, gaps: ArrayLike = 0, after: ArrayLike = 0, **fields: ArrayLike) -> Items:
    """Items of a player with gaps (0 … 65535 cycles), and what they wait for; by its fields."""
    parts = {} if isinstance(after, int) and after == 0 else s.AFTER.split(after)
    condition = {f"after_{name}": part for name, part in parts.items()}
    return player.pack(gap=gaps, **condition, **fields)


def conditions(
    cycles: ArrayLike,
    busy: ArrayLike = 0,
    stream_busy: ArrayLike = 0,
    stall: ArrayLike = 0,
    hold: ArrayLike = 0,
    own: Sequence[ArrayLike] = (0,) * s.THREADS,
) -> Items:
    """For ``cycles`` (1 or more): what is forced.

    ``busy``: bits of every thread's ``busy`` that are 1 (13 bits), ``own``: those of thread 0, 1, 2
    alone; ``stall``: units that are not ready (6 bits), ``hold``: threads that must not issue.
    """
    bits = {f"busy{thread}": np.bitwise_or(busy, more) for thread, more in enumerate(own)}
    return s.CONDITIONS.pack(cycles=cycles, stream_busy=stream_busy, stall=stall, hold=hold, **bits)


def work(cycles: ArrayLike, times: Sequence[ArrayLike]) -> Items:
    """For ``cycles`` (at least 1): how many cycles (0 … 31) a word keeps each of six units busy."""
    if len(times) != len(s.UNITS):
        raise ValueError(f"times: one for each of six units, not {len(times)}")
    return s.WORK.pack(cycles=cycles, **dict(zip(s.UNITS, times, strict=True)))


def after_issue(thread: ArrayLike, count: ArrayLike) -> Items:
    """``after``: ``count`` (0 … 65535) words of ``thread`` (0 … 2) have issued."""
    return s.AFTER.value(source=fitting("thread", thread, 0, s.THREADS - 1) + 1, count=count)


def after_accesses(port: str, count: ArrayLike) -> Items:
    """``after``: ``count`` (0 … 65535) accesses at ``risc`` or ``risc_sem`` were done."""
    return s.AFTER.value(source=_PORTS[port], count=count)


def sem_below(index: ArrayLike, limit: ArrayLike) -> Items:
    """``after``: semaphore ``index`` (0 … 7) has a value below ``limit`` (0 … 15)."""
    return s.AFTER.value(source=s.BELOW, semaphore=index, limit=limit)


def sem_above(index: ArrayLike, limit: ArrayLike) -> Items:
    """``after``: semaphore ``index`` (0 … 7) has a value above ``limit`` (0 … 15)."""
    return s.AFTER.value(source=s.ABOVE, semaphore=index, limit=limit)
