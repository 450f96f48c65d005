# SPDX-License-Identifier: Apache-2.0
"""Bytes of packed tiles from their numbers, the short way: arithmetic on arrays of floats.

``inner`` and ``late`` leave numbers that the format has, as the packers do it: they cut where
``models.tiles`` rounds. Of such numbers ``models.tiles`` makes the bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.models.tiles import FORMATS, from_l1, to_l1
from tilepath.models.tiles.formats import Bits
from tilepath.models.tiles.layout import BLOCK, kept_of
from tilepath.sequences.pack.tile_image import Kind

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]

_E8, _E5 = -126, -14  # exponents of the least normal numbers


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


def late(kind: Kind, numbers: F64) -> F64:
    """What the late conversion leaves of ``inner``'s numbers."""
    if kind.integer or kind.to in (0, 4):
        return numbers
    if kind.to in (5, 6, 7, 15):  # 8 exponent bits
        return _cut(_normal(numbers), 8)
    is_half = kind.dst == "fp16"
    if kind.bfp:
        return _cut(numbers, 8) if is_half else _narrow(numbers, 8)
    some = numbers if is_half else _narrow(numbers, 11)
    if kind.e4m3:
        return _cut(np.where(np.abs(some) < 2.0**-6, np.copysign(0.0, some), some), 4)
    small = np.abs(some) < 2.0**_E5
    rest = 2 * np.maximum(np.abs(some) - 2.0 ** (_E5 - 1), 0)  # the mantissa that is left
    some = np.where(small, np.copysign(rest, some), some)
    if kind.to == 1:
        return some
    return np.where(small, np.trunc(some * 2.0**16) / 2**16, _cut(some, 3))


def _form(kind: Kind) -> str:
    if kind.e4m3 or kind.unsigned:
        return "E4M3" if kind.e4m3 else "UINT8"
    return next(form.name for form in FORMATS.values() if form.code == kind.to)


def stored(kind: Kind, numbers: F64) -> U8:
    """Bytes of numbers that the format has, 16 or more: exponents, datums."""
    found = to_l1(numbers.reshape(-1, 16), _form(kind), face=None, header=0)
    if kind.shift:  # its zeros keep their signs
        found |= np.signbit(numbers).astype(np.uint8) << 7
    return found


def tile(kind: Kind, numbers: F64) -> U8:
    """Bytes of a tile: exponents, datums."""
    return stored(kind, late(kind, inner(kind, numbers)))


def represented(kind: Kind, numbers: F64) -> F64:
    """The numbers that a tile's bytes stand for; of numbers that are ``tame``."""
    found = from_l1(tile(kind, numbers), _form(kind), (len(numbers) // 16, 16), face=None, header=0)
    return found.reshape(-1).astype(np.float64)


def _kept(kind: Kind, numbers: F64, row: int) -> tuple[Bits, Bits, Bits]:
    """What compression leaves of rows of ``row``, as ``kept_of`` (P44): by ``inner``'s zeros."""
    some = inner(kind, numbers)
    return kept_of((some == 0) & ~np.signbit(some), row)


def _blocks(values: NDArray[Any]) -> NDArray[Any]:
    """``values``, and zeros that complete the last block."""
    return np.concatenate((values, np.zeros(-len(values) % BLOCK, values.dtype)))


def represented_sparse(kind: Kind, numbers: F64, row: int) -> F64:
    """As ``represented``, of a compressed tile, whose groups leave zeros out."""
    places = _kept(kind, numbers, row)[0]
    result = np.zeros(len(numbers))
    result[places] = represented(kind, _blocks(numbers[places]))[: len(places)]
    return result


def compressed(kind: Kind, numbers: F64, row: int) -> tuple[U8, U8, U8]:
    """A tile in rows of ``row``: row starts, exponents (or none), datums with their counters."""
    places, zeros, starts = _kept(kind, numbers, row)
    few, counters = _blocks(numbers[places]), _blocks(zeros).astype(np.uint8)
    found = tile(kind, few)
    exponents = len(found) - len(few) * kind.bits // 8
    datums = found[exponents:].reshape(-1, BLOCK * kind.bits // 8)
    nibbles = (counters[::2] | counters[1::2] << 4).reshape(-1, BLOCK // 2)
    lines = np.zeros(-(-len(starts) // 8) * 8, "<u2")
    lines[: len(starts)] = starts
    return lines.view(np.uint8), found[:exponents], np.hstack((datums, nibbles)).reshape(-1)


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
