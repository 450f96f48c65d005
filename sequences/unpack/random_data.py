# SPDX-License-Identifier: Apache-2.0
"""What random stimulus writes to L1: datums, exponents and zeros from the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import Records
from tilepath.engine.stimulus.tables import Table
from tilepath.models.format_codes import BFPA
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.tiles import CLASSES, I64, special_values
from tilepath.sequences.unpack.view import Memory

_AHEAD: Final = 1 << 13
_TABLES: Final = ("datum", "exponent", "zeros")
_RANDOM, _SPECIAL, _NEAR, _ = range(len(CLASSES))


@compiled
def _values(rows: Records, special: I64, width: int, made: I64) -> None:
    for k in range(len(rows)):
        row = rows[k]
        made[k] = 0
        if row.datums == _RANDOM:
            made[k] = row.free >> 32 - width
        elif row.datums in (_SPECIAL, _NEAR):
            made[k] = special[row.listed * len(special) >> 16]
            if row.datums == _NEAR:
                made[k] ^= 1 << (row.bit * width >> 5)


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
        made = np.empty(count, np.int64)
        _values(self._take("datum", count), special_values(code), bits(code), made)
        return made

    def put(self, memory: Memory, code: int, count: int, runs: Iterable[list[int]]) -> None:
        """``count`` datums, where ``runs`` are: from a quarter of a byte on the first to an end."""
        values, width = self.datums(code, count), bits(code)
        for pointer, first, end in runs:
            memory.put_datums(pointer, width, values[first:end])

    def exponents(self, code: int, count: int, wild: bool = False) -> NDArray[np.uint8]:
        """``count`` exponent bytes, legal ones for a BFPa format unless ``wild``."""
        rows = self._take("exponent", count)
        return rows["small" if code in BFPA and not wild else "exponent"].astype(np.uint8)

    def zeros(self, count: int, dense: int) -> I64:
        """``count`` numbers of zeros; ``dense``: the percentage of none."""
        rows = self._take("zeros", count)
        found: I64 = np.where(rows["dense"] < dense, 0, rows["zeros"])
        return found
