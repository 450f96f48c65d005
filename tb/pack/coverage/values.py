# SPDX-License-Identifier: Apache-2.0
"""Points of groups with one exponent, of compressed rows, and of sums in L1.

Source: pack section 7, C5, C16, C17; P29, P30, P40, P44, P62.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each, numbers, yes
from tilepath.models.format_codes import BFP, BFPA
from tilepath.models.pack.state import COLUMNS, LINE_WORDS
from tilepath.tb.pack.coverage.labels import formats, plan, up_to

_EXPONENT: Final = "(element[datum] >> 10 & 31 if to in BFPA else element[datum] >> 7 & 255)"
_DISTANCE: Final = f"(shared - {_EXPONENT})"
_MANTISSA: Final = (
    "((element[datum] >> 3 if to in BFPA else element[datum]) & 0x7F"
    f" | (0x80 if {_EXPONENT} else 0))"
)
_CUT: Final = f"({_MANTISSA} & (2 << {_DISTANCE}) - 1)"
_HALF: Final = f"(1 << {_DISTANCE})"
_NEAR: Final = f"0 <= {_DISTANCE} < 8"
_MAGNITUDE: Final = (
    f"(0 if not {_NEAR} else 127 if {_MANTISSA} + {_HALF} >> {_DISTANCE} + 1 > 127"
    f" else {_MANTISSA} + {_HALF} >> {_DISTANCE} + 1)"
)
_NARROWER: Final = "(0 if to & 3 < 3 else 6 if to & 8 else 4)"
_CASES: Final = {
    "clamped": f"datum < count and {_MANTISSA} == 255 and {_DISTANCE} == 0",
    "all_zero": "datum == 0 and not_zero == 0",
    "one_is_not_zero": "datum == 0 and not_zero == 1",
    "greatest_exponent": "datum == 0 and shared == (31 if to in BFPA else 255)",
    "sign_is_lost": f"datum < count and element[datum] >> 15 and {_MAGNITUDE} >> {_NARROWER} == 0",
}
_GROUPS: Final = plan(
    "group",
    {
        "datum": each(numbers(COLUMNS)),
        "format": formats("to", (*BFPA, *BFP)),
        "distance": Bins(f"{_DISTANCE} if {_DISTANCE} < 10 else 10",
                         (*map(str, range(10)), "other")),
        "cut_off": Bins({"nothing": f"{_CUT} == 0", "below": f"{_CUT} < {_HALF}",
                         "tie": f"{_CUT} == {_HALF}", "above": "1"}),
        "case": each(tuple(_CASES)),
        "completed_from": Bins("count - 1", tuple(map(str, range(1, 16)))),
        "instructions_of": up_to("instructions", "1", "2", "more"),
    },
    Point("group.format_x_distance", "P29", when="datum < count and element[datum] & 0x7FFF"),
    Point("group.format_x_cut_off", "P29", when=f"datum < count and {_NEAR}"),
    Point("group.format_x_case", "P29 P30 P31", when="".join(
        f"({text}) if case == {number} else " for number, text in enumerate(_CASES.values())
    ) + "0"),
    Point("group.format_x_completed_from", "P30"),
    Point("group.format_x_instructions", "P30", "format instructions_of"),
)  # fmt: skip
_ZEROS: Final = plan(
    "zeros",
    {
        "size": Bins("to & 3", ("32", "16", "8", "4")),
        "run_of_zeros": up_to("count", "1", "2-13", "14", "15", "16", "17", "18-30", "31", "more"),
    },
    Point("compressed.size_x_run_of_zeros", "P43 P44"),
)
_COMPRESSED: Final = plan(
    "compressed",
    {
        "row": Bins({"1_datum": "count == 1 and zeros == 0", "all_zero": "zeros == count",
                     "other": "1"}),
        "group": yes("bfp"),
        "instructions_of_row": up_to("instructions", "1", "2", "3", "4", "more"),
        "datums_of_tile": up_to("count", "1-30", "31", "32", "33", "more"),
    },
    Point("compressed.row_x_group", "P44", when="ends == 1"),
    Point("compressed.instructions_of_row", "P7", when="ends == 1"),
    Point("compressed.datums_of_tile", "P44 P63", when="ends == 2"),
)  # fmt: skip


def _upper(column: str) -> str:
    """A datum in the upper bits of 32."""
    return f"({column}[word] if to in WIDE else ({column}[word] >> 16 * half & 0xFFFF) << 16)"


_OLD, _NEW, _TOTAL = map(_upper, ("old", "new", "total"))
_OTHERS: Final = {
    "float": {
        "0": "v & 0x7FFFFFFF == 0", "denormal": "v & 0x7F800000 == 0",
        "normal": "v & 0x7F800000 != 0x7F800000", "infinity": "v & 0x7FFFFF == 0", "nan": "1",
    },
    "fp16": {
        "0": "v & 0x7FFFFFFF == 0", "denormal": "v & 0x7C000000 == 0",
        "normal": "v >> 26 & 31 < 30", "30": "v >> 26 & 31 == 30", "31": "1",
    },
    "int32": {
        "+0": "v == 0", "-0": "v == 0x80000000", "+": "v < 0x7FFFFFFF",
        "-": "v > 0x7FFFFFFF and v < 0xFFFFFFFF", "+greatest": "v == 0x7FFFFFFF",
        "-greatest": "1",
    },
}  # fmt: skip


def _is_some(v: str) -> str:
    """Neither 0 nor special."""
    return (
        f"({v} & 0x7FFFFFFF != 0 if to == INT32 else {v} & 0x7C000000 != 0 if to == FP16"
        f" else {v} & 0x7F800000 not in (0, 0x7F800000))"
    )


_NORMAL: Final = f"({_is_some(_OLD)} and {_is_some(_NEW)})"
_GREATEST: Final = "(0x7FFFFFFF if to == INT32 else 0x7FFF0000 if to == FP16 else 0x7F800000)"
_LOW: Final = f"({_TOTAL} & 0x7FFFFFFF)"
_SMALL: Final = f"to == FP16 and {_OLD} >> 26 & 31 < 16 and {_NEW} >> 26 & 31 < 16"
_RESULTS: Final = ("plain", "cancels", "overflows", "underflows", "-0", "nan")
_RESULT: Final = (
    f"1 if {_NORMAL} and {_OLD} ^ {_NEW} == 0x80000000"
    f" else 5 if to in (FP32, BF16) and {_LOW} == 0x7FC00000"
    f" else (3 if {_SMALL} else 2) if {_NORMAL} and {_LOW} == {_GREATEST}"
    f" else 3 if {_NORMAL} and {_LOW} == 0 else 4 if {_TOTAL} == 0x80000000 else 0"
)
_EACH: Final = "(half == 0 or to not in WIDE)"
_SUMS: Final = plan(
    "sum",
    {
        "word": each(numbers(LINE_WORDS)),
        "half": each(("low", "high")),
        "float": formats("to", (0, 5)),
        "format": formats("to", (0, 5, 1, 8)),
        **{
            f"{side}_{kind}": Bins({label: text.replace("v", v) for label, text in of.items()})
            for side, v in (("old", _OLD), ("new", _NEW))
            for kind, of in _OTHERS.items()
        },
        "result": Bins(_RESULT, _RESULTS),
        "cancels_at": Bins({"below_30": f"{_OLD} >> 26 & 31 < 30",
                            "30": f"{_OLD} >> 26 & 31 == 30", "31": "1"}),
    },
    Point("sum.float_x_old_x_new", "P40 P62", "float old_float new_float",
          f"to in (FP32, BF16) and {_EACH}"),
    Point("sum.fp16_old_x_new", "P40 P62", "old_fp16 new_fp16", "to == FP16"),
    Point("sum.int32_old_x_new", "P40", "old_int32 new_int32", "to == INT32 and half == 0"),
    Point("sum.format_x_result", "P40 P62", when=_EACH, exclude=(
        Exclude(("int32", ("underflows", "-0", "nan")), "integers saturate, and -0 is +0 (P40)"),
        Exclude(("fp16", "nan"), "there is none"),
    )),
    Point("sum.fp16_cancels_at_exponent", "P62", "cancels_at",
          f"to == FP16 and {_is_some(_OLD)} and {_OLD} ^ {_NEW} == 0x80000000"),
    WIDE=(0, 8),
)  # fmt: skip
PLANS: Final = (_GROUPS, _ZEROS, _COMPRESSED, _SUMS)
