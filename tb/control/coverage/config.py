# SPDX-License-Identifier: Apache-2.0
"""Coverage of the config pipeline: who follows whom at which distance, and the order of writes.

Source: frontend-config section 7, paragraph Config, and section 5.3; C16; docs/control.md
section 4. Instructions are seen in their entry cycles, so the distance is that of the issues; a
RISC access counts as issued in the cycle in which it wins.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    CFG_WORDS,
    CONFIG_INSTR,
    ENTRY,
    EV,
    FW,
    GLOBAL_BASE,
    HISTORY,
    I64,
    I_RDCFG,
    I_RISC,
    I_SHIFT,
    I_STREAM,
    I_WRCFG,
    ISSUED,
    KIND,
    LATCH,
    PER_THREAD,
    PIPE,
    READ_WRITE,
    REG2FLOP,
    SAME_OTHER,
    SBUSY,
    SCRATCH,
    SETC,
    STATE,
    THREAD_AXIS,
    U32,
    VALID,
    VIEW,
    WHAT,
    WHOSE,
    WORD,
    i64,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_DISTANCES: Final = tuple(str(d) for d in range(1, 7))
_TWO_STAGES: Final = "a two-stage instruction keeps the later stages for a cycle (section 5.3)"
PAIR: Final = GROUP.add(
    "config.first_x_second_x_distance_x_thread_x_word",
    CONFIG_INSTR,
    CONFIG_INSTR,
    _DISTANCES,
    WHOSE,
    SAME_OTHER,
    exclude=tuple(
        Exclude((first, second, "1", None, None), _TWO_STAGES)
        for first in ("wrcfg", "cfgshiftmask")
        for second in ("cfgshiftmask", "rmwcib", "rdcfg")
    ),
)
RISC_PAIR: Final = GROUP.add(
    "config.risc_x_instruction_x_distance_x_word",
    ("risc_first", "risc_second"),
    READ_WRITE,
    CONFIG_INSTR,
    ("1", "2", "3-6"),
    SAME_OTHER,
    exclude=tuple(
        Exclude(("risc_second", None, first, "1", None), _TWO_STAGES)
        for first in ("wrcfg", "cfgshiftmask")
    ),
)
# STREAMWRCFG with one prepare cycle, and the config instruction of the next cycle (C16)
NEXT: Final = GROUP.add(
    "config.behind_streamwrcfg_at_1_x_word_x_thread", CONFIG_INSTR, SAME_OTHER, WHOSE
)
_PREPS: Final = ("prep1", "prep2", "prep>2")
# Ahead of a STREAMWRCFG that is still prepared, or behind it at the least distance
PREP: Final = GROUP.add(
    "config.prep_x_second_x_order_x_thread",
    _PREPS,
    CONFIG_INSTR,
    ("jumps", "behind"),
    WHOSE,
    exclude=(
        Exclude((None, "streamwrcfg", "jumps", None), "stage -4 holds one, and it leaves first"),
    ),
)
PREP_RISC: Final = GROUP.add("config.prep_x_risc_order", _PREPS, ("jumps", "behind"))
STATE_ID: Final = GROUP.add(
    "config.instruction_x_stateid_x_space_x_thread",
    CONFIG_INSTR,
    ("state0", "state1"),
    ("banked", "global"),
    THREAD_AXIS,
)
STATE_FLOP: Final = GROUP.add(
    "config.reg2flop_x_stateid_x_thread", ("state0", "state1"), THREAD_AXIS
)
# A SETC16 that changes StateID in the cycle before (seen) or after (not seen) the issue
STATE_NEXT: Final = GROUP.add(
    "config.stateid_setc16_x_banked_use",
    ("before", "after"),
    (*CONFIG_INSTR, "reg2flop", "unpack0", "unpack1", "pack"),
    exclude=(Exclude(("after", "reg2flop"), "its thread is held in the next cycle (5.4)"),),
)
# A scratch word, written at the least distance, or by a STREAMWRCFG that was jumped
SCRATCH_BY: Final = GROUP.add(
    "config.scratch_written_before_cfgshiftmask",
    ("streamwrcfg_jumped", "streamwrcfg_before", "wrcfg", "cfgshiftmask", "rmwcib", "risc"),
)
STAGES: Final = GROUP.add("config.stages_occupied", tuple(str(k) for k in range(6)))
BIT: Final = GROUP.add("config.stage", ("-4", "-3", "-2", "-1", "0", "+1", "risc"))

LIVE: Final = GROUP.add(
    "cross.live_latch_x_streamwrcfg_stage_x_whose",
    ("stallwait_cond12", "stallwait_other", "semwait", "streamwait"),
    ("-4", "-3", "-2", "-1", "0"),
    WHOSE,
)

# Places in the memory
_AT: Final = 0  # thread + 1 of the STREAMWRCFG in stages -4 to 0
_PREP: Final = 5  # cycles that the one in -4 has been there
_LEFT: Final = (
    6  # cycles since the last one left -4; its prepare phase (index of _PREPS); thread + 1
)
_LAST: Final = 7
_OWNER: Final = 8
_JUMPED: Final = 9  # how many jumped the one in -4, by instruction, own and other thread
MEMORY: Final = _JUMPED + 12


@kernel
def same_word(first: int, second: int) -> bool:
    """Whether two ENTRYs are about a common word of configuration."""
    if not first >> 12 & second >> 12 & 3:
        return False
    shift = 2 if (first | second) >> 14 & 1 else 0
    return (first & 0x7FF) >> shift == (second & 0x7FF) >> shift


@kernel
def _pairs(c: U32, t: int, second: int, n: I64) -> None:
    b = second >> 17 & 7
    for d in range(1, 7):
        first = i64(c[t - d, ENTRY])
        if not first & VALID:
            continue
        a = first >> 17 & 7
        word = 0 if same_word(first, second) else 1
        if a == I_RISC or b == I_RISC:
            if a == b:
                continue
            risc, other = (first, b) if a == I_RISC else (second, a)
            side = (0 if a == I_RISC else 1) * 2 + (risc >> 11 & 1)
            n[RISC_PAIR + ((side * 5 + other) * 3 + min(d, 3) - 1) * 2 + word] += 1
            continue
        whose = 0 if (first ^ second) >> 15 & 3 == 0 else 1
        n[PAIR + (((a * 5 + b) * 6 + d - 1) * 2 + whose) * 2 + word] += 1
        if d == 1 and a == I_STREAM and first >> 20 & 1:
            n[NEXT + (b * 2 + word) * 2 + whose] += 1
    if b == I_SHIFT:
        _scratch(c, t, second, n)


@kernel
def _scratch(c: U32, t: int, second: int, n: I64) -> None:
    thread = second >> 15 & 3
    word = i64(c[t - 1, thread * PER_THREAD + WORD])
    select = word >> 8 & 3
    wanted = SCRATCH + (thread if select == 3 else select)
    for d in range(1, 8):
        first = i64(c[t - d, ENTRY])
        instr = first >> 17 & 7
        if not first & VALID or instr == I_RDCFG or not first >> 11 & 1:
            continue
        shift = 2 if first >> 14 & 1 else 0
        if (first & 0x7FF) >> shift != wanted >> shift:
            continue
        least = 2 if instr in (I_WRCFG, I_SHIFT) else 1
        if instr == I_STREAM and d < 5:
            n[SCRATCH_BY] += 1
        elif instr == I_STREAM:
            n[SCRATCH_BY + 1] += 1 if first >> 20 & 1 else 0
        elif d == least:
            n[SCRATCH_BY + 1 + instr - (1 if instr == I_RISC else 0)] += 1


@kernel
def _leaves(mem: I64, n: I64) -> None:
    """The STREAMWRCFG in -4 left it in the cycle before: now it is known who jumped it."""
    prep = min(mem[_PREP], 3) - 1
    for instr in range(1, 6):
        for whose in range(2):
            jumped = mem[_JUMPED + 2 * instr + whose]
            mem[_JUMPED + 2 * instr + whose] = 0
            if instr == I_RISC:
                n[PREP_RISC + prep * 2] += jumped
            else:
                n[PREP + ((prep * 5 + instr) * 2) * 2 + whose] += jumped
    mem[_LEFT], mem[_LAST], mem[_OWNER] = 0, prep, mem[_AT]


@kernel
def _order(c: U32, t: int, entry: int, mem: I64, n: I64) -> None:
    """Follow STREAMWRCFGs from -4 to 0, and see who enters before or behind them."""
    instr, thread = entry >> 17 & 7, entry >> 15 & 3
    waits = mem[_AT]
    if waits and entry and instr != I_STREAM:
        mem[_JUMPED + 2 * instr + (0 if waits - 1 == thread else 1)] += 1
    leaves = waits and not c[t - 1, SBUSY]
    if leaves:
        _leaves(mem, n)
    for stage in range(4, 1, -1):
        mem[_AT + stage] = mem[_AT + stage - 1]
    mem[_AT + 1] = waits if leaves else 0
    if leaves:
        mem[_AT] = 0
    mem[_LEFT] += 1
    if entry:
        # WRCFG enters -1, so it waits for one stage less than what enters 0.
        least = 1 if instr == I_STREAM else (4 if instr == I_WRCFG else 5)
        if mem[_LEFT] == least and mem[_OWNER]:
            if instr == I_RISC:
                n[PREP_RISC + mem[_LAST] * 2 + 1] += 1
            else:
                whose = 0 if mem[_OWNER] - 1 == thread else 1
                n[PREP + ((mem[_LAST] * 5 + instr) * 2 + 1) * 2 + whose] += 1
        if instr == I_STREAM:
            mem[_AT], mem[_PREP] = thread + 1, 0
    if mem[_AT]:
        mem[_PREP] += 1


@kernel
def _live(c: U32, t: int, mem: I64, n: I64) -> None:
    for thread in range(3):
        base = thread * PER_THREAD
        latch = i64(c[t, base + LATCH])
        if not latch & 1:
            continue
        kind = latch >> 1 & 3
        if kind == 1:
            kind = 0 if i64(c[t, base + WHAT]) >> 12 & 1 else 1
        for stage in range(5):
            owner = mem[_AT + stage] - 1
            if owner >= 0:
                n[LIVE + (kind * 5 + stage) * 2 + (0 if owner == thread else 1)] += 1


@kernel
def _banked_uses(c: U32, t: int, thread: int, order: int, n: I64) -> None:
    """What thread ``thread`` had in its entry cycle t that depends on StateID."""
    place = STATE_NEXT + order * 9
    entry = i64(c[t, ENTRY])
    if entry & VALID and entry >> 15 & 3 == thread and entry & 0x7FF < GLOBAL_BASE:
        n[place + (entry >> 17 & 7)] += 1
    base = thread * PER_THREAD
    word = i64(c[t - 1, base + WORD])
    flop = i64(c[t - 1, base + EV]) & ISSUED and i64(c[t - 1, base + KIND]) == REG2FLOP
    if flop and word >> 20 & 3 == 0 and word >> 6 & 0x7F < GLOBAL_BASE - 64:
        n[place + 5] += 1
    for unit in range(3):
        view = i64(c[t, VIEW + unit])
        if view & VALID and view >> 9 & 3 == thread and view & 0x1FF < GLOBAL_BASE:
            n[place + 6 + unit] += 1


@kernel
def _state(c: U32, t: int, entry: int, n: I64) -> None:
    if entry and entry >> 15 & 3 < 3 and entry & 0x7FF < CFG_WORDS:
        thread = entry >> 15 & 3
        state = i64(c[t, STATE]) >> thread & 1
        space = 1 if entry & 0x7FF >= GLOBAL_BASE else 0
        n[STATE_ID + (((entry >> 17 & 7) * 2 + state) * 2 + space) * 3 + thread] += 1
    flop = i64(c[t, FW])
    if flop & VALID and flop & 3 < 3:
        n[STATE_FLOP + (flop >> 3 & 1) * 3 + (flop & 3)] += 1
    changed = i64(c[t, STATE]) ^ i64(c[t - 1, STATE])
    for thread in range(3):
        setc = i64(c[t - 1, thread * PER_THREAD + SETC])
        if changed >> thread & 1 and setc & VALID and setc >> 16 & 0xFF == 0:
            _banked_uses(c, t, thread, 0, n)
            _banked_uses(c, t - 2, thread, 1, n)


@kernel
def count_config(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        entry = i64(c[t, ENTRY])
        if entry:
            _pairs(c, t, entry, n)
        _order(c, t, entry, mem, n)
        _state(c, t, entry, n)
        _live(c, t, mem, n)
        stages, occupied = i64(c[t, PIPE]), 0
        for stage in range(7):
            n[BIT + stage] += stages >> stage & 1
            occupied += stages >> stage & 1 if stage < 6 else 0
        n[STAGES + min(occupied, 5)] += 1
