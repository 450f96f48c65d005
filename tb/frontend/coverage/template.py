# SPDX-License-Identifier: Apache-2.0
"""Coverage of what a MOP word finds when it is ingested: MopCfg, MaskHi, its own fields.

Source: frontend-config section 7, paragraphs T1 and T0; the encodings of F1 to F6 and F10.

The chain outer{5} x inner{5} x four NOP flags would be 400 bins, most of them long expansions that
differ in nothing but length. It is split into outer x inner in full, the flags in full, the bug
cell with its four neighbours, and the whole chain with counts of 0, 1, 2, more.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.frontend.coverage.layout import (
    NO_YES,
    OP_DMANOP,
    OP_MOP,
    OP_MOP_CFG,
    OP_NOP,
    OP_REPLAY,
    OP_SFPNOP,
)
from tilepath.tb.frontend.coverage.timeline import I64
from tilepath.tb.kernel.coverage.bins import PointGroup

GROUP = PointGroup()
_COUNTS = ("0", "1", "2", "3-126", "127")
_FEW = ("0", "1", "2", ">2")
_NOP = ("op", "nop")
_WORDS = ("nop", "replay_play", "replay_record", "mop", "mop_cfg", "plain")

OUTER_INNER = GROUP.add("t1.outer_x_inner", _COUNTS, _COUNTS)
# Order of the flags here and below: LoopOp1, StartOp, EndOp0, EndOp1
NOP_FLAGS = GROUP.add("t1.nop_flags_loop1_x_start_x_end0_x_end1", _NOP, _NOP, _NOP, _NOP)
COUNTS_FLAGS = GROUP.add("t1.outer_x_inner_x_nop_flags", _FEW, _FEW, _NOP, _NOP, _NOP, _NOP)
BUG = GROUP.add(
    "t1.bug_condition", ("bug", "outer_not_1", "start_not_nop", "inner_not_0", "end0_nop")
)
# F3: the condition looks at the counts after masking, at EndOp0's opcode, and at nothing else.
BUG_HIGH_END0 = GROUP.add("t1.bug_x_count_bits_x_end0", NO_YES, ("dmanop", "sfpnop", "other"))
BUG_LOOP1_END1 = GROUP.add("t1.bug_x_loop1_x_end1", _NOP, _NOP)
HIGH_BITS = GROUP.add("t1.count_bits_7_up", ("cfg0_clear", "cfg0_set"), ("cfg1_clear", "cfg1_set"))
LOOKALIKE = GROUP.add(
    "t1.nop_lookalike",
    ("start", "end0", "end1", "loop1"),
    ("nop", "nop_junk", "dmanop", "sfpnop"),
)
IMMEDIATES = GROUP.add("t1.immediates", ("zero", "count1", "mask_lo", "both"))
# Only slots that the expansion uses (or tests for NOP) count, here and for template 0.
T1_SLOTS = GROUP.add(
    "t1.slot_x_word",
    ("start", "end0", "end1", "loop0", "loop1", "loop0_last", "loop1_last"),
    _WORDS,
)
# "same": Loop1Last equals the word it replaces, so that a skipped flip (F5) shows in later passes
# only. With alternation, LoopOp and LoopOp1 differ. An outer count of 1 never emits Loop1Last.
ALTERNATION = GROUP.add(
    "cross.alternation_x_outer_x_loop1_last",
    ("off", "on"),
    ("1", "2", ">2"),
    ("same", "different"),
)
T1_INNER = GROUP.add("cross.alternation_x_outer_x_inner", ("off", "on"), ("1", ">1"), ("1", ">1"))

T0_CHAIN = GROUP.add(
    "t0.count1_x_has_b_x_has_a123_x_mask",
    ("0", "1", "15", "16", "31", "32", "127"),
    NO_YES,
    NO_YES,
    ("0", "all1", "alternating", "bit15_16_edge", "bit31"),
)
# Masks that change at the seam of MaskLo and MaskHi or at the ends; 32 iterations or more
MASK_EDGE = GROUP.add(
    "t0.mask_edge", ("bit0", "bit15", "bit16", "bits15_16", "low_half", "high_half", "bit31")
)
BEYOND = GROUP.add("t0.beyond_32_x_bit31", NO_YES, NO_YES)
FLAG_JUNK = GROUP.add("t0.flags_bits_2_up", ("clear", "set"))
T0_SLOTS = GROUP.add("t0.slot_x_word", ("b", "a0", "a1", "a2", "a3", "skip_a", "skip_b"), _WORDS)

# Places in a thread's memory: MopCfg[0..8], MaskHi, whether the last MOP met the bug condition
CFG: Final = 0
MASK_HI: Final = 9
T1_BUG: Final = 10


@kernel
def _word_bin(word: int) -> int:
    opcode = word >> 24
    if opcode == OP_NOP:
        return 0
    if opcode == OP_REPLAY:
        return 1 + (word & 1)
    if opcode == OP_MOP:
        return 3
    return 4 if opcode == OP_MOP_CFG else 5


@kernel
def _lookalike(slot: int, word: int, counts: I64) -> None:
    opcode = word >> 24
    at = -1
    if opcode == OP_NOP:
        at = 1 if word & 0xFFFFFF else 0
    elif opcode == OP_DMANOP:
        at = 2
    elif opcode == OP_SFPNOP:
        at = 3
    if at >= 0:
        counts[LOOKALIKE + slot * 4 + at] += 1


@kernel
def _five(count: int) -> int:
    if count == 127:
        return 4
    return min(count, 3)


@kernel
def _t1_slots(outer: int, inner: int, mem: I64, counts: I64) -> None:
    end0_nop = mem[CFG + 3] >> 24 == OP_NOP
    loop1_nop = mem[CFG + 6] >> 24 == OP_NOP
    if outer == 0:
        return
    total = inner if loop1_nop else 2 * inner
    for slot in range(7):
        used = slot < 2 or (slot == 2 and not end0_nop)  # StartOp, EndOp0, EndOp1
        if slot == 3:  # every iteration but the last
            used = total > 1
        elif slot == 4:  # looked at; emitted unless it is replaced each time
            used = inner > 1 or (inner == 1 and loop1_nop)
        elif slot == 5:
            used = inner > 0
        elif slot == 6:  # the last iteration of all passes but the last
            used = inner > 0 and outer > 1
        if used:
            counts[T1_SLOTS + slot * 6 + _word_bin(mem[CFG + 2 + slot])] += 1


@kernel
def _t1_bug(outer: int, inner: int, flags: int, mem: I64, counts: I64) -> None:
    """F3: Outer == 1, StartOp a NOP, Inner == 0, EndOp0 no NOP."""
    missed = -1
    misses = 0
    if outer != 1:
        missed, misses = 1, misses + 1
    if not flags & 4:
        missed, misses = 2, misses + 1
    if inner != 0:
        missed, misses = 3, misses + 1
    if flags & 2:
        missed, misses = 4, misses + 1
    mem[T1_BUG] = misses == 0
    if misses == 1:
        counts[BUG + missed] += 1
    if misses > 0:
        return
    counts[BUG] += 1
    opcode = mem[CFG + 3] >> 24
    end0 = 0 if opcode == OP_DMANOP else (1 if opcode == OP_SFPNOP else 2)
    junk = 1 if (mem[CFG] | mem[CFG + 1]) >> 7 else 0
    counts[BUG_HIGH_END0 + junk * 3 + end0] += 1
    counts[BUG_LOOP1_END1 + (flags >> 3) * 2 + (flags & 1)] += 1


@kernel
def _t1_alternation(outer: int, inner: int, mem: I64, counts: I64) -> None:
    if outer == 0 or inner == 0:
        return
    loop0 = mem[CFG + 5]
    loop1 = mem[CFG + 6]
    on = 0 if loop1 >> 24 == OP_NOP else 1
    if on and loop0 == loop1:
        return
    replaced = loop1 if on else loop0
    same = 0 if mem[CFG + 8] == replaced else 1
    counts[ALTERNATION + (on * 3 + min(outer - 1, 2)) * 2 + same] += 1
    counts[T1_INNER + (on * 2 + min(outer - 1, 1)) * 2 + min(inner - 1, 1)] += 1


@kernel
def ingest_t1(word: int, mem: I64, counts: I64) -> None:
    """Count a MOP of template 1."""
    outer = mem[CFG] & 0x7F
    inner = mem[CFG + 1] & 0x7F
    flags = 0
    for slot in (6, 2, 3, 4):  # LoopOp1, StartOp, EndOp0, EndOp1
        flags = flags * 2 + (1 if mem[CFG + slot] >> 24 == OP_NOP else 0)
    counts[OUTER_INNER + _five(outer) * 5 + _five(inner)] += 1
    counts[NOP_FLAGS + flags] += 1
    counts[COUNTS_FLAGS + (min(outer, 3) * 4 + min(inner, 3)) * 16 + flags] += 1
    high = (2 if mem[CFG] >> 7 else 0) + (1 if mem[CFG + 1] >> 7 else 0)
    counts[HIGH_BITS + high] += 1
    for k in range(3):
        _lookalike(k, mem[CFG + 2 + k], counts)
    _lookalike(3, mem[CFG + 6], counts)
    immediates = (1 if word & 0x7F0000 else 0) + (2 if word & 0xFFFF else 0)
    counts[IMMEDIATES + immediates] += 1
    _t1_bug(outer, inner, flags, mem, counts)
    _t1_alternation(outer, inner, mem, counts)
    _t1_slots(outer, inner, mem, counts)


@kernel
def _mask_bin(mask: int) -> int:
    if mask == 0:
        return 0
    if mask == 0xFFFFFFFF:
        return 1
    if mask == 0x55555555 or mask == 0xAAAAAAAA:
        return 2
    if mask == 0x80000000:
        return 4
    return 3 if _edge_bin(mask) >= 0 else -1


@kernel
def _edge_bin(mask: int) -> int:
    """Changes around the seam: bins 1 to 5 of ``t0.mask_edge``, less 1; -1: none of them."""
    masks = (0x00008000, 0x00010000, 0x00018000, 0x0000FFFF, 0xFFFF0000)
    for k in range(5):
        if mask == masks[k]:
            return k
    return -1


@kernel
def _t0_slots(has_b: int, has_a: int, skips: bool, unpacks: bool, mem: I64, counts: I64) -> None:
    for slot in range(7):
        used = unpacks if slot < 5 else skips
        if slot == 0 or slot == 6:
            used = used and has_b != 0
        elif 2 <= slot <= 4:
            used = used and has_a != 0
        if used:
            counts[T0_SLOTS + slot * 6 + _word_bin(mem[CFG + 2 + slot])] += 1


@kernel
def ingest_t0(word: int, mem: I64, counts: I64) -> None:
    """Count a MOP of template 0."""
    count1 = word >> 16 & 0x7F
    mask = mem[MASK_HI] << 16 | word & 0xFFFF
    has_b = mem[CFG + 1] & 1
    has_a = mem[CFG + 1] >> 1 & 1
    counts[FLAG_JUNK + (1 if mem[CFG + 1] >> 2 else 0)] += 1
    counts[BEYOND + (2 if count1 >= 32 else 0) + (mask >> 31)] += 1
    count_bin = -1
    listed = (0, 1, 15, 16, 31, 32, 127)
    for k in range(7):
        if count1 == listed[k]:
            count_bin = k
    mask_bin = _mask_bin(mask)
    if count_bin >= 0 and mask_bin >= 0:
        counts[T0_CHAIN + (count_bin * 4 + has_b * 2 + has_a) * 5 + mask_bin] += 1
    if count1 >= 31:
        edge = _edge_bin(mask)
        if edge >= 0:
            counts[MASK_EDGE + 1 + edge] += 1
        elif mask == 1 or mask == 0x80000000:
            counts[MASK_EDGE + (0 if mask == 1 else 6)] += 1
    reach = (1 << min(count1 + 1, 32)) - 1  # iterations beyond the mask are unpacks (F1)
    unpacks = count1 >= 32 or mask & reach != reach
    _t0_slots(has_b, has_a, mask & reach != 0, unpacks, mem, counts)
