# SPDX-License-Identifier: Apache-2.0
"""Accumulation in L1: a datum of a line is added to what L1 holds (P40, P62).

``old`` is what L1 holds, ``new`` the packer's. Floats are added exactly and rounded once, to
nearest even, by one function that has a wide exponent; each format says what it makes of operands
and results beyond its range.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tilepath.engine.compiled.jit import part
from tilepath.models import format_codes as C

_GUARD: Final = 3  # bits below the mantissa: two of its own, and one for all below them


class Float(NamedTuple):
    """A number: mantissa with its leading one, 0 for zero; exponent biased as in its format."""

    sign: int
    exponent: int
    mantissa: int


@part
def _sum(a: Float, b: Float, bits: int) -> Float:
    """a + b, with mantissas of ``bits`` bits below the leading one; the exponent has no limits."""
    if b.exponent > a.exponent or (b.exponent == a.exponent and b.mantissa > a.mantissa):
        a, b = b, a
    greater = a.mantissa << _GUARD
    smaller = b.mantissa << _GUARD
    distance = min(a.exponent - b.exponent, bits + 2 + _GUARD)
    lost = smaller & ((1 << distance) - 1)
    smaller >>= distance
    if lost:
        smaller |= 1
    total = greater + smaller if a.sign == b.sign else greater - smaller
    if total == 0:
        return Float(0, 0, 0)
    exponent = a.exponent
    top = 1 << (bits + _GUARD)
    while total < top:
        total <<= 1
        exponent -= 1
    if total >= 2 * top:
        total = total >> 1 | total & 1
        exponent += 1
    half = 1 << (_GUARD - 1)
    mantissa = total >> _GUARD
    rest = total & (2 * half - 1)
    if rest > half or (rest == half and mantissa & 1):
        mantissa += 1
    if mantissa >> (bits + 1):
        mantissa >>= 1
        exponent += 1
    return Float(a.sign, exponent, mantissa)


@part
def _operand(value: int, exponent_bits: int, bits: int) -> Float:
    """A number of a format; denormals are 0."""
    sign = value >> (exponent_bits + bits)
    exponent = (value >> bits) & ((1 << exponent_bits) - 1)
    if exponent == 0:
        return Float(sign, -1024, 0)
    return Float(sign, exponent, (1 << bits) | value & ((1 << bits) - 1))


@part
def add_fp32(old: int, new: int) -> int:
    """FP32."""
    a = _operand(old, 8, 23)
    b = _operand(new, 8, 23)
    if a.exponent == 255 or b.exponent == 255:
        return _with_special_fp32(old, new, a, b)
    if a.mantissa == 0 and b.mantissa == 0:
        return (a.sign & b.sign) << 31
    total = _sum(a, b, 23)
    if total.exponent <= 0:
        return total.sign << 31
    if total.exponent >= 255:
        return total.sign << 31 | 0x7F800000
    return total.sign << 31 | total.exponent << 23 | total.mantissa & 0x7FFFFF


@part
def _with_special_fp32(old: int, new: int, a: Float, b: Float) -> int:
    """Add where there is an infinity or a NaN."""
    nan = old & 0x7FFFFFFF > 0x7F800000 or new & 0x7FFFFFFF > 0x7F800000
    if nan or (a.exponent == b.exponent and a.sign != b.sign):
        return 0x7FC00000
    return old if a.exponent == 255 else new


@part
def add_bf16(old: int, new: int) -> int:
    """BF16: a NaN is a number, in L1 one that is greater than all others."""
    a = _operand(old, 8, 7)
    b = _operand(new, 8, 7)
    old_infinite = old & 0x7FFF == 0x7F80
    new_infinite = new & 0x7FFF == 0x7F80
    if old_infinite and new_infinite and a.sign != b.sign:
        return 0x7FC0
    if old_infinite:
        return old
    if new_infinite:
        return new
    if old & 0x7FFF > 0x7F80:
        return a.sign << 15 | 0x7F80
    if a.mantissa == 0 and b.mantissa == 0:
        return (a.sign & b.sign) << 15
    total = _sum(a, b, 7)
    if total.exponent <= 0:
        return total.sign << 15
    if total.exponent >= 255:
        return total.sign << 15 | 0x7F80
    return total.sign << 15 | total.exponent << 7 | total.mantissa & 0x7F


@part
def add_fp16(old: int, new: int, quirk: int) -> int:
    """FP16, which has no infinities; ``quirk``: ``fp16_acc_quirk`` of the profile (P62)."""
    a = _operand(old, 5, 10)
    b = _operand(new, 5, 10)
    if a.mantissa == 0 and b.mantissa == 0:
        return (a.sign & b.sign) << 15
    total = _sum(a, b, 10)
    if total.mantissa == 0:
        return 0x7FFF if quirk and a.exponent >= 30 else 0
    if total.exponent > 31 or (total.exponent < 0 and quirk):
        return total.sign << 15 | 0x7FFF
    if total.exponent <= 0:
        return total.sign << 15
    return total.sign << 15 | total.exponent << 10 | total.mantissa & 0x3FF


@part
def _signed(value: int) -> int:
    """Return the number that has this sign and magnitude."""
    magnitude = value & 0x7FFFFFFF
    return -magnitude if value >> 31 else magnitude


@part
def add_int32(old: int, new: int) -> int:
    """INT32, which saturates; minus 0 does not come out."""
    total = _signed(old) + _signed(new)
    magnitude = min(abs(total), 0x7FFFFFFF)
    return magnitude | 0x80000000 if total < 0 else magnitude


@part
def add_word(to: int, old: int, new: int, quirk: int) -> int:
    """A word of a line: a datum of 32 bits or two of 16."""
    if to == C.FP32:
        return add_fp32(old, new)
    if to == C.INT32:
        return add_int32(old, new)
    total = 0
    for half in range(0, 32, 16):
        one = (old >> half) & 0xFFFF
        other = (new >> half) & 0xFFFF
        added = add_bf16(one, other) if to == C.BF16 else add_fp16(one, other, quirk)
        total |= added << half
    return total
