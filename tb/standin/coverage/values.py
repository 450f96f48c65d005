# SPDX-License-Identifier: Apache-2.0
"""Points of data: exponents that meet, zeros, results, rows that are not valid (M13 to M25)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each, yes
from tilepath.tb.standin.coverage import labels as L

_KIND: Final = Bins("five", ("e8", "e5"))
_SIGNED: Final = ("-", "+")
_TOP: Final = "(31 if five and not wide else 255)"
_STORED_EXPONENT: Final = "(stored >> 16 & 255 if wide else stored & (31 if five else 255))"
_IS_TOP: Final = (
    "(stored & 0x7FFFFFFF == 0x7FFFFFFF if integers"
    f" else {_STORED_EXPONENT} == {_TOP})"
)  # fmt: skip
_IS_0: Final = f"(stored & 0x7FFFFFFF == 0 if integers else {_STORED_EXPONENT} == 0)"


def _apart(bits: int) -> str:
    return f"(distance >= {bits} or distance <= -{bits})"


_TERMS: Final = L.plan(
    "term",
    {
        "op": Bins("op - ELWADD", L.SUMS),
        "kind": _KIND,
        "distance_bits": Bins(
            " + ".join(map(_apart, (1, 2, 11, 12))), ("0", "1", "2 to 10", "11", "12 or more")
        ),
        "larger_one": Bins("size_b > size_a", ("A", "B")),
        "signs": Bins("opposite", ("same", "opposite")),
        "zero_data": Bins("zeros", L.NAMED_FILES),
        "added": yes("accumulates"),
        "width": Bins("wide", L.WIDTHS),
        "small": Bins({
            "0": "a & 255 == 0", "1 to 10": "a & 255 <= 10", "11": "a & 255 == 11", "12": "1",
        }),
        "place": Bins({
            "0 or less": "exponent <= 0", "1": "exponent == 1", "normal": f"exponent < {_TOP}",
            "top": f"exponent == {_TOP}", "beyond": "1",
        }),
        "relation": Bins({
            "zero": "old == 0", "far below": "exponent - old > 24", "below": "exponent > old",
            "equal": "exponent == old", "above": "exponent - old >= -24", "far above": "1",
        }),
    },
    Point("sum.op_x_kind_x_distance_x_larger", "M18", "op kind distance_bits larger_one",
          when="zeros == 0"),
    Point("sum.op_x_signs_x_distance", "M13 M18", "op signs distance_bits", when="zeros == 0"),
    Point("sum.op_x_zeros", "M13", "op zero_data"),
    Point("sum.cancels_x_accumulates_x_kind", "M18 M20", "op added kind",
          when="zeros == 0 and (a ^ b) & 0x7FFFF == 0x40000"),
    Point("sum.op_x_kept_zero_of_b_x_width_x_exponent", "M13 M18", "op width small",
          when="b & 0x3FFFF == 0 and not zeros & 2 and op != ELWMUL"),
    Point("product.zeros_x_phase", "M13 M17", "zero_data phase_of_product", when="op == ELWMUL"),
    Point("product.kind_x_exponent", "M16 M17", "kind place", when="op == ELWMUL and zeros == 0"),
    Point("accumulate.op_x_old", "M19", "eltwise relation", when="accumulates and zeros != 3"),
)  # fmt: skip

_DOTS: Final = L.plan(
    "dot",
    {
        "op": Bins("op", L.DOTS),
        "groups": Bins({
            "both 0": "tops[0] == 0 and tops[1] == 0", "first 0": "tops[0] == 0",
            "second 0": "tops[1] == 0", "equal": "tops[0] == tops[1]",
            "near": "-13 < tops[0] - tops[1] < 13", "far": "1",
        }),
        "spread": each(("0", "1 to 10", "11", "12", "13 or more")),
        "factors": Bins({"none": "zeros == 0", "some": "zeros < 0xFFFF", "all": "1"}),
    },
    Point("dot.op_x_groups", "M18"),
    Point("dot.op_x_spread_in_group", "M18", "op spread", times="shifts[spread]"),
    Point("dot.op_x_phase_x_zero_factors", "M13 M17", "op phase_of_product factors"),
)  # fmt: skip

_RESULTS: Final = L.plan(
    "result",
    {
        "op": L.OF_ARITHMETIC,
        "form": Bins(
            "3 if integers else 2 if wide else five", ("BF16", "FP16", "FP32", "integers")
        ),
        "result": Bins({
            "0": _IS_0, "small": f"not integers and {_STORED_EXPONENT} < 4", "normal":
            f"not {_IS_TOP}", "top": "1",
        }),
        "integer_op": L.ops(*L.ELTWISE, *L.DOTS),
        "sign": Bins("1 - (stored >> 31 & 1)", _SIGNED),
        "saturated": yes(_IS_TOP),
    },
    Point("result.op_x_form_x_result", "M15 M16 M20 M23", exclude=(
        Exclude((None, "integers", "small"), "integers have no exponent"),
        Exclude(("GMPOOL", ("FP16", "integers"), None), "computed as e8 (M23)"),
    )),
    Point("integer.op_x_sign_x_saturated", "M21", "integer_op sign saturated", when="integers"),
)  # fmt: skip

_MAXIMA: Final = L.plan(
    "maximum",
    {
        "wins": Bins({"A": "of_a > of_dst", "Dst": "of_a < of_dst", "equal": "1"}),
        "sign": Bins("of_a >= 0 or of_dst >= 0", _SIGNED),
    },
    Point("pool.wins_x_sign", "M23"),
)

_ROWS: Final = L.plan(
    "row",
    {"op": L.OF_WITH_DST, "width": Bins("wide", L.WIDTHS), "row_valid": yes("valid")},
    Point("valid.op_x_wide_x_row_valid", "M14", "op width row_valid", when="reads_dst",
          exclude=(Exclude((L.INTO_DST, "16", None), "it reads rows of 32 bits only (M24)"),)),
)  # fmt: skip

_MOVED: Final = L.plan(
    "moved",
    {
        "op": Bins("op - MOVA2D", L.INTO_DST),
        "read": Bins({
            "0": "datum & 0x3FFFF == 0",
            "denormal flushed": "datum & 255 == 0 and not keeps_denormals",
            "denormal kept": "datum & 255 == 0", "normal": "1",
        }),
    },
    Point("move.op_x_datum", "M13 M24", "op read"),
)  # fmt: skip

PLANS: Final = (_TERMS, _DOTS, _RESULTS, _MAXIMA, _ROWS, _MOVED)
