# SPDX-License-Identifier: Apache-2.0
"""Derived columns: what follows from the recorded ones and the contract (docs/control.md).

Kept for it: ThreadConfig, the stream registers that STREAMWAIT compares, and the wait that each
thread latched last.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    BANK_CHANGE,
    BANK_JUNK,
    BANKSEL,
    BY_SETC16,
    CFG_WORDS,
    CFGSHIFTMASK,
    COND,
    CW,
    CWK,
    DOWN,
    ENTRY,
    EV,
    GEV,
    GLOBAL_BASE,
    HI_CHANGE,
    HI_JUNK,
    HISTORY,
    I64,
    I_RISC,
    I_RMW,
    I_SHIFT,
    I_STREAM,
    I_WRCFG,
    ISSUED,
    KIND,
    LATCH,
    MET,
    OLD_MET,
    PER_THREAD,
    PHASE_HI,
    PIPE,
    RDCFG,
    RISC,
    RISC_DONE,
    RISC_ON,
    RMWCIB,
    RT,
    RT_CHANGE,
    SBUSY,
    SEMM,
    SEMV,
    SETC,
    SETC_CHANGE,
    SREG,
    STATE,
    STREAMWAIT,
    STREAMWRCFG,
    SW,
    SWD,
    TARGET,
    THREAD_WORDS,
    U32,
    UP,
    VALID,
    W_RISC,
    W_RMW,
    W_SHIFT,
    W_STREAM,
    W_WRCFG,
    WHAT,
    WORD,
    WRCFG,
    i64,
)
from tilepath.tb.control.coverage.requests import occupy, requests

_CONDITION_INPUTS: Final = 0xBFF  # 10 and 12 are made here (C17)

# Places in the memory
_TC: Final = 0  # ThreadConfig
_REGS: Final = _TC + 3 * THREAD_WORDS  # phases, then message counts, of 64 streams
_LAST: Final = _REGS + 128  # per thread: kind, what, target, stream of the wait latched last
_WROTE: Final = _LAST + 12  # stream_write of the cycle before: valid, place in _REGS, old value
MEMORY: Final = _WROTE + 3


@kernel
def _field_mask(index: int) -> int:
    """Bits of a ThreadConfig word that STREAMWAIT uses."""
    if index == PHASE_HI:
        return 0x3FF
    return 0x7F if index == PHASE_HI + 1 else 0x3F


@kernel
def _changes(c: U32, t: int, n: int, index: int, mem: I64) -> int:
    """1 when a write of this cycle changes the field in ThreadConfig word ``index``; 2: SETC16."""
    old = mem[_TC + n * THREAD_WORDS + index]
    mask = _field_mask(index)
    setc, risc = i64(c[t, n * PER_THREAD + SETC]), i64(c[t, RT])
    if setc & VALID and setc >> 16 & 0xFF == index:
        return 2 if (setc ^ old) & mask else 0
    if risc & VALID and risc >> 23 & 3 == n and risc >> 16 & 0x7F == index:
        return 1 if (risc ^ old) & mask else 0
    return 0


@kernel
def _met(c: U32, t: int, n: int, kind: int, what: int, reached: bool) -> bool:
    """Whether the condition of a wait of thread n is met with the state of this cycle."""
    if kind == 1:
        return i64(c[t, n * PER_THREAD + COND]) & what == 0
    if kind == 2:
        values, most = i64(c[t, SEMV]), i64(c[t, SEMM])
        for s in range(8):
            value = values >> 4 * s & 15
            if what >> s & 1 and (
                (what & 1 << 8 and value == 0) or (what & 1 << 9 and value >= most >> 4 * s & 15)
            ):
                return False
        return True
    return reached


@kernel
def _latch(c: U32, t: int, n: int, mem: I64) -> int:
    """Bits of EV that concern the thread's wait, under way or the last one."""
    base, last = n * PER_THREAD, _LAST + 4 * n
    latch = i64(c[t, base + LATCH])
    config = _TC + n * THREAD_WORDS
    live = latch & 1 and latch >> 1 & 3 == 3
    if latch & 1:
        mem[last] = latch >> 1 & 3
        mem[last + 1] = c[t, base + WHAT]
        mem[last + 2] = c[t, base + TARGET]
        if not i64(c[t - 1, base + LATCH]) & 1:
            mem[last + 3] = mem[config + BANKSEL + (mem[last + 1] >> 1 & 3)] & 63
    kind, what, target = mem[last], mem[last + 1], mem[last + 2]
    regs = _REGS + 64 * (what & 1)
    place = regs + (mem[config + BANKSEL + (what >> 1 & 3)] & 63)
    bits = 0
    reached = False
    if kind == 3:
        c[t, base + SREG] = mem[place] | (place - regs) << 20
        reached = mem[place] >= target
        if mem[regs + mem[last + 3]] >= target:
            bits |= OLD_MET
    if kind and _met(c, t, n, kind, what, reached):
        bits |= MET
    if live:
        if mem[_WROTE] and mem[_WROTE + 1] == place:
            if mem[_WROTE + 2] < target <= mem[place]:
                bits |= UP
            if mem[_WROTE + 2] >= target > mem[place]:
                bits |= DOWN
        bank = BANKSEL + (what >> 1 & 3)
        by = _changes(c, t, n, bank, mem)
        if by:
            bits |= BANK_CHANGE | (BY_SETC16 if by == 2 else 0)
        if mem[config + PHASE_HI + (what & 1)] & ~_field_mask(PHASE_HI + (what & 1)):
            bits |= HI_JUNK
        if mem[config + bank] & ~63:
            bits |= BANK_JUNK
    issues = i64(c[t, base + EV]) & ISSUED and i64(c[t, base + KIND]) == STREAMWAIT
    if live or issues:
        which = what & 1 if live else i64(c[t, base + WORD]) >> 3 & 1
        if _changes(c, t, n, PHASE_HI + which, mem):
            bits |= HI_CHANGE
    return bits


@kernel
def _risc_entry(access: int) -> int:
    """ENTRY of a RISC access in stage 0."""
    address = access & 0x3FF
    index, banks = 0x7FF, 0
    if address < 3 * CFG_WORDS:
        index = address % CFG_WORDS
        alias = address >= 2 * CFG_WORDS
        if index >= GLOBAL_BASE or (alias and access >> 10 & 1):
            banks = 3
        else:
            banks = 2 if CFG_WORDS <= address < 2 * CFG_WORDS else 1
    return VALID | index | (access >> 10 & 1) << 11 | banks << 12 | 3 << 15 | I_RISC << 17


@kernel
def _entry(c: U32, t: int) -> int:
    """ENTRY of the instruction issued in the cycle before, or of a RISC access; 0 without."""
    for n in range(3):
        base = n * PER_THREAD
        kind = i64(c[t - 1, base + KIND])
        if i64(c[t - 1, base + EV]) & ISSUED and STREAMWRCFG <= kind <= RDCFG:
            word = i64(c[t - 1, base + WORD])
            short = kind in (CFGSHIFTMASK, RMWCIB)
            index = word & (0xFF if short else 0x7FF)
            quad = 1 if kind == WRCFG and word >> 15 & 1 else 0
            if quad:
                index &= ~3
            banks = 0
            if index < CFG_WORDS:
                banks = 3 if index >= GLOBAL_BASE else 1 << (i64(c[t, STATE]) >> n & 1)
            instr = kind - STREAMWRCFG
            writes = 0 if kind == RDCFG else 1
            ends = 0 if instr != I_STREAM or c[t, SBUSY] else 1
            return (
                VALID | index | writes << 11 | banks << 12 | quad << 14 | n << 15 | instr << 17
            ) | ends << 20
    if i64(c[t, GEV]) & RISC_DONE:
        return _risc_entry(i64(c[t, RISC]))
    return 0


@kernel
def _writer(c: U32, t: int) -> int:
    """CWK: the source of the config_write in this cycle."""
    write = i64(c[t, CW])
    if not write & VALID:
        return 0
    source = write & 3
    if source == 3:
        return W_RISC + 1
    now, before = i64(c[t, ENTRY]), i64(c[t - 1, ENTRY])
    if now & VALID and now >> 15 & 3 == source and now >> 17 & 7 == I_RMW:
        return W_RMW + 1
    if before & VALID and before >> 15 & 3 == source:
        instr = before >> 17 & 7
        if instr == I_WRCFG:
            return W_WRCFG + 1 + (before >> 14 & 1)
        if instr == I_SHIFT:
            return W_SHIFT + 1
    return W_STREAM + 1


@kernel
def _write(c: U32, t: int, mem: I64) -> None:
    """What this cycle writes to ThreadConfig and the stream registers; SETC16 comes last."""
    risc = i64(c[t, RT])
    if risc & VALID and risc >> 23 & 3 < 3 and risc >> 16 & 0x7F < THREAD_WORDS:
        place = _TC + (risc >> 23 & 3) * THREAD_WORDS + (risc >> 16 & 0x7F)
        if mem[place] != risc & 0xFFFF:
            c[t, GEV] |= RT_CHANGE
        mem[place] = risc & 0xFFFF
    for n in range(3):
        setc = i64(c[t, n * PER_THREAD + SETC])
        if setc & VALID and setc >> 16 & 0xFF < THREAD_WORDS:
            place = _TC + n * THREAD_WORDS + (setc >> 16 & 0xFF)
            if mem[place] != setc & 0xFFFF:
                c[t, n * PER_THREAD + EV] |= SETC_CHANGE
            mem[place] = setc & 0xFFFF
    mem[_WROTE] = 0
    write = i64(c[t, SW])
    register = write & 0x3FF
    if write & VALID and register in (29, 259):
        place = _REGS + (write >> 10 & 63) + (64 if register == 259 else 0)
        mem[_WROTE], mem[_WROTE + 1], mem[_WROTE + 2] = 1, place, mem[place]
        mem[place] = i64(c[t, SWD]) & (0xFFFFF if register == 29 else 0x1FFFF)


@kernel
def derive(c: U32, start: int, mem: I64, unit: I64) -> None:
    """Fill the derived columns of a block that starts with cycle ``start``.

    ``unit`` is the memory of ``requests``.
    """
    for t in range(HISTORY, len(c)):
        now = start + t - HISTORY
        state = 0
        for n in range(3):
            state |= (mem[_TC + n * THREAD_WORDS] & 1) << n
        c[t, STATE] = state
        made = (1 << 10 if i64(c[t, GEV]) & RISC_ON else 0) | (
            1 << 12 if i64(c[t, PIPE]) & 0x3F else 0
        )
        for n in range(3):
            cond = n * PER_THREAD + COND
            c[t, cond] = i64(c[t, cond]) & _CONDITION_INPUTS | made
            c[t, n * PER_THREAD + EV] |= _latch(c, t, n, mem)
        c[t, ENTRY] = _entry(c, t)
        c[t, CWK] = _writer(c, t)
        requests(c, t, now, unit)
        occupy(c, t, now, unit)
        _write(c, t, mem)
