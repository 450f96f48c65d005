# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit and unpacker 0 do to Dst, as changes of its rows of storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.isa.boundary.pack import BOUNDARY as PACK
from tilepath.models.dst_rows import ACCESS, DST_CHANGE, LOW_HALF, storage_row
from tilepath.models.pack.state import COLUMNS, DST_ROWS
from tilepath.models.records import Records

_DST: Final = 2  # target of ``matrix_write``
_ALL: Final = (1 << COLUMNS) - 1
_ROW, _ROWS, _HALF = range(3)  # modes of ZEROACC; the last one is all rows
_KEEP: Final = -1


class _Change(NamedTuple):
    cycle: int
    order: int  # in the cycle: valid bits, then rows, which win
    row: int
    mask: int
    numbers: Any
    valid: int


def _access(record: np.void) -> Any:
    made = np.zeros(1, ACCESS)
    made["swizzle"], made["remap"] = int(record["access"]) & 1, int(record["access"]) >> 1
    return made[0]


def _zeroed(record: np.void) -> Iterator[int]:
    """Rows of storage whose valid bits ZEROACC sets."""
    row, mode = int(record["row"]), int(record["zero_mode"])
    if mode in (_ROW, _ROWS):
        count, access = (1, 16)[mode], _access(record)
        first = row // count * count
        for at in range(first, first + count):
            yield storage_row(access, int(record["wide"]), at)
        return
    half = DST_ROWS // 2
    first = row // half * half if mode == _HALF else 0
    yield from range(first, first + half if mode == _HALF else DST_ROWS)


def _rows(cycle: int, storage: int, wide: int, mask: int, data: Any) -> Iterator[_Change]:
    """A row, or its high and low halves."""
    values = np.asarray(data, np.uint32)
    high = values >> 16 if wide else values
    yield _Change(cycle, 1, storage, mask, high & 0xFFFF, 1)
    if wide:
        yield _Change(cycle, 1, storage + LOW_HALF, mask, values & 0xFFFF, _KEEP)


def _of_matrix(commands: Records, writes: Records) -> Iterator[_Change]:
    for record in commands[commands["zero"] == 1]:
        for row in _zeroed(record):
            yield _Change(int(record["cycle"]), 0, row, 0, 0, int(record["undo"]))
    for record in writes[writes["target"] == _DST]:
        wide = int(record["wide"])
        storage = storage_row(_access(record), wide, int(record["row"]))
        yield from _rows(int(record["cycle"]), storage, wide, _ALL, record["data"])


def reads(commands: Records) -> Records:
    """Rows of storage that the Matrix Unit reads, as the packers' ``dst_read``."""
    asked = commands[commands["read"] >> 2 == 1]
    made = np.zeros(len(asked), PACK.table["dst_read"].dtype)
    for place, record in enumerate(asked):
        row = storage_row(_access(record), int(record["wide"]), int(record["row"]))
        made[place] = (record["cycle"], row, record["wide"])
    return made


def changes(inputs: Mapping[str, Records], unpacked: Records) -> Records:
    """Changes in the order in which they take effect (``DST_CHANGE``).

    ``inputs``: ``matrix`` and ``matrix_write``; ``unpacked``: those of unpacker 0, which writes in
    no cycle in which the Matrix Unit does.
    """
    found = sorted(_of_matrix(inputs["matrix"], inputs["matrix_write"]), key=lambda one: one[:2])
    made = np.zeros(len(found), DST_CHANGE)
    for place, one in enumerate(found):
        made[place] = (one.cycle, one.row, one.mask, one.numbers, one.valid)
    both = np.concatenate((made, unpacked))
    return both[np.argsort(both["cycle"], kind="stable")]
