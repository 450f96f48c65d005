# SPDX-License-Identifier: Apache-2.0
"""What tests put into Dst: values by class, as storage has them (P19), and the rows they go to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.tables import Table
from tilepath.models.dst_rows import LOW_HALF, Access, stored

Values = NDArray[np.uint32]

ROWS: Final = 1024
COLUMNS: Final = 16
RUN: Final = 9
RUN_WORDS: Final = RUN * COLUMNS // 2
_MASKS: Final = np.where(np.arange(RUN) < np.arange(RUN + 1)[:, None], 0xFFFF, 0)  # of so many rows
_AHEAD: Final = ROWS

CLASSES: Final = ("random", "special", "near", "sparse", "zero", "end")
"""``near``: exponents so close to one another that a BFP group sees all shifts; ``sparse``: runs of
zeros, as compression likes them; ``end``: the least and the greatest ones."""

# By kind of datum: bits of exponent and mantissa, exponents and mantissas that are corners
_E8: Final = (0, 1, 2, 111, 112, 113, 126, 127, 128, 142, 143, 144, 253, 254, 255)
_E5: Final = (0, 1, 2, 8, 9, 15, 23, 24, 29, 30, 31)
_M23: Final = (
    0, 1, 0x7FFFFF, 0x400000, 0x8000, 0x7FFF, 0x18000, 0x17FFF, 0x1000, 0xFFF, 0x3000, 0x7F8000,
    0x7FF000, 0x7EFFFF, 0x1FFF, 0x10000,
)  # fmt: skip
_M7: Final = (0, 1, 2, 3, 0x3F, 0x40, 0x7E, 0x7F, 0x15)
_M10: Final = (0, 1, 7, 8, 9, 0x18, 0x1FF, 0x200, 0x3F0, 0x3F7, 0x3F8, 0x3FF)
_FLOATS: Final = {
    "fp32": (8, 23, _E8, _M23),
    "bf16": (8, 7, _E8, _M7),
    "fp16": (5, 10, _E5, _M10),
}
_MAGNITUDES: Final = (
    0, 1, 2, 3, 4, 7, 8, 12, 31, 63, 64, 126, 127, 128, 129, 254, 255, 256, 300, 1023, 0x7FFF,
    0x8000, 0x7FFFFFFE, 0x7FFFFFFF,
)  # fmt: skip


def values(rng: np.random.Generator, kind: str, what: str, count: int) -> Values:
    """``count`` datums of ``kind`` (fp32, bf16, fp16, int32, int16) and class ``what``.

    What a row of 16 has in common is drawn row by row: near which exponent, how many zeros.
    """
    if what == "zero":
        return np.zeros(count, np.uint32)
    if what == "sparse":
        special = _by_row(rng.random(_rows(count)) < 0.3, count)
        made = np.where(
            special, values(rng, kind, "special", count), values(rng, kind, "random", count)
        )
        keep = rng.random(count) < _by_row(rng.choice((0.03, 0.1, 0.3, 0.6), _rows(count)), count)
        return np.where(keep, made, np.uint32(0))
    if kind in _FLOATS:
        return _float(rng, kind, what, count)
    top = 31 if kind == "int32" else 15
    if what == "random":
        magnitude = rng.integers(0, 1 << top, count) >> rng.integers(0, top, count)
    elif what == "end":
        magnitude = rng.choice((0, 1, 1 << top - 1, (1 << top) - 1), count)
    else:
        magnitude = rng.choice(_MAGNITUDES, count) & (1 << top) - 1
    return (rng.integers(0, 2, count) << top | magnitude).astype(np.uint32)


def _rows(count: int) -> int:
    return -(-count // COLUMNS)


def _by_row(one: NDArray[Any], count: int) -> NDArray[Any]:
    """``one`` value a row, for each of ``count`` datums."""
    return np.repeat(one, COLUMNS)[:count]


def _float(rng: np.random.Generator, kind: str, what: str, count: int) -> Values:
    exponent_bits, bits, exponents, mantissas = _FLOATS[kind]
    most = (1 << exponent_bits) - 1
    mantissa = rng.integers(0, 1 << bits, count)
    if what in ("special", "end"):
        ends = (0, 0, 1, most - 1, most, most)
        exponent = rng.choice(exponents if what == "special" else ends, count)
        mantissa = np.where(rng.random(count) < 0.8, rng.choice(mantissas, count), mantissa)
    elif what == "near":
        corners = rng.choice((1, 2, most // 2, most - 10), _rows(count))
        any_ = rng.integers(0, most - 8, _rows(count))
        first = np.where(rng.random(_rows(count)) < 0.8, corners, any_)
        exponent = np.clip(_by_row(first, count) + rng.integers(0, 11, count), 0, most)
        mantissa = np.where(rng.random(count) < 0.5, rng.choice(mantissas, count), mantissa)
    else:
        exponent = rng.integers(0, most + 1, count)
    sign = rng.integers(0, 2, count)
    return (sign << exponent_bits + bits | exponent << bits | mantissa).astype(np.uint32)


class Image:
    """Rows of Dst that are to be written."""

    def __init__(self) -> None:
        self._places: list[NDArray[np.int64]] = []
        self._stored: list[Values] = []

    def put(self, row: int, datums: Values, kind: str, remap: int = 0, swizzle: int = 0) -> None:
        """16 datums of ``kind`` in logical ``row``."""
        self.put_rows(np.array([row]), datums, kind, remap, swizzle)

    def put_rows(
        self, rows: NDArray[Any], datums: Values, kind: str, remap: int = 0, swizzle: int = 0
    ) -> None:
        """16 datums of ``kind`` in each of the logical ``rows``."""
        datums = datums.reshape(len(rows), COLUMNS)
        wide = kind in ("fp32", "int32")
        places = Access(remap, swizzle).row(wide, rows)
        if wide:
            self._places += [places, places + LOW_HALF]
            self._stored += stored(datums >> 16, _FLOATS["bf16"][1]), datums & 0xFFFF
        else:
            self._places.append(places)
            self._stored.append(datums if kind == "int16" else stored(datums, _FLOATS[kind][1]))

    def runs(self, longest: int = RUN) -> Iterator[tuple[Any, ...]]:
        """Fields of ``dst_write``, in ascending order; nothing is left afterwards."""
        if not self._places:
            return
        every, stored = np.concatenate(self._places), np.concatenate(self._stored)
        self._places, self._stored = [], []
        put = np.full(ROWS, -1)
        put[every] = np.arange(len(every))  # of a row that was put twice the last time counts
        rows = np.flatnonzero(put >= 0)
        places = np.arange(len(rows))
        begun = places.copy()  # where the run begins that a row belongs to
        begun[1:][rows[1:] == rows[:-1] + 1] = 0
        within = (places - np.maximum.accumulate(begun)) % longest
        run = np.cumsum(within == 0) - 1
        begins = np.flatnonzero(within == 0)
        counts = np.bincount(run)
        data = np.zeros((len(begins), RUN, COLUMNS), np.uint32)
        data[run, within] = stored[put[rows]]
        words = (data[:, :, 0::2] | data[:, :, 1::2] << np.uint32(16)).reshape(len(begins), -1)
        yield from zip(rows[begins].tolist(), counts.tolist(), _MASKS[counts], words, strict=True)


class Contents:
    """Random datums, rows of 16, as a table says; drawn ahead."""

    def __init__(self, rng: np.random.Generator, table: Table) -> None:
        self._rng, self._table = rng, table
        self._left: dict[str, Values] = {}

    def rows(self, kind: str, count: int) -> Values:
        """``count`` rows of datums of ``kind``, of at most ``_AHEAD``."""
        if len(self._left.get(kind, ())) < count:
            self._left[kind] = self._drawn(kind)
        left = self._left[kind]
        self._left[kind] = left[count:]
        return left[:count]

    def _drawn(self, kind: str) -> Values:
        rows = self._table.rows(self._rng, _AHEAD)
        classes = rows["values"].repeat(rows["more"] + 1)[:_AHEAD]
        made = np.zeros((_AHEAD, COLUMNS), np.uint32)
        for code in np.unique(classes):
            own = np.flatnonzero(classes == code)
            made[own] = values(self._rng, kind, CLASSES[code], COLUMNS * len(own)).reshape(
                -1, COLUMNS
            )
        return made
