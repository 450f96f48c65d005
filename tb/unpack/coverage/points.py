# SPDX-License-Identifier: Apache-2.0
"""Coverpoints of a model, declared for its profile, and their counts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.coverage.bins import Axis, Coverpoint, Exclude, PointGroup

Column = NDArray[Any]
I64 = NDArray[np.int64]

NO_YES: Final = ("no", "yes")
UNPACKERS: Final = ("u0", "u1")
THREADS: Final = ("t0", "t1", "t2")
FILES: Final = ("srca", "srcb", "dst")


def numbers(n: int) -> Axis:
    """Labels ``0`` to ``n - 1``."""
    return tuple(map(str, range(n)))


def labels(values: tuple[int, ...]) -> Axis:
    """A label for each value, and ``other`` for the rest."""
    return (*map(str, values), "other")


def place(column: Column, values: tuple[int, ...]) -> I64:
    """Where each element is in ``values``; ``len(values)`` for any other."""
    found = np.full(len(column), len(values), np.int64)
    for number, value in enumerate(values):
        found[column == value] = number
    return found


def many(column: Column) -> I64:
    """0, 1, 2 for 0, 1 and more."""
    return np.clip(np.asarray(column, np.int64), 0, 2)


class Points:
    """The points of one model.

    After the last ``add``, ``ready`` makes the array of counts. A kernel counts in ``tally`` with
    the places that ``add`` returns; ``hit`` counts by columns.
    """

    def __init__(self) -> None:
        self.group = PointGroup()
        self.tally: I64 = np.zeros(0, np.int64)
        self._named: dict[str, Coverpoint] = {}

    def add(self, name: str, *axes: Axis, exclude: tuple[Exclude, ...] = ()) -> int:
        """Declare a point; the place of its first bin."""
        base = self.group.add(name, *axes, exclude=exclude)
        self._named[name] = self.group.points[-1]
        return base

    def ready(self) -> None:
        """All points are declared."""
        self.tally = np.zeros(self.group.size, np.int64)

    def hit(self, name: str, *columns: Column | int, where: Column | None = None) -> None:
        """Count a sample for each row of ``columns``, one column an axis; rows not ``where`` not.

        A number stands for a column of it. ``ValueError`` for a row that is in no bin.
        """
        point = self._named[name]
        rows: Any = slice(None) if where is None else np.flatnonzero(where)
        n = (
            len(rows)
            if where is not None
            else max(len(c) for c in columns if not isinstance(c, int))
        )
        if n == 0:
            return
        chosen = tuple(
            np.full(n, c, np.int64) if isinstance(c, int) else np.asarray(c)[rows].astype(np.int64)
            for c in columns
        )
        bins = np.ravel_multi_index(chosen, tuple(map(len, point.axes)))
        self.tally[point.base : point.base + point.size] += np.bincount(bins, minlength=point.size)
