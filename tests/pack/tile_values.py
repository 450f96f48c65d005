# SPDX-License-Identifier: Apache-2.0
"""Bytes of packed tiles from their numbers, the short way: arithmetic on arrays of floats.

Nothing is shared with the model: a format is a number of significant digits and a range, and a
shared exponent a scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.pack.tile_image import Kind

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]

GROUP = 16
_E8, _E5 = -126, -14  # exponents of the least normal numbers
_SHORT = (1, 2, 3, 10, 11)  # formats of 5 exponent bits


def _exponent(numbers: F64) -> I64:
    """Of the leading digit; of 0 one that is below all others."""
    return np.where(numbers == 0, -999, np.frexp(numbers)[1] - 1)


def _cut(numbers: F64, digits: int) -> F64:
    """The first ``digits`` significant digits."""
    scale = np.ldexp(1.0, _exponent(numbers) + 1 - digits)
    return np.where(numbers == 0, numbers, np.trunc(numbers / scale) * scale)


def _round(numbers: F64, digits: int) -> F64:
    """To nearest, ties away from 0; below the normal numbers +0, beyond them infinite."""
    scale = np.ldexp(1.0, np.maximum(_exponent(numbers), _E8) + 1 - digits)
    size = np.floor(np.abs(numbers) / scale + 0.5) * scale
    size = np.where(size >= 2.0**128, np.inf, size)
    return np.where(size < 2.0**_E8, 0.0, np.copysign(size, numbers))


def _normal(numbers: F64) -> F64:
    """Denormals and -0 become +0."""
    return np.where(np.abs(numbers) < 2.0**_E8, 0.0, numbers)


def _narrow(numbers: F64, digits: int) -> F64:
    """To 5 exponent bits (P28): too large is all ones, too small a signed 0.

    2^-15 and up have the exponent field 0: they count as if it were an ordinary one.
    """
    most = np.copysign(2.0**17 - 2.0 ** (17 - digits), numbers)
    some = np.where(np.abs(numbers) >= 2.0**17, most, _cut(numbers, digits))
    return np.where(np.abs(some) < 2.0**-15, np.copysign(0.0, numbers), some)


def inner(kind: Kind, numbers: F64) -> F64:
    """What the early conversion, ReLU and threshold leave."""
    if kind.shift:
        numbers = np.copysign(np.floor(np.abs(numbers) / 2**kind.shift + 0.5), numbers)
    if kind.to == 14:
        low, high = (0, 255) if kind.unsigned else (-127, 127)
        return np.clip(numbers, low, high)
    if kind.integer:
        return numbers
    if kind.dst == "fp32":
        digits = 11 if kind.narrow else {4: 11, 5: 8, 6: 7}.get(kind.inner, 0)
        numbers = _round(numbers, digits) if digits else numbers
    else:
        numbers = np.where(numbers == 0, 0.0, _normal(numbers) if kind.dst == "bf16" else numbers)
    if kind.relu:
        numbers = np.maximum(numbers, 0.0)
    if kind.narrow:
        numbers = _narrow(numbers, 11)
    if kind.threshold:
        numbers = np.where(np.abs(numbers) < np.ldexp(1.0, kind.threshold - 127), 0.0, numbers)
    return numbers


class Groups(NamedTuple):
    """Shared exponents, and datums of ``Kind.bits``."""

    exponents: U8
    codes: I64


def groups(kind: Kind, numbers: F64) -> Groups:
    """Sixteen datums share the exponent of the largest; ``numbers`` as ``inner`` leaves them."""
    short = kind.to in _SHORT
    some = (_cut if kind.dst == "fp16" or not short else _narrow)(numbers, 8)
    some = some if short else _normal(some)
    exponent = _exponent(some).reshape(-1, GROUP).max(axis=1)
    field = np.maximum(exponent + (15 if short else 127), 0)
    scale = np.ldexp(1.0, np.repeat(exponent, GROUP) - 6)
    size = np.minimum(np.floor(np.abs(some) / scale + 0.5), 127).astype(np.int64)
    size >>= 8 - kind.bits
    sign = np.where(size > 0, some < 0, 0)
    return Groups(field.astype(np.uint8), sign << kind.bits - 1 | size)


def _fields(numbers: F64, bias: int, digits: int) -> I64:
    """Sign, exponent and mantissa as a number; below the least exponent field, 0 counts."""
    exponent = _exponent(numbers)
    some = np.where(numbers == 0, 0.0, np.abs(numbers) / np.ldexp(1.0, exponent) - 1)
    field = np.where(numbers == 0, 0, exponent + bias)
    return (field << digits - 1) + np.floor(np.ldexp(some, digits - 1)).astype(np.int64)


def codes(kind: Kind, numbers: F64) -> I64:
    """Datums of ``Kind.bits`` without shared exponents; ``numbers`` as ``inner`` leaves them."""
    sign = np.signbit(numbers).astype(np.int64) << kind.bits - 1
    size = np.abs(numbers)
    if kind.integer:
        return sign | size.astype(np.int64)
    if kind.to in (0, 4):
        return numbers.astype("<f4").view("<u4").astype(np.int64)
    if kind.to == 5:
        small = np.abs(numbers) < 2.0**_E8  # +0 (P28)
        short = _cut(np.where(small, 0.0, numbers), 8)
        return short.astype("<f4").view("<u4").astype(np.int64) >> 16
    size = np.abs(_narrow(numbers, 11)) if kind.dst != "fp16" else size
    if kind.e4m3:  # exponent fields 9 to 23 of FP16 become 1 to 15
        code = np.where(size >= 2.0**9, 0x7F, _fields(_cut(size, 4), 7, 4))
        return sign | np.where(size < 2.0**-6, 0, code)
    return sign | _fields(size, 15, 11) >> 16 - kind.bits


def packed(bits: int, values: I64) -> U8:
    """Bytes of datums; the lowest bits of a byte come first."""
    planes = values[:, None] >> np.arange(bits) & 1
    return np.packbits(planes.astype(np.uint8).reshape(-1), bitorder="little")


def tile(kind: Kind, numbers: F64) -> U8:
    """Bytes of a tile: exponents, datums."""
    some = inner(kind, numbers)
    if not kind.bfp:
        return packed(kind.bits, codes(kind, some))
    found = groups(kind, some)
    return np.concatenate((found.exponents, packed(kind.bits, found.codes)))


def represented(kind: Kind, numbers: F64) -> F64:
    """The numbers that a tile's bytes stand for; of numbers that are ``tame``."""
    some = inner(kind, numbers)
    if kind.bfp:
        exponents, datums = groups(kind, some)
        bias = 15 if kind.to in _SHORT else 127
        scale = np.ldexp(1.0, np.repeat(exponents.astype(np.int64), GROUP) - bias - kind.bits + 2)
        size = datums & (1 << kind.bits - 1) - 1
        return np.where(datums >> kind.bits - 1, -1.0, 1.0) * size * scale + 0.0
    digits = {5: 8, 1: 11, 10: 4 if kind.e4m3 else 3}.get(kind.to, 0)
    return _cut(some, digits) if digits else some


class Kept(NamedTuple):
    """Datums of a compressed tile: places, zeros behind each, and how many there are by row."""

    places: list[int]
    counters: list[int]
    starts: list[int]


def kept(kind: Kind, numbers: F64, row: int) -> Kept:
    """What compression leaves of rows of ``row`` (P44): the first and the last one always."""
    some = inner(kind, numbers)
    found = Kept([], [], [0])
    for first in range(0, len(some), row):
        for place in range(first, first + row):
            zero = some[place] == 0 and not np.signbit(some[place])
            if zero and first < place < first + row - 1 and found.counters[-1] < 15:
                found.counters[-1] += 1
            else:
                found.places.append(place)
                found.counters.append(0)
        found.starts.append(len(found.places))
    return found


def _few(numbers: F64, found: Kept) -> F64:
    """The numbers that are kept, and zeros that complete the last block of 32."""
    return np.concatenate((numbers[found.places], np.zeros(-len(found.places) % 32)))


def represented_sparse(kind: Kind, numbers: F64, row: int) -> F64:
    """As ``represented``, of a compressed tile, whose groups leave zeros out."""
    found = kept(kind, numbers, row)
    result = np.zeros(len(numbers))
    result[found.places] = represented(kind, _few(numbers, found))[: len(found.places)]
    return result


class Compressed(NamedTuple):
    """Bytes of a compressed tile: row starts, exponents (none: empty), datums and counters."""

    starts: U8
    exponents: U8
    data: U8


def _padded(data: U8) -> U8:
    return np.concatenate((data, np.zeros(-len(data) % 16, np.uint8)))


def compressed(kind: Kind, numbers: F64, row: int) -> Compressed:
    """A tile in rows of ``row``: blocks of 32 datums and their counters."""
    found = kept(kind, numbers, row)
    few = inner(kind, _few(numbers, found))
    counts = np.array(found.counters + [0] * (len(few) - len(found.counters)))
    exponents, datums = groups(kind, few) if kind.bfp else (np.zeros(0, np.uint8), codes(kind, few))
    data = [
        packed(bits, values[block : block + 32])
        for block in range(0, len(few), 32)
        for bits, values in ((kind.bits, datums), (4, counts))
    ]
    starts = packed(16, np.array(found.starts))
    return Compressed(_padded(starts), _padded(exponents), np.concatenate(data))


def added(kind: Kind, one: F64, two: F64) -> F64:
    """The sum of two tiles as L1 holds it (P40), of numbers neither large nor very small."""
    exact = one + two
    if kind.integer:
        return np.clip(exact, 1 - 2.0**31, 2.0**31 - 1) + 0.0
    digits = {0: 24, 5: 8, 1: 11}[kind.to]
    scale = np.ldexp(1.0, _exponent(exact) + 1 - digits)
    near = np.where(exact == 0, exact, np.rint(exact / scale) * scale)
    small = (kind.to == 1) & (np.abs(near) < 2.0**_E5)
    return np.where(small, np.copysign(0.0, near), near)
