# SPDX-License-Identifier: Apache-2.0
"""A row of Dst is stored by remap, swizzle, and the two halves of 32-bit rows (P52, U36)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Self

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record

LOW_HALF: Final = 8
"""Rows from the high halves of a 32-bit row to its low ones."""

# Bits of Config word 220, 0 in a profile without ``dst_remap``
ACCESS: Final = record(remap=np.int64, swizzle=np.int64)
COLUMNS: Final = 16
# What other units do to a row of storage at the end of a cycle: columns that are written, their
# numbers, and the valid bit (-1: as it was)
DST_CHANGE: Final = record(
    cycle=np.int64, row=np.int64, mask=np.int64, numbers=(np.uint16, COLUMNS), valid=np.int64
)


@part
def storage_row(access: Record, wide: int, row: int) -> int:
    """Row of storage of row ``row``, 0 to 1023; of a 32-bit one that with the high halves."""
    if access.remap:
        row = (row & 0x3C7) ^ ((row & 0x30) >> 1) ^ ((row & 8) << 2)
    if wide:
        if access.swizzle:
            row = (row & 0x3F3) ^ ((row & 0x18) >> 1) ^ ((row & 4) << 1)
        row = (row & 0x1F8) << 1 | (row & 0x207)
    return row


class Access(NamedTuple):
    """``ACCESS`` where nothing is compiled."""

    remap: int = 0
    swizzle: int = 0

    @classmethod
    def of(cls, fields: Any) -> Self:
        """Those of a record with ``access``."""
        return cls(int(fields["access"]) >> 1, int(fields["access"]) & 1)

    def row(self, wide: int, row: Any) -> Any:
        """``storage_row`` of a row, or of each of an array."""
        bits: Any = self
        return storage_row(bits, wide, row)


def zeroed(fields: Any) -> Any:
    """Rows of storage whose valid bits a command of the Matrix Unit sets (ZEROACC)."""
    count = (1, 16, 512, 1024)[int(fields["zero_mode"])]
    rows = int(fields["row"]) // count * count + np.arange(count)
    return rows if count > 16 else Access.of(fields).row(int(fields["wide"]), rows)


def stored(datums: Any, mantissa: int) -> Any:
    """16-bit floats {sign, exponent, ``mantissa``} as Dst has them: exponent last (P19)."""
    exponent = 15 - mantissa
    low = (datums & (1 << mantissa) - 1) << exponent
    return datums & 0x8000 | low | datums >> mantissa & (1 << exponent) - 1
