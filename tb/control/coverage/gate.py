# SPDX-License-Identifier: Apache-2.0
"""Coverage of the wait gate: what a latch holds and lets pass, and when it goes.

Source: frontend-config section 7, paragraph Gate; C10, C12, C17, C21; docs/control.md section 3.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ADDDMAREG,
    CLASSES,
    COND,
    EV,
    HELD,
    HISTORY,
    HOLD,
    I64,
    ILLEGAL,
    INSIDE,
    ISSUED,
    KIND,
    KINDS,
    LATCH,
    LATCHED,
    LIVED,
    MET,
    NO_RESOURCE,
    NOP,
    OFFERED,
    PER_THREAD,
    REG2FLOP,
    SEMINIT,
    STALLWAIT,
    STREAMWAIT,
    U32,
    UNSUPPORTED,
    WAITS,
    WHAT,
    WORD,
    i64,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_BITS: Final = tuple(f"b{b}" for b in range(9))
CLASS_AXIS: Final = (*_BITS, "nop", "wait")
_HELD_ISSUED: Final = ("held", "issued")


def _class_excludes() -> tuple[Exclude, ...]:
    rules = []
    for b, bit in enumerate(_BITS):
        for c, label in enumerate(CLASS_AXIS):
            # Classes 2 to 5 are held by block bit 0 as well (block_classes.toml).
            if label == "wait":
                rule = Exclude((None, bit, label, "issued"), "any live latch holds a wait (C12)")
            elif label == "nop":
                rule = Exclude((None, bit, label, "held"), "NOP: gate.nop_x_block (C21)")
            elif b == c or (b == 0 and 2 <= c <= 5):
                rule = Exclude((None, bit, label, "issued"), "the block bit holds the class")
            else:
                rule = Exclude((None, bit, label, "held"), "the block bit does not hold the class")
            rules.append(rule)
    return tuple(rules)


# Each bit of the latched block against each class: held because of this bit, or issued under it.
# A class is the one that makes the opcode differ from others: 0 means bit 0 alone.
BIT_CLASS: Final = GROUP.add(
    "gate.latched_x_block_bit_x_class", WAITS, _BITS, CLASS_AXIS, _HELD_ISSUED,
    exclude=_class_excludes(),
)  # fmt: skip
NOP_BLOCK: Final = GROUP.add(
    "gate.nop_x_block",
    WAITS,
    ("1ff", "one_bit_missing", "fewer"),
    _HELD_ISSUED,
    exclude=(
        Exclude((None, "1ff", "issued"), "1FF holds NOP (C21)"),
        Exclude((None, "one_bit_missing", "held"), "only 1FF holds NOP (C21)"),
        Exclude((None, "fewer", "held"), "only 1FF holds NOP (C21)"),
    ),
)
NOP_MISSING: Final = GROUP.add("gate.nop_passes_without_bit", _BITS)
# Block 0 stands for 040 (C10)
MASK_0: Final = GROUP.add("gate.block_0", WAITS, ("math_held", "other_issued"))
# What changes a semaphore at the end of the first valid cycle would have had to win SYNC together
# with the SEMWAIT itself.
_SAME: Final = "the second valid cycle sees the semaphores of the first (SYNC: one a cycle)"
WAIT_WAIT: Final = GROUP.add(
    "gate.latched_x_waiting_wait_x_lived",
    WAITS,
    WAITS,
    LIVED,
    exclude=(Exclude(("semwait", None, "2"), _SAME),),
)
LIFE: Final = GROUP.add(
    "gate.latched_x_lived", WAITS, LIVED, exclude=(Exclude(("semwait", "2"), _SAME),)
)
CONDITION: Final = GROUP.add(
    "gate.condition_x_latch",
    WAITS,
    ("not_met", "met"),
    ("stays", "cleared"),
    exclude=(
        Exclude((None, "not_met", "cleared"), "a condition not met keeps the latch"),
        Exclude((None, "met", "stays"), "a condition met clears the latch"),
    ),
)
# True in the latch's last cycle only: the latch must be gone all the same
PULSE: Final = GROUP.add("gate.condition_pulse", WAITS, ("nothing_held", "held"))
CLEARED: Final = GROUP.add(
    "gate.cleared_while", WAITS, ("nothing_offered", "held", "issuing", "waiting_for_other")
)
RUN: Final = GROUP.add("gate.issued_in_a_row_under_latch", WAITS, ("1", "2-3", ">3"))
INSIDE_LATCH: Final = GROUP.add(
    "gate.inside_scalar_x_latch",
    ("adddmareg", "muldmareg", "reg2flop"),
    ("no_latch", *(f"{what}_{wait}" for wait in WAITS for what in ("passes", "held_by"))),
)
COND_BIT: Final = GROUP.add(
    "gate.stallwait_condition",
    tuple(f"cond{b}" for b in range(13)),
    # The only selected one that is busy; the last one to go; idle, and others, not selected, busy
    ("holds_alone", "released", "idle_others_busy"),
)
COND_0: Final = GROUP.add(
    "gate.stallwait_condition_0", ("thcon", "unpack0", "unpack1", "pack", "others_busy")
)


def _opcodes(first: int, last: int) -> tuple[str, ...]:
    """Opcodes of the kinds ``first`` to ``last``, in hexadecimal."""
    return tuple(f"{opcode:02x}" for opcode, kind in enumerate(KINDS) if first <= kind <= last)


_LATCH: Final = ("free", "under_latch", "held")
# Under latch: issued while one is valid. Waits are always held (C12), illegal words never.
_POINTS: Final = (
    (ILLEGAL, ILLEGAL, "gate.illegal_opcode", _LATCH[:2]),
    (STALLWAIT, STREAMWAIT, "gate.wait_opcode", _LATCH[::2]),
    (NOP, NOP, "gate.nop_opcode", _LATCH),
    (SEMINIT, UNSUPPORTED, "gate.opcode", _LATCH),
)


def _declare_opcodes() -> tuple[int, ...]:
    """Declare the points; for each opcode the place of its first bin."""
    places = [0] * 256
    for first, last, name, outcomes in _POINTS:
        opcodes = _opcodes(first, last)
        base = GROUP.add(name, opcodes, outcomes)
        for k, opcode in enumerate(opcodes):
            places[int(opcode, 16)] = base + k * len(outcomes)
    return tuple(places)


OPCODE: Final = _declare_opcodes()

# Places in a thread's memory
_AGE: Final = 0  # cycles that the latch has been valid
_IN_A_ROW: Final = 1
_BLOCK_0: Final = 2  # of the last wait issued
_COND_0: Final = 3
_SCALAR: Final = 4  # kind of the last scalar instruction
_EACH: Final = 5
MEMORY: Final = 3 * _EACH


@kernel
def class_of(kind: int, classes: int) -> int:
    """Index into ``CLASS_AXIS``; -1 for an illegal word."""
    if kind == ILLEGAL:
        return -1
    if STALLWAIT <= kind <= STREAMWAIT:
        return 10
    if kind == NOP:
        return 9
    for b in range(1, 9):
        if classes >> b & 1:
            return b
    return 0


@kernel
def _three(value: int) -> int:
    return min(value, 3) - 1


@kernel
def _bit_class(wait: int, block: int, cls: int, held: int, ev: int, classes: int, n: I64) -> None:
    for b in range(9):
        if not block >> b & 1:
            continue
        place = BIT_CLASS + ((wait * 9 + b) * 11 + cls) * 2
        if ev & ISSUED:
            n[place + 1] += 1
        elif cls == 10 or classes >> b & 1:
            n[place] += 1 if held & LATCHED else 0
        elif held == NO_RESOURCE:
            n[place] += 1  # nothing holds it


@kernel
def _nop(wait: int, block: int, held: int, ev: int, n: I64) -> None:
    missing = 0
    for b in range(9):
        missing += 1 - (block >> b & 1)
    issued = 1 if ev & ISSUED else 0
    if issued or not held & (INSIDE | HOLD):
        n[NOP_BLOCK + (wait * 3 + min(missing, 2)) * 2 + issued] += 1
    if issued and missing == 1:
        for b in range(9):
            n[NOP_MISSING + b] += 1 - (block >> b & 1)


@kernel
def _stallwait(
    c: U32, t: int, cond: int, what: int, met: bool, met_before: bool, first: int, n: I64
) -> None:
    """``cond``: the column of the thread's conditions.

    ``first``: 1 in the first valid cycle, 2 there when the word had condition 0.
    """
    busy = i64(c[t, cond])
    others = busy & ~what
    for b in range(13):
        if busy & what == 1 << b:
            n[COND_BIT + 3 * b] += 1
        if met and not met_before and not first and i64(c[t - 1, cond]) & what == 1 << b:
            n[COND_BIT + 3 * b + 1] += 1
        if met and first and what >> b & 1 and others:
            n[COND_BIT + 3 * b + 2] += 1
    if first == 2:
        for b in range(4):
            n[COND_0 + b] += busy >> b & 1
        if met and others:
            n[COND_0 + 4] += 1


@kernel
def _cleared(c: U32, t: int, base: int, mem: I64, place: int, n: I64) -> None:
    """The latch was valid in the cycle before and is not in this one."""
    wait = (i64(c[t - 1, base + LATCH]) >> 1 & 3) - 1
    ev, held = i64(c[t - 1, base + EV]), i64(c[t - 1, base + HELD])
    latched = ev & OFFERED and held & LATCHED
    n[LIFE + wait * 3 + _three(mem[place + _AGE])] += 1
    if not i64(c[t, base + EV]) & MET and ev & MET:
        n[PULSE + wait * 2 + (1 if latched else 0)] += 1
    how = 3
    if not ev & OFFERED:
        how = 0
    elif latched:
        how = 1
    elif ev & ISSUED:
        how = 2
    n[CLEARED + wait * 4 + how] += 1
    kind = i64(c[t - 1, base + KIND])
    if latched and STALLWAIT <= kind <= STREAMWAIT:
        pair = (wait * 3 + kind - STALLWAIT) * 3
        n[WAIT_WAIT + pair + _three(mem[place + _AGE])] += 1


@kernel
def _run_ends(wait: int, mem: I64, place: int, n: I64) -> None:
    run = mem[place + _IN_A_ROW]
    if run:
        n[RUN + wait * 3 + (0 if run == 1 else (1 if run < 4 else 2))] += 1
    mem[place + _IN_A_ROW] = 0


@kernel
def _live(c: U32, t: int, base: int, mem: I64, place: int, n: I64) -> None:
    """A cycle with a valid latch."""
    latch = i64(c[t, base + LATCH])
    wait, block = (latch >> 1 & 3) - 1, latch >> 3 & 0x1FF
    ev, held, kind = i64(c[t, base + EV]), i64(c[t, base + HELD]), i64(c[t, base + KIND])
    mem[place + _AGE] += 1
    if wait == 0:
        first = (1 + mem[place + _COND_0]) if mem[place + _AGE] == 1 else 0
        before = i64(c[t - 1, base + EV]) & MET != 0
        _stallwait(c, t, base + COND, i64(c[t, base + WHAT]), ev & MET != 0, before, first, n)
    if ev & OFFERED and kind != ILLEGAL:
        classes = i64(c[t, base + CLASSES])
        cls = class_of(kind, classes)
        if cls == 9:
            _nop(wait, block, held, ev, n)
        if cls != 9 or ev & ISSUED:
            _bit_class(wait, block, cls, held, ev, classes, n)
        if mem[place + _BLOCK_0] and block == 0x40:
            if classes >> 6 & 1:
                n[MASK_0 + wait * 2] += 1 if held & LATCHED else 0
            elif ev & ISSUED:
                n[MASK_0 + wait * 2 + 1] += 1
    if ev & ISSUED:
        mem[place + _IN_A_ROW] += 1
    else:
        _run_ends(wait, mem, place, n)


@kernel
def _opcode(kind: int, place: int, outcome: int, n: I64) -> None:
    """``outcome``: index into _LATCH."""
    if STALLWAIT <= kind <= STREAMWAIT:
        if outcome != 1:  # counted as a contradiction of gate.latched_x_block_bit_x_class
            n[place + outcome // 2] += 1
    else:
        n[place + outcome] += 1


@kernel
def count_gate(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        for thread in range(3):
            base, place = thread * PER_THREAD, thread * _EACH
            latch, before = i64(c[t, base + LATCH]), i64(c[t - 1, base + LATCH])
            ev, held, kind = i64(c[t, base + EV]), i64(c[t, base + HELD]), i64(c[t, base + KIND])
            wait = latch >> 1 & 3
            if before & 1 and before >> 1 & 3:
                met = 2 if i64(c[t - 1, base + EV]) & MET else 0
                state = met + (1 if not latch & 1 else 0)
                n[CONDITION + ((before >> 1 & 3) - 1) * 4 + state] += 1
                if not latch & 1:
                    _cleared(c, t, base, mem, place, n)
                    _run_ends((before >> 1 & 3) - 1, mem, place, n)
            if latch & 1 and wait:
                _live(c, t, base, mem, place, n)
            else:
                mem[place + _AGE] = 0
            if not ev & OFFERED:
                continue
            word = i64(c[t, base + WORD])
            outcome = -1
            if ev & ISSUED:
                outcome = 1 if latch & 1 else 0
            elif held & LATCHED:
                outcome = 2
            if outcome >= 0:
                _opcode(kind, OPCODE[word >> 24], outcome, n)
            if held & INSIDE:
                scalar = max(mem[place + _SCALAR] - ADDDMAREG, 0)
                how = 0
                if latch & 1 and wait:
                    how = 2 * wait - (0 if held & LATCHED else 1)
                n[INSIDE_LATCH + scalar * 7 + how] += 1
            if ev & ISSUED:
                if STALLWAIT <= kind <= STREAMWAIT:
                    mem[place + _BLOCK_0] = word >> 15 & 0x1FF == 0
                    mem[place + _COND_0] = kind == STALLWAIT and word & 0x1FFF == 0
                elif ADDDMAREG <= kind <= REG2FLOP:
                    mem[place + _SCALAR] = kind
