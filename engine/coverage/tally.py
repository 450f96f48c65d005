# SPDX-License-Identifier: Apache-2.0
"""The counts of a group of points in one model, for kernels and for columns of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.coverage.bins import Coverpoint, PointGroup

I64 = NDArray[np.int64]


class Tally:
    """Counts of the bins of a group, in one model."""

    def __init__(self, group: PointGroup) -> None:
        self.group = group
        self._counts: I64 | None = None

    @property
    def counts(self) -> I64:
        """One count a bin, in the group's order; the group must be complete."""
        if self._counts is None:
            self._counts = np.zeros(self.group.size, np.int64)
        return self._counts

    def of(self, point: Coverpoint) -> I64:
        """The counts of one point."""
        return self.counts[point.base : point.base + point.size]

    def hit(self, name: str, *columns: Any, where: Any = None) -> None:
        """Count a sample for each row of ``columns``, one column an axis; rows not ``where`` not.

        A number stands for a column of it; where all are numbers, ``where`` says how many rows
        there are. ``KeyError`` for an unknown point, ``ValueError`` for a row that is in no bin.
        """
        point = self.group.named[name]
        rows: Any = slice(None) if where is None else np.flatnonzero(where)
        lengths = [len(c) for c in columns if not isinstance(c, int)]
        n = max(lengths) if where is None else len(rows)
        if n == 0:
            return
        chosen = tuple(
            np.full(n, c, np.int64) if isinstance(c, int) else np.asarray(c)[rows].astype(np.int64)
            for c in columns
        )
        bins = np.ravel_multi_index(chosen, tuple(map(len, point.axes)))
        self.of(point)[:] += np.bincount(bins, minlength=point.size)
