# SPDX-License-Identifier: Apache-2.0
"""Coverage of rows of Dst that packers want while the Matrix Unit reads, or somebody writes.

Source: docs/pack.md sections 6 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.boundary.pack import LANES
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage.points import I64

_STREAMS: Final = {"dst_read": ("row", "wide"), "dst_write": ("row", "count")}
_LANE: Final = tuple(map(str, range(LANES)))


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("rows.matrix_beside_x_lane", ("same_row", "other_row"), _LANE)
    points.add("rows.matrix_bank_waits_x_lane", _LANE)
    points.add("rows.written_x_asked", ("row", "low_half", "other_row"), ("granted", "refused"))


class Contention:
    """What goes on at Dst beside the packers, as far back as it is still needed."""

    def __init__(self, points: Tally) -> None:
        self._points = points
        self._known = {name: np.zeros((0, 3), np.int64) for name in _STREAMS}

    def take(self, streams: Mapping[str, Records], since: int) -> None:
        """The records of the next block; of those before, what is not before ``since``."""
        for name, fields in _STREAMS.items():
            new = [streams[name][field].astype(np.int64) for field in ("cycle", *fields)]
            kept = self._known[name][self._known[name][:, 0] >= since]
            self._known[name] = np.concatenate([kept, np.stack(new, axis=1)])

    def count(self, lane: int, cycles: I64, rows: I64, wide: I64, asked: I64) -> None:
        """Rows that a lane got in ``cycles``; ``asked``: it asked in the cycle before, too."""
        reads, at = self._at("dst_read", cycles)
        same = rows == reads[:, 1]
        self._points.hit("rows.matrix_beside_x_lane", ~same, lane, where=at)
        self._count_written(cycles, rows, wide, 0, at=np.ones(len(cycles), bool))
        reads, at = self._at("dst_read", cycles - 1)
        both = (wide | reads[:, 2]) == 1
        mask = np.where(both, 7, 15)
        meets = (_bank(rows) ^ _bank(reads[:, 1])) & mask == 0
        waits = at & (asked == 1) & meets & (rows >> 4 != reads[:, 1] >> 4)
        self._points.hit("rows.matrix_bank_waits_x_lane", lane, where=waits)
        self._count_written(cycles - 1, rows, wide, 1, at=waits)

    def _count_written(self, cycles: I64, rows: I64, wide: I64, refused: int, at: I64) -> None:
        writes, written = self._at("dst_write", cycles)
        row = (rows - writes[:, 1]) % 1024 < writes[:, 2]
        low = (wide == 1) & ((rows + 8 - writes[:, 1]) % 1024 < writes[:, 2])
        kind = np.where(row, 0, np.where(low, 1, 2))
        self._points.hit("rows.written_x_asked", kind, refused, where=at & written)

    def _at(self, name: str, cycles: I64) -> tuple[I64, I64]:
        """The record of each of ``cycles``, and whether there is one."""
        known = np.concatenate([self._known[name], [[1 << 62, 0, 0]]])
        found = known[np.searchsorted(known[:, 0], cycles)]
        return found, found[:, 0] == cycles


def _bank(rows: I64) -> I64:
    return (rows ^ rows >> 4) & 15
