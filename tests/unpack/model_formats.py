# SPDX-License-Identifier: Apache-2.0
"""Format conversions written once more, on arrays, field by field."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4 = range(8)
INT32, INT16, FP8, BFP2A, RESERVED12, RESERVED13, INT8, BFP2 = range(8, 16)
BFP_SHIFT = {BFP8: 0, BFP8A: 0, BFP4: 4, BFP4A: 4, BFP2: 6, BFP2A: 6}
WIDE = (FP32, TF32, INT32)
QUARTERS = [16, 8, 4, 2, 16, 8, 4, 2, 16, 8, 4, 1, 16, 8, 4, 1]


def _pieces(x: Ints, *widths: int) -> list[Ints]:
    """Fields of ``x`` from the highest one on."""
    found = []
    for width in reversed(widths):
        found.append(x & ((1 << width) - 1))
        x = x >> width
    return found[::-1]


def _bfp(x: Ints, exponent: Ints, shift: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Sign, wrapped 8-bit exponent, 6-bit mantissa below the leading 1, and where it is 0."""
    sign, magnitude = _pieces(x << shift, 1, 7)
    scale = 6 - np.floor(np.log2(np.maximum(magnitude, 1))).astype(np.int64)
    return sign, (exponent - scale) % 256, (magnitude * 2**scale) % 64, magnitude == 0


def _to_float(code: int, out: int, x: Ints, exponent: Ints, unsigned: bool, e4m3: bool, fill: bool):
    """Sign, exponent, mantissa and its width of the float that goes into a register."""
    if code == BF16:
        return *_pieces(x, 1, 8, 7), 7
    if code == FP16:
        return *_pieces(x, 1, 5, 10), 10
    if code == FP32 and out == BF16:
        sign, exp, mantissa, _ = _pieces(x, 1, 8, 7, 16)
        return sign, exp, np.where(exp == 0, 0, mantissa), 7
    if code == FP32 and out == FP16:
        sign, exp, mantissa, _ = _pieces(x, 1, 8, 10, 13)
        small, large = exp < 112, exp > 143
        exp = np.select([small, large], [0, 31], exp - 112)
        return sign, exp, np.select([small, large], [0, 0x3FF], mantissa), 10
    if code == FP8 and e4m3:
        sign, exp, mantissa = _pieces(x, 1, 4, 3)
        low = np.where((exp == 15) & (mantissa == 7), 127, 0)
        return sign, np.where(exp == 0, 0, exp + 8), mantissa * 128 + low, 10
    if code == FP8:
        sign, exp, mantissa = _pieces(x, 1, 5, 2)
        low = np.where((exp == 31) & (mantissa == 3) & fill, 255, 0)
        return sign, exp, mantissa * 256 + low, 10
    if code == INT8:
        sign, magnitude = (np.zeros_like(x), x) if unsigned else _pieces(x, 1, 7)
        return sign, np.where(magnitude == 0, 0, 16), magnitude, 10
    sign, exp, mantissa, zero = _bfp(x, exponent, BFP_SHIFT[code])
    if code in (BFP8, BFP4, BFP2):
        infinite = np.where(zero, 255 * sign, exp)
        return sign, infinite, np.where(zero, 0, 2 * mantissa), 7
    return sign, np.where(zero, 31 * sign, exp % 32), np.where(zero, 0, mantissa * 16), 10


def convert(
    code: int,
    out: int,
    to_dst: bool,
    x: Ints,
    exponent: Ints,
    unsigned: bool = False,
    e4m3: bool = False,
    fill: bool = True,
) -> Ints:
    """Values in the register: 19 bits, or with ``to_dst`` 16 or 32."""
    if code in (RESERVED12, RESERVED13):
        return np.zeros_like(x)
    if code == INT16:
        high, low = x // 256, x % 256
        return x if to_dst else high * 2048 + low
    if code in WIDE and not (code == FP32 and out in (BF16, FP16)):
        sign, exp, mantissa, low = _pieces(x, 1, 8, 7, 16)
        if not to_dst:
            return sign * 2**18 + (mantissa * 8 + low // 2**13) * 2**8 + exp
        full = (sign * 2**15 + mantissa * 2**8 + exp) * 2**16 + low
        return full if out in WIDE else low
    sign, exp, mantissa, width = _to_float(code, out, x, exponent, unsigned, e4m3, fill)
    if to_dst:
        return sign * 2**15 + mantissa * 2 ** (15 - width) + exp
    return sign * 2**18 + mantissa * 2 ** (18 - width) + exp


def bad_exponent(code: int, x: Ints, exponent: Ints) -> Ints:
    """Where a BFPa datum has an exponent of more than 5 bits."""
    if code not in (BFP8A, BFP4A, BFP2A):
        return np.zeros_like(x)
    _, exp, _, zero = _bfp(x, exponent, BFP_SHIFT[code])
    return ((exp > 31) & ~zero).astype(np.int64)
