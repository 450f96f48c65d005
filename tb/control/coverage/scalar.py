# SPDX-License-Identifier: Apache-2.0
"""Coverage of the scalar unit: ADDDMAREG, SETDMAREG, REG2FLOP, and what follows at once.

``multiply`` has the operands of MULDMAREG.
Source: frontend-config sections 5.4 and 7; C14, C15, C25; docs/control.md section 6.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ADDDMAREG,
    CW,
    CWK,
    DMANOP,
    EV,
    FA,
    FW,
    GLOBAL_BASE,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    MULDMAREG,
    PER_THREAD,
    REG2FLOP,
    SAME_OTHER,
    SETDMAREG,
    STATE,
    THREAD_AXIS,
    U32,
    VALID,
    WHOSE,
    WORD,
    i64,
)
from tilepath.tb.control.coverage.words import two_operand_cycles
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_LOW2: Final = ("+0", "+1", "+2", "+3")
_INSTR: Final = (
    "dmanop", "setdmareg", "adddmareg3", "adddmareg4", "muldmareg3", "muldmareg4", "reg2flop",
)  # fmt: skip
_LAST: Final = len(_INSTR) - 1
# The second issues in the first cycle in which the unit is available again
NEXT: Final = GROUP.add("scalar.back_to_back_x_whose", _INSTR, _INSTR, WHOSE)
SET: Final = GROUP.add("setdmareg.half_x_gpr", ("low", "high"), ("0", "1-62", "63"))
TWO_OPERANDS: Final = GROUP.add(
    "scalar.two_operands_x_form_x_result",
    ("adddmareg", "muldmareg"),
    ("immediate", "same_group", "other_group"),
    ("result_is_a", "result_is_b", "other"),
    exclude=(Exclude((None, "immediate", "result_is_b"), "B is no register"),),
)
IMMEDIATE: Final = GROUP.add(
    "scalar.two_operands_x_immediate", ("adddmareg", "muldmareg"), ("0", "1-31", "32-62", "63")
)

_SIZES: Final = ("128", "32", "16", "8")
_TARGETS: Final = ("config", "target1", "own_counters", "ctx_counters")
FLOP: Final = GROUP.add("reg2flop.size_x_target_x_byte_offset", _SIZES, _TARGETS, _LOW2)
FLOP_SELECT: Final = GROUP.add(
    "reg2flop.target_x_adcsel", _TARGETS[2:], ("unpack0", "unpack1", "pack", "none")
)
FLOP_CTX: Final = GROUP.add("reg2flop.ctx_x_thread", ("0", "1", "2", "3"), THREAD_AXIS)
FLOP_COUNTER: Final = GROUP.add(
    "reg2flop.channel_x_checkpoint_x_counter",
    ("channel0", "channel1"),
    ("counter", "checkpoint"),
    ("x", "y", "z", "w"),
)
FLOP_ALIGN: Final = GROUP.add("reg2flop.gpr_x_index_of_four", _LOW2, _LOW2)
FLOP_UPPER: Final = GROUP.add(
    "reg2flop.flop_bits_above", ("config_9_7", "counters_9_6"), ("clear", "set")
)
FLOP_EDGE: Final = GROUP.add("reg2flop.index", ("64", "65-178", "179"))
DELAY: Final = GROUP.add("reg2flop.delay_x_size", ("0", "1", ">1"), ("128", "32-8"))
# What was written in the cycle by which it is delayed, and to which bank
DELAY_BY: Final = GROUP.add(
    "reg2flop.delayed_by_x_bank",
    ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg", "rmwcib", "risc"),
    ("own_bank", "other_bank", "both_banks"),
    exclude=tuple(
        Exclude((writer, "both_banks"), "words 64 to 179 are banked; both: the RISC alias only")
        for writer in ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg", "rmwcib")
    ),
)
NO_DELAY: Final = GROUP.add("reg2flop.with_a_write", ("below_64", "180_and_up"))
DELAY_WORD: Final = GROUP.add("reg2flop.delayed_by_word", SAME_OTHER)

# Places in the memory
_KIND: Final = 0  # index into _INSTR of the instruction that the unit took last, and its thread
_THREAD: Final = 1
_FREE: Final = 2  # cycles until the unit is available, once that is known; negative: it has been
_WAITS: Final = 3  # a REG2FLOP that is to write Config; its word
_WORD: Final = 4
_SINCE: Final = 5  # cycles since its issue
MEMORY: Final = 6


@kernel
def _three(value: int, last: int) -> int:
    return 0 if value == 0 else (2 if value == last else 1)


@kernel
def _two_operands(kind: int, word: int, n: I64) -> None:
    """An ADDDMAREG or MULDMAREG."""
    result, a, b = word >> 12 & 63, word & 63, word >> 6 & 63
    which = kind - ADDDMAREG
    form = 2 if two_operand_cycles(word) == 4 else 1
    if word >> 23 & 1:
        form = 0
        n[IMMEDIATE + which * 4 + (_three(b, 63) if b < 32 else (2 if b < 63 else 3))] += 1
    cls = 2
    if result == a:
        cls = 0
    elif result == b and form:
        cls = 1
    n[TWO_OPERANDS + (which * 3 + form) * 3 + cls] += 1


@kernel
def _flop(word: int, thread: int, n: I64) -> None:
    size, target, offset = word >> 22 & 3, word >> 20 & 3, word >> 18 & 3
    flop = word >> 6 & 0x3FF
    n[FLOP + (size * 4 + target) * 4 + offset] += 1
    if target >= 2:
        n[FLOP_SELECT + (target - 2) * 4 + (flop >> 3 & 3)] += 1
        n[FLOP_UPPER + 2 + (1 if flop >> 6 else 0)] += 1
    if target == 3:
        n[FLOP_CTX + (word >> 16 & 3) * 3 + thread] += 1
    index = flop & 0x7F
    if target == 0 and index < GLOBAL_BASE - 64:
        n[FLOP_UPPER + (1 if flop >> 7 else 0)] += 1
        n[FLOP_EDGE + _three(index, GLOBAL_BASE - 65)] += 1
        if size == 0:
            n[FLOP_ALIGN + (word & 3) * 4 + (index & 3)] += 1


@kernel
def _collision(c: U32, t: int, mem: I64, n: I64) -> None:
    """A REG2FLOP to Config in a cycle in which it could write."""
    write, word = i64(c[t, CW]), mem[_WORD]
    index = write >> 4 & 0xFF
    window = 64 <= index < GLOBAL_BASE
    wide = word >> 22 & 3 == 0
    if i64(c[t, FW]) & VALID:
        mem[_WAITS], mem[_FREE] = 0, 0
        n[DELAY + min(mem[_SINCE] - 2, 2) * 2 + (0 if wide else 1)] += 1
        if write & VALID and not window:
            n[NO_DELAY + (0 if index < 64 else 1)] += 1
    elif write & VALID and window:
        own = 1 << (i64(c[t, STATE]) >> mem[_THREAD] & 1)
        banks = write >> 2 & 3
        cls = 2 if banks == 3 else (0 if banks == own else 1)
        n[DELAY_BY + (i64(c[t, CWK]) - 1) * 3 + cls] += 1
        shift = 2 if write >> 12 & 1 or wide else 0
        same = banks & own and 64 + (word >> 6 & 0x7F) >> shift == index >> shift
        n[DELAY_WORD + (0 if same else 1)] += 1


@kernel
def _issued(kind: int, word: int, thread: int, mem: I64, n: I64) -> None:
    instr, cycles = kind - DMANOP, 1
    writes = 0
    if kind == SETDMAREG and not word >> 7 & 1:
        n[SET + (word & 1) * 3 + _three(word >> 1 & 63, 63)] += 1
    elif kind in (ADDDMAREG, MULDMAREG):
        cycles = two_operand_cycles(word)
        instr = 2 * (kind - ADDDMAREG) + cycles - 1
        _two_operands(kind, word, n)
    elif kind == REG2FLOP:
        instr, cycles = _LAST, 2
        _flop(word, thread, n)
        writes = 1 if word >> 20 & 3 == 0 and word >> 6 & 0x7F < GLOBAL_BASE - 64 else 0
    if mem[_FREE] == 0:
        place = NEXT + (mem[_KIND] * (_LAST + 1) + instr) * 2
        n[place + (0 if mem[_THREAD] == thread else 1)] += 1
    mem[_KIND], mem[_THREAD], mem[_WORD], mem[_SINCE] = instr, thread, word, 0
    mem[_WAITS] = writes
    mem[_FREE] = -1 if writes else cycles


@kernel
def count_scalar(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        mem[_FREE] -= 1
        mem[_SINCE] += 1
        if mem[_WAITS] and mem[_SINCE] > 1:
            _collision(c, t, mem, n)
        counter = i64(c[t, FA])
        if counter & VALID:
            n[FLOP_COUNTER + (counter >> 4 & 3) + (counter >> 6 & 3) * 4] += 1
        for thread in range(3):
            base = thread * PER_THREAD
            kind = i64(c[t, base + KIND])
            if i64(c[t, base + EV]) & ISSUED and DMANOP <= kind <= REG2FLOP:
                _issued(kind, i64(c[t, base + WORD]), thread, mem, n)
