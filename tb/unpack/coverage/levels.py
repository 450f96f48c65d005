# SPDX-License-Identifier: Apache-2.0
"""Levels by cycle, with what the block of cycles before left."""

from __future__ import annotations

import numpy as np

from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.layout import I64


class Level:
    """A level of one stream.

    ``rows``: cycle and fields of each change, of this block and the last; row 0 is the oldest value
    known.
    """

    def __init__(self, fields: tuple[str, ...], first: tuple[int, ...] = ()) -> None:
        self._fields = fields
        self.rows: I64 = np.zeros((1, 1 + len(fields)), np.int64)
        self.rows[0, 0] = -1
        if first:
            self.rows[0, 1:] = first
        self._before = 1  # rows that are older than this block

    def take(self, records: Records) -> None:
        """The changes of the next block; what is older than the one before is forgotten."""
        new = np.empty((len(records), self.rows.shape[1]), np.int64)
        new[:, 0] = records["cycle"]
        for number, name in enumerate(self._fields):
            new[:, 1 + number] = records[name]
        keep = self.rows[max(0, self._before - 1) :]
        self._before = len(keep)
        self.rows = np.concatenate([keep, new])

    def at(self, cycles: I64, field: int = 0) -> I64:
        """Value of a field in each of ``cycles``."""
        where = np.searchsorted(self.rows[:, 0], cycles, side="right") - 1
        found: I64 = self.rows[np.maximum(where, 0), 1 + field]
        return found
