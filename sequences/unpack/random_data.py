# SPDX-License-Identifier: Apache-2.0
"""What random stimulus writes to L1: datums, exponents and zeros from the rows of a table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.kernel.tables import Table
from tilepath.sequences.unpack.plan import BFPA, bits
from tilepath.sequences.unpack.tiles import I64, of_classes, special_values

_AHEAD: Final = 1 << 13


class Data:
    """Takes rows of table ``datum``, drawn ahead."""

    def __init__(self, table: Table, rng: np.random.Generator) -> None:
        self._table, self._rng = table, rng
        self._rows: NDArray[Any] = table.rows(rng, 0)

    def _take(self, count: int) -> NDArray[Any]:
        if len(self._rows) < count:
            self._rows = self._table.rows(self._rng, max(_AHEAD, count))
        taken, self._rows = self._rows[:count], self._rows[count:]
        return taken

    def datums(self, code: int, count: int) -> I64:
        """``count`` datums of format ``code``."""
        rows, width, special = self._take(count), bits(code), special_values(code)
        listed = special[rows["listed"] * len(special) >> 16]
        return of_classes(
            rows["datums"], listed, rows["bit"] * width >> 5, rows["free"] >> 32 - width
        )

    def exponents(self, code: int, count: int) -> NDArray[np.uint8]:
        """``count`` exponent bytes, legal ones for a BFPa format."""
        rows = self._take(count)
        return rows["legal_exponent" if code in BFPA else "exponent"].astype(np.uint8)

    def zeros(self, count: int, dense: int) -> I64:
        """``count`` numbers of zeros; ``dense``: the percentage of none."""
        rows = self._take(count)
        found: I64 = np.where(rows["dense"] < dense, 0, rows["zeros"])
        return found
