# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit does to the registers, without time: after ``docs/standin.md`` §2."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.models.dst_rows import LOW_HALF, Access, zeroed
from tilepath.tb.unpack.items import DST, SRCA

_ONES: Final = 0x7FFFF


class MatrixUnit:
    """Does to the registers of ``state`` what records or items say, fields by their names."""

    def __init__(self, state: Any) -> None:
        """``state``: an ``UnpackState``, or a ``Machine``; only its arrays are touched."""
        self._state = state

    def place(self, given: Any, row: int) -> int:
        """Row of storage of a row of Dst (P52)."""
        return int(Access.of(given).row(int(given["wide"]), row))

    def read(self, given: Any) -> list[NDArray[np.uint32]]:
        """The rows that a command reads: of SrcA, SrcB, Dst."""
        state, banks = self._state, int(given["banks"])
        found = []
        if given["read"] & 1:
            found.append(state.src_a[banks & 1, given["row_a"]])
        if given["read"] & 2:
            found.append(state.src_b[banks >> 1, given["row_b"]])
        if given["read"] & 4:
            place = self.place(given, int(given["row"]))
            row = state.dst[place].astype(np.uint32)
            found.append(row << 16 | state.dst[place + LOW_HALF] if given["wide"] else row)
        return [np.array(row, np.uint32) for row in found]

    def zero(self, given: Any) -> None:
        """Valid bits of Dst (ZEROACC)."""
        if given["zero"]:
            self._state.dst_valid[zeroed(given)] = given["undo"]

    def clear(self, given: Any) -> None:
        """Banks of SrcA and SrcB (ZEROSRC)."""
        for bank in range(2):
            if given["clear"] >> bank & 1:
                self._state.src_a[bank] = _ONES if given["neg_inf"] else 0
            if given["clear"] >> 2 + bank & 1:
                self._state.src_b[bank] = 0

    def write(self, given: Any) -> None:
        """A row of ``matrix_write``."""
        target, row, data = int(given["target"]), int(given["row"]), np.asarray(given["data"])
        if target < DST:
            file = self._state.src_a if target == SRCA else self._state.src_b
            file[int(given["bank"]), row & 63] = data & _ONES
        elif target == DST:
            place = self.place(given, row)
            self._state.dst_valid[place] = 1
            self._state.dst[place] = (data >> 16 if given["wide"] else data) & 0xFFFF
            if given["wide"]:
                self._state.dst[place + LOW_HALF] = data & 0xFFFF
