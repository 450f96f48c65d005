# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit and unpacker 0 do to Dst, as changes of its rows of storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.records import Records
from tilepath.isa.boundary.pack import BOUNDARY as PACK
from tilepath.models.dst_rows import DST_CHANGE, LOW_HALF, Access, zeroed
from tilepath.models.pack.state import COLUMNS

_DST: Final = 2  # target of ``matrix_write``
_ALL: Final = (1 << COLUMNS) - 1
_KEEP: Final = -1


class _Change(NamedTuple):
    cycle: int
    order: int  # in the cycle: valid bits, then rows, which win
    row: int
    mask: int
    numbers: Any
    valid: int


def _rows(cycle: int, storage: int, wide: int, mask: int, data: Any) -> Iterator[_Change]:
    """A row, or its high and low halves."""
    values = np.asarray(data, np.uint32)
    high = values >> 16 if wide else values
    yield _Change(cycle, 1, storage, mask, high & 0xFFFF, 1)
    if wide:
        yield _Change(cycle, 1, storage + LOW_HALF, mask, values & 0xFFFF, _KEEP)


def _of_matrix(commands: Records, writes: Records) -> Iterator[_Change]:
    for record in commands[commands["zero"] == 1]:
        for row in zeroed(record):
            yield _Change(int(record["cycle"]), 0, row, 0, 0, int(record["undo"]))
    for record in writes[writes["target"] == _DST]:
        wide = int(record["wide"])
        storage = Access.of(record).row(wide, int(record["row"]))
        yield from _rows(int(record["cycle"]), storage, wide, _ALL, record["data"])


def reads(commands: Records) -> Records:
    """Rows of storage that the Matrix Unit reads, as the packers' ``dst_read``."""
    asked = commands[commands["read"] >> 2 == 1]
    made = np.zeros(len(asked), PACK.table["dst_read"].dtype)
    for place, record in enumerate(asked):
        row = Access.of(record).row(int(record["wide"]), int(record["row"]))
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
