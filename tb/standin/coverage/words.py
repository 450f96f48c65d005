# SPDX-License-Identifier: Apache-2.0
"""Points of instructions: banks given back, clearing, faults, what comes before and meanwhile.

Meanwhile there are pauses in their parts (M32), and stores of cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, each, yes
from tilepath.isa.profiles import Profile
from tilepath.models.standin.plan import FAULT_NAMES, OPS
from tilepath.tb.standin.coverage import labels as L
from tilepath.tb.standin.streams import UNSUPPORTED

_GIVERS: Final = (*L.ARITHMETIC, "SETRWC", "CLEARDVALID")
_GIVING: Final = "op in GIVERS and word.clear_dvalid >> file & 1"
_BASE: Final = "(sum_d - word.dst & 1023)"
_WHEN: Final = ("cycle before", "that cycle", "later")
_RAISES: Final[dict[str, tuple[str, ...]]] = {
    "unsupported": ("unsupported",),
    "src_row": ("MVMUL", "GAPOOL"),
    "bias": L.MODIFIED,
    "release_owner": _GIVERS,
    "dvalid_reset": ("CLEARDVALID",),
    "src_owner": ("MOVD2A", "MOVD2B"),
    "mixed": L.ARITHMETIC,
    "fidelity": ("ELWADD", "ELWSUB"),
    "mvmul_bcast": ("MVMUL",),
    "pool_mode": ("GAPOOL", "GMPOOL"),
    "pool_scale": ("GMPOOL",),
    "pool_format": ("GMPOOL",),
    "tf32_low": L.INTO_DST,
    "dst16": ("MOVD2A", "MOVD2B"),
    "zeroacc_range": ("ZEROACC",),
    "wh_word": ("ZEROACC",),
    "stale": (*L.ARITHMETIC, "MOVA2D"),
    "zerosrc_race": ("ZEROSRC",),
    "dst_race": (*L.ARITHMETIC, *L.INTO_DST),
}
"""Fault → operations that can have it."""


def _fault_points(chosen: Profile) -> tuple[Point, ...]:
    raises = dict(_RAISES)
    threads: tuple[Exclude, ...] = ()
    if chosen.math_enc != "BH":
        del raises["bias"], raises["wh_word"]
        threads = (Exclude((("bias", "wh_word"), None), "not in this field map (M2, M6)"),)
    rules = (
        *threads,
        *(Exclude((flag, op), f"no fault of {op}")
          for flag, own in raises.items() for op in OPS if op not in own),
    )  # fmt: skip
    when = "faults and faults >> flag & 1"
    return (
        Point("fault.flag_x_op", "M2 M3 M4 M6 M7 M8 M11 M18 M22 M23 M24 M25 M27", when=when,
              exclude=rules),
        Point("fault.flag_x_thread", "M3", when=when, exclude=threads),
        Point("fault.how_many", "M3"),
    )  # fmt: skip


def plan(chosen: Profile) -> CoveragePlan:
    """Instructions."""
    return L.plan(
        "instruction",
        {
            "opcode": Bins({f"{op:02X}": f"word.opcode == {op}" for op in UNSUPPORTED}),
            "after": Bins("after", OPS),
            "next": Bins("gap > 0", ("at once", "later")),
            "first": Bins("before.thread", L.THREADS),
            "moment": each(_WHEN),
            "giver": L.ops(*_GIVERS),
            "gives": Bins("word.clear_dvalid", L.NAMED_FILES),
            "disabled": yes("keeps_owner[file]"),
            "owner": Bins("owners[file]", ("Unpackers", "Matrix Unit")),
            "bank": L.counted("banks[file]", 2),
            "keep": yes("word.keep"),
            "mode": Bins("word.mode", ("row", "16 rows", "half", "all")),
            "wide_field": yes(L.of_word("ZEROACC", "wide", chosen)),
            "undo": yes(L.of_word("ZEROACC", "undo", chosen)),
            "absolute_mode": yes("absolute"),
            "fp32_enabled": yes("fp32"),
            "with_integers": yes("integers"),
            "quarter": L.counted("sum_d - word.dst >> 8 & 3", 4),
            "beyond": yes("faults & ZEROACC_RANGE != 0"),
            "half": L.counted("word.dst & 1", 2),
            "base_half": L.counted(f"{_BASE} >> 9", 2),
            "carries": yes(f"{_BASE} >> 9 != {_BASE} + (word.dst & 255) >> 9"),
            "odd_modifier": yes("modifier & 1"),
            "of_32_bits": yes("fp32 or integers"),
            "row_of_16": Bins("sum_d >> 3 & 1", ("0 to 7", "8 to 15")),
            "files": Bins("word & 3", L.NAMED_FILES),
            "both": yes("word.both_banks"),
            "matrix": yes("word.matrix_bank"),
            "neg_inf": yes("word.neg_inf"),
            "unpackers_bank": L.counted("unpack_banks[file]", 2),
            "flag": each(FAULT_NAMES),
            "how_many": Bins({"1": "faults and not two", "2": "two and not two & two - 1",
                              "3 or more": "two"}),
        },
        Point("word.op_x_thread", "M3 M29 M30"),
        Point("word.unsupported", "M3", "opcode", when="op == UNSUPPORTED"),
        Point("giveback.op_x_files", "M7", "giver gives"),
        Point("giveback.file_x_disabled_x_owner", "M7", when=f"op != CLEARDVALID and {_GIVING}"),
        Point("giveback.file_x_bank", "M7", when=_GIVING),
        Point("giveback.cleardvalid_file_x_keep_x_disabled", "M7", "file keep disabled",
              when=f"op == CLEARDVALID and {_GIVING}"),
        Point("zeroacc.mode_x_wide_x_undo_x_absolute", "M2 M14 M27",
              "mode wide_field undo absolute_mode", when="op == ZEROACC"),
        Point("zeroacc.row_by_fp32_x_integers", "M27", "fp32_enabled with_integers",
              when="op == ZEROACC and word.mode == 0"),
        Point("zeroacc.quarter_x_wide_x_absolute_x_beyond", "M27",
              "quarter wide_field absolute_mode beyond",
              when="op == ZEROACC and word.mode == 1"),
        Point("zeroacc.half_x_carry", "M27", "base_half carries",
              when="op == ZEROACC and word.mode == 1 and not absolute"),
        Point("zeroacc.row_x_odd_modifier_x_wide_x_place", "M27",
              "odd_modifier of_32_bits row_of_16", when="op == ZEROACC and word.mode == 0"),
        Point("zeroacc.half", "M27", when="op == ZEROACC and word.mode == 2"),
        Point("zerosrc.files_x_both_x_matrix_x_neg_inf", "M28", when="op == ZEROSRC"),
        Point("zerosrc.file_x_matrix_x_bank_x_unpackers_bank", "M28",
              when="op == ZEROSRC and not word.both_banks and word >> file & 1"),
        *_fault_points(chosen),
        Point("issue.op_x_next", "M30", "after next"),
        Point("issue.first_x_second_thread", "M30", "first thread", when="before.last"),
        Point("sampling.cfg_written", "M30", "moment", times="cfg_writes[moment]"),
        Point("sampling.setc16_of_thread_written", "M30", "moment", times="setc16s[moment]"),
        GIVERS=tuple(map(OPS.index, _GIVERS)),
    )  # fmt: skip


_BEFORE: Final = ("sampling", "read", "write", "read and write", "clears", "last")
_LONG: Final[Mapping[str, tuple[str, ...]]] = {
    "MVMUL": ("read", "read and write"),
    "GAPOOL": ("read", "read and write"),
    "GMPOOL": ("read", "write"),
    "TRNSPSRCB": ("read", "write"),
    "ZEROACC": ("clears",),
    **{op: ("read and write",) for op in (*L.ELTWISE, *L.ALL_MOVES)},
}
"""What cycles between the first and the last one do."""


def _impossible(op: str, chosen: Profile) -> Exclude:
    long = op in _LONG and (op != "ZEROACC" or chosen.zeroacc_storage_rows)
    there = ("sampling", "last", *_LONG[op]) if long else ("sampling",)
    why = "no cycle of it does that" if long else "it has one cycle"
    return Exclude((op, tuple(before for before in _BEFORE if before not in there)), why)


def pause_plan(chosen: Profile) -> CoveragePlan:
    """Pauses, by what the instruction does in the cycle behind them."""
    return L.plan(
        "pause",
        {
            "before": Bins(
                "0 if not sampled else 5 if last else 3 if reads and writes else 2 if writes"
                " else 1 if reads else 4",
                _BEFORE,
            ),
            "length": Bins("(cycles >= 2) + (cycles >= 3)", ("1", "2", "3 or more")),
            "row_kept": yes("kept"),
        },
        Point("pause.op_x_before", "M27 M31 M32", times="cycles",
              exclude=tuple(_impossible(op, chosen) for op in OPS)),
        Point("pause.cycles_x_row_kept", "M32", "length row_kept"),
    )  # fmt: skip


STORES: Final = L.plan(
    "store",
    {
        "thread": L.counted("thread", 3),
        "beside": Bins(
            "0 if setc16 < 0 else 1 + (setc16 == index)", ("none", "other_word", "same_word")
        ),
    },
    Point("store.thread_x_beside_setc16", "M30", "thread beside"),
)
