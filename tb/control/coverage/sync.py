# SPDX-License-Identifier: Apache-2.0
"""Coverage of semaphores and mutexes.

Source: frontend-config section 7, paragraph SEM; C19, C20, C23; docs/control.md section 5.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ATGETM,
    ATRELM,
    EV,
    GEV,
    HELD,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    LATCH,
    MUTEX,
    OFFERED,
    PER_THREAD,
    READ_WRITE,
    REQ,
    RSEM,
    RSEM_DONE,
    SEMGET,
    SEMINIT,
    SEMM,
    SEMPOST,
    SEMV,
    SEMWAIT,
    STALLWAIT,
    SYNC,
    U32,
    UNAVAILABLE,
    WHAT,
    WHOSE,
    WORD,
    i64,
)
from tilepath.tb.control.coverage.words import mutex_place
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_INSTR: Final = ("seminit", "sempost", "semget")
_OPS: Final = (*_INSTR, "risc_post", "risc_get")
_CONDS: Final = ("cond1", "cond2", "cond3")
# The value that an operation finds; a value can be in several of these
VALUE: Final = GROUP.add("sem.op_x_value", _OPS, ("0", "1", "max-1", "max", "15"))
HOT: Final = GROUP.add("sem.instruction_x_selected", _INSTR, ("none", "1", "2-7", "8"))
# Multi-hot, and only some of the selected ones are at the limit
SATURATES: Final = GROUP.add("sem.some_saturate", ("sempost_15", "semget_0"))
INIT: Final = GROUP.add("sem.init_value", ("below_max", "max", "above_max"))
WAIT: Final = GROUP.add(
    "semwait.cond_x_value",
    _CONDS,
    ("0", "between", "max", "above_max"),
    ("waits", "met"),
    exclude=(
        Exclude(("cond1", "0", "met"), "a selected value of 0 waits"),
        Exclude(("cond1", "between", "waits"), "cond 1 waits for 0 only"),
        Exclude(("cond1", "max", "waits"), "cond 1 waits for 0 only"),
        Exclude(("cond1", "above_max", "waits"), "cond 1 waits for 0 only"),
        Exclude(("cond2", "0", "waits"), "cond 2 waits from max on"),
        Exclude(("cond2", "between", "waits"), "cond 2 waits from max on"),
        Exclude(("cond2", "max", "met"), "a value from max on waits"),
        Exclude(("cond2", "above_max", "met"), "a value from max on waits"),
        Exclude(("cond3", "0", "met"), "a selected value of 0 waits"),
        Exclude(("cond3", "between", "waits"), "cond 3 waits for 0 and from max on"),
        Exclude(("cond3", "max", "met"), "a value from max on waits"),
        Exclude(("cond3", "above_max", "met"), "a value from max on waits"),
    ),
)
WAIT_HOT: Final = GROUP.add("semwait.cond_x_several", _CONDS, ("all_wait", "some_wait", "none"))
WAIT_NONE: Final = GROUP.add("semwait.none_selected", _CONDS)
# SEMWAIT issued in the cycle behind an operation on a semaphore that it selects
BEHIND: Final = GROUP.add("semwait.behind_x_whose", _INSTR, WHOSE)
POST_GET: Final = GROUP.add(
    "sem.post_and_get_requested_x_winner", ("0", "1-14", "15"), ("post", "get")
)
AGAINST: Final = GROUP.add(
    "sem.risc_x_instruction_x_winner",
    ("risc_post", "risc_get"),
    ("stallwait", "semwait", "streamwait", *_INSTR),
    ("risc", "instruction"),
)
# A read of the cores in the cycle in which an instruction acts (old value), and in the next
READ: Final = GROUP.add("sem.risc_read_x_instruction", ("old", "new"), _INSTR)
INDEX: Final = GROUP.add("sem.risc_access_x_index", READ_WRITE, tuple(str(i) for i in range(8)))

_MUTEX: Final = ("mutex0", "mutex2", "mutex3", "mutex4")
# "other" of a get: it waits
MUTEX_OP: Final = GROUP.add(
    "mutex.op_x_index_x_state", ("get", "release"), _MUTEX, ("free", "own", "other")
)
# Indices whose low three bits are those of a mutex are no alias of it (16 bits)
MUTEX_BAD: Final = GROUP.add(
    "mutex.bad_index", ("get", "release"), ("1", "5", "6-7", "alias_of_a_mutex")
)
MUTEX_RELEASED: Final = GROUP.add("mutex.released_with_waiters", _MUTEX, ("1", "2"))
MUTEX_BOTH: Final = GROUP.add(
    "mutex.in_one_cycle", ("two_gets", "three_gets", "get_and_release", "two_releases")
)
MUTEX_HELD: Final = GROUP.add("mutex.held_together", ("1", "2", "3", "4"))

MEMORY: Final = 1


@kernel
def _values(op: int, value: int, most: int, n: I64) -> None:
    at = VALUE + op * 5
    n[at] += 1 if value == 0 else 0
    n[at + 1] += 1 if value == 1 else 0
    n[at + 2] += 1 if value == most - 1 else 0
    n[at + 3] += 1 if value == most else 0
    n[at + 4] += 1 if value == 15 else 0


@kernel
def _ones(bits: int) -> int:
    total = 0
    while bits:
        total += bits & 1
        bits >>= 1
    return total


@kernel
def _acts(c: U32, t: int, kind: int, word: int, n: I64) -> None:
    """An instruction issued in the cycle before acts on the values of this one."""
    selected, op = word >> 2 & 0xFF, kind - SEMINIT
    values, most = i64(c[t, SEMV]), i64(c[t, SEMM])
    hot, limit = 0, 0
    for s in range(8):
        if selected >> s & 1:
            value = values >> 4 * s & 15
            _values(op, value, most >> 4 * s & 15, n)
            hot += 1
            limit += 1 if value == (15 if op == 1 else 0) else 0
    n[HOT + op * 4 + (min(hot, 2) if hot < 8 else 3)] += 1
    if op and 0 < limit < hot:
        n[SATURATES + op - 1] += 1
    if op == 0 and hot:
        value, top = word >> 16 & 15, word >> 20 & 15
        n[INIT + (0 if value < top else (1 if value == top else 2))] += 1
    events, risc = i64(c[t, GEV]), i64(c[t, RSEM])
    if events & RSEM_DONE and not risc >> 4 & 1 and selected >> (risc & 7) & 1:
        n[READ + op] += 1


@kernel
def _reads_new(c: U32, t: int, n: I64) -> None:
    """A read in this cycle, of a semaphore that an instruction issued two cycles ago changed."""
    events, risc = i64(c[t, GEV]), i64(c[t, RSEM])
    if not events & RSEM_DONE or risc >> 4 & 1:
        return
    for thread in range(3):
        base = thread * PER_THREAD
        kind, word = i64(c[t - 2, base + KIND]), i64(c[t - 2, base + WORD])
        if i64(c[t - 2, base + EV]) & ISSUED and SEMINIT <= kind <= SEMGET:
            n[READ + 3 + kind - SEMINIT] += word >> 2 + (risc & 7) & 1


@kernel
def _risc(c: U32, t: int, n: I64) -> None:
    risc = i64(c[t, RSEM])
    if not i64(c[t, GEV]) & RSEM_DONE:
        return
    n[INDEX + (risc >> 4 & 1) * 8 + (risc & 7)] += 1
    if risc >> 4 & 1:
        shift = 4 * (risc & 7)
        value, most = i64(c[t, SEMV]) >> shift & 15, i64(c[t, SEMM]) >> shift & 15
        _values(3 + (risc >> 3 & 1), value, most, n)


@kernel
def _waits(c: U32, t: int, base: int, n: I64) -> None:
    """A SEMWAIT was latched in the cycle before."""
    what = i64(c[t - 1, base + WHAT])
    cond, selected = what >> 8 & 3, what & 0xFF
    if cond == 0:
        return
    hot = _ones(selected)
    if hot == 0:
        n[WAIT_NONE + cond - 1] += 1
        return
    values, tops = i64(c[t - 1, SEMV]), i64(c[t - 1, SEMM])
    waiting = 0
    for s in range(8):
        if not selected >> s & 1:
            continue
        value, most = values >> 4 * s & 15, tops >> 4 * s & 15
        waiting += 1 if (cond & 1 and value == 0) or (cond & 2 and value >= most) else 0
        if hot == 1 and most:
            cls = 3
            if value == 0:
                cls = 0
            elif value <= most:
                cls = 1 if value < most else 2
            n[WAIT + ((cond - 1) * 4 + cls) * 2 + (1 - (i64(c[t, base + LATCH]) & 1))] += 1
    if hot > 1:
        n[WAIT_HOT + (cond - 1) * 3 + (0 if waiting == hot else (1 if waiting else 2))] += 1


@kernel
def _behind(c: U32, t: int, thread: int, word: int, n: I64) -> None:
    """A SEMWAIT issues, behind what issued in the cycle before."""
    for other in range(3):
        base = other * PER_THREAD
        kind, first = i64(c[t - 1, base + KIND]), i64(c[t - 1, base + WORD])
        if (
            i64(c[t - 1, base + EV]) & ISSUED
            and SEMINIT <= kind <= SEMGET
            and first & word & 0xFF << 2
        ):
            n[BEHIND + (kind - SEMINIT) * 2 + (0 if other == thread else 1)] += 1


@kernel
def _competition(c: U32, t: int, n: I64) -> None:
    """Who competed for SYNC in the cycle before, and who won."""
    p = t - 1
    requests = i64(c[p, REQ]) >> 4 * SYNC & 15
    if requests & requests - 1 == 0:
        return
    for a in range(3):
        kind, word = i64(c[p, a * PER_THREAD + KIND]), i64(c[p, a * PER_THREAD + WORD])
        if not requests >> a & 1:
            continue
        won = i64(c[p, a * PER_THREAD + EV]) & ISSUED
        if requests & 8:
            risc = i64(c[p, RSEM]) >> 3 & 1
            place = AGAINST + (risc * 6 + kind - STALLWAIT) * 2
            if won:
                n[place + 1] += 1
            elif i64(c[t, GEV]) & RSEM_DONE:
                n[place] += 1
        if kind != SEMPOST:
            continue
        for b in range(3):
            base = b * PER_THREAD
            common = word & i64(c[p, base + WORD]) & 0xFF << 2
            if not requests >> b & 1 or i64(c[p, base + KIND]) != SEMGET or not common:
                continue
            s = 0
            while not common >> 2 + s & 1:
                s += 1
            value = i64(c[p, SEMV]) >> 4 * s & 15
            cls = 0 if value == 0 else (2 if value == 15 else 1)
            if won:
                n[POST_GET + cls * 2] += 1
            elif i64(c[p, base + EV]) & ISSUED:
                n[POST_GET + cls * 2 + 1] += 1


@kernel
def _mutex(c: U32, t: int, n: I64) -> None:
    gets, releases = 0, 0
    held = i64(c[t, MUTEX])
    for thread in range(3):
        base = thread * PER_THREAD
        ev, kind = i64(c[t, base + EV]), i64(c[t, base + KIND])
        if not ev & OFFERED or not ATGETM <= kind <= ATRELM:
            continue
        index = i64(c[t, base + WORD]) & 0xFFFF
        place, op = mutex_place(index), kind - ATGETM
        if place < 0:
            if ev & ISSUED:
                alias = index > 7 and mutex_place(index & 7) >= 0
                cls = 3 if alias else (0 if index == 1 else (1 if index == 5 else 2))
                if alias or index < 8:
                    n[MUTEX_BAD + op * 4 + cls] += 1
            continue
        mutex = held >> 3 * place & 7
        state = 0
        if mutex & 1:
            state = 1 if mutex >> 1 == thread else 2
        if ev & ISSUED or (op == 0 and i64(c[t, base + HELD]) & UNAVAILABLE):
            n[MUTEX_OP + (op * 4 + place) * 3 + state] += 1
        if not ev & ISSUED:
            continue
        gets += 1 - op
        releases += op
        if op and state == 1:
            waiting = 0
            for other in range(3):
                b = other * PER_THREAD
                if (
                    i64(c[t, b + EV]) & OFFERED
                    and i64(c[t, b + KIND]) == ATGETM
                    and i64(c[t, b + WORD]) & 0xFFFF == index
                    and other != thread
                ):
                    waiting += 1
            if waiting:
                n[MUTEX_RELEASED + place * 2 + waiting - 1] += 1
    if gets > 1:
        n[MUTEX_BOTH + gets - 2] += 1
    if gets and releases:
        n[MUTEX_BOTH + 2] += 1
    if releases > 1:
        n[MUTEX_BOTH + 3] += 1
    together = (held & 1) + (held >> 3 & 1) + (held >> 6 & 1) + (held >> 9 & 1)
    if together:
        n[MUTEX_HELD + together - 1] += 1


@kernel
def count_sync(c: U32, _mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        for thread in range(3):
            base = thread * PER_THREAD
            kind, word = i64(c[t - 1, base + KIND]), i64(c[t - 1, base + WORD])
            if i64(c[t - 1, base + EV]) & ISSUED and SEMINIT <= kind <= SEMGET:
                _acts(c, t, kind, word, n)
            if i64(c[t - 1, base + LATCH]) & 7 == 5:
                _waits(c, t, base, n)
            if i64(c[t, base + EV]) & ISSUED and i64(c[t, base + KIND]) == SEMWAIT:
                _behind(c, t, thread, i64(c[t, base + WORD]), n)
        _reads_new(c, t, n)
        _risc(c, t, n)
        _competition(c, t, n)
        _mutex(c, t, n)
