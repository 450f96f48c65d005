# SPDX-License-Identifier: Apache-2.0
"""Coverage of groups with one exponent, of compressed rows, and of sums in L1.

Source: pack section 7, C5, C16, C17; P29, P30, P40, P44, P62. Declared here, counted by ``walk``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.models import format_codes as C
from tilepath.models.jit import kernel, part
from tilepath.models.pack import formats as N
from tilepath.models.pack.bfp import GROUP, exponent_of, magnitude
from tilepath.models.pack.fields import wide
from tilepath.models.records import Record, record
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.pack.coverage.points import (
    BFP,
    FORMATS,
    NO_YES,
    Counting,
    Walked,
    hit,
    labels,
)

BFP_NAMES: Final = tuple(FORMATS[code] for code in BFP)
BFP_NUMBER: Final = np.array([BFP.index(code) if code in BFP else -1 for code in range(16)])
_ACC: Final = ("fp32", "bf16", "fp16", "int32")
_RUNS: Final = ("1", "2-13", "14", "15", "16", "17", "18-30", "31", "more")
_RUN_ENDS: Final = np.array((1, 13, 14, 15, 16, 17, 30, 31))
_OPERANDS: Final = ("0", "denormal", "normal", "infinity", "nan")
_FP16_OPERANDS: Final = ("0", "denormal", "normal", "30", "31")
_INT_OPERANDS: Final = ("+0", "-0", "+", "-", "+greatest", "-greatest")
_RESULTS: Final = ("plain", "cancels", "overflows", "underflows", "-0", "nan")

# What is known of the group that a packer has begun, and of its row
GROUP_SEEN: Final = record(
    elements=(np.uint32, GROUP),
    held=np.int64,
    parts=np.int64,  # instructions that it is made of
    zeros=np.int64,  # the run of zeros at the end of the row
    row=np.int64,  # datums of the row
    row_zeros=np.int64,
    chain=np.int64,  # instructions of the row
    tile=np.int64,  # augmented datums
)

P_DISTANCE, P_REST, P_CASE, P_PARTIAL, P_PARTS, P_RUN, P_ROW, P_CHAIN, P_TILE = range(9)
P_FLOATS, P_FP16_SUM, P_INT_SUM, P_SUM, P_CANCELS = range(9, 14)
_IMPOSSIBLE: Final = (
    *(Exclude(("int32", name), "integers saturate, and -0 is +0 (P40)")
      for name in ("underflows", "-0", "nan")),
    Exclude(("fp16", "nan"), "there is none"),
)  # fmt: skip


def points() -> list[Walked]:
    """The points, in the order of their numbers."""
    return [
        Walked("group.format_x_distance", (BFP_NAMES, labels(range(10)))),
        Walked("group.format_x_cut_off", (BFP_NAMES, ("nothing", "below", "tie", "above"))),
        Walked("group.format_x_case", (
            BFP_NAMES,
            ("clamped", "all_zero", "one_is_not_zero", "greatest_exponent", "sign_is_lost"),
        )),
        Walked("group.format_x_completed_from", (BFP_NAMES, tuple(map(str, range(1, 16))))),
        Walked("group.format_x_instructions", (BFP_NAMES, ("1", "2", "more"))),
        Walked("compressed.size_x_run_of_zeros", (("32", "16", "8", "4"), _RUNS)),
        Walked("compressed.row_x_group", (("1_datum", "all_zero", "other"), NO_YES)),
        Walked("compressed.instructions_of_row", (("1", "2", "3", "4", "more"),)),
        Walked("compressed.datums_of_tile", (("1-30", "31", "32", "33", "more"),)),
        Walked("sum.float_x_old_x_new", (_ACC[:2], _OPERANDS, _OPERANDS)),
        Walked("sum.fp16_old_x_new", (_FP16_OPERANDS, _FP16_OPERANDS)),
        Walked("sum.int32_old_x_new", (_INT_OPERANDS, _INT_OPERANDS)),
        Walked("sum.format_x_result", (_ACC, _RESULTS), _IMPOSSIBLE),
        Walked("sum.fp16_cancels_at_exponent", (("below_30", "30", "31"),)),
    ]  # fmt: skip


@kernel
def see_group(counting: Counting, to: int, seen: Record, length: int) -> None:
    """A group that is complete; ``length``: datums that are not padding."""
    kind = BFP_NUMBER[to]
    a, nonzero, shared = N.is_bfp_a(to), 0, 0
    for k in range(GROUP):
        element = wide(seen.elements[k]) if k < length else 0
        nonzero += (element & 0x7FFF) != 0
        shared = max(shared, exponent_of(to, element))
    if length < GROUP:
        hit(counting, P_PARTIAL, 15 * kind + length - 1)
    hit(counting, P_PARTS, 3 * kind + min(seen.parts, 3) - 1)
    if nonzero < 2:
        hit(counting, P_CASE, 5 * kind + 1 + nonzero)
    if shared == (31 if a else 255):
        hit(counting, P_CASE, 5 * kind + 3)
    for k in range(length):
        element = wide(seen.elements[k])
        exponent = exponent_of(to, element)
        mantissa = (element >> 3 if a else element) & 0x7F
        if exponent:
            mantissa |= 0x80
        distance = shared - exponent
        if element & 0x7FFF:
            hit(counting, P_DISTANCE, 11 * kind + min(distance, 10))
        if distance < 8:
            cut, half = mantissa & ((2 << distance) - 1), 1 << distance
            which = 0 if cut == 0 else 1 if cut < half else 2 if cut == half else 3
            hit(counting, P_REST, 4 * kind + which)
        if mantissa == 255 and distance == 0:
            hit(counting, P_CASE, 5 * kind)
        if element >> 15 and magnitude(mantissa, distance) >> (8 - N.element_bits(to)) == 0:
            hit(counting, P_CASE, 5 * kind + 4)


@part
def push(counting: Counting, mode: Record, seen: Record, element: int, first: bool) -> None:
    """An element of a group; ``first``: of its instruction in this group."""
    seen.parts += first
    seen.elements[seen.held] = element
    seen.held += 1
    if seen.held == GROUP:
        see_group(counting, mode.to, seen, GROUP)
        seen.held = seen.parts = 0


@part
def see_zeros(counting: Counting, mode: Record, seen: Record) -> None:
    """A run of zeros that has ended."""
    if seen.zeros:
        size = min(mode.to & 3, 3)
        hit(counting, P_RUN, 9 * size + np.searchsorted(_RUN_ENDS, seen.zeros))
    seen.zeros = 0


@part
def see_datum(counting: Counting, mode: Record, seen: Record, value: int) -> None:
    """A datum of a compressed row."""
    seen.row += 1
    if value == 0:
        seen.zeros += 1
        seen.row_zeros += 1
    else:
        see_zeros(counting, mode, seen)


@kernel
def end_row(counting: Counting, mode: Record, seen: Record) -> None:
    """The row has ended; it has datums."""
    see_zeros(counting, mode, seen)
    which = 1 if seen.row_zeros == seen.row else 0 if seen.row == 1 else 2
    hit(counting, P_ROW, 2 * which + (mode.bfp != 0))
    hit(counting, P_CHAIN, min(seen.chain, 5) - 1)
    seen.row = seen.row_zeros = seen.chain = 0


@part
def end_tile(counting: Counting, seen: Record) -> None:
    """The tile has ended."""
    if seen.tile:
        hit(counting, P_TILE, min(max(seen.tile - 30, 0), 4))
    seen.tile = 0


@part
def operand_class(value: int, exponent_bits: int, bits: int) -> int:
    """0, denormal, normal, greatest exponent and no mantissa, and with one."""
    greatest = (1 << exponent_bits) - 1
    exponent, mantissa = value >> bits & greatest, value & ((1 << bits) - 1)
    if exponent == greatest:
        return 4 if mantissa else 3
    return 2 if exponent else 1 if mantissa else 0


@part
def fp16_class(value: int) -> int:
    """0, denormal, normal, exponent 30, exponent 31."""
    exponent = value >> 10 & 31
    return exponent - 27 if exponent >= 30 else 2 if exponent else 1 if value & 0x3FF else 0


@part
def int_class(value: int) -> int:
    """Zeros, others, greatest magnitudes."""
    rest = value & 0x7FFFFFFF
    return (0 if rest == 0 else 4 if rest == 0x7FFFFFFF else 2) + (value >> 31)


@kernel
def see_sum(counting: Counting, to: int, old: int, new: int, total: int) -> None:
    """Datums of ``old`` + ``new`` = ``total``."""
    if to == C.FP32:
        a, b = operand_class(old, 8, 23), operand_class(new, 8, 23)
        hit(counting, P_FLOATS, 5 * a + b)
        see_result(counting, 0, a == 2 and b == 2, old, new, total, 0x7F800000)
    elif to == C.BF16:
        a, b = operand_class(old, 8, 7), operand_class(new, 8, 7)
        hit(counting, P_FLOATS, 25 + 5 * a + b)
        see_result(counting, 1, a == 2 and b == 2, old << 16, new << 16, total << 16, 0x7F800000)
    elif to == C.FP16:
        a, b = fp16_class(old), fp16_class(new)
        hit(counting, P_FP16_SUM, 5 * a + b)
        see_result(counting, 2, a >= 2 and b >= 2, old << 16, new << 16, total << 16, 0x7FFF0000)
        if a >= 2 and old ^ new == 0x8000:
            hit(counting, P_CANCELS, max(a - 2, 0))
    else:
        hit(counting, P_INT_SUM, 6 * int_class(old) + int_class(new))
        some = old & 0x7FFFFFFF != 0 and new & 0x7FFFFFFF != 0
        see_result(counting, 3, some, old, new, total, 0x7FFFFFFF)


@part
def see_result(
    counting: Counting, kind: int, normal: bool, old: int, new: int, total: int, greatest: int
) -> None:
    """All in the upper bits of 32; ``normal``: neither operand is 0 or special."""
    low = total & 0x7FFFFFFF
    which = 0
    if normal and old ^ new == 0x80000000:
        which = 1
    elif kind < 2 and low == 0x7FC00000:
        which = 5
    elif normal and low == greatest:
        small = kind == 2 and (old >> 26 & 31) < 16 and (new >> 26 & 31) < 16
        which = 3 if small else 2
    elif normal and low == 0:
        which = 3
    elif total == 0x80000000:
        which = 4
    hit(counting, P_SUM, 6 * kind + which)
