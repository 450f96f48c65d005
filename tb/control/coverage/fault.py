# SPDX-License-Identifier: Apache-2.0
"""Coverage of faults, with what causes each, and of the words next to a fault that cause none.

Source: C6, C14, C18, C19, F17; docs/control.md sections 3 to 8.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ATGETM,
    CFG_WORDS,
    CFGSHIFTMASK,
    EV,
    FAULT,
    GEV,
    HISTORY,
    I64,
    INSIDE_NOW,
    ISSUED,
    KIND,
    LATCH,
    MUTEX,
    PER_THREAD,
    RDCFG,
    REG2FLOP,
    RISC,
    RISC_OOB,
    RISC_RESET,
    RMWCIB,
    SETC16,
    STATE,
    STICKY,
    STREAMWRCFG,
    THREAD_AXIS,
    THREAD_WORDS,
    U32,
    WORD,
    WRCFG,
    i64,
)
from tilepath.tb.control.coverage.words import mutex_place
from tilepath.tb.control.streams import FAULTS
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

FLAG: Final = GROUP.add("fault.flag_x_thread", FAULTS, THREAD_AXIS)
ILLEGAL_WORD: Final = GROUP.add(
    "fault.illegal_word_x_thread_state",
    ("mop", "mop_cfg", "replay", "resourcedecl", "unassigned"),
    ("free", "latch", "inside_scalar", "latch_and_inside"),
)
_OPCODES: Final = (
    0x44, 0x46, 0x49, 0x57, 0x59, 0x5B, 0x5C, 0x5D, 0x61, 0x62, 0x63, 0x64, 0x66, 0x67, 0x68, 0x45,
)  # fmt: skip
UNSUPPORTED_WORD: Final = GROUP.add(
    "fault.unsupported_word", (*(f"{opcode:02x}" for opcode in _OPCODES[:-1]), "setdmareg_mode1")
)
_NARROW: Final = "the index field is too narrow for an alias"
# First: the first index behind the end; alias: in range if upper bits were ignored
BEYOND: Final = GROUP.add(
    "fault.cfg_oob_x_index",
    ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg", "rmwcib", "rdcfg", "setc16", "reg2flop"),
    ("first", "behind_it", "alias"),
    exclude=tuple(
        Exclude((narrow, "alias"), _NARROW) for narrow in ("cfgshiftmask", "rmwcib", "reg2flop")
    ),
)
RESET: Final = GROUP.add(
    "fault.state_reset_x_stateid",
    ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg"),
    ("state0", "state1"),
)
# Words that come close to word 4, without a fault
NEAR_RESET: Final = GROUP.add(
    "fault.none_near_word_4", ("wrcfg_3", "wrcfg_5_7", "wrcfg128_0", "wrcfg128_8", "rdcfg_4")
)
SEM_COND: Final = GROUP.add("fault.sem_cond_x_selected", ("none", "some"))
MUTEX_FAULT: Final = GROUP.add(
    "fault.mutex", ("index_get", "index_release", "release_free", "release_other")
)
FLOP_TARGET: Final = GROUP.add(
    "fault.flop_target", ("own_adcsel3", "ctx_adcsel3", "ctx3", "ctx3_adcsel3")
)
FLOP_SIZE: Final = GROUP.add(
    "fault.flop_size_x_target",
    ("128", "32_at_1", "32_at_2", "32_at_3", "16_at_1", "16_at_3"),
    ("own", "ctx"),
)
BY_RISC: Final = GROUP.add(
    "fault.risc", ("read_beyond", "write_beyond", "reset_bank0", "reset_bank1", "reset_alias")
)
TOGETHER: Final = GROUP.add(
    "fault.together", ("two_threads", "three_threads", "thread_and_risc", "two_flags")
)
FIRST_OOB: Final = GROUP.add("fault.sticky_set_by", ("thread", "risc"))

MEMORY: Final = 1


@kernel
def _illegal(c: U32, t: int, base: int, n: I64) -> None:
    opcode = i64(c[t, base + WORD]) >> 24
    kind = 4
    if opcode in (1, 3, 4, 5):
        kind = 0 if opcode == 1 else opcode - 2
    state = i64(c[t, base + LATCH]) & 1
    state |= 2 if i64(c[t, base + EV]) & INSIDE_NOW else 0
    n[ILLEGAL_WORD + kind * 4 + state] += 1


@kernel
def _unsupported(word: int, n: I64) -> None:
    for k in range(16):
        if word >> 24 == _OPCODES[k]:
            n[UNSUPPORTED_WORD + k] += 1


@kernel
def _beyond(kind: int, word: int, n: I64) -> None:
    """Index into BEYOND's axes from an instruction that is out of range."""
    instr, index, end, wraps = 0, word & 0x7FF, CFG_WORDS, 256
    if kind == WRCFG:
        if word >> 15 & 1:
            instr, index = 1, index & ~3
    elif kind in (CFGSHIFTMASK, RMWCIB):
        instr, index = 2 if kind == CFGSHIFTMASK else 4, word & 0xFF
    elif kind == STREAMWRCFG:
        instr = 3
    elif kind == RDCFG:
        instr = 5
    elif kind == SETC16:
        instr, index, end, wraps = 6, word >> 16 & 0xFF, THREAD_WORDS, 128
    elif kind == REG2FLOP:
        instr, index, end, wraps = 7, word >> 6 & 0x7F, 116, 128
    where = 1
    if index == end:
        where = 0
    elif index >= wraps and index % wraps < end:
        where = 2
    n[BEYOND + instr * 3 + where] += 1


@kernel
def _near(kind: int, word: int, n: I64) -> None:
    index = word & 0x7FF
    if kind == RDCFG:
        n[NEAR_RESET + 4] += 1 if index == 4 else 0
    elif kind == WRCFG:
        if word >> 15 & 1:
            n[NEAR_RESET + 2] += 1 if index < 4 else 0
            n[NEAR_RESET + 3] += 1 if index >> 2 == 2 else 0
        else:
            n[NEAR_RESET] += 1 if index == 3 else 0
            n[NEAR_RESET + 1] += 1 if index in (5, 6, 7) else 0


@kernel
def _reset(c: U32, t: int, thread: int, kind: int, word: int, n: I64) -> None:
    """``t``: the entry cycle, in which StateID is sampled."""
    instr = 3
    if kind == WRCFG:
        instr = word >> 15 & 1
    elif kind == CFGSHIFTMASK:
        instr = 2
    n[RESET + instr * 2 + (i64(c[t, STATE]) >> thread & 1)] += 1


@kernel
def _flop(flags: int, word: int, n: I64) -> None:
    target, select = word >> 20 & 3, word >> 9 & 3
    if flags >> 7 & 1:
        how = 0 if target == 2 else 1
        if target == 3 and word >> 16 & 3 == 3:
            how = 3 if select == 3 else 2
        n[FLOP_TARGET + how] += 1
    if flags >> 8 & 1:
        size, offset = word >> 22 & 3, word >> 18 & 3
        how = 0
        if size == 1:
            how = offset
        elif size == 2:
            how = 4 + (offset >> 1)
        n[FLOP_SIZE + how * 2 + (target & 1)] += 1


@kernel
def _mutex(c: U32, t: int, kind: int, word: int, n: I64) -> None:
    place = mutex_place(word & 0xFFFF)
    if place < 0:
        n[MUTEX_FAULT + kind - ATGETM] += 1
    else:
        n[MUTEX_FAULT + 2 + (i64(c[t, MUTEX]) >> 3 * place & 1)] += 1


@kernel
def _thread(c: U32, t: int, thread: int, n: I64) -> int:
    """Count what thread ``thread`` issued in row ``t``; 1 when it had a fault."""
    base = thread * PER_THREAD
    if not i64(c[t, base + EV]) & ISSUED:
        return 0
    kind, word = i64(c[t, base + KIND]), i64(c[t, base + WORD])
    flags, ones = i64(c[t, base + FAULT]), 0
    for k in range(9):
        n[FLAG + 3 * k + thread] += flags >> k & 1
        ones += flags >> k & 1
    if flags & 1:
        _illegal(c, t, base, n)
    if flags >> 1 & 1:
        _unsupported(word, n)
    if flags >> 2 & 1:
        _beyond(kind, word, n)
    if flags >> 3 & 1:
        _reset(c, t + 1, thread, kind, word, n)
    if flags >> 4 & 1:
        n[SEM_COND + (1 if word >> 2 & 0xFF else 0)] += 1
    if flags >> 5 & 3:
        _mutex(c, t, kind, word, n)
    if flags >> 7:
        _flop(flags, word, n)
    if flags == 0:
        _near(kind, word, n)
    n[TOGETHER + 3] += 1 if ones > 1 else 0
    return 1 if flags else 0


@kernel
def count_faults(c: U32, _mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts.

    A row is counted when the next one is known.
    """
    for row in range(HISTORY, len(c)):
        t = row - 1
        together, beyond = 0, 0
        for thread in range(3):
            together += _thread(c, t, thread, n)
            beyond |= i64(c[t, thread * PER_THREAD + FAULT]) >> 2 & 1
        events, access = i64(c[t, GEV]), i64(c[t, RISC])
        address = access & 0x3FF
        if events & RISC_OOB:
            n[BY_RISC + (access >> 10 & 1)] += 1
        if events & RISC_RESET:
            n[BY_RISC + 2 + min(address // CFG_WORDS, 2)] += 1
        if together > 1:
            n[TOGETHER + together - 2] += 1
        if together and events & (RISC_OOB | RISC_RESET):
            n[TOGETHER + 2] += 1
        if i64(c[row, GEV]) & STICKY:
            n[FIRST_OOB] += beyond
            n[FIRST_OOB + 1] += 1 if events & RISC_OOB and not beyond else 0
