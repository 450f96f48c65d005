# SPDX-License-Identifier: Apache-2.0
"""Points of formats, widths, phases and moves (M9 to M13, M17, M24 to M26)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, yes
from tilepath.isa.profiles import Profile
from tilepath.models.standin.plan import Source
from tilepath.tb.standin.coverage import labels as L

_CLASSES: Final = ("e8", "tf32", "e5")
_PAIRS: Final = (*(f"{a}/{b}" for a in _CLASSES for b in _CLASSES), "forced", "integers")
_FORCED: Final = "FP16 is forced: Dst has 16 bits (M10)"
_INT: Final = "integers are 32 bits wide (M12)"


def plan(chosen: Profile) -> CoveragePlan:
    """Instructions, as their formats are."""
    no_implied = Exclude((None, None, "implied"), "banks come without formats (M9)")
    uses = "op <= ELWSUB or op == MOVB2D or file == 0 and op <= MOVD2B"
    return L.plan(
        "instruction",
        {
            "op": L.OF_ARITHMETIC,
            "code": L.counted("codes[file]", 16),
            "source": Bins("sources[file]", tuple(one.name.lower() for one in Source)),
            "pair": Bins(
                "9 if forced else 10 if integers else 3 * class_a + class_b", _PAIRS
            ),
            "kind": Bins(
                "3 if forced else 4 if integers else class_a", (*_CLASSES, "forced", "integers")
            ),
            "flushes": L.ops(*L.ARITHMETIC, *L.INTO_DST, "MOVB2A"),
            "zero_flag": Bins("keeps_denormals", ("flushed", "kept")),
            "phased": L.ops(*L.PRODUCTS, *L.SUMS),
            "whole_phase": L.counted("total_phase", 4),
            "counter": L.counted("phase", 4),
            "base": L.counted("total_phase - phase & 3", 4),
            "accumulate": yes("word.dest_accum_en"),
            "row": yes("word.bcast_row"),
            "column_0": yes("word.bcast_col0"),
            "move": Bins("op - MOVA2D", L.MOVES),
            "low": yes("word.dest_32b_lo"),
            "into": L.ops(*L.INTO_DST),
            "fp32_enabled": yes("fp32"),
            "with_integers": yes("integers"),
            "move_in": L.OF_ALL_MOVES,
            "many": yes("written > 1"),
            "movb2d_mode": Bins(
                L.of_word("MOVB2D", "movb2d_mode", chosen), tuple(f"{m:03b}" for m in range(8))
            ),
            "class_a": Bins("class_a", _CLASSES),
            "class_b": Bins("class_b", _CLASSES),
        },
        Point("format.file_x_code_x_source", "M9", when=f"not forced and ({uses})",
              exclude=() if chosen.implied_fmt else (no_implied,)),
        Point("format.op_x_classes", "M10 M11 M12", "op pair"),
        Point("format.op_x_wide_x_kind", "M10 M12", "op width kind", exclude=(
            Exclude((None, "32", "forced"), _FORCED),
            Exclude((None, "16", "integers"), _INT),
        )),
        Point("format.op_x_zero_flag", "M13 M26", "flushes zero_flag"),
        Point("phase.op_x_phase", "M17 M18", "phased whole_phase"),
        Point("phase.counter_x_base", "M17", when="op in PRODUCTS"),
        Point("eltwise.op_x_accumulate_x_kind_x_wide", "M19", "eltwise accumulate kind width",
              exclude=(Exclude((None, None, "forced", "32"), _FORCED),
                       Exclude((None, None, "integers", "16"), _INT))),
        Point("eltwise.op_x_row_x_column_0", "M4", "eltwise row column_0"),
        Point("move.op_x_kind_x_wide_x_low", "M10 M24 M25", "move kind width low", exclude=(
            Exclude((None, "forced", "32", None), _FORCED),
            Exclude((None, "integers", "16", None), _INT),
        )),
        Point("move.into_dst_x_fp32_x_class_x_low", "M24", "into fp32_enabled class_a low",
              when="not forced and not integers"),
        Point("move.movd2b_x_fp32_x_integers_x_low", "M25", "fp32_enabled with_integers low",
              when="op == MOVD2B and not forced"),
        Point("move.movb2a_x_class_x_zero_flag", "M13 M26", "class_b zero_flag",
              when="op == MOVB2A and not forced"),
        Point("move.op_x_many", "M26", "move_in many"),
        Point("move.movb2d_mode_x_low", "M2 M24", when="op == MOVB2D"),
        Point("move.movb2d_classes", "M11 M24", "class_a class_b",
              when="op == MOVB2D and not forced"),
    )  # fmt: skip
