# SPDX-License-Identifier: Apache-2.0
"""Points of time: pauses in parts of an instruction, writes while it samples (M30, M32)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.boundary.standin import THREADS
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.standin.coverage.formats import ELTWISE, MOVES
from tilepath.tb.standin.coverage.table import I64, OPS, Table

_BEFORE: Final = ("sampling", "read", "write", "read and write", "last")
_SAMPLING, _READ, _WRITE, _BOTH, _LAST = range(len(_BEFORE))
_MOVING: Final = (*ELTWISE, *MOVES, "MOVB2A")
_LONG: Final[Mapping[str, tuple[str, ...]]] = {
    "MVMUL": ("read", "read and write"),
    "GAPOOL": ("read", "read and write"),
    "GMPOOL": ("read", "write"),
    "TRNSPSRCB": ("read", "write"),
    **{op: ("read and write",) for op in _MOVING},
}
"""What cycles between the first and the last one do."""
_WHEN: Final = ("cycle before", "that cycle", "later")


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    rules = []
    for op in OPS:
        there = ("sampling", "last", *_LONG[op]) if op in _LONG else ("sampling",)
        why = "no cycle of it does that" if op in _LONG else "it has one cycle"
        rules += [Exclude((op, before), why) for before in _BEFORE if before not in there]
    points.add("pause.op_x_before", OPS, _BEFORE, exclude=tuple(rules))
    points.add("pause.cycles_x_row_kept", ("1", "2", "3 or more"), ("no", "yes"))
    points.add("sampling.cfg_written", _WHEN)
    points.add("sampling.setc16_of_thread_written", _WHEN)
    points.add("issue.op_x_next", OPS, ("at once", "later"))
    points.add("issue.first_x_second_thread", ("t0", "t1", "t2"), ("t0", "t1", "t2"))


class Timing:
    """Counts; it remembers the last instruction."""

    def __init__(self, points: Tally) -> None:
        self._points = points
        self._before = (-1, 0, 0)  # cycle behind its last, operation, thread

    def count(self, table: Table) -> None:
        """Count instructions."""
        if not len(table):
            return
        self._pauses(table)
        self._writes(table)
        ends, ops, threads = (
            np.concatenate(([before], column))
            for before, column in zip(
                self._before, (table.rows["last"] + 1, table.op, table.thread), strict=True
            )
        )
        seen = ends[:-1] >= 0
        later = table.rows["cycle"] > ends[:-1]
        self._points.hit("issue.op_x_next", ops[:-1], later, where=seen)
        self._points.hit("issue.first_x_second_thread", threads[:-1], table.thread, where=seen)
        self._before = (int(ends[-1]), int(ops[-1]), int(threads[-1]))

    def _pauses(self, table: Table) -> None:
        rows = table.rows
        first = int(rows["cycle"][0])
        cycles = np.arange(first, int(rows["last"][-1]) + 1)
        pause = table.level("pause", cycles)
        which = table.which(cycles)
        inside = (which >= 0) & (cycles <= rows["last"][which]) & (cycles > rows["cycle"][which])
        reads = np.zeros(len(cycles) + 1, bool)
        matrix = table.events["matrix"]
        _mark(reads, matrix["cycle"][matrix["read"] != 0], first)
        writes = np.zeros(len(cycles) + 1, bool)
        _mark(writes, table.events["matrix_write"]["cycle"], first)
        # the next cycle without a pause, of each cycle
        free = np.flatnonzero(pause == 0)
        at = np.flatnonzero((pause == 1) & inside)
        # the last cycle is without a pause, so there is always a next one
        after = free[np.searchsorted(free, at)]
        own = which[at]
        before = np.select(
            [cycles[at] < rows["sampled"][own], cycles[after] == rows["last"][own],
             reads[after] & writes[after], writes[after]],
            [_SAMPLING, _LAST, _BOTH, _WRITE],
            _READ,
        )  # fmt: skip
        self._points.hit("pause.op_x_before", table.op[own], before)
        starts = at[(pause[at - 1] == 0) | ~inside[at - 1]]
        length = free[np.searchsorted(free, starts)] - starts
        self._points.hit("pause.cycles_x_row_kept", np.minimum(length, 3) - 1, reads[starts - 1])

    def _writes(self, table: Table) -> None:
        cfg = table.events["cfg"]
        self._written("sampling.cfg_written", table, cfg, -1)
        for thread in range(THREADS):
            writes = table.events[f"t{thread}.setc16"]
            self._written("sampling.setc16_of_thread_written", table, writes, thread)

    def _written(self, point: str, table: Table, writes: Records, thread: int) -> None:
        cycles: I64 = writes["cycle"].astype(np.int64)
        # the cycle in front of sampling is that of the issue, if there is no pause
        which = np.searchsorted(table.rows["cycle"], cycles, side="right") - 1
        sampled, last = (table.rows[name][which] for name in ("sampled", "last"))
        mine = (which >= 0) & ((table.thread[which] == thread) | (thread < 0))
        when = np.select(
            [cycles == sampled - 1, cycles == sampled, cycles > sampled], [0, 1, 2], -1
        )
        self._points.hit(point, when, where=mine & (when >= 0) & (cycles <= last))


def _mark(flags: np.ndarray[tuple[int], np.dtype[np.bool_]], cycles: I64, first: int) -> None:
    """Set the flags of these cycles."""
    flags[cycles[(cycles >= first) & (cycles < first + len(flags))].astype(np.int64) - first] = True
