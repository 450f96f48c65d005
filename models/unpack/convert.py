# SPDX-License-Identifier: Apache-2.0
"""From the bits of a datum to the value in a register (section 5.4; U45 to U56).

Values of Src have 19 bits: sign, mantissa (10), exponent (8); those of Dst 16 or 32.
"""

from __future__ import annotations

import enum
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import formats
from tilepath.models import format_codes as C
from tilepath.models.unpack.formats import datum_quarters, is_reserved
from tilepath.models.unpack.settings import wide as as_int

Words = npt.NDArray[np.uint32]


class Conversion(enum.IntEnum):
    """How the bits of a datum become the value in a register (section 5.4)."""

    ZERO = 0  # codes 12 and 13
    BF16 = 1
    FP16 = 2
    INT16 = 3
    WIDE = 4  # 32 bits: FP32 to TF32, and all that is not below
    FP32_TO_BF16 = 5
    FP32_TO_FP16 = 6
    E5M2 = 7
    E5M2_FILL = 8
    E4M3 = 9
    INT8 = 10
    UINT8 = 11
    BFP = 12  # from here on: 16 datums share an exponent
    BFPA = 13


_FORMATS: Final = formats.formats()
_EXPONENTS: Final = np.array(
    [_FORMATS[k].exponent if k in C.FLOATS and k not in C.SHARED else 0 for k in range(16)]
)
"""Bits of the exponent that a datum has itself, by code."""


@part
def conversion_of(code: int, out: int, e4m3: int, fill: int, unsigned: int) -> int:
    """Conversion by the input format; ``out`` matters for FP32 alone (U55)."""
    if code == C.FP32 and out == C.BF16:
        return Conversion.FP32_TO_BF16
    if code == C.FP32 and out == C.FP16:
        return Conversion.FP32_TO_FP16
    if code == C.FP16:
        return Conversion.FP16
    if code == C.BF16:
        return Conversion.BF16
    if code == C.INT16:
        return Conversion.INT16
    if code == C.FP8:
        if e4m3:
            return Conversion.E4M3
        return Conversion.E5M2_FILL if fill else Conversion.E5M2
    if code == C.INT8:
        return Conversion.UINT8 if unsigned else Conversion.INT8
    if is_reserved(code):
        return Conversion.ZERO
    if code in C.BFPA:
        return Conversion.BFPA
    if code in C.BFP:
        return Conversion.BFP
    return Conversion.WIDE


@part
def parts(code: int, conversion: int) -> tuple[int, int]:
    """Bits of a datum's exponent, and of its mantissa or magnitude, beside the sign."""
    exponent = 4 if conversion == Conversion.E4M3 else _EXPONENTS[code]
    return exponent, 2 * datum_quarters(code) - 1 - exponent


@part
def leading_zeros(magnitude: int) -> int:
    """Zeros before the highest 1 of the 7 bits below the sign of a BFP datum, which is not 0."""
    zeros = 0
    if magnitude < 8:
        zeros = 4
        magnitude <<= 4
    if magnitude < 32:
        zeros += 2
        magnitude <<= 2
    if magnitude < 64:
        zeros += 1
    return zeros


@part
def _src(sign: int, exponent: int, mantissa: int) -> int:
    return sign << 18 | mantissa << 8 | exponent


@part
def from_bf16(dst: int, x: int) -> int:
    """A BF16 in the layout of the registers."""
    exponent = (x >> 7) & 0xFF
    if dst:
        return (x & 0x8000) | (x & 0x7F) << 8 | exponent
    return (x & 0x8000) << 3 | (x & 0x7F) << 11 | exponent


@part
def from_fp16(dst: int, x: int) -> int:
    """Convert an FP16 likewise."""
    exponent = (x >> 10) & 0x1F
    if dst:
        return (x & 0x8000) | (x & 0x3FF) << 5 | exponent
    return (x & 0x8000) << 3 | (x & 0x3FF) << 8 | exponent


@part
def from_wide(dst: int, x: int) -> int:
    """A datum of 32 bits: FP32 shuffle to Dst, bits 31:13 as TF32 to Src (U46, U47)."""
    if dst:
        return from_bf16(1, x >> 16) << 16 | (x & 0xFFFF)
    return _src((x >> 31) & 1, (x >> 23) & 0xFF, (x >> 13) & 0x3FF)


@part
def fp32_to_fp16(x: int) -> int:
    """Truncated; too small is a signed 0, too large all ones (U48)."""
    sign = (x >> 16) & 0x8000
    exponent = ((x >> 23) & 0xFF) - 112
    if exponent < 0:
        return sign
    if exponent > 31:
        return sign | 0x7FFF
    return sign | exponent << 10 | (x >> 13) & 0x3FF


@part
def e4m3_to_fp16(x: int) -> int:
    """FP8 with four exponent bits; denormals are not normalised (U50)."""
    exponent = (x >> 3) & 15
    if exponent:
        exponent += 8
    low = 0x7F if x & 0x7F == 0x7F else 0
    return (x & 0x80) << 8 | exponent << 10 | (x & 7) << 7 | low


@part
def bfp_to_bf16(x: int, exponent: int) -> int:
    """Eight bits of a BFP datum and its exponent, which wraps at 8 bits (U51)."""
    magnitude = x & 0x7F
    if magnitude == 0:
        return 0xFF80 if x & 0x80 else 0
    zeros = leading_zeros(magnitude)
    return (x & 0x80) << 8 | ((exponent - zeros) & 0xFF) << 7 | (magnitude << 1 << zeros) & 0x7E


@part
def bfpa_to_fp16(x: int, exponent: int) -> int:
    """Convert a BFPa datum likewise; its exponent is cut to 5 bits (U52)."""
    magnitude = x & 0x7F
    if magnitude == 0:
        return 0xFC00 if x & 0x80 else 0
    zeros = leading_zeros(magnitude)
    mantissa = (magnitude << 1 << zeros) & 0x7E
    return (x & 0x80) << 8 | ((exponent - zeros) & 0x1F) << 10 | mantissa << 3


@part
def int8_to_fp16(x: int, unsigned: int) -> int:
    """Sign and magnitude, or 8 bits of magnitude; exponent 16 unless that is 0 (U53)."""
    sign = 0 if unsigned else x & 0x80
    x -= sign
    return sign << 8 | (0x4000 if x else 0) | x


@part
def _value(conversion: int, dst: int, bits: int) -> int:
    """Value of a datum of any other conversion than those that ``convert_row`` has loops for."""
    if conversion == Conversion.FP16:
        return from_fp16(dst, bits)
    if conversion == Conversion.FP32_TO_BF16:
        x = bits if bits & 0x7F800000 else bits & 0x80000000
        return from_bf16(dst, x >> 16)
    if conversion == Conversion.FP32_TO_FP16:
        return from_fp16(dst, fp32_to_fp16(bits))
    if conversion == Conversion.UINT8:
        return from_fp16(dst, int8_to_fp16(bits, 1))
    if conversion == Conversion.INT16:
        return bits if dst else (bits & 0xFF00) << 3 | (bits & 0xFF)
    if conversion == Conversion.E4M3:
        return from_fp16(dst, e4m3_to_fp16(bits))
    if conversion == Conversion.E5M2 or conversion == Conversion.E5M2_FILL:
        x = bits << 8
        if conversion == Conversion.E5M2_FILL and bits & 0x7F == 0x7F:  # U49
            x |= 0xFF
        return from_fp16(dst, x)
    return 0


@part
def bad_exponent(x: int, exponent: int) -> int:
    """1 for a BFPa datum whose magnitude is not 0 and whose exponent does not fit in 5 bits."""
    magnitude = x & 0x7F
    return 1 if magnitude and (exponent - leading_zeros(magnitude)) & 0xE0 else 0


@part
def convert_row(
    conversion: int, dst: int, wide: int, values: Words, first: int, count: int
) -> None:
    """From bits to values, in the places of ``count`` datums, which share no exponents.

    ``dst``: 0: for SrcA or SrcB, 19 bits; 1: for Dst, which with ``wide`` has 32 bits.
    """
    if conversion == Conversion.BF16:
        for k in range(first, first + count):
            values[k] = from_bf16(dst, as_int(values[k]))
    elif conversion == Conversion.WIDE:
        ones = 0xFFFF if dst != 0 and wide == 0 else 0xFFFFFFFF
        for k in range(first, first + count):
            values[k] = from_wide(dst, as_int(values[k])) & ones
    elif conversion == Conversion.INT8:
        for k in range(first, first + count):
            values[k] = from_fp16(dst, int8_to_fp16(as_int(values[k]), 0))
    else:
        for k in range(first, first + count):
            values[k] = _value(conversion, dst, as_int(values[k]))


@part
def convert_group(target: Record, exponent: int, values: Words, first: int, count: int) -> int:
    """The same of BFP datums that share an exponent; bit k: that of datum k does not fit (U52)."""
    dst, shift = target.to_dst, target.shift
    bad = 0
    if target.conversion == Conversion.BFP:
        for k in range(first, first + count):
            bits = as_int(values[k]) << shift
            values[k] = from_bf16(dst, bfp_to_bf16(bits, exponent))
    else:
        for k in range(count):
            bits = as_int(values[first + k]) << shift
            bad |= bad_exponent(bits, exponent) << k
            values[first + k] = from_fp16(dst, bfpa_to_fp16(bits, exponent))
    return bad
