# SPDX-License-Identifier: Apache-2.0
"""Coverage of what is a thread's own at the gate: its conditions, the banks it waits for, its hold.

Source: C17, M8; docs/control.md section 3, rules 2 and 4.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.gate import CLASS_AXIS, class_of
from tilepath.tb.control.coverage.layout import (
    BANK,
    CLASSES,
    COND,
    EV,
    HELD,
    HISTORY,
    HOLD,
    HOLDS,
    I64,
    ILLEGAL,
    INSIDE,
    ISSUED,
    KIND,
    LATCH,
    LATCHED,
    MATH,
    MET,
    NO_RESOURCE,
    OFFERED,
    PER_THREAD,
    READY,
    THREAD_AXIS,
    U32,
    UNAVAILABLE,
    WAITS,
    WHAT,
    i64,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_SETS: Final = ("none", "a", "b", "both")  # by the two bits
_OUTCOMES: Final = ("held", "issued")
_LAST_COMES: Final = _SETS[1:]


def _banks(held: bool) -> tuple[tuple[str, str], ...]:
    """What a word waits for, and what is taken, where that holds it, or where it does not."""
    return tuple(
        (waits, taken)
        for w, waits in enumerate(_SETS)
        for t, taken in enumerate(_SETS)
        if bool(w & t) == held
    )


def _other(before: int, behind: int = 0) -> tuple[Exclude, ...]:
    """The thread itself where another one is meant, among so many axes."""
    return tuple(
        Exclude((None,) * before + (t, t) + (None,) * behind, "another thread is meant")
        for t in THREAD_AXIS
    )


# By the two bits of the thread's own ``busy``, where its unit is ready and no other rule holds
BANKS: Final = GROUP.add(
    "banks.waits_x_taken_x_outcome_x_thread",
    _SETS,
    _SETS,
    _OUTCOMES,
    THREAD_AXIS,
    exclude=(
        *(Exclude((*p, "held", None), "what it waits for is there") for p in _banks(False)),
        *(Exclude((*p, "issued", None), "what it waits for is taken") for p in _banks(True)),
    ),
)
# What was taken in the last cycle in which a word waited
COMES: Final = GROUP.add(
    "banks.waits_x_last_taken",
    _LAST_COMES,
    _LAST_COMES,
    exclude=tuple(
        Exclude((waits, taken), "it does not wait for that")
        for waits, taken in (("a", "b"), ("a", "both"), ("b", "a"), ("b", "both"))
    ),
)
PASSED: Final = GROUP.add(
    "banks.waiting_x_passing_thread", THREAD_AXIS, THREAD_AXIS, exclude=_other(0)
)
OWN_BANK: Final = GROUP.add(
    "banks.file_x_taken_for_x_thread", ("a", "b"), ("own_only", "others_only"), THREAD_AXIS
)

# What it is that nothing but ``hold`` holds
HELD_CLASS: Final = GROUP.add("hold.class_x_thread", CLASS_AXIS, THREAD_AXIS)
HELD_ALSO: Final = GROUP.add(
    "hold.also_x_thread", ("inside", "latched", "unavailable"), THREAD_AXIS
)
CYCLES: Final = GROUP.add("hold.cycles_x_thread", ("1", "2", "3-4", "5-6", ">6"), THREAD_AXIS)
THREADS: Final = GROUP.add("hold.threads", ("0", "1", "0+1", "2", "0+2", "1+2", "0+1+2"))
OTHERS: Final = GROUP.add(
    "hold.thread_x_issuing_thread", THREAD_AXIS, THREAD_AXIS, exclude=_other(0)
)
ILLEGAL_WORD: Final = GROUP.add("hold.illegal_leaves", THREAD_AXIS)
CLEARED: Final = GROUP.add("hold.latch_cleared_under", WAITS)
ENDS: Final = GROUP.add("hold.behind_x_thread", ("issues", "waits"), THREAD_AXIS)

_BITS: Final = (*range(10), 11)
# Whether a STALLWAIT is met hangs on the thread's own bit alone, and another thread's is different
CONDITION: Final = GROUP.add(
    "conditions.condition_x_busy_for_x_thread_x_other",
    tuple(f"cond{bit}" for bit in _BITS),
    ("own", "other"),
    THREAD_AXIS,
    THREAD_AXIS,
    exclude=_other(2),
)

MEMORY: Final = 3  # per thread: for how many cycles it has been held


@kernel
def _taken(c: U32, t: int, thread: int) -> int:
    """Bit 0 the Matrix Unit's bank of SrcA, bit 1 SrcB's, as the thread sees it."""
    return i64(c[t, thread * PER_THREAD + COND]) >> 7 & 3


@kernel
def _bank_waits(c: U32, t: int, thread: int, n: I64) -> None:
    """A word for the Matrix Unit that only rule 4 can hold."""
    base = thread * PER_THREAD
    waits, taken = i64(c[t, base + CLASSES]) >> 16 & 3, _taken(c, t, thread)
    issues = i64(c[t, base + EV]) & ISSUED
    if not i64(c[t, READY]) >> 3 & 1:
        return
    if issues or waits & taken:
        place = (waits * 4 + taken) * 2 + (1 if issues else 0)
        n[BANKS + place * 3 + thread] += 1
    others = _taken(c, t, (thread + 1) % 3) | _taken(c, t, (thread + 2) % 3)
    for file in range(2):
        if waits >> file & 1:
            if taken >> file & 1 and not issues and not others >> file & 1:
                n[OWN_BANK + file * 6 + thread] += 1
            if others >> file & 1 and issues and not taken >> file & 1:
                n[OWN_BANK + file * 6 + 3 + thread] += 1
    if issues and i64(c[t - 1, base + HELD]) & BANK:
        last = waits & _taken(c, t - 1, thread)
        n[COMES + (waits - 1) * 3 + last - 1] += 1
    if waits & taken:
        for other in range(3):
            ev, kind = (
                i64(c[t, other * PER_THREAD + EV]),
                i64(c[t, other * PER_THREAD + KIND]),
            )
            if other != thread and ev & ISSUED and kind == MATH:
                n[PASSED + thread * 3 + other] += 1


@kernel
def _under_hold(c: U32, t: int, thread: int, n: I64) -> None:
    base = thread * PER_THREAD
    ev, held, kind = i64(c[t, base + EV]), i64(c[t, base + HELD]), i64(c[t, base + KIND])
    before, now = i64(c[t - 1, base + LATCH]), i64(c[t, base + LATCH])
    if before & 1 and not now & 1 and i64(c[t - 1, HOLDS]) >> thread & 1:
        n[CLEARED + (before >> 1 & 3) - 1] += 1
    if i64(c[t - 1, base + HELD]) & ~NO_RESOURCE == HOLD and not held & HOLD:
        n[ENDS + (0 if ev & ISSUED else 3) + thread] += 1
    if not i64(c[t, HOLDS]) >> thread & 1 or not ev & OFFERED:
        return
    if kind == ILLEGAL:
        n[ILLEGAL_WORD + thread] += 1 if ev & ISSUED else 0
        return
    if not held & (INSIDE | LATCHED | UNAVAILABLE):
        n[HELD_CLASS + class_of(kind, i64(c[t, base + CLASSES])) * 3 + thread] += 1
        for other in range(3):
            if other != thread and i64(c[t, other * PER_THREAD + EV]) & ISSUED:
                n[OTHERS + thread * 3 + other] += 1
    for place, why in enumerate((INSIDE, LATCHED, UNAVAILABLE)):
        n[HELD_ALSO + place * 3 + thread] += 1 if held & why else 0


@kernel
def _hold_lasts(c: U32, t: int, thread: int, mem: I64, n: I64) -> None:
    if i64(c[t, HOLDS]) >> thread & 1:
        mem[thread] += 1
        return
    lasted = mem[thread]
    mem[thread] = 0
    if lasted:
        cls = 4 if lasted > 6 else (lasted + 1) // 2 if lasted > 1 else 0
        n[CYCLES + cls * 3 + thread] += 1


@kernel
def _conditions(c: U32, t: int, thread: int, n: I64) -> None:
    """A live STALLWAIT, whose condition is evaluated in this cycle."""
    base = thread * PER_THREAD
    what, busy = i64(c[t, base + WHAT]), i64(c[t, base + COND])
    met = i64(c[t, base + EV]) & MET != 0
    for place, bit in enumerate(_BITS):
        for other in range(3):
            theirs = i64(c[t, other * PER_THREAD + COND]) >> bit & 1
            if other == thread or not what >> bit & 1:
                continue
            place_of = CONDITION + (place * 6 + thread) * 3 + other
            if busy & what == 1 << bit and not theirs:
                n[place_of] += 1
            if met and theirs:
                n[place_of + 9] += 1


@kernel
def count_own(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        threads = i64(c[t, HOLDS])
        if threads:
            n[THREADS + threads - 1] += 1
        for thread in range(3):
            base = thread * PER_THREAD
            kind, held = i64(c[t, base + KIND]), i64(c[t, base + HELD])
            offered = i64(c[t, base + EV]) & OFFERED
            if offered and kind == MATH and not held & (INSIDE | LATCHED | HOLD):
                _bank_waits(c, t, thread, n)
            _under_hold(c, t, thread, n)
            _hold_lasts(c, t, thread, mem, n)
            if i64(c[t, base + LATCH]) & 7 == 3:
                _conditions(c, t, thread, n)
