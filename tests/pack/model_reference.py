# SPDX-License-Identifier: Apache-2.0
"""The packers' number formats once more, as arithmetic on arrays; nothing is taken from the model.

A number is sign, biased exponent and fraction in [0, 1), as float64 arrays; ``wide``: exponents
have 8 bits, else 5. Integers are sign and magnitude.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Numbers:
    """Numbers of one kind."""

    sign: Ints
    exponent: Ints
    fraction: Floats
    wide: bool = True
    keeps_denormals: bool = False  # on the way to formats with 5 exponent bits and few others

    @property
    def value(self) -> Floats:
        """What they count, without sign; denormals count, the greatest exponent is ordinary."""
        bias = 127 if self.wide else 15
        one = np.where(self.exponent > 0, 1.0, 0.0)
        return np.ldexp(one + self.fraction, np.maximum(self.exponent, 1) - bias)


def where(condition: Any, yes: Numbers, no: Numbers) -> Numbers:
    """``np.where`` of the fields; the kind is that of ``no``."""
    fields = ("sign", "exponent", "fraction")
    chosen = {k: np.where(condition, getattr(yes, k), getattr(no, k)) for k in fields}
    return dataclasses.replace(no, **chosen)


def zero_of(given: Numbers, sign: Any = 0) -> Numbers:
    """Zeros of the same kind."""
    nothing = np.zeros_like(given.exponent)
    return dataclasses.replace(given, sign=nothing + sign, exponent=nothing, fraction=nothing * 0.0)


def split(bits: Ints, mantissa: int, wide: bool = True) -> Numbers:
    """Ordinary order: sign, exponent, ``mantissa`` bits."""
    width = 8 if wide else 5
    exponent = (bits >> mantissa) % (1 << width)
    fraction = (bits % (1 << mantissa)) / (1 << mantissa)
    return Numbers(bits >> (width + mantissa), exponent, fraction, wide)


def join(given: Numbers, mantissa: int, width: int | None = None) -> Ints:
    """Bits of numbers whose fraction is cut to ``mantissa`` bits."""
    width = width or (8 if given.wide else 5)
    cut = np.floor(given.fraction * (1 << mantissa)).astype(np.int64)
    joined: Ints = (given.sign << (width + mantissa)) + (given.exponent << mantissa) + cut
    return joined


def rounded(given: Numbers, mantissa: int) -> Numbers:
    """To nearest, ties away from zero, on the value; then what is below the normals is +0."""
    bias = 127 if given.wide else 15
    top = 255 if given.wide else 31
    step = np.ldexp(1.0, np.maximum(given.exponent, 1) - bias - mantissa)
    value = np.floor(given.value / step + 0.5) * step
    half, power = np.frexp(value)
    exponent = power.astype(np.int64) + bias - 1
    result = dataclasses.replace(given, exponent=exponent, fraction=2 * half - 1)
    infinite = dataclasses.replace(
        given, exponent=0 * exponent + top, fraction=np.zeros_like(given.fraction)
    )
    if given.wide:
        result = where(given.exponent == 255, infinite, result)
        result = where((given.exponent < 255) & (exponent >= 255), infinite, result)
    else:
        greatest = dataclasses.replace(infinite, fraction=infinite.fraction + 1 - 2.0**-mantissa)
        result = where(value > greatest.value, greatest, result)
    return where((exponent <= 0) | (value == 0), zero_of(given), result)


def narrowed(given: Numbers) -> Numbers:
    """To 5 exponent bits: too small is a signed 0, too large all ones."""
    exponent = given.exponent - 112
    fraction = np.floor(given.fraction * 1024) / 1024
    result = Numbers(given.sign, exponent, fraction, wide=False, keeps_denormals=True)
    ones = dataclasses.replace(
        result, exponent=0 * exponent + 31, fraction=0 * fraction + 1023 / 1024
    )
    return where(exponent > 31, ones, where(exponent < 0, zero_of(result, given.sign), result))


def from_dst(bits: Ints, settings: dict[str, int]) -> Numbers | Ints:
    """Early conversion of storage, 16 bits or with ``r32`` 32."""
    inner, wide, raw = settings["inner"], settings.get("r32", 0), settings.get("raw", 0)
    high = bits >> 16 if wide else bits
    if inner == 9:
        return high
    if inner in (8, 14):
        return _integers(bits, high, settings)
    if not wide and inner in (1, 2, 10) and not settings.get("r10"):
        fields = Numbers(high >> 15, high % 32, (high >> 5) % 1024 / 1024, wide=False)
        return _short(fields, inner, raw)
    low = bits % 65536 if wide else 0 * bits
    numbers = Numbers(high >> 15, high % 256, (high >> 8) % 128 / 128 + low / 2.0**23)
    if inner == 1:
        return narrowed(rounded(numbers, 10)) if wide else narrowed(numbers)
    if raw or (inner == 0 and not settings.get("r10")):
        if inner in (5, 6):
            return dataclasses.replace(numbers, fraction=np.floor(numbers.fraction * 128) / 128)
        return numbers
    if not wide:
        numbers = where(numbers.exponent == 0, zero_of(numbers), numbers)
    mantissa = 6 if inner == 6 else 10 if inner in (0, 4) or settings.get("r10") else 7
    numbers = rounded(numbers, mantissa)
    return narrowed(numbers) if settings["from_"] == 1 else numbers


def _integers(bits: Ints, high: Ints, settings: dict[str, int]) -> Ints:
    if settings["inner"] == 8:
        value = (high & 0x8000) + (high & 0xFF) * 128 + (high >> 8) % 128
        return value * 65536 + bits % 65536
    if not settings.get("r32"):
        return (high >> 15) * 128
    magnitude = (high & 0xFF) * 128 + (high >> 8) % 128
    magnitude = magnitude * 65536 + bits % 65536
    sign, unsigned = high >> 15, settings.get("uns", 0)
    if settings.get("raw"):
        return magnitude % 256 if unsigned else sign * 128 + magnitude % 128
    magnitude = np.floor(magnitude / 2.0 ** settings.get("shift", 0) + 0.5).astype(np.int64)
    if unsigned:
        return np.where(sign == 1, 0, np.minimum(magnitude, 255))
    return sign * 128 + np.minimum(magnitude, 127)


def _short(fields: Numbers, inner: int, raw: int) -> Numbers:
    """FP16 and its kinds with fewer mantissa bits."""
    if inner == 10:
        return dataclasses.replace(
            fields, fraction=np.floor(fields.fraction * 4) / 4, keeps_denormals=True
        )
    if inner == 2:
        if raw:
            cut = np.floor(fields.fraction * 128) / 128
            return dataclasses.replace(fields, fraction=cut, keeps_denormals=True)
        return dataclasses.replace(rounded(fields, 6), keeps_denormals=True)
    return fields if raw else where(fields.exponent == 0, zero_of(fields), fields)


def to_l1(given: Numbers | Ints, settings: dict[str, int]) -> Ints:
    """Late conversion to the bits of an element; for BFP to BF16 or FP16 cut to 7 mantissa bits."""
    if not isinstance(given, Numbers):
        return given
    to, inner, e4m3 = settings["to"], settings["inner"], settings.get("e4m3")
    if settings["from_"] == 1:
        inner = 1  # narrowed, if it was not FP16 before
    if inner == 10:
        e4m3 = 0  # FP8 stays what it is
    if to in (0, 4):
        widened = given
        if not given.wide:
            exponent = np.where(given.exponent > 0, given.exponent + 112, 0)
            widened = dataclasses.replace(given, exponent=exponent, wide=True)
        return join(widened, 23)
    if to in (5, 6, 7, 15):
        if not given.wide:
            exponent = np.where(given.exponent > 0, given.exponent + 112, 0)
            given = dataclasses.replace(given, exponent=exponent, wide=True)
        elif inner in (5, 6) and not settings.get("r10"):
            return join(given, 7)
        return join(where(given.exponent == 0, zero_of(given), given), 7)
    if given.wide:
        given = narrowed(given)
    elif (inner == 1 and to not in (1, 10)) or (inner != 10 and to == 10 and not e4m3):
        given = where(given.exponent == 0, zero_of(given), given)
    if to == 10 and e4m3:
        four = dataclasses.replace(given, exponent=given.exponent - 8)
        fraction = 0 * four.fraction + 7 / 8
        most = dataclasses.replace(four, exponent=0 * four.exponent + 15, fraction=fraction)
        four = where(given.exponent <= 8, zero_of(four, four.sign), four)
        return join(where(given.exponent >= 24, most, four), 3, width=4)
    return join(given, {1: 10, 10: 2}.get(to, 7))


def groups(numbers: Ints, to: int) -> tuple[Ints, Ints]:
    """Exponents (n,) and data (n, 16) of groups (n, 16) of ``to_l1``'s numbers (12 or 16 bits)."""
    wide = to in (6, 7, 15)
    fields = split(numbers, 7, wide)
    significand = (fields.fraction + (fields.exponent > 0)) * 128
    shared = fields.exponent.max(axis=1)
    scaled = np.ldexp(significand, -(shared[:, None] - fields.exponent) - 1)
    magnitude = np.minimum(np.floor(scaled + 0.5), 127).astype(np.int64)
    bits = {6: 8, 2: 8, 7: 4, 3: 4, 15: 2, 11: 2}[to]
    cut = magnitude // (1 << (8 - bits))
    return shared, np.where(cut > 0, fields.sign * (1 << (bits - 1)) + cut, 0)


def _nearest_even(value: Floats, mantissa: int) -> Floats:
    """Of values without sign, to ``mantissa`` bits below the leading one."""
    step = np.ldexp(1.0, np.frexp(value)[1] - 1 - mantissa)
    even: Floats = np.rint(value / step) * step
    return even


def _short_sum(old: Ints, new: Ints, mantissa: int, wide: bool) -> tuple[Floats, Floats, Floats]:
    """Exact sum of two 16-bit numbers, denormals 0, and the two."""
    pair = []
    for bits in (old, new):
        fields = split(bits, mantissa, wide)
        value = np.where(fields.exponent > 0, fields.value, 0.0)
        pair.append(np.where(fields.sign == 1, -value, value))
    return pair[0] + pair[1], pair[0], pair[1]


def add_bf16(old: Ints, new: Ints) -> Ints:
    """BF16 accumulation."""
    total, one, other = _short_sum(old, new, 7, True)
    value = _nearest_even(np.abs(total), 7)
    negative = np.where(total == 0, np.signbit(one) & np.signbit(other), total < 0)
    with np.errstate(over="ignore", under="ignore"):
        bits = value.astype(np.float32).view(np.uint32).astype(np.int64) >> 16
    bits = np.where(value < 2.0**-126, 0, np.where(value >= 2.0**128, 0x7F80, bits))
    result = bits + np.where(negative, 0x8000, 0)
    huge = (old & 0x7FFF) > 0x7F80
    result = np.where(huge, (old & 0x8000) + 0x7F80, result)
    old_infinite, new_infinite = (old & 0x7FFF) == 0x7F80, (new & 0x7FFF) == 0x7F80
    result = np.where(new_infinite, new, result)
    result = np.where(old_infinite, old, result)
    opposite = old_infinite & new_infinite & (old != new)
    return np.where(opposite, 0x7FC0, result)


def add_fp16(old: Ints, new: Ints, quirk: bool) -> Ints:
    """FP16 accumulation."""
    total, one, other = _short_sum(old, new, 10, False)
    value = _nearest_even(np.abs(total), 10)
    power = np.frexp(value)[1].astype(np.int64) - 1
    bits = ((power + 15) << 10) + np.where(
        value > 0, (np.ldexp(value, -power) - 1) * 1024, 0
    ).astype(np.int64)
    bits = np.where(power + 15 > 31, 0x7FFF, bits)
    bits = np.where(power + 15 == 0, 0, bits)
    bits = np.where(power + 15 < 0, 0x7FFF if quirk else 0, bits)
    negative = np.where(total == 0, np.signbit(one) & np.signbit(other), total < 0)
    cancelled = (total == 0) & (one != 0)
    high = quirk & ((old >> 10) % 32 >= 30)
    bits = np.where(total == 0, np.where(cancelled & high, 0x7FFF, 0), bits)
    return bits + np.where(negative, 0x8000, 0)


def add_fp32(old: npt.NDArray[np.uint32], new: npt.NDArray[np.uint32]) -> Ints:
    """FP32 accumulation, by the machine's own addition."""

    def flushed(bits: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        return np.where(bits & 0x7F800000, bits, bits & 0x80000000).astype(np.uint32)

    with np.errstate(all="ignore"):
        total = flushed(old).view(np.float32) + flushed(new).view(np.float32)
    bits = np.where(np.isnan(total), 0x7FC00000, flushed(total.view(np.uint32)))
    return bits.astype(np.int64)


def add_int32(old: Ints, new: Ints) -> Ints:
    """INT32 accumulation."""

    def signed(bits: Ints) -> Ints:
        return np.where(bits >> 31, -(bits % (1 << 31)), bits)

    total = np.clip(signed(old) + signed(new), 1 - (1 << 31), (1 << 31) - 1)
    return np.where(total < 0, (1 << 31) - total, total)
