# SPDX-License-Identifier: Apache-2.0
"""Coverage of datums on their way from Dst to an element: classes of values, stage by stage.

Source: pack section 7, C3 to C8; P19 to P29. Declared here, counted by ``walk`` datum by datum.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.models.format_codes import FP8, INT8, INT16
from tilepath.models.jit import part
from tilepath.models.pack.early import Early, bf16_of, fp16_of
from tilepath.models.pack.formats import Container
from tilepath.models.pack.late import Late
from tilepath.models.records import Record
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.pack.coverage.points import I64, NO_YES, Counting, Walked, hit

# Cells of P20: name, IF, bits of PCK_DEST_RD_CTRL (Read_32b_data 1, Read_unsigned 2, Read_int8 4,
# Round_10b_mant 8) that decide, and what they are. By the kind of number that Dst holds.
_Cell = tuple[str, int, int, int]
CELLS: Final[dict[str, tuple[_Cell, ...]]] = {
    "fp32": (
        ("fp32", 0, 13, 1), ("fp32.r10", 0, 13, 9), ("fp32.raw", 0, 5, 5),
        ("tf32", 4, 5, 1), ("tf32.raw", 4, 5, 5),
        ("bf16", 5, 13, 1), ("bf16.r10", 5, 13, 9), ("bf16.raw", 5, 5, 5),
        ("bfp8", 6, 5, 1), ("bfp8.raw", 6, 5, 5), ("fp16.r10", 1, 13, 9),
    ),
    "bf16": (
        ("fp32.r10", 0, 13, 8), ("tf32", 4, 5, 0),
        ("bf16", 5, 13, 0), ("bf16.r10", 5, 13, 8), ("bf16.raw", 5, 5, 4),
        ("bfp8", 6, 5, 0), ("bfp8.raw", 6, 5, 4), ("fp16.r10", 1, 13, 8),
    ),
    "fp16": (
        ("fp16", 1, 13, 0), ("fp16.raw", 1, 5, 4), ("bfp8a", 2, 5, 0), ("bfp8a.raw", 2, 5, 4),
        ("fp8.raw", 10, 5, 4),
    ),
    "integer": (
        ("int32", 8, 5, 1), ("int32.raw", 8, 5, 5),
        ("int8.r32", 14, 7, 1), ("uint8.r32", 14, 7, 3),
        ("int8.r32.raw", 14, 7, 5), ("uint8.r32.raw", 14, 7, 7), ("int8.raw", 14, 7, 4),
        ("int16.r32", 9, 5, 1), ("int16.r32.raw", 9, 5, 5), ("int16", 9, 5, 0),
        ("int16.raw", 9, 5, 4),
    ),
}  # fmt: skip


def _cell_table() -> I64:
    found = np.full((16, 17), -1, np.int64)
    for kind, cells in enumerate(CELLS.values()):
        for number, (_, code, mask, value) in enumerate(cells):
            for bits in range(16):
                if bits & mask == value:
                    found[code, bits] = 16 * kind + number
    return found


CELL: Final = _cell_table()
"""[IF, low bits of PCK_DEST_RD_CTRL, or 16]: 16 · kind + number; -1: no cell."""

_FLOAT: Final = (
    "+0", "-0", "denormal_min", "denormal", "denormal_max", "min_normal", "normal",
)  # fmt: skip
_E8: Final = (*_FLOAT, "max_normal", "infinity", "nan")
_E5: Final = (*_FLOAT, "exponent_31", "all_ones")
_INT: Final = ("+0", "-0", "+small", "-small", "+limit", "-limit", "+above", "-above")
_ROUNDED: Final = ("fp32.r10", "tf32", "bf16", "bf16.r10", "bfp8", "fp16.r10", "bfp8.16", "bfp8a")
"""Cells that round; ``bfp8.16``: from 16 bits."""
_ROUNDING: Final = (
    "exact",
    "below",
    "tie",
    "above",
    "carry",
    "to_greatest_exponent",
    "to_min_normal",
)
_EXPONENTS: Final = (
    "+0", "-0", "denormal", "1-110", "111", "112", "113", "114-142", "143", "144", "145-253",
    "254", "infinity", "nan",
)  # fmt: skip
_E5_EXPONENTS: Final = (
    "+0", "-0", "denormal", "1", "2-7", "8", "9", "10-22", "23", "24", "25-29", "30", "31",
)  # fmt: skip
_LATE: Final = ("wide", "bf16", "fp16", "e5m7", "e5m2", "e4m3")
_RELU_VALUES: Final = ("negative", "-0", "below", "equal", "above", "nan")
_THRESHOLDS: Final = ("0", "denormal", "normal", "max", "infinity")
_CONTAINERS: Final = ("wide", "bf16", "fp16", "int32", "int16", "int8")

P_FP32, P_BF16, P_FP16, P_INT, P_ROUNDING, P_SHIFT, P_NARROW = range(7)
P_LATE8, P_LATE5, P_RELU8, P_RELU5, P_RELU_SIGN, P_RELU_CUT = range(7, 13)
P_MASKED, P_RELATION, P_INVALID, P_SET, P_COLUMN, P_GROUP_MASKED = range(13, 19)
N_POINTS: Final = 19


def _cells(kind: str) -> tuple[str, ...]:
    return tuple(name for name, *_ in CELLS[kind])


def points(profile: Profile) -> list[Walked]:
    """The points, in the order of their numbers."""
    rounds16 = [Exclude(("bfp8.16", name), "one bit is cut") for name in ("below", "above")]
    integer = [
        Exclude((name, above), "no magnitude is greater")
        for name in ("int32", "int32.raw", "int16.r32", "int16.r32.raw", "int16", "int16.raw")
        for above in ("+above", "-above")
    ]
    bound = (
        Exclude((None, "0", "below"), "what is less than 0 is negative"),
        Exclude((None, "infinity", "above"), "only NaN is greater"),
    )
    compared = Exclude(
        ("yes",) if profile.relu_max_cmp19 else ("no",), "RELU_MAX_CMP19 says so (P24)"
    )
    return [
        Walked("early.fp32_x_class", (_cells("fp32"), _E8)),
        Walked("early.bf16_x_class", (_cells("bf16"), _E8)),
        Walked("early.fp16_x_class", (_cells("fp16"), _E5)),
        Walked("early.integer_x_class", (_cells("integer"), _INT), tuple(integer)),
        Walked(
            "early.rounding_x_case", (_ROUNDED, _ROUNDING),
            (*rounds16, Exclude(("bfp8.16", "to_min_normal"), "denormals are flushed first")),
        ),
        Walked("early.shift_x_rest", (("0", "1", "2-30", "31"), _ROUNDING[:4]), (
            *(Exclude(("0", rest), "nothing is cut") for rest in _ROUNDING[1:4]),
            *(Exclude(("1", rest), "one bit is cut") for rest in ("below", "above")),
        )),
        Walked("early.narrowing_x_exponent", (
            ("behind_relu", "early"), ("below_112", "112", "113-142", "143", "144", "above"),
        )),
        Walked("late.e8_x_target_x_exponent", (("wide", "bf16"), _LATE, _EXPONENTS)),
        Walked("late.e5_x_target_x_exponent", (("fp16", "e5m7", "fp8"), _LATE, _E5_EXPONENTS)),
        Walked("relu.e8_mode_x_threshold_x_value", (
            ("2", "3"), _THRESHOLDS, _RELU_VALUES[2:]), bound),
        Walked("relu.e5_mode_x_threshold_x_value", (
            ("2", "3"), _THRESHOLDS[:4], _RELU_VALUES[2:5]), (
            bound[0], Exclude((None, "max", "above"), "nothing is greater than all ones"),
        )),
        Walked("relu.mode_x_container_x_sign", (
            ("0", "1", "2", "3"), (*_CONTAINERS, "uint8"), ("positive", "+0", "negative", "-0"),
        ), (
            *(Exclude((mode, name, None), "integers have modes 0 and 1 (P24)")
              for mode in "23" for name in (*_CONTAINERS[3:], "uint8")),
            *(Exclude((None, "uint8", sign), "has no sign") for sign in ("negative", "-0")),
        )),
        Walked("relu.low_bits_are_compared", (NO_YES,), (compared,)),
        Walked("edge.masked_mode_x_container_x_relu", (
            ("0", "1"), (*_CONTAINERS[:3], "e5m7", "e5m6", "fp8", *_CONTAINERS[3:]),
            ("0", "1", "2", "3"),
        ), tuple(
            Exclude((None, name, mode), "integers have modes 0 and 1 (P24)")
            for name in _CONTAINERS[3:] for mode in "23"
        )),
        Walked("threshold.exponent_x_relation", (
            ("e8", "e5", "e5.above_31"), ("below", "one_less", "equal", "one_more", "above"),
        ), tuple(
            Exclude(("e5.above_31", name), "no exponent is above 31")
            for name in ("equal", "one_more", "above")
        )),
        Walked("dst.valid_x_flags_ignored", (NO_YES, NO_YES)),
        Walked("edge.face_x_row_set_x_section", (NO_YES, tuple("0123"), tuple("0123"))),
        Walked("edge.first_column_x_passes", (("0", "other"), ("none", "some", "all"))),
        Walked("edge.masked_mode_x_relu_x_group", (
            ("0", "1"), ("0", "1", "2", "3"), ("b", "a"),
        )),
    ]  # fmt: skip


@part
def e8_class(value: int) -> int:
    """Of an FP32."""
    magnitude = value & 0x7FFFFFFF
    if magnitude == 0:
        return value >> 31 & 1
    if magnitude < 0x800000:
        return (
            2
            if magnitude < 0x20000 and magnitude & (magnitude - 1) == 0
            else (4 if magnitude >= 0x7F0000 else 3)
        )
    if magnitude < 0x7F800000:
        return (
            5
            if magnitude < 0x810000 and magnitude & 0x7FFFFF == 0
            else (7 if magnitude >= 0x7F7F0000 else 6)
        )
    return 8 if magnitude == 0x7F800000 else 9


@part
def e5_class(value: int) -> int:
    """Of an FP16."""
    magnitude = value & 0x7FFF
    if magnitude == 0:
        return value >> 15 & 1
    if magnitude < 0x400:
        return 2 if magnitude == 1 else 4 if magnitude == 0x3FF else 3
    if magnitude == 0x7FFF:
        return 8
    return 7 if magnitude >= 0x7C00 else 5 if magnitude == 0x400 else 6


@part
def integer_class(value: int, sign: int, limit: int) -> int:
    """Of sign and magnitude."""
    magnitude = value & (sign - 1)
    size = 0 if magnitude == 0 else 2 if magnitude < limit else 4 if magnitude == limit else 6
    return size + (1 if value & sign else 0)


@part
def rest_class(value: int, cut: int) -> int:
    """Exact, below half, half, above half: of the ``cut`` low bits."""
    rest, half = value & ((1 << cut) - 1), (1 << cut) >> 1
    return 0 if rest == 0 else 1 if rest < half else 2 if rest == half else 3


@part
def see_rounding(counting: Counting, cell: int, value: int, cut: int, lowest: int) -> None:
    """``value``: of a cell of ``_ROUNDED``; ``lowest``: the lowest bit of its exponent."""
    top = 0xFF if lowest > 10 else 0x1F
    exponent = value >> lowest & top
    magnitude = value & ((top << lowest) | ((1 << lowest) - 1))
    place = 7 * cell
    if exponent == top:
        return
    hit(counting, P_ROUNDING, place + rest_class(value, cut))
    up = (magnitude + ((1 << cut) >> 1)) >> lowest
    if up > exponent:
        which = 6 if exponent == 0 else 5 if up == top else 4
        hit(counting, P_ROUNDING, place + which)


@part
def see_early(counting: Counting, mode: Record, cell: int, storage: int) -> None:
    """A datum of Dst in a cell of P20."""
    kind, number = cell >> 4, cell & 15
    if kind == 0:
        value = bf16_of(storage >> 16) << 16 | storage & 0xFFFF
        hit(counting, P_FP32, 10 * number + e8_class(value))
        if mode.conversion == Early.ROUND_TF32:
            rounded = 0 if number == 1 else 1 if number == 3 else 3 if number == 6 else 5
            see_rounding(counting, rounded, value, 13, 23)
        elif mode.conversion == Early.ROUND_BF16:
            see_rounding(counting, 2, value, 16, 23)
        elif mode.conversion == Early.ROUND_E8M6:
            see_rounding(counting, 4, value, 17, 23)
    elif kind == 1:
        value = bf16_of(storage >> 16)
        hit(counting, P_BF16, 10 * number + e8_class(value << 16))
        if mode.conversion == Early.FLUSH_E8M6 and value & 0x7F80:
            see_rounding(counting, 6, value << 16, 17, 23)
        elif mode.conversion == Early.BF16_TO_FP16:
            hit(counting, P_NARROW, 6 + narrowing_class(value >> 7 & 0xFF))
    elif kind == 2:
        value = fp16_of(storage >> 16)
        hit(counting, P_FP16, 9 * number + e5_class(value))
        if mode.conversion == Early.ROUND_E5M6:
            see_rounding(counting, 7, value, 4, 10)
    else:
        see_integer(counting, mode, number, storage)


@part
def see_integer(counting: Counting, mode: Record, number: int, storage: int) -> None:
    """Likewise, of the last kind."""
    sign, limit = 1 << 31, 0x7FFFFFFF
    value = bf16_of(storage >> 16) << 16 | storage & 0xFFFF
    if mode.inner == INT16:
        value, sign, limit = storage >> 16, 1 << 15, 0x7FFF
    elif mode.inner == INT8:
        if mode.wide:
            limit = 255 if number == 3 or number == 5 else 127
        else:
            value, sign, limit = storage >> 16, 1 << 15, 127
    hit(counting, P_INT, 8 * number + integer_class(value, sign, limit))
    if mode.conversion == Early.SCALE_INT8 or mode.conversion == Early.SCALE_UINT8:
        shift = mode.shift
        which = 3 if shift == 31 else min(shift, 2)
        hit(counting, P_SHIFT, 4 * which + rest_class(value & 0x7FFFFFFF, shift))


@part
def narrowing_class(exponent: int) -> int:
    """Of an exponent that loses 112."""
    if exponent <= 112:
        return max(exponent - 111, 0)
    return 2 if exponent < 143 else min(exponent - 140, 5)


@part
def see_relu(counting: Counting, mode: Record, value: int, is_unsigned: bool) -> None:
    """A datum before ReLU."""
    container = mode.read_container
    if container == Container.RAW:
        return
    kind = 6 if is_unsigned else container
    negative = (value & mode.sign) != 0
    zero = (value & ~mode.sign) == 0
    hit(counting, P_RELU_SIGN, (7 * mode.relu + kind) * 4 + 2 * negative + zero)
    if mode.relu < 2 or negative:
        return
    limit = mode.relu_threshold
    relation = 0 if value < limit else 1 if value == limit else 2
    if container == Container.FP16:
        of_limit = 0 if limit == 0 else 1 if limit < 0x400 else 3 if limit == 0x7FFF else 2
        hit(counting, P_RELU5, (4 * (mode.relu - 2) + of_limit) * 3 + relation)
        return
    infinity = 0x7F800000 if container == Container.WIDE else 0x7F80
    if limit > infinity:
        return
    denormal = limit < (infinity & -infinity)
    largest = limit >= infinity - (0x10000 if container == Container.WIDE else 1)
    of_limit = 0 if limit == 0 else 1 if denormal else 4 if limit == infinity else 2 + largest
    if value > infinity:
        relation = 3
    hit(counting, P_RELU8, (5 * (mode.relu - 2) + of_limit) * 4 + relation)
    is_above = container == Container.WIDE and mode.relu == 3 and value > limit
    if is_above and value >> 13 == limit >> 13:
        hit(counting, P_RELU_CUT, mode.relu_cut == 0)


@part
def see_masked(counting: Counting, mode: Record, edge_mode: int) -> None:
    """A datum that the edge mask takes away."""
    container = mode.read_container
    if container == Container.RAW:
        return
    kind = container if container < 3 else container + 3
    if mode.conversion == Early.TRUNCATE_E5M7 or mode.conversion == Early.ROUND_E5M6:
        kind = 3 + (mode.conversion == Early.ROUND_E5M6)
    elif mode.conversion == Early.TRUNCATE_FP8:
        kind = 5
    hit(counting, P_MASKED, (9 * edge_mode + kind) * 4 + mode.relu)
    if mode.bfp and container < 3:
        is_a = mode.target == Late.E5M7
        hit(counting, P_GROUP_MASKED, (4 * edge_mode + mode.relu) * 2 + is_a)


@part
def see_threshold(counting: Counting, mode: Record, value: int) -> None:
    """A datum before the exponent threshold."""
    limit = mode.threshold
    row = 0 if mode.threshold_mask == 0xFF else 2 if limit > 31 else 1
    exponent = value << mode.threshold_left >> mode.threshold_lsb & mode.threshold_mask
    distance = exponent - limit
    hit(counting, P_RELATION, 5 * row + min(max(distance, -2), 2) + 2)


@part
def exponent_class(value: int) -> int:
    """Of an FP32, by its exponent."""
    exponent = value >> 23 & 0xFF
    if exponent == 0:
        return 2 if value & 0x7FFFFF else value >> 31 & 1
    if exponent <= 113:
        return max(exponent - 107, 3)
    if exponent < 143:
        return 7
    if exponent <= 144:
        return exponent - 135
    return 10 if exponent < 254 else 11 if exponent == 254 else 13 if value & 0x7FFFFF else 12


@part
def e5_exponent_class(value: int) -> int:
    """Of an FP16, by its exponent."""
    exponent = value >> 10 & 0x1F
    if exponent == 0:
        return 2 if value & 0x3FF else value >> 15 & 1
    if exponent < 10:
        return 3 if exponent == 1 else 4 if exponent < 8 else exponent - 3
    if exponent < 25:
        return 7 if exponent < 23 else exponent - 15
    return 10 if exponent < 30 else exponent - 19


@part
def see_late(counting: Counting, mode: Record, value: int) -> None:
    """A datum that becomes an element."""
    target, container = mode.target, mode.late_container
    if target == Late.LOW_BITS:
        return
    if container == Container.FP16:
        fp8 = mode.late_inner == FP8
        e5m7 = mode.conversion == Early.TRUNCATE_E5M7 or mode.conversion == Early.ROUND_E5M6
        kind = 2 if fp8 else 1 if e5m7 else 0
        hit(counting, P_LATE5, (6 * kind + target - 1) * 13 + e5_exponent_class(value))
    elif container == Container.WIDE or container == Container.BF16:
        wide = value if container == Container.WIDE else value << 16
        hit(counting, P_LATE8, (6 * container + target - 1) * 14 + exponent_class(wide))
