# SPDX-License-Identifier: Apache-2.0
"""What numbers look like in SrcA, SrcB and Dst, by way of NumPy's own floats.

A register holds the number itself, cut to the digits of its format: so its raw value follows from
the number alone, whatever the tile in L1 looked like. Nothing here comes from the models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.unpack.tile_image import Kind

F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]


def _cut(numbers: F64, digits: int) -> F64:
    """``numbers`` with as many binary digits, the rest dropped."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.trunc(np.ldexp(fraction, digits)), exponent - digits)


def _single(numbers: F64) -> tuple[U32, U32, U32]:
    """Sign, exponent (8 bits), mantissa (23 bits) of the numbers as single-precision floats."""
    raw = numbers.astype(np.float32).view(np.uint32)
    return raw >> 31, raw >> 23 & 0xFF, raw & 0x7F_FFFF


def _half(numbers: F64) -> tuple[U32, U32, U32]:
    """Sign, exponent (5 bits), mantissa (10 bits) of the numbers as half-precision floats."""
    raw = _cut(numbers, 11).astype(np.float16).view(np.uint16).astype(np.uint32)
    return raw >> 15, raw >> 10 & 0x1F, raw & 0x3FF


def _integer(numbers: F64, sign_bit: int) -> tuple[U32, U32]:
    return (numbers < 0).astype(np.uint32) << sign_bit, np.abs(numbers).astype(np.uint32)


def in_src(kind: Kind, numbers: F64) -> U32:
    """The 19 bits of SrcA or SrcB: sign, mantissa (10), exponent (8)."""
    if kind.out_code == 14:  # an integer in a float's mantissa (U53)
        sign, magnitude = _integer(numbers, 18)
        return sign | magnitude << 8 | np.where(magnitude == 0, 0, 16).astype(np.uint32)
    if kind.out_code == 9:  # high byte above low byte, three bits apart (U54)
        sign, magnitude = _integer(numbers, 15)
        return ((sign | magnitude) >> 8) << 11 | magnitude & 0xFF
    if kind.out_code in (1, 2, 3, 10, 11):
        sign, exponent, mantissa = _half(numbers)
        return sign << 18 | mantissa << 8 | exponent
    digits = 11 if kind.out_code == 4 else 8
    sign, exponent, mantissa = _single(_cut(numbers, digits))
    return sign << 18 | (mantissa >> 13) << 8 | exponent


def in_dst(kind: Kind, numbers: F64) -> U32:
    """The 16 bits of a narrow Dst, or the 32 of a wide one."""
    if kind.wide:
        if kind.integer:
            sign, magnitude = _integer(numbers, 31)
            raw = sign | magnitude
        else:
            raw = numbers.astype(np.float32).view(np.uint32)
        # the upper half: sign, mantissa (7), exponent (8)
        return raw & 0x8000_FFFF | (raw >> 16 & 0x7F) << 24 | (raw >> 23 & 0xFF) << 16
    if kind.out_code == 14:
        sign, magnitude = _integer(numbers, 15)
        return sign | magnitude << 5 | np.where(magnitude == 0, 0, 16).astype(np.uint32)
    if kind.out_code == 9:
        sign, magnitude = _integer(numbers, 15)
        return sign | magnitude
    if kind.out_code in (1, 2, 3, 10, 11):
        sign, exponent, mantissa = _half(numbers)
        return sign << 15 | mantissa << 5 | exponent
    sign, exponent, mantissa = _single(_cut(numbers, 8))
    return sign << 15 | (mantissa >> 16) << 8 | exponent


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
