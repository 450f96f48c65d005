# SPDX-License-Identifier: Apache-2.0
"""What random stimulus writes to L1: datums, exponents and zeros from the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.kernel.tables import Table
from tilepath.sequences.unpack.plan import BFPA, bits
from tilepath.sequences.unpack.tiles import I64, of_classes, special_values

_AHEAD: Final = 1 << 13
_TABLES: Final = ("datum", "exponent", "zeros")


class Data:
    """Takes rows of the tables of what lies in L1, drawn ahead."""

    def __init__(
        self, tables: Mapping[str, Table], rng: Callable[[str], np.random.Generator]
    ) -> None:
        self._tables = {name: (tables[name], rng(name)) for name in _TABLES}
        self._rows = {name: table.rows(own, 0) for name, (table, own) in self._tables.items()}

    def _take(self, name: str, count: int) -> NDArray[Any]:
        rows = self._rows[name]
        if len(rows) < count:
            table, rng = self._tables[name]
            rows = table.rows(rng, max(_AHEAD, count))
        self._rows[name] = rows[count:]
        return rows[:count]

    def datums(self, code: int, count: int) -> I64:
        """``count`` datums of format ``code``."""
        rows, width, special = self._take("datum", count), bits(code), special_values(code)
        listed = special[rows["listed"] * len(special) >> 16]
        bit, free = rows["bit"] * width >> 5, rows["free"] >> 32 - width
        return of_classes(rows["datums"], listed, bit, free)

    def exponents(self, code: int, count: int, wild: bool = False) -> NDArray[np.uint8]:
        """``count`` exponent bytes, legal ones for a BFPa format unless ``wild``."""
        rows = self._take("exponent", count)
        return rows["small" if code in BFPA and not wild else "exponent"].astype(np.uint8)

    def zeros(self, count: int, dense: int) -> I64:
        """``count`` numbers of zeros; ``dense``: the percentage of none."""
        rows = self._take("zeros", count)
        found: I64 = np.where(rows["dense"] < dense, 0, rows["zeros"])
        return found
