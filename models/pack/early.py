# SPDX-License-Identifier: Apache-2.0
"""Early conversion: from what Dst holds to the packer's own format (P19 to P23, P54, P56, P57).

Formats are codes of ``isa`` (4 bits): IF is the format inside the packer, FROM the input format
(In_data_format), TO the output format (Out_data_format).
"""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.isa.formats import pack_cell
from tilepath.models import format_codes as C


class Container(enum.IntEnum):
    """How a datum is held between early and late conversion."""

    WIDE = 0  # 32 bits: FP32, TF32 with low bits 0
    BF16 = 1  # 16 bits: BF16, BF16 with six mantissa bits
    FP16 = 2  # 16 bits: FP16, FP16 with seven or six mantissa bits, FP8 in its upper byte
    INT32 = 3  # sign and magnitude, as the next two
    INT16 = 4
    INT8 = 5
    RAW = 6  # 16 bits of no format


@part
def is_wide(container: int) -> bool:
    """Whether a container has 32 bits."""
    return container == Container.WIDE or container == Container.INT32


@part
def is_integer(container: int) -> bool:
    """Whether a container holds sign and magnitude."""
    return Container.INT32 <= container <= Container.INT8


class Early(enum.IntEnum):
    """What is done with a datum: a cell of the table of P20."""

    KEEP_WIDE = 0  # FP32 as it is, and INT32
    ROUND_TF32 = 1
    ROUND_BF16 = 2
    ROUND_E8M6 = 3
    TRUNCATE_BF16 = 4
    FLUSH_TF32 = 5  # of BF16, as the next three
    FLUSH_BF16 = 6
    FLUSH_E8M6 = 7
    BF16_TO_FP16 = 8  # P22 (b)
    FLUSH_FP16 = 9  # of FP16, as the next four
    KEEP_FP16 = 10
    ROUND_E5M6 = 11
    TRUNCATE_E5M7 = 12
    TRUNCATE_FP8 = 13
    SCALE_INT8 = 14  # of INT32, as the next three
    SCALE_UINT8 = 15
    BITS_INT8 = 16
    BITS_UINT8 = 17
    SIGN_INT8 = 18  # of 16 bits
    RAW = 19  # storage, unshuffled


# --- P19: from storage to the number


@part
def bf16_of(storage: int) -> int:
    """16 bits {s, m7, e8} as BF16 {s, e8, m7}."""
    return (storage & 0x8000) | (storage & 0xFF) << 7 | (storage >> 8) & 0x7F


@part
def fp16_of(storage: int) -> int:
    """16 bits {s, m10, e5} as FP16 {s, e5, m10}."""
    return (storage & 0x8000) | (storage & 0x1F) << 10 | (storage >> 5) & 0x3FF


# --- P21: rounding, to nearest with ties away from zero, and a zero exponent becomes +0


@part
def _nan_to_infinity(value: int) -> int:
    """Return an FP32 with infinity in the place of a NaN."""
    return value & 0xFF800000 if value & 0x7FFFFFFF > 0x7F800000 else value


@part
def _or_zero(value: int, exponent: int) -> int:
    """+0 if the bits ``exponent`` of ``value`` are all 0."""
    return value if value & exponent else 0


@part
def round_bf16(value: int) -> int:
    """FP32 to BF16."""
    return _or_zero((_nan_to_infinity(value) + 0x8000) >> 16, 0x7F80)


@part
def round_e8m6(value: int) -> int:
    """FP32 to BF16 with six mantissa bits."""
    return _or_zero(((_nan_to_infinity(value) >> 16) + 1) & ~1, 0x7F80)


@part
def round_tf32(value: int) -> int:
    """FP32 to TF32, in 32 bits."""
    return _or_zero((_nan_to_infinity(value) + 0x1000) & ~0x1FFF, 0x7F800000)


@part
def flush_bf16(value: int) -> int:
    """BF16 without NaN and denormals."""
    if value & 0x7FFF > 0x7F80:
        value &= 0xFF80
    return _or_zero(value, 0x7F80)


@part
def round_e5m6(value: int) -> int:
    """FP16 to six mantissa bits."""
    if value & 0x7FFF > 0x7FF7:
        value = (value & 0x8000) | 0x7FF0
    return _or_zero((value + 8) & ~15, 0x7C00)


@part
def scale_integer(value: int, shift: int, limit: int) -> int:
    """Magnitude of an INT32, shifted right by ``shift``, rounded, saturated."""
    magnitude = value & 0x7FFFFFFF
    if shift > 0:
        magnitude = (magnitude + (1 << (shift - 1))) >> shift
    return min(magnitude, limit)


# --- narrowing to FP16, by the early conversion (P22, P54) and the late one (P28)


@part
def narrow(value: int) -> int:
    """FP32 to FP16: too small is a signed 0, too large all ones, the mantissa is cut."""
    sign = (value >> 16) & 0x8000
    exponent = ((value >> 23) & 0xFF) - 112
    if exponent < 0:
        return sign
    if exponent > 31:
        return sign | 0x7FFF
    return sign | exponent << 10 | (value >> 13) & 0x3FF


@part
def early(conversion: int, storage: int, shift: int) -> int:
    """A datum in its container.

    Args:
        conversion: ``Early``.
        storage: 32 bits; those of a 16-bit Dst in the upper half.
        shift: of integers (P21).
    """
    high = storage >> 16
    if conversion <= Early.FLUSH_E8M6 or conversion == Early.BF16_TO_FP16:
        return _of_bf16(conversion, bf16_of(high), storage & 0xFFFF)
    if conversion <= Early.TRUNCATE_FP8:
        return _of_fp16(conversion, fp16_of(high))
    if conversion == Early.RAW:
        return high
    if conversion == Early.SIGN_INT8:
        return (high >> 8) & 0x80
    return _of_int32(conversion, bf16_of(high) << 16 | storage & 0xFFFF, shift)


@part
def _of_bf16(conversion: int, high: int, low: int) -> int:
    """Convert a BF16, or an FP32 that begins with one."""
    value = high << 16 | low
    if conversion == Early.FLUSH_BF16:
        return flush_bf16(high)
    if conversion == Early.TRUNCATE_BF16:
        return high
    if conversion == Early.KEEP_WIDE:
        return value
    if conversion == Early.ROUND_BF16:
        return round_bf16(value)
    if conversion == Early.ROUND_TF32:
        return round_tf32(value)
    if conversion == Early.FLUSH_TF32:
        return flush_bf16(high) << 16
    if conversion == Early.ROUND_E8M6:
        return round_e8m6(value)
    if conversion == Early.FLUSH_E8M6:
        return (flush_bf16(high) + 1) & ~1
    return narrow(high << 16)


@part
def _of_fp16(conversion: int, value: int) -> int:
    if conversion == Early.FLUSH_FP16:
        return _or_zero(value, 0x7C00)
    if conversion == Early.ROUND_E5M6:
        return round_e5m6(value)
    if conversion == Early.TRUNCATE_E5M7:
        return value & ~7
    if conversion == Early.TRUNCATE_FP8:
        return value & 0xFF00
    return value


@part
def _of_int32(conversion: int, value: int, shift: int) -> int:
    negative = value >> 31
    if conversion == Early.SCALE_INT8:
        return negative << 7 | scale_integer(value, shift, 127)
    if conversion == Early.SCALE_UINT8:
        return 0 if negative else scale_integer(value, shift, 255)
    if conversion == Early.BITS_INT8:
        return negative << 7 | value & 0x7F
    return value & 0xFF


# --- P20: which conversion

_CELLS: Final = [[pack_cell(inner, control) for control in range(16)] for inner in range(16)]
_CONVERSIONS: Final = np.array([[Early[c.does] if c else Early.RAW for c in r] for r in _CELLS])
_UNDEFINED: Final = np.array([[c is None or not c.dst for c in row] for row in _CELLS])


@part
def _control(wide: int, raw: int, round10: int, unsigned: int) -> int:
    return wide | unsigned << 1 | raw << 2 | round10 << 3


@part
def conversion_of(inner: int, wide: int, raw: int, round10: int, unsigned: int) -> int:
    """``Early`` of IF ``inner`` with Read_32b_data, Read_int8, Round_10b_mant, Read_unsigned.

    ``round10`` is 0 if it narrows FP16 and the profile has not that (``pack_r10_fp16``). What is
    undefined does what P61 says.
    """
    return _CONVERSIONS[inner, _control(wide, raw, round10, unsigned)]  # type: ignore[no-any-return]


@part
def is_undefined(inner: int, wide: int, raw: int, round10: int, unsigned: int) -> bool:
    """Whether the table of P20 has no value for these, the cells with Round_10b_mant aside."""
    return _UNDEFINED[inner, _control(wide, raw, round10, unsigned)]  # type: ignore[no-any-return]


@part
def container_of(inner: int, conversion: int) -> int:
    """``Container`` of what comes out of the early conversion."""
    if inner == C.INT32:
        return Container.INT32
    if inner == C.INT16:
        return Container.INT16
    if inner == C.INT8:
        return Container.INT8
    if conversion == Early.RAW:
        return Container.RAW
    if conversion == Early.KEEP_WIDE or conversion == Early.ROUND_TF32:
        return Container.WIDE
    if conversion == Early.FLUSH_TF32:
        return Container.WIDE
    if conversion < Early.BF16_TO_FP16:
        return Container.BF16
    return Container.FP16
