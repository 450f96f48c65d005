# SPDX-License-Identifier: Apache-2.0
"""Points of row counters, phase and bias, and of the rows that follow from them (M4 to M6)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each, yes
from tilepath.tb.standin.coverage import labels as L

_AB_FORMS: Final = ("clear", "clear over CR", "CR", "plain")
_D_FORMS: Final = ("clear", "clear over others", "C to CR", "C to CR over CR", "CR", "plain")
_FROM: Final = "(checkpoint if cr and not to_cr else old)"
_WRAPS: Final = f"{_FROM} + amount > (1023 if counter_name == 2 else 63)"
_SUM: Final = "(sum_a if place == 0 else sum_b if place == 1 else sum_d)"
_ALIGNED: Final = "15 if op == GMPOOL and place == 0 else 3 if op in POOLS and place else 7"
_MEANS: Final = "(op in USE_A if place == 0 else op in USE_B and written < 8 if place == 1"

PLAN: Final = L.plan(
    "instruction",
    {
        "modified": L.ops(*L.MODIFIED),
        "number": L.counted("modifier", 8),
        "phase_cleared": yes("mod_dst.FidelityClear"),
        "phase_added": L.counted("mod_dst.FidelityIncr", 4),
        "phase_before": L.counted("phase", 4),
        "bias_cleared": yes("mod_bias.BiasClear"),
        "bias_added": Bins(
            "2 if mod_bias.BiasIncr & 3 else mod_bias.BiasIncr != 0",
            ("0", "high bits", "low bits"),
        ),
        "bias_before": L.counted("bias", 2),
        "phase_chosen": yes("word.set_phase"),
        "block_op": L.ops(*L.ELTWISE, *L.DOTS, "GMPOOL"),
        "place": each(L.FILES_DST),
        "aligned": yes(f"{_SUM} & ({_ALIGNED}) == 0"),
        "low_bits": L.counted("sum_b & 7", 8),
        "of_16": Bins("op", L.DOTS),
        "eighth": L.counted("sum_a >> 3", 8),
        "moved": among("written", 4, 8),
        "moved_aligned": yes(f"{_SUM} & written - 1 == 0"),
        "op_dst": L.OF_WITH_DST,
        "dst_wraps": yes("sum_d & 4095 > 1023"),
        "move": L.OF_ALL_MOVES,
        "src_wraps": yes("(sum_a if op in USE_A else sum_b) > 63"),
        "four_rows": L.ops("MOVD2A", "MOVD2B", "MOVB2A"),
        "written_bits": L.counted("(sum_b if op == MOVD2B else sum_a) & 3", 4),
        "read_aligned": yes("(sum_b if op == MOVB2A else sum_d) & 3 == 0"),
        "odd_modifier": yes("modifier & 1"),
        "read_bits": L.counted("sum_a & 3", 4),
        "dst_aligned": yes("sum_d & 3 == 0"),
        "swizzled": yes("swizzle"),
        "remapped": yes("remap"),
        "file": Bins("counter_name", L.FILES),
        "counter_name": each(("A", "B", "D")),
        "form": Bins("cr if clear else 2 if cr else 3", _AB_FORMS),
        "d_form": Bins("(cr or to_cr) if clear else 2 + cr if to_cr else 4 if cr else 5", _D_FORMS),
        "step": Bins(
            f"0 if amount == 0 else 2 if not clear and {_WRAPS} else 1", ("0", "some", "wraps")
        ),
        "chosen_bit": yes("chosen"),
        "to": yes("to_cr"),
        "with_cr": yes("cr"),
        "base": Bins("0 if not cr else 1 if checkpoint == 0 else 2", ("0", "CR 0", "CR")),
    },
    Point("modifier.op", "M6", "modified", when="modifier >= 0"),
    Point("modifier.number_x_thread", "M2 M6"),
    Point("modifier.phase_clear_x_step_x_before", "M6",
          "phase_cleared phase_added phase_before", when="modifier >= 0"),
    Point("modifier.bias_clear_x_step_x_before", "M6",
          "bias_cleared bias_added bias_before", when="modifier >= 0"),
    Point("setrwc.phase_chosen_x_before", "M5", "phase_chosen phase_before",
          when="op == SETRWC"),
    Point("block.op_x_file_x_aligned", "M4", "block_op place aligned",
          when="op <= ELWSUB and not (op >= ELWMUL and place == 1 and word.bcast_row)"),
    Point("block.row_for_all_x_low_bits", "M4", "eltwise low_bits", when="word.bcast_row"),
    Point("block.srca_of_16_x_quarter", "M4", "of_16 eighth"),
    Point("block.moved_x_file_x_aligned", "M4", "moved place moved_aligned",
          when=f"MOVA2D <= op <= MOVB2A and {_MEANS} else op != MOVB2A)", exclude=(
              Exclude(("8", "SrcB", None), "8 rows come of one of SrcB"),
          )),
    Point("block.four_rows_x_written_x_read", "M4", "four_rows written_bits read_aligned",
          when="written == 4"),
    Point("block.one_row_of_a_x_modifier_x_rows", "M4",
          "odd_modifier read_bits dst_aligned", when="op == MOVA2D and not word.rows8"),
    Point("address.dst_sum_wraps", "M4", "op_dst dst_wraps"),
    Point("address.src_sum_wraps", "M4", "move src_wraps"),
    Point("access.op_x_wide_x_swizzle_x_remap", "M14", "op_dst width swizzled remapped"),
    Point("modifier.file_x_form_x_step", "M6", when="modifier >= 0", exclude=(
        Exclude((None, _AB_FORMS[:2], "wraps"), "it is cleared"),
    )),
    Point("modifier.dst_form_x_step", "M6", "d_form step",
          when="counter_name == 2 and modifier >= 0",
          exclude=(Exclude((_D_FORMS[:2], "wraps"), "it is cleared"),)),
    Point("setrwc.file_x_chosen_x_cr", "M5", "file chosen_bit base", when="op == SETRWC"),
    Point("setrwc.dst_chosen_x_to_cr_x_cr", "M5", "chosen_bit to base",
          when="op == SETRWC and counter_name == 2"),
    Point("incrwc.counter_x_cr_x_step", "M5", "counter_name with_cr step", when="op == INCRWC"),
)  # fmt: skip
