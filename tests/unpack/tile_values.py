# SPDX-License-Identifier: Apache-2.0
"""What numbers look like in SrcA, SrcB and Dst: unpackers cut, ``models.tiles`` has the bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilepath.models import tiles
from tilepath.sequences.unpack.tile_image import Kind

F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]

_DIGITS = {1: 11, 4: 11, 5: 8}  # by the format in Src of what was FP32


def _cut(kind: Kind, numbers: F64) -> F64:
    """The digits that the register has; the rest is dropped (U46 to U48)."""
    if kind.in_code != 0:
        return numbers
    digits = _DIGITS[kind.out_code]
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.trunc(np.ldexp(fraction, digits)), exponent - digits)


def _form(kind: Kind) -> str:
    if kind.unsigned:
        return "UINT8"
    return next(form.name for form in tiles.FORMATS.values() if form.code == kind.out_code)


def in_src(kind: Kind, numbers: F64) -> U32:
    """The 19 bits of SrcA or SrcB: sign, mantissa (10), exponent (8)."""
    return tiles.src_bits(_cut(kind, numbers), _form(kind))


def in_dst(kind: Kind, numbers: F64) -> U32:
    """The 16 bits of a narrow Dst, or the 32 of a wide one, to which all digits go."""
    if kind.wide:
        return tiles.dst_bits(numbers, "INT32" if kind.integer else "FP32")
    return tiles.dst_bits(_cut(kind, numbers), _form(kind))


def dst_rows(kind: Kind, first: int, numbers: F64) -> tuple[NDArray[np.int64], U32]:
    """Where 16 columns × n rows from row ``first`` on are stored, and the 16-bit rows (U36).

    Rows of 32 bits lie as two: high halves, and 8 rows further low halves.
    """
    raw = in_dst(kind, numbers).reshape(-1, 16)
    row = first + np.arange(len(raw))
    if not kind.wide:
        return row, raw
    above = (row // 8 % 64) * 16 + row % 8 + (row & 0x200)
    places, halves = np.concatenate((above, above + 8)), np.concatenate((raw >> 16, raw & 0xFFFF))
    order = np.argsort(places)
    return places[order], halves[order]
