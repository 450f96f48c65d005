# SPDX-License-Identifier: Apache-2.0
"""Classes of the datums read, by format and register file (unpack-adc section 7, cross 1).

Only datums of a legal pair of formats count, and not those that AllDatumsAreZero replaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tilepath.models.jit import part
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.unpack.coverage.layout import I64
from tilepath.tb.unpack.coverage.points import FILES

if TYPE_CHECKING:
    from tilepath.tb.unpack.coverage.derive import Regular

FLOAT, BFP, INT8, INT16, INT32 = range(5)
FLOATS: Final = (
    "fp32_to_tf32", "fp32_to_bf16", "fp32_to_fp16", "fp32_to_fp32", "tf32", "fp16", "bf16",
    "fp8_e5m2", "fp8_e4m3",
)  # fmt: skip
_TO_FP16: Final = 2
_E4M3: Final = 8
BFPS: Final = ("bfp8", "bfp4", "bfp2", "bfp8a", "bfp4a", "bfp2a")
_MAGNITUDE: Final = (7, 3, 1)  # bits, of BFPS by place modulo 3
_FLOAT_CLASSES: Final = (
    "+0", "-0", "min_denormal", "max_denormal", "min_normal", "max_normal", "infinity", "nan",
    "all_ones", "all_ones_negative", "other",
)  # fmt: skip
_BFP_CLASSES: Final = ("+0", "-0", *(f"lz{n}" for n in range(7)))
_EXPONENTS: Final = ("0", "<lz", "=lz", ">lz", "31", "32", "255")


_FP16_EXPONENTS: Final = (-1, 0, 1, 30, 31, 32)
_EXPONENT_BITS: Final = np.array([8, 8, 8, 8, 8, 5, 8, 5, 4])
_MANTISSA_BITS: Final = np.array([23, 23, 23, 23, 23, 10, 7, 2, 3])
_BFP_BITS: Final = np.array([7, 3, 1, 7, 3, 1])

_TO_SRC: Final = "32 bits go to Src only as FP32 that is converted (U54, U56)"


def declare(points: PointGroup) -> list[int]:
    """Declare the seven points; the places of their first bins."""
    two = tuple(
        Exclude((name, file, None), _TO_SRC)
        for name in ("fp32_to_fp32", "tf32")
        for file in FILES[:2]
    )
    e4m3 = (
        Exclude(("fp8_e4m3", None, "infinity"), "E4M3 has none (U50)"),
        Exclude(("fp8_e4m3", None, "nan"), "E4M3 has all ones only (U50)"),
    )
    few = tuple(
        Exclude((name, None, f"lz{lz}"), "its magnitude has fewer bits")
        for place, name in enumerate(BFPS)
        for lz in range(_MAGNITUDE[place % 3], 7)
    )
    small = (
        Exclude((None, None, "lz0", "<lz"), "no exponent is below 0"),
        Exclude((None, None, "lz0", "=lz"), "0 is a class of its own"),
        Exclude((None, None, "lz1", "<lz"), "0 is a class of its own"),
    )
    cut = tuple(
        Exclude((name, None, f"lz{lz}", None), "its magnitude has fewer bits")
        for place, name in enumerate(BFPS)
        for lz in range(_MAGNITUDE[place % 3], 7)
    )
    return [
        points.add("datum.float_x_file_x_class", FLOATS, FILES, _FLOAT_CLASSES,
                   exclude=(*two, *e4m3)),
        points.add("datum.bfp_x_file_x_class", BFPS, FILES, _BFP_CLASSES, exclude=few),
        points.add("datum.bfp_x_file_x_leading_zeros_x_exponent", BFPS, FILES, _BFP_CLASSES[2:],
                   _EXPONENTS, exclude=(*small, *cut)),
        points.add("datum.fp32_to_fp16_file_x_exponent", FILES,
                   (*map(str, _FP16_EXPONENTS), "other")),
        points.add("datum.int8_file_x_unsigned_x_value", FILES, ("signed", "unsigned"),
                   ("00", "7F", "80", "FF", "other")),
        points.add("datum.int16_file_x_value", FILES, ("0000", "7FFF", "8000", "FFFF", "other")),
        points.add("datum.int32_value", ("0", "7FFFFFFF", "80000000", "80000001", "FFFFFFFF",
                                         "other")),
    ]  # fmt: skip


def legal(r: Regular) -> I64:
    """Number of the legal pair of formats, of ``LEGAL``; -1: it is none, for its register file."""
    pair = np.full(len(r.i), -1, np.int64)
    e4m3, unsigned = r.e4m3.astype(np.int64), r.unsigned
    for number, (code, out) in enumerate(_PAIRS):
        found = (r.code == code) & (r.out == out)
        if code == 10:
            found = found & (e4m3 == (number == _PLACE_E4M3))
        if code == 14:
            found = found & (unsigned == (number == _PLACE_UNSIGNED))
        pair[found] = number
    pair[(pair >= len(LEGAL) - _DST_ONLY) & ~r.to_dst] = -1
    return pair


_PAIRS: Final = (
    (0, 4), (0, 5), (0, 1), (1, 1), (2, 2), (3, 3), (5, 5), (6, 6), (7, 7), (9, 9), (10, 10),
    (10, 10), (11, 11), (14, 14), (14, 14), (15, 15), (0, 0), (4, 4), (8, 8),
)  # fmt: skip
LEGAL: Final = (
    "fp32_to_tf32", "fp32_to_bf16", "fp32_to_fp16", "fp16", "bfp8a", "bfp4a", "bf16", "bfp8",
    "bfp4", "int16", "fp8_e5m2", "fp8_e4m3", "bfp2a", "int8", "int8_unsigned", "bfp2",
    "fp32_to_fp32", "tf32", "int32",
)  # fmt: skip
_PLACE_E4M3: Final = LEGAL.index("fp8_e4m3")
_PLACE_UNSIGNED: Final = LEGAL.index("int8_unsigned")
_DST_ONLY: Final = 3


def kind_of(r: Regular) -> tuple[I64, I64]:
    """Family of classes (-1: do not count) and place on its axis, of each instruction."""
    family_of = np.full(len(LEGAL) + 1, -1, np.int64)
    format_of = np.zeros(len(LEGAL) + 1, np.int64)
    for number, name in enumerate(LEGAL):
        for family, names in ((FLOAT, FLOATS), (BFP, BFPS)):
            if name in names:
                family_of[number], format_of[number] = family, names.index(name)
        for family, name_of in ((INT8, "int8"), (INT8, "int8_unsigned"), (INT16, "int16"),
                                (INT32, "int32")):  # fmt: skip
            if name == name_of:
                family_of[number] = family
                format_of[number] = name == "int8_unsigned"
    pair = legal(r)
    return np.where(r.all_zero == 1, -1, family_of[pair]), format_of[pair]


@part
def _float_class(form: int, value: int) -> int:
    bits, fraction = _EXPONENT_BITS[form], _MANTISSA_BITS[form]
    mantissa = value & ((1 << fraction) - 1)
    exponent = value >> fraction & ((1 << bits) - 1)
    sign = value >> (bits + fraction) & 1
    top, ones = (1 << bits) - 1, (1 << fraction) - 1
    if exponent == 0:
        if mantissa == 0:
            return 1 if sign else 0
        if mantissa == 1:
            return 2
        return 3 if mantissa == ones else 10
    if exponent == top and mantissa == ones:
        return 9 if sign else 8
    if form == _E4M3:
        if exponent == top and mantissa == ones - 1:
            return 5
    elif exponent == top:
        return 7 if mantissa else 6
    if exponent == 1 and mantissa == 0:
        return 4
    if exponent == top - 1 and mantissa == ones and form != _E4M3:
        return 5
    return 10


@part
def _bfp(form: int, file: int, value: int, exponent: int, points: I64, n: I64) -> None:
    bits = _BFP_BITS[form]
    magnitude = value & ((1 << bits) - 1)
    if magnitude == 0:
        n[points[1] + (form * 3 + file) * 9 + (value >> bits & 1)] += 1
        return
    lz = 0
    while not magnitude >> (bits - 1 - lz) & 1:
        lz += 1
    n[points[1] + (form * 3 + file) * 9 + 2 + lz] += 1
    place = 3
    if exponent == 0:
        place = 0
    elif exponent < lz:
        place = 1
    elif exponent == lz:
        place = 2
    elif exponent == 31:
        place = 4
    elif exponent == 32:
        place = 5
    elif exponent == 255:
        place = 6
    n[points[2] + ((form * 3 + file) * 7 + lz) * 7 + place] += 1


@part
def _among(value: int, width: int) -> int:
    """Place among 0, the largest magnitude, the sign alone, all ones, other."""
    ones = (1 << width) - 1
    if value == 0:
        return 0
    if value == ones >> 1:
        return 1
    if value == (ones >> 1) + 1:
        return 2
    return 3 if value == ones else 4


@part
def count_datum(
    family: int, form: int, file: int, value: int, exponent: int, points: I64, n: I64
) -> None:
    """Count a datum read as ``value`` with ``exponent``."""
    if family == FLOAT:
        n[points[0] + (form * 3 + file) * 11 + _float_class(form, value)] += 1
        if form == _TO_FP16:
            e = (value >> 23 & 255) - 112
            place = 6
            if -1 <= e <= 1:
                place = e + 1
            elif 30 <= e <= 32:
                place = e - 27
            n[points[3] + file * 7 + place] += 1
    elif family == BFP:
        _bfp(form, file, value, exponent, points, n)
    elif family == INT8:
        n[points[4] + (file * 2 + form) * 5 + _among(value, 8)] += 1
    elif family == INT16:
        n[points[5] + file * 5 + _among(value, 16)] += 1
    elif family == INT32:
        place = _among(value, 32)
        if value == 0x80000001:
            place = 3
        elif place > 2:
            place += 1
        n[points[6] + place] += 1
