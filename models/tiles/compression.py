# SPDX-License-Identifier: Apache-2.0
"""Compressed tiles: datums with the number of zeros behind each, and where rows start (P44, U20).

A datum that is kept is *augmented* by a count of 0 to 15 zeros that follow it. Datums lie in blocks
of 32, each with its 32 counts behind it, four bits each.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.models.tiles.formats import Bits

BLOCK: Final = 32
_MOST_ZEROS: Final = 15


def kept_of(zero: npt.NDArray[np.bool_], row: int) -> tuple[Bits, Bits, Bits]:
    """What is kept of datums of which ``zero`` says whether they are +0, in rows of ``row``.

    Returns the places of the kept ones, the zeros behind each, and the row starts: for each row
    the kept datums before it, and at last all of them.
    """
    places: list[int] = []
    zeros: list[int] = []
    starts = [0]
    for first in range(0, len(zero), row):
        for place in range(first, first + row):
            inner = first < place < first + row - 1
            if inner and zero[place] and zeros[-1] < _MOST_ZEROS:
                zeros[-1] += 1
            else:
                places.append(place)
                zeros.append(0)
        starts.append(len(places))
    return np.array(places), np.array(zeros), np.array(starts)


def sources(zeros: Bits, starts: Bits, row: int) -> Bits:
    """Return for each datum of the tile which kept one it is, or -1: a zero.

    Raises:
        ValueError: row starts that do not increase or lie beyond the datums, or a row with another
            number of datums than ``row``.
    """
    rows = []
    for number in range(len(starts) - 1):
        first, end = int(starts[number]), int(starts[number + 1])
        if not first <= end <= len(zeros):
            raise ValueError(f"row {number} starts at datum {first} and ends at {end}")
        length = int(zeros[first:end].sum()) + end - first
        if length != row:
            raise ValueError(f"row {number} has {length} datums, want {row}")
        ends = np.cumsum(zeros[first:end] + 1)
        found = np.full(row, -1)
        found[ends - zeros[first:end] - 1] = np.arange(first, end)
        rows.append(found)
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)
