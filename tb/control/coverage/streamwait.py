# SPDX-License-Identifier: Apache-2.0
"""Coverage of STREAMWAIT: its target, the live choice of the stream, registers that move.

Source: frontend-config section 7, paragraph STREAMWAIT; C8, C9, C11; docs/control.md section 3.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    BANK_CHANGE,
    BANK_JUNK,
    BY_SETC16,
    DOWN,
    EV,
    HI_CHANGE,
    HI_JUNK,
    HISTORY,
    I64,
    LATCH,
    MET,
    OLD_MET,
    PER_THREAD,
    SREG,
    TARGET,
    U32,
    UP,
    WHAT,
    i64,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_COND: Final = ("phase", "msgs")
_SELECT: Final = tuple(f"sel{s}" for s in range(4))
_TARGETS: Final = ("0", "register", "register+1", "lo_3ff", "hi_max")

# HI: changed by a write in the cycle before the first valid one (seen), or from then on (not seen).
# BankSel: another stream was looked at in a later valid cycle.
CROSS: Final = GROUP.add(
    "streamwait.cond_x_target_x_hi_x_banksel_x_select",
    _COND,
    _TARGETS,
    ("hi_stays", "hi_before", "hi_after"),
    ("bank_stays", "bank_changed"),
    _SELECT,
    exclude=(
        Exclude((None, "0", None, "bank_changed", None), "met in its only valid cycle"),
        Exclude((None, "register", None, "bank_changed", None), "met in its only valid cycle"),
    ),
)
# SETC16 to BankSel under a live STREAMWAIT; old_met: only the stream of before is at the target
REDIRECT: Final = GROUP.add(
    "cross.setc16_banksel_x_streamwait", _COND, _SELECT, ("releases", "keeps", "old_met")
)
REDIRECT_RISC: Final = GROUP.add("streamwait.risc_banksel", _COND, ("releases", "keeps"))
# When the register reaches the target: as seen in the first, second, a later valid cycle; or it
# falls below as seen in the first
CROSSING: Final = GROUP.add(
    "streamwait.register_crosses",
    _COND,
    ("up_first", "up_second", "up_later", "down_first"),
)
# With the top bit of the register's width set: the comparison is unsigned (C9)
UNSIGNED: Final = GROUP.add(
    "streamwait.top_bit", _COND, ("target_waits", "register_met", "both_waits", "both_met")
)
STREAM: Final = GROUP.add("streamwait.stream", ("0", "1-62", "63"))
UPPER: Final = GROUP.add(
    "streamwait.bits_above_the_field", ("hi", "banksel"), _COND, ("clear", "set")
)

# Places in a thread's memory
_AGE: Final = 0
_BEFORE: Final = 1
_AFTER: Final = 2
_CHANGED: Final = 3
_CLASSES: Final = 4  # bits of _TARGETS
_EACH: Final = 5
MEMORY: Final = 3 * _EACH


@kernel
def _targets(target: int, register: int, cond: int) -> int:
    bits = 0
    if target == 0:
        bits |= 1
    elif target == register:
        bits |= 2
    if target == register + 1:
        bits |= 4
    if target & 0x3FF == 0x3FF:
        bits |= 8
    if target >> 10 == (0x7F if cond else 0x3FF):
        bits |= 16
    return bits


@kernel
def _first(c: U32, t: int, base: int, mem: I64, place: int, n: I64) -> None:
    ev, what = i64(c[t, base + EV]), i64(c[t, base + WHAT])
    target, register = i64(c[t, base + TARGET]), i64(c[t, base + SREG]) & 0xFFFFF
    cond = what & 1
    mem[place + _BEFORE] = i64(c[t - 1, base + EV]) & HI_CHANGE
    mem[place + _AFTER] = 0
    mem[place + _CHANGED] = 0
    mem[place + _CLASSES] = _targets(target, register, cond)
    top = 16 if cond else 19
    high, reached = target >> top & 1, register >> top & 1
    met = ev & MET != 0
    if high or reached:
        how = -1
        if high and reached:
            how = 3 if met else 2
        elif high and not met:
            how = 0
        elif reached and met:
            how = 1
        if how >= 0:
            n[UNSIGNED + cond * 4 + how] += 1
    n[UPPER + cond * 2 + (1 if ev & HI_JUNK else 0)] += 1
    stream = i64(c[t, base + SREG]) >> 20
    n[STREAM + (0 if stream == 0 else (2 if stream == 63 else 1))] += 1


@kernel
def _valid(c: U32, t: int, base: int, mem: I64, place: int, n: I64) -> None:
    """A cycle in which a STREAMWAIT is latched."""
    ev, before = i64(c[t, base + EV]), i64(c[t - 1, base + EV])
    what = i64(c[t, base + WHAT])
    cond, select = what & 1, what >> 1 & 3
    mem[place + _AGE] += 1
    age = mem[place + _AGE]
    if age == 1:
        _first(c, t, base, mem, place, n)
    if ev & HI_CHANGE:
        mem[place + _AFTER] = 1
    if age > 1 and before & BANK_CHANGE:
        mem[place + _CHANGED] = 2 if before & BY_SETC16 else 1
        how = 0 if ev & MET else 1
        if before & BY_SETC16:
            n[REDIRECT + (cond * 4 + select) * 3 + how] += 1
        else:
            n[REDIRECT_RISC + cond * 2 + how] += 1
    if mem[place + _CHANGED] == 2 and ev & OLD_MET and not ev & MET:
        n[REDIRECT + (cond * 4 + select) * 3 + 2] += 1
    if ev & UP:
        n[CROSSING + cond * 4 + min(age, 3) - 1] += 1
    if ev & DOWN and age == 1:
        n[CROSSING + cond * 4 + 3] += 1
    n[UPPER + 4 + cond * 2 + (1 if ev & BANK_JUNK else 0)] += 1


@kernel
def _ends(what: int, mem: I64, place: int, n: I64) -> None:
    cond, select = what & 1, what >> 1 & 3
    changed = 1 if mem[place + _CHANGED] else 0
    for k in range(5):
        if not mem[place + _CLASSES] >> k & 1:
            continue
        for hi in range(3):
            if hi == 0 and (mem[place + _BEFORE] or mem[place + _AFTER]):
                continue
            if hi and not mem[place + _BEFORE + hi - 1]:
                continue
            n[CROSS + (((cond * 5 + k) * 3 + hi) * 2 + changed) * 4 + select] += 1


@kernel
def count_streamwait(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        for thread in range(3):
            base, place = thread * PER_THREAD, thread * _EACH
            latch, before = i64(c[t, base + LATCH]), i64(c[t - 1, base + LATCH])
            if latch & 7 == 7:
                _valid(c, t, base, mem, place, n)
            else:
                if before & 7 == 7:
                    _ends(i64(c[t - 1, base + WHAT]), mem, place, n)
                mem[place + _AGE] = 0
