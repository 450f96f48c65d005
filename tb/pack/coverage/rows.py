# SPDX-License-Identifier: Apache-2.0
"""Points of datums on their way from Dst to an element: classes of values, stage by stage.

Source: pack section 7, C3 to C8; P19 to P29.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, numbers, yes
from tilepath.isa.pack_cells import pack_cells
from tilepath.isa.profiles import Profile
from tilepath.models.pack.late import Late
from tilepath.models.pack.state import COLUMNS
from tilepath.tb.pack.coverage.labels import plan

# What Dst holds, of which the cells of P20 are told apart: kinds of the table
_KINDS: Final = {
    "fp32": ("fp32",), "bf16": ("bf16",), "fp16": ("fp16",), "integer": ("int32", "int16")
}  # fmt: skip


def _cells(kinds: tuple[str, ...]) -> Bins:
    return Bins({cell.name: f"inner == {cell.inner} and control & {cell.mask} == {cell.value}"
                 for cell in pack_cells() if cell.dst in kinds})  # fmt: skip


def _floats(number: str, magnitude: int, cases: dict[str, str]) -> Bins:
    """Zeros, then ``cases`` over the ``m``agnitude."""
    m = f"({number} & {magnitude})"
    zeros = {"+0": f"{number} == 0", "-0": f"{number} == {magnitude + 1}"}
    return Bins(zeros | {label: text.replace("m ", f"{m} ") for label, text in cases.items()})


def _exponents(number: str, lsb: int, greatest: int, ends: tuple[str, ...], *rest: str) -> Bins:
    """Zeros, denormals, then ranges of exponents."""
    e = f"({number} >> {lsb} & {greatest})"
    zeros = {"+0": f"{number} == 0", "-0": f"{number} == {(greatest + 1) << lsb}"}
    ranges = {label: f"{e} <= {label.rpartition('-')[2]}" for label in ends}
    last = dict(zip(rest, (f"{number} & {(1 << lsb) - 1} == 0", "1"), strict=False))
    return Bins(zeros | {"denormal": f"{e} == 0"} | ranges | last)


_DENORMALS: Final = {"denormal_min": "m < 0x20000 and m & (m - 1) == 0", "denormal": "m < 0x7F0000",
                     "denormal_max": "m < 0x800000"}  # fmt: skip
_E8: Final = _DENORMALS | {
    "min_normal": "m < 0x810000 and m & 0x7FFFFF == 0", "normal": "m < 0x7F7F0000",
    "max_normal": "m < 0x7F800000", "infinity": "m == 0x7F800000", "nan": "1",
}  # fmt: skip
_E5: Final = {
    "denormal_min": "m == 1", "denormal": "m < 0x3FF", "denormal_max": "m < 0x400",
    "min_normal": "m == 0x400", "normal": "m < 0x7C00", "exponent_31": "m < 0x7FFF",
    "all_ones": "1",
}  # fmt: skip

# An integer of Dst: sign and magnitude of 32 bits, or of 16
_IS_32: Final = "(inner == INT32 or inner == INT8 and control & 1)"
_MAGNITUDE: Final = f"(number[datum] & 0x7FFFFFFF if {_IS_32} else stored[datum] >> 16 & 0x7FFF)"
_NEGATIVE: Final = f"(number[datum] >> 31 if {_IS_32} else stored[datum] >> 31)"
_LIMIT: Final = (
    "(0x7FFFFFFF if inner == INT32 else 0x7FFF if inner == INT16"
    " else 255 if control & 3 == 3 else 127)"
)

# What is rounded: to a bit above ``cut`` lower ones, below the exponent's ``lowest``
_SHORT: Final = "conversion == EARLY_ROUND_E5M6"
_ROUNDED: Final = f"(half[datum] if {_SHORT} else number[datum])"
_LOWEST: Final = f"(10 if {_SHORT} else 23)"
_TOP: Final = f"(31 if {_SHORT} else 255)"
_CUT: Final = (
    f"(4 if {_SHORT} else 13 if conversion == EARLY_ROUND_TF32"
    " else 16 if conversion == EARLY_ROUND_BF16 else 17)"
)
_OLD: Final = f"({_ROUNDED} >> {_LOWEST} & {_TOP})"
_UP: Final = f"((({_ROUNDED} & (1 << {_LOWEST}) - 1) + (1 << {_CUT} >> 1) >> {_LOWEST}) + {_OLD})"


def _rest(number: str, cut: str) -> str:
    """Exact, below half, half, above half: of the ``cut`` low bits."""
    rest, half = f"({number} & (1 << {cut}) - 1)", f"(1 << {cut} >> 1)"
    return f"(0 if {rest} == 0 else 1 if {rest} < {half} else 2 if {rest} == {half} else 3)"


_CASE: Final = (
    f"{_rest(_ROUNDED, _CUT)} if look == 0 else -1 if {_UP} == {_OLD}"
    f" else 6 if {_OLD} == 0 else 5 if {_UP} == {_TOP} else 4"
)
_CASES: Final = (
    "exact", "below", "tie", "above", "carry", "to_greatest_exponent", "to_min_normal",
)  # fmt: skip
_NARROWED: Final = "((rectified[datum] if narrows else number[datum]) >> 23 & 255)"
_WIDE: Final = "(given[datum] if late_container == IN_WIDE else given[datum] << 16)"
_E5M7: Final = "conversion in (EARLY_TRUNCATE_E5M7, EARLY_ROUND_E5M6)"
_UNSIGNED: Final = "inner == INT8 and control & 2 and not undefined"
_CONTAINERS: Final = ("wide", "bf16", "fp16", "int32", "int16", "int8")
_INFINITY: Final = "(0x7F800000 if container == IN_WIDE else 0x7F80)"
_RELATION: Final = {"below": "gated[datum] < relu_threshold",
                    "equal": "gated[datum] == relu_threshold", "above": "1"}  # fmt: skip
_MODES: Final = numbers(4)
_MODES_01: Final = "integers have modes 0 and 1 (P24)"

_ROW_BINS: Final = {
    "datum": each(numbers(COLUMNS)),
    "look": each(("rest", "carry")),
    "valid": yes("valid == 0"),
    "flags_ignored": yes("ignores_valid"),
    # Early conversion
    **{name: _cells(kinds) for name, kinds in _KINDS.items()},
    "class_e8": _floats("number[datum]", 0x7FFFFFFF, _E8),
    "class_e5": _floats("half[datum]", 0x7FFF, _E5),
    "class_integer": Bins(
        f"2 * (0 if {_MAGNITUDE} == 0 else 1 if {_MAGNITUDE} < {_LIMIT}"
        f" else 2 if {_MAGNITUDE} == {_LIMIT} else 3) + {_NEGATIVE}",
        ("+0", "-0", "+small", "-small", "+limit", "-limit", "+above", "-above"),
    ),
    "rounding": Bins({
        "fp32.r10": "conversion == EARLY_ROUND_TF32 and inner == FP32",
        "tf32": "conversion == EARLY_ROUND_TF32 and inner == TF32",
        "bf16": "conversion == EARLY_ROUND_BF16",
        "bf16.r10": "conversion == EARLY_ROUND_TF32 and inner == BF16",
        "bfp8": "conversion == EARLY_ROUND_E8M6",
        "fp16.r10": "conversion == EARLY_ROUND_TF32",
        "bfp8.16": "conversion == EARLY_FLUSH_E8M6",  # from 16 bits
        "bfp8a": _SHORT,
    }),
    "case": Bins(_CASE, _CASES),
    "shift": among("shift", 0, 1, "2-30", other="31"),
    "rest": Bins(_rest("(number[datum] & 0x7FFFFFFF)", "shift"), _CASES[:4]),
    "narrowing": Bins({"behind_relu": "narrows", "early": "1"}),
    "exponent_narrowed": Bins({
        "below_112": f"{_NARROWED} < 112", "112": f"{_NARROWED} == 112",
        "113-142": f"{_NARROWED} < 143", "143": f"{_NARROWED} == 143",
        "144": f"{_NARROWED} == 144", "above": "1",
    }),
    # Late conversion
    "e8": Bins("late_container", _CONTAINERS[:2]),
    "e5": Bins({"fp16": f"late_inner != FP8 and not {_E5M7}", "e5m7": "late_inner != FP8",
                "fp8": "1"}),
    "target": Bins("target - 1", tuple(one.name.lower() for one in Late if one)),
    "exponent_e8": _exponents(
        _WIDE, 23, 255,
        ("1-110", "111", "112", "113", "114-142", "143", "144", "145-253", "254"),
        "infinity", "nan",
    ),
    "exponent_e5": _exponents(
        "given[datum]", 10, 31,
        ("1", "2-7", "8", "9", "10-22", "23", "24", "25-29", "30", "31"),
    ),
    # ReLU
    "mode": Bins("relu", _MODES),
    "comparing": Bins("relu - 2", ("2", "3")),
    "container": Bins(f"6 if {_UNSIGNED} else container", (*_CONTAINERS, "uint8")),
    "sign": Bins("2 * (gated[datum] & sign != 0) + (gated[datum] & ~sign == 0)",
                 ("positive", "+0", "negative", "-0")),
    "threshold_e8": Bins({
        "0": "relu_threshold == 0",
        "denormal": f"relu_threshold < ({_INFINITY} & -{_INFINITY})",
        "normal": f"relu_threshold < {_INFINITY} - (0x10000 if container == IN_WIDE else 1)",
        "max": f"relu_threshold < {_INFINITY}",
        "infinity": f"relu_threshold == {_INFINITY}",
    }),
    "threshold_e5": Bins({
        "0": "relu_threshold == 0", "denormal": "relu_threshold < 0x400",
        "normal": "relu_threshold < 0x7FFF", "max": "relu_threshold == 0x7FFF",
    }),
    "value_e8": Bins(
        f"3 if gated[datum] > {_INFINITY} else 0 if gated[datum] < relu_threshold"
        " else 1 if gated[datum] == relu_threshold else 2",
        (*_RELATION, "nan"),
    ),
    "value_e5": Bins(_RELATION),
    "compared": yes("relu_cut == 0"),
    # Edge masks, threshold
    "masked_mode": Bins("edge_mode", ("0", "1")),
    "masked_container": Bins(
        f"3 if conversion == EARLY_TRUNCATE_E5M7 else 4 if {_SHORT}"
        " else 5 if conversion == EARLY_TRUNCATE_FP8"
        " else container + (3 if container > 2 else 0)",
        (*_CONTAINERS[:3], "e5m7", "e5m6", "fp8", *_CONTAINERS[3:]),
    ),
    "group": Bins("target == LATE_E5M7", ("b", "a")),
    "exponent": Bins("0 if exponent_mask == 255 else 2 if threshold > 31 else 1",
                     ("e8", "e5", "e5.above_31")),
    "relation": Bins({
        "below": "exponent[datum] < threshold - 1",
        "one_less": "exponent[datum] < threshold",
        "equal": "exponent[datum] == threshold",
        "one_more": "exponent[datum] == threshold + 1",
        "above": "1",
    }),
}  # fmt: skip

_READ: Final = "datum < count"
_DEFINED: Final = f"not undefined and {_READ}"
_RELU: Final = "container != IN_RAW and datum < count and"
_COMPARED: Final = f"relu >= 2 and {_RELU} gated[datum] & sign == 0"
_GIVEN: Final = f"target != LATE_LOW_BITS and {_READ} and kept >> datum & 1"
_BELOW: Final = Exclude((None, "0", "below"), "what is less than 0 is negative")


def row_plan(profile: Profile) -> CoveragePlan:
    """Rows of Dst."""
    formats = () if profile.pack_e4m3 else (Exclude((None, "e4m3", None), "FP8 is E5M2 (P28)"),)
    return plan(
        "row",
        _ROW_BINS,
        Point("dst.valid_x_flags_ignored", "P17 P58"),
        Point("early.fp32_x_class", "P19 P20 P21", "fp32 class_e8", _DEFINED),
        Point("early.bf16_x_class", "P19 P20 P21", "bf16 class_e8", _DEFINED),
        Point("early.fp16_x_class", "P19 P20 P21 P56", "fp16 class_e5", _DEFINED),
        Point("early.integer_x_class", "P19 P20 P21", "integer class_integer", _DEFINED, (
            Exclude((("int32", "int32.raw", "int16.r32", "int16.r32.raw", "int16", "int16.raw"),
                     ("+above", "-above")), "no magnitude is greater"),
        )),
        Point("early.rounding_x_case", "P21",
              when=f"{_DEFINED} and {_OLD} != {_TOP}"
                   f" and (conversion != EARLY_FLUSH_E8M6 or {_OLD} != 0)",
              exclude=(Exclude(("bfp8.16", ("below", "above")), "one bit is cut"),
                       Exclude(("bfp8.16", "to_min_normal"), "denormals are flushed first"))),
        Point("early.shift_x_rest", "P21",
              when=f"conversion in (EARLY_SCALE_INT8, EARLY_SCALE_UINT8) and shift < 32"
                   f" and {_DEFINED}",
              exclude=(Exclude(("0", _CASES[1:4]), "nothing is cut"),
                       Exclude(("1", ("below", "above")), "one bit is cut"))),
        Point("early.narrowing_x_exponent", "P22 P54 P57 P60", "narrowing exponent_narrowed",
              f"(narrows or conversion == EARLY_BF16_TO_FP16 and not undefined) and {_READ}"),
        Point("late.e8_x_target_x_exponent", "P28 P57", "e8 target exponent_e8", _GIVEN,
              formats),
        Point("late.e5_x_target_x_exponent", "P28 P57 P64", "e5 target exponent_e5",
              f"late_container == IN_FP16 and {_GIVEN}", formats),
        Point("relu.e8_mode_x_threshold_x_value", "P24", "comparing threshold_e8 value_e8",
              f"container != IN_FP16 and {_COMPARED}",
              (_BELOW, Exclude((None, "infinity", "above"), "only NaN is greater"))),
        Point("relu.e5_mode_x_threshold_x_value", "P24", "comparing threshold_e5 value_e5",
              f"container == IN_FP16 and {_COMPARED}",
              (_BELOW, Exclude((None, "max", "above"), "nothing is greater than all ones"))),
        Point("relu.mode_x_container_x_sign", "P24", when=f"{_RELU} 1", exclude=(
            Exclude((_MODES[2:], (*_CONTAINERS[3:], "uint8"), None), _MODES_01),
            Exclude((None, "uint8", ("negative", "-0")), "has no sign"),
        )),
        Point("relu.low_bits_are_compared", "P24", "compared",
              f"container == IN_WIDE and relu == 3 and relu_threshold <= 0x7F800000"
              f" and {_COMPARED} and gated[datum] > relu_threshold"
              " and gated[datum] >> 13 == relu_threshold >> 13",
              (Exclude(("yes",) if profile.relu_max_cmp19 else ("no",),
                       "RELU_MAX_CMP19 says so (P24)"),)),
        Point("edge.masked_mode_x_container_x_relu", "P25", "masked_mode masked_container mode",
              f"masked and {_RELU} masked >> datum & 1",
              (Exclude((None, _CONTAINERS[3:], _MODES[2:]), _MODES_01),)),
        Point("edge.masked_mode_x_relu_x_group", "P25 P29", "masked_mode mode group",
              f"masked and bfp and container <= IN_FP16 and {_READ} and masked >> datum & 1"),
        Point("threshold.exponent_x_relation", "P27", when=f"threshold and {_READ}",
              exclude=(Exclude(("e5.above_31", ("equal", "one_more", "above")),
                               "no exponent is above 31"),)),
    )  # fmt: skip


EDGES: Final = plan(
    "edge",
    {
        "face": yes("face_enable"),
        "row_set_of": Bins("row_set", _MODES),
        "section_of": Bins("section", _MODES),
        "first_column": Bins("column != 0", ("0", "other")),
        "passes": Bins({"none": "mask & read == 0", "some": "mask & read != read", "all": "1"}),
    },
    Point("edge.face_x_row_set_x_section", "P25 P51", "face row_set_of section_of"),
    Point("edge.first_column_x_passes", "P25"),
)
