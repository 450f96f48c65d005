# SPDX-License-Identifier: Apache-2.0
"""Format codes of ``isa`` (U45), what they make of a datum, and how large one is in L1."""

from __future__ import annotations

import enum

from tilepath.engine.compiled.jit import part
from tilepath.models import format_codes as C


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
    BFP = 12
    BFPA = 13


@part
def is_reserved(code: int) -> bool:
    """Whether a code stands for no format."""
    return code == 12 or code == 13


@part
def is_wide(out: int) -> bool:
    """Whether Dst is 32 bits wide."""
    return out in C.WIDE


@part
def datum_quarters(code: int) -> int:
    """Quarter bytes that a datum has in L1: 1, 2, 4, 8 or 16 (section 5.1)."""
    low = code & 3
    if low == 3:
        return 2 if code < 8 else 1
    if low == 0:
        return 16
    return 8 if low == 1 else 4


@part
def address_shift(out: int) -> int:
    """Output addresses count 2 to the power of this many bytes (U28)."""
    if is_wide(out):
        return 2
    return 1 if out in C.HALVES else 0


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
    if conversion == Conversion.E4M3:
        return 4, 3
    if code == C.FP8:
        return 5, 2
    if code == C.FP16:
        return 5, 10
    if code == C.BF16:
        return 8, 7
    if code == C.FP32 or code == C.TF32:
        return 8, 23
    return 0, 2 * datum_quarters(code) - 1
