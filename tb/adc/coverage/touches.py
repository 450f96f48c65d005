# SPDX-License-Identifier: Apache-2.0
"""Every time a counter is touched, in the order of application, with what touched it before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.adc.coverage.commands import Commands
from tilepath.tb.adc.coverage.layout import COUNTERS, SETS, TARGETS, WRITERS

I64 = NDArray[np.int64]
TOTAL: Final = len(SETS) * len(TARGETS) * len(COUNTERS)
KIND, CYCLE, FOREIGN, THREAD = range(4)


@dataclass
class Memory:
    """Each counter's last touch and the one before; columns as in :class:`Touches`."""

    last: I64
    second: I64

    @classmethod
    def after_reset(cls) -> Memory:
        """Kind -1: there was none."""
        return cls(np.full((4, TOTAL), -1, np.int64), np.full((4, TOTAL), -1, np.int64))


@dataclass
class Touches:
    """One column a touch, sorted by counter, then cycle, then writer.

    ``counter``: 24 · set + 8 · target + number. ``at``: cycle of the block. ``now``, ``before``
    and ``earlier``: rows ``KIND``, ``CYCLE`` (of the run), ``FOREIGN``, ``THREAD`` of the touch,
    of the one before it at this counter, and of the one before that.
    """

    counter: I64
    at: I64
    writer: I64
    now: I64
    before: I64
    earlier: I64

    @classmethod
    def of(cls, commands: Commands, start: int, memory: Memory) -> Touches:
        """All touches of a block that begins at ``start``; ``memory`` is brought up to date."""
        cycles = len(commands.kind)
        width = len(WRITERS)
        places = np.flatnonzero(_grid(commands))
        counter, rest = np.divmod(places, cycles * width)
        at, writer = np.divmod(rest, width)
        now = np.stack(
            [
                commands.kind[at, writer],
                at + start,
                commands.foreign[at, writer],
                commands.thread[at, writer],
            ]
        ).astype(np.int64)
        new = np.diff(counter, prepend=-1) != 0
        starts = np.flatnonzero(new)
        before = _shifted(now, starts, memory.last[:, counter[starts]])
        earlier = _shifted(before, starts, memory.second[:, counter[starts]])
        if len(counter):
            ends = np.append(starts[1:], len(counter)) - 1
            memory.second[:, counter[ends]] = before[:, ends]
            memory.last[:, counter[ends]] = now[:, ends]
        return cls(counter, at, writer, now, before, earlier)

    @property
    def first(self) -> I64:
        """Columns of the touches that are the first of their cycle at their counter."""
        new = np.ones(len(self.counter), bool)
        new[1:] = (self.counter[1:] != self.counter[:-1]) | (self.at[1:] != self.at[:-1])
        return np.flatnonzero(new)

    @property
    def alone(self) -> I64:
        """Columns of the touches of counters that nothing else touches in that cycle."""
        first = self.first
        only: I64 = first[np.diff(first, append=len(self.counter)) == 1]
        return only


def _grid(commands: Commands) -> NDArray[np.bool_]:
    """[counter, cycle, writer]: touched."""
    cycles = len(commands.kind)
    grid = np.zeros((len(SETS), len(TARGETS), len(COUNTERS), cycles, len(WRITERS)), bool)
    for s in range(len(SETS)):
        of_set = commands.sets >> s & 1
        for k in range(len(TARGETS)):
            there = of_set & commands.targets >> k
            if there.any():
                for c in range(len(COUNTERS)):
                    grid[s, k, c] = there & commands.touched >> c & 1
    return grid.reshape(TOTAL, cycles, len(WRITERS))


def _shifted(rows: I64, starts: I64, first: I64) -> I64:
    """``rows`` one column later, and ``first`` where a counter begins."""
    shifted = np.empty_like(rows)
    shifted[:, 1:] = rows[:, :-1]
    shifted[:, starts] = first
    return shifted
