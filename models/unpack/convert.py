# SPDX-License-Identifier: Apache-2.0
"""From the bits of a datum to the value in a register (section 5.4; U45 to U56).

Values of Src have 19 bits: sign, mantissa (10), exponent (8); those of Dst 16 or 32.
"""

from __future__ import annotations

from tilepath.models.jit import kernel, part
from tilepath.models.unpack import layout as L


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
    """An FP16 likewise."""
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
    """Likewise of a BFPa datum, whose exponent is cut to 5 bits (U52)."""
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
def value(conversion: int, dst: int, wide: int, shift: int, bits: int, exponent: int) -> int:
    """Value of a datum.

    Args:
        conversion: CONVERSION of the plan.
        dst: 0: for SrcA or SrcB, 19 bits; 1: for Dst.
        wide: Dst is 32 bits wide; else 16.
        shift: SHIFT of the plan.
        bits: of the datum, right-aligned, none above its size.
        exponent: 8 bits, ignored where the format has no shared ones.
    """
    if conversion == L.C_BF16:
        return from_bf16(dst, bits)
    if conversion == L.C_FP16:
        return from_fp16(dst, bits)
    if conversion == L.C_BFP:
        return from_bf16(dst, bfp_to_bf16(bits << shift, exponent))
    if conversion == L.C_BFPA:
        return from_fp16(dst, bfpa_to_fp16(bits << shift, exponent))
    if conversion == L.C_WIDE:
        full = from_wide(dst, bits)
        return full & 0xFFFF if dst != 0 and wide == 0 else full
    if conversion == L.C_FP32_BF16:
        x = bits if bits & 0x7F800000 else bits & 0x80000000
        return from_bf16(dst, x >> 16)
    if conversion == L.C_FP32_FP16:
        return from_fp16(dst, fp32_to_fp16(bits))
    if conversion == L.C_INT8 or conversion == L.C_UINT8:
        return from_fp16(dst, int8_to_fp16(bits, conversion == L.C_UINT8))
    if conversion == L.C_INT16:
        return bits if dst else (bits & 0xFF00) << 3 | (bits & 0xFF)
    if conversion == L.C_E4M3:
        return from_fp16(dst, e4m3_to_fp16(bits))
    if conversion == L.C_E5M2 or conversion == L.C_E5M2_FILL:
        x = bits << 8
        if conversion == L.C_E5M2_FILL and bits & 0x7F == 0x7F:  # U49
            x |= 0xFF
        return from_fp16(dst, x)
    return 0


@part
def bad_exponent(conversion: int, shift: int, bits: int, exponent: int) -> int:
    """1 for a BFPa datum whose magnitude is not 0 and whose exponent does not fit in 5 bits."""
    magnitude = (bits << shift) & 0x7F
    if conversion != L.C_BFPA or magnitude == 0:
        return 0
    return 1 if (exponent - leading_zeros(magnitude)) & 0xE0 else 0


@part
def masked(p: L.Memory, out_addr: int) -> int:
    """1 for a place in front of SrcA's first row or column: nothing is written (U30)."""
    if p[L.UNIT] == 1 or p[L.DST] != 0:
        return 0
    return 1 if out_addr < 64 or out_addr & 15 < p[L.COL_SHIFT] else 0


@part
def address(p: L.Memory, out_addr: int) -> int:
    """16 × register row + column, before the exchange; as recorded."""
    place: int = (out_addr + p[L.ADDRESS_ADD]) & p[L.ADDRESS_MASK]
    return place


@part
def exchanged(place: int) -> int:
    """Register place of SrcA with transpose: the low row bits and the column exchanged (U39)."""
    return (place & ~0xFF) | (place & 15) << 4 | (place >> 4) & 15


@part
def high_row(row: int) -> int:
    """Row of Dst with the high halves of row ``row`` of a 32-bit Dst; the low ones: 8 more."""
    return (row & 0x1F8) << 1 | (row & 0x207)


@part
def row_faults(p: L.Memory, out_addr: int) -> int:
    """``srca_row`` and ``srcb_row`` of a slot that is written."""
    row = out_addr >> 4
    if p[L.UNIT] == 1:
        return L.W_SRCB_ROW if row + p[L.SRC_ROW] >= 64 else 0
    return L.W_SRCA_ROW if p[L.DST] == 0 and p[L.OVRD] == 0 and row - 4 >= 16 else 0


@kernel
def convert(
    conversion: int,
    dst: int,
    wide: int,
    shift: int,
    bits: L.Memory,
    exponents: L.Memory,
    values: L.Memory,
    bad: L.Memory,
) -> None:
    """``value`` and ``bad_exponent`` of many datums: all int64, shape (n,)."""
    for k in range(bits.shape[0]):
        values[k] = value(conversion, dst, wide, shift, bits[k], exponents[k])
        bad[k] = bad_exponent(conversion, shift, bits[k], exponents[k])
