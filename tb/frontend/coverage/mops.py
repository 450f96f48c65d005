# SPDX-License-Identifier: Apache-2.0
"""Points of what a MOP finds when it is ingested: MopCfg, MaskHi, its own fields (F1 to F10).

The chain outer{5} x inner{5} x four NOP flags would be 400 bins, most of them long expansions that
differ in nothing but length. It is split into outer x inner in full, the flags in full, the bug
cell with its four neighbours, and the whole chain with counts of 0, 1, 2, more.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.plan import Bins, Point, among, each, yes
from tilepath.tb.frontend.coverage.labels import plan

_T1: Final = "word.template"
_T0: Final = f"not {_T1}"
_OUTER, _INNER = "(counts[0] & 127)", "(counts[1] & 127)"
_START, _END0, _END1, _LOOP1 = (f"(words[{slot}] >> 24 == OP_NOP)" for slot in (0, 1, 2, 4))
_NOP: Final = ("op", "nop")
# F3: how many of its four conditions do not hold
_MISSED: Final = f"(({_OUTER} != 1) + (not {_START}) + ({_INNER} != 0) + {_END0})"
_TESTED: Final = "(words[4] if tested == 3 else words[tested])"
# Only slots that the expansion uses (or tests for NOP) count. LoopOp: in every iteration but the
# last; LoopOp1: looked at, emitted unless it is replaced each time; Loop1Last: in the last
# iteration of all passes but the last.
_T1_USED: Final = (
    f"(1 if slot < 2 else not {_END0} if slot == 2"
    f" else {_INNER} * (2 - {_LOOP1}) > 1 if slot == 3"
    f" else {_INNER} + {_LOOP1} > 1 and {_INNER} > 0 if slot == 4"
    f" else {_INNER} > 0 and (slot == 5 or {_OUTER} > 1))"
)
_ALTERNATES: Final = (
    f"{_T1} and {_OUTER} > 0 and {_INNER} > 0 and ({_LOOP1} or words[3] != words[4])"
)
_HAS_B, _HAS_A123 = "(counts[1] & 1)", "(counts[1] >> 1 & 1)"
_REACH: Final = "((1 << (word.count1 + 1 if word.count1 < 32 else 32)) - 1)"
# Iterations beyond the mask are unpacks (F1).
_T0_USED: Final = (
    f"(word.count1 >= 32 or mask & {_REACH} != {_REACH} if item < 5 else mask & {_REACH} != 0)"
    f" and ({_HAS_B} if item in (0, 6) else {_HAS_A123} if 2 <= item <= 4 else 1)"
)
# Masks that change at the seam of MaskLo and MaskHi
_SEAM: Final = {
    "bit15": 0x0000_8000, "bit16": 0x0001_0000, "bits15_16": 0x0001_8000,
    "low_half": 0x0000_FFFF, "high_half": 0xFFFF_0000,
}  # fmt: skip
_EDGES: Final = {"bit0": 1, **_SEAM, "bit31": 1 << 31}


def _five(count: str) -> Bins:
    return among(count, 0, 1, 2, "3-126", other="127")


def _word(slot: str) -> Bins:
    opcode = f"words[{slot}] >> 24"
    return Bins(
        {"nop": f"{opcode} == OP_NOP",
         "replay_play": f"{opcode} == OP_REPLAY and not words[{slot}] & 1",
         "replay_record": f"{opcode} == OP_REPLAY", "mop": f"{opcode} == OP_MOP",
         "mop_cfg": f"{opcode} == OP_MOP_CFG", "plain": "1"}
    )  # fmt: skip


PLAN: Final = plan(
    "mop",
    {
        "outer": _five(_OUTER),
        "inner": _five(_INNER),
        "few_outer": among(_OUTER, 0, 1, 2, other=">2"),
        "few_inner": among(_INNER, 0, 1, 2, other=">2"),
        "start": Bins(_START, _NOP),
        "end0": Bins(_END0, _NOP),
        "end1": Bins(_END1, _NOP),
        "loop1": Bins(_LOOP1, _NOP),
        "bug_condition": Bins(
            {"bug": "defect", "outer_not_1": f"{_MISSED} == 1 and {_OUTER} != 1",
             "start_not_nop": f"{_MISSED} == 1 and not {_START}",
             "inner_not_0": f"{_MISSED} == 1 and {_INNER}", "end0_nop": f"{_MISSED} == 1"}
        ),
        "count_bits": yes("(counts[0] | counts[1]) >> 7 != 0"),
        "outer_bits": Bins("counts[0] >> 7 != 0", ("cfg0_clear", "cfg0_set")),
        "inner_bits": Bins("counts[1] >> 7 != 0", ("cfg1_clear", "cfg1_set")),
        "end0_word": Bins(
            {"dmanop": "words[1] >> 24 == OP_DMANOP", "sfpnop": "words[1] >> 24 == OP_SFPNOP",
             "other": "1"}
        ),
        "tested": each(("start", "end0", "end1", "loop1")),
        "lookalike": Bins(
            {"nop": f"{_TESTED} == OP_NOP << 24", "nop_junk": f"{_TESTED} >> 24 == OP_NOP",
             "dmanop": f"{_TESTED} >> 24 == OP_DMANOP", "sfpnop": f"{_TESTED} >> 24 == OP_SFPNOP"}
        ),
        "immediates": Bins(
            "(word.count1 != 0) + 2 * (word.mask_lo != 0)", ("zero", "count1", "mask_lo", "both")
        ),
        "slot": each(("start", "end0", "end1", "loop0", "loop1", "loop0_last", "loop1_last")),
        "word": _word("slot"),
        "alternation": Bins(f"not {_LOOP1}", ("off", "on")),
        "passes": among(_OUTER, 1, 2, other=">2"),
        "some_passes": among(_OUTER, 1, other=">1"),
        "iterations": among(_INNER, 1, other=">1"),
        # "same": Loop1Last equals the word it replaces, so that a skipped flip (F5) shows in later
        # passes only
        "loop1_last": Bins(
            f"words[6] != (words[3] if {_LOOP1} else words[4])", ("same", "different")
        ),
        "count1": among("word.count1", 0, 1, 15, 16, 31, 32, 127),
        "has_b": yes(_HAS_B),
        "has_a123": yes(_HAS_A123),
        "mask": Bins(
            {"0": "mask == 0", "all1": "mask == 0xFFFFFFFF",
             "alternating": "mask in (0x55555555, 0xAAAAAAAA)",
             "bit15_16_edge": f"mask in {tuple(_SEAM.values())}", "bit31": "mask == 1 << 31"}
        ),
        "mask_edge": Bins({name: f"mask == {mask}" for name, mask in _EDGES.items()}),
        "beyond_32": yes("word.count1 >= 32"),
        "bit31": yes("mask >> 31"),
        "flags_bits_2_up": Bins("counts[1] >> 2 != 0", ("clear", "set")),
        "item": each(("b", "a0", "a1", "a2", "a3", "skip_a", "skip_b")),
        "item_word": _word("item"),
        # MaskHi matters beyond 16 iterations only, and a stale one if it is not 0.
        "mask_hi": Bins(
            {"reset": "not configured", "fresh": "mop_cfgs == 1",
             "stale": "mop_cfgs == 0 and mask >> 16", "two_mop_cfg": "mop_cfgs > 1"}
        ),
    },
    Point("t1.outer_x_inner", "F4", when=_T1),
    Point("t1.nop_flags_loop1_x_start_x_end0_x_end1", "F10", "loop1 start end0 end1", when=_T1),
    Point("t1.outer_x_inner_x_nop_flags", "F3 F4 F10",
          "few_outer few_inner loop1 start end0 end1", when=_T1),
    Point("t1.bug_condition", "F3", when=_T1),
    # F3 looks at the counts after masking, at EndOp0's opcode, and at nothing else.
    Point("t1.bug_x_count_bits_x_end0", "F3", "count_bits end0_word", when="defect"),
    Point("t1.bug_x_loop1_x_end1", "F3", "loop1 end1", when="defect"),
    Point("t1.count_bits_7_up", "F3 F4", "outer_bits inner_bits", when=_T1),
    Point("t1.nop_lookalike", "F3 F10", "tested lookalike", when=_T1),
    Point("t1.immediates", "F6", when=_T1),
    Point("t1.slot_x_word", "F9 F10", when=f"{_T1} and {_OUTER} > 0 and {_T1_USED}"),
    # With alternation LoopOp and LoopOp1 differ. An outer count of 1 never emits Loop1Last.
    Point("cross.alternation_x_outer_x_loop1_last", "F5", "alternation passes loop1_last",
          when=_ALTERNATES),
    Point("cross.alternation_x_outer_x_inner", "F5", "alternation some_passes iterations",
          when=_ALTERNATES),
    Point("t0.count1_x_has_b_x_has_a123_x_mask", "F1 F2", when=_T0),
    Point("t0.mask_edge", "F1 F8", when=f"{_T0} and word.count1 >= 31"),
    Point("t0.beyond_32_x_bit31", "F1", when=_T0),
    Point("t0.flags_bits_2_up", "F2", when=_T0),
    Point("t0.slot_x_word", "F2 F9", "item item_word", when=f"{_T0} and {_T0_USED}"),
    Point("t0.mask_hi", "F8", when=f"{_T0} and word.count1 >= 16"),
)  # fmt: skip
