# SPDX-License-Identifier: Apache-2.0
"""Late conversion: from the packer's own format to an element in L1 (P28, P57, P64).

For a BFP format the element is the number that its group takes (P29): a BF16, or for the a-formats
an FP16 with seven mantissa bits.
"""

from __future__ import annotations

import enum

from tilepath.engine.compiled.jit import part
from tilepath.models import format_codes as C
from tilepath.models.pack.early import Container, narrow


class Late(enum.IntEnum):
    """What elements are made."""

    LOW_BITS = 0  # of the container: integers, and what is undefined
    WIDE = 1
    BF16 = 2  # BFP8, BFP4 and BFP2, too
    FP16 = 3
    E5M7 = 4  # of BFP8a, BFP4a and BFP2a
    E5M2 = 5
    E4M3 = 6


@part
def element_bits(to: int) -> int:
    """Bits of an element in L1, without shared exponents (P28)."""
    if to & 3 < 3:
        return 32 >> (to & 3)
    return 2 if to & 8 else 4


@part
def target_of(to: int, e4m3: int) -> int:
    """``Late`` of TO for a float datum; ``e4m3``: Pac_LF8_4b_exp."""
    if to == C.FP32 or to == C.TF32:
        return Late.WIDE
    if to == C.BF16 or to in C.BFP:
        return Late.BF16
    if to == C.FP16:
        return Late.FP16
    if to in C.BFPA:
        return Late.E5M7
    if to == C.FP8:
        return Late.E4M3 if e4m3 else Late.E5M2
    return Late.LOW_BITS


@part
def keeps(target: int, container: int) -> bool:
    """Whether an element is the number as it is held."""
    wide = target == Late.WIDE and container == Container.WIDE
    bf16 = target == Late.BF16 and container == Container.BF16
    return wide or bf16 or (target == Late.FP16 and container == Container.FP16)


@part
def late(target: int, container: int, inner: int, value: int, low_bits: int) -> int:
    """An element.

    Args:
        target: ``Late``.
        container: ``Container`` of ``value``.
        inner: IF, which tells FP16 from its shorter kinds.
        value: the datum.
        low_bits: mask of what an integer keeps.
    """
    if target == Late.LOW_BITS:
        return value & low_bits
    if container == Container.WIDE:
        return _of_wide(target, value)
    if container == Container.BF16:
        return value if target == Late.BF16 else _of_wide(target, value << 16)
    return _of_fp16(target, inner, value)


@part
def _of_wide(target: int, value: int) -> int:
    """Convert an FP32."""
    if target == Late.WIDE:
        return value
    if target == Late.BF16:
        return value >> 16 if value & 0x7F800000 else 0
    half = narrow(value)
    if target == Late.FP16:
        return half
    if target == Late.E5M7:
        return half & ~7
    return e4m3_of(half) if target == Late.E4M3 else half >> 8


@part
def _of_fp16(target: int, inner: int, value: int) -> int:
    """Convert an FP16, or one of its kinds with fewer mantissa bits."""
    sign = value & 0x8000
    exponent = (value >> 10) & 0x1F
    mantissa = value & 0x3FF
    if target == Late.FP16:
        return value
    if target == Late.WIDE:
        biased = exponent + 112 if exponent else 0
        return sign << 16 | biased << 23 | mantissa << 13
    if target == Late.BF16:
        return sign | (exponent + 112) << 7 | mantissa >> 3 if exponent else 0
    if target == Late.E4M3 and inner != C.FP8:
        return e4m3_of(value)
    if exponent == 0 and (inner == C.FP16 or (inner != C.FP8 and target == Late.E5M2)):
        return 0
    return value & ~7 if target == Late.E5M7 else value >> 8


@part
def e4m3_of(value: int) -> int:
    """FP16 to FP8 with four exponent bits."""
    sign = (value >> 8) & 0x80
    exponent = (value >> 10) & 0x1F
    if exponent <= 8:
        return sign
    if exponent >= 24:
        return sign | 0x7F
    return sign | (exponent - 8) << 3 | (value >> 7) & 7
