# SPDX-License-Identifier: Apache-2.0
"""Coverage of values that are used as they change: views of configuration, GPR operands.

Source: frontend-config section 7, paragraph Consumer hazard, and section 5.3; C22;
docs/control.md sections 2, 4, 6. A view counts as old or new only where the two differ and the
data are those expected, for which the values of Config are kept.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ADDDMAREG,
    CD,
    CFG_WORDS,
    CW,
    CWK,
    EV,
    FD,
    FW,
    GEV,
    GLOBAL_BASE,
    GPRW,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    MULDMAREG,
    PER_THREAD,
    RDC,
    RDCFG,
    REG2FLOP,
    RT,
    RT_CHANGE,
    SETC,
    SETC_CHANGE,
    SETDMAREG,
    STATE,
    THREAD_WORDS,
    U32,
    VALID,
    VIEW,
    VIEWD,
    VIEWS,
    W_RISC,
    WHOSE,
    WORD,
    WRCFG,
    i64,
)
from tilepath.tb.control.coverage.words import group_of, two_operand_cycles, two_operand_reads
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

_AGE: Final = ("old", "new")
# Old: seen in the cycle of the write; new: in the next. For WRCFG and CFGSHIFTMASK these are units
# that issue one and two cycles behind it, for RMWCIB new is one that issues in the next cycle.
CONFIG: Final = GROUP.add(
    "hazard.view_x_writer_x_whose_x_age",
    VIEWS,
    ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg", "rmwcib", "reg2flop"),
    WHOSE,
    _AGE,
    exclude=(
        Exclude((None, "rmwcib", "own_thread", "old"), "a thread issues one word a cycle"),
        Exclude((None, "reg2flop", "own_thread", "old"), "its thread is held until the write"),
    ),
)
BY_RISC: Final = GROUP.add("hazard.view_x_risc_write_x_age", VIEWS, ("config", "thread"), _AGE)
BY_SETC16: Final = GROUP.add("hazard.view_behind_setc16", VIEWS)
RANGE: Final = GROUP.add(
    "view.range_x_unit",
    ("bank0", "bank1", "global", "beyond_config", "thread", "beyond_thread"),
    VIEWS,
)

_PRODUCERS: Final = ("rdcfg", "setdmareg", "adddmareg", "muldmareg")
_CONSUMERS: Final = (
    "wrcfg", "wrcfg128", "adddmareg_a", "adddmareg_b", "muldmareg_a", "muldmareg_b", "reg2flop",
    "reg2flop_of_four",
)  # fmt: skip
# The consumer issues in the first cycle in which it can behind the producer, or a cycle later
GPR: Final = GROUP.add(
    "hazard.gpr_producer_x_consumer_x_distance",
    _PRODUCERS,
    _CONSUMERS,
    ("first", "second"),
)
# C22: the scalar unit's word is the next one
RDCFG_AT_1: Final = GROUP.add(
    "hazard.rdcfg_at_1_x_reader",
    ("adddmareg", "muldmareg"),
    ("same_group", "other_group", "immediate"),
    ("a", "b"),
    exclude=(Exclude((None, "immediate", "b"), "B is no register"),),
)
SAME_CYCLE: Final = GROUP.add(
    "hazard.rdcfg_with_scalar_write",
    ("low_half", "high_half", "whole"),
    exclude=(Exclude(("whole",), "both hold their thread until they write: no RDCFG behind"),),
)

# Places in the memory
_WORDS: Final = 0  # Config, bank 0 and bank 1
_OLD: Final = 2 * CFG_WORDS  # what the last write replaced: [bank][four words]
_OLD_FLOP: Final = _OLD + 8
MEMORY: Final = _OLD_FLOP + 4


@kernel
def _hits(write: int, bank: int, index: int) -> int:
    """Which of the words of ``write`` is (bank, index); -1: none."""
    if not write & VALID or not write >> 2 & 1 << bank:
        return -1
    low = write >> 4 & 0xFF
    if write >> 12 & 1:
        return index & 3 if low >> 2 == index >> 2 else -1
    return 0 if low == index else -1


@kernel
def _by_writer(c: U32, p: int, unit: int, whose: int, age: int, n: I64) -> None:
    """A config_write of row ``p`` counts with a view."""
    writer = i64(c[p, CWK]) - 1
    if writer == W_RISC:
        n[BY_RISC + unit * 4 + age] += 1
    else:
        n[CONFIG + ((unit * 6 + writer) * 2 + whose) * 2 + age] += 1


@kernel
def _view(c: U32, t: int, unit: int, view: int, mem: I64, n: I64) -> None:
    thread, index, data = view >> 9 & 3, view & 0x1FF, i64(c[t, VIEWD + unit])
    if index >> 8:
        inside = index & 0xFF < THREAD_WORDS
        n[RANGE + (4 if inside else 5) * 3 + unit] += 1
        _thread_view(c, t, unit, thread, index & 0xFF, data, n)
        return
    bank = i64(c[t, STATE]) >> thread & 1
    where = 3 if index >= CFG_WORDS else (2 if index >= GLOBAL_BASE else bank)
    n[RANGE + where * 3 + unit] += 1
    if where == 3:
        return
    k = _hits(i64(c[t, CW]), bank, index)
    if k >= 0 and i64(c[t, CD + k]) != data and mem[_WORDS + bank * CFG_WORDS + index] == data:
        _by_writer(c, t, unit, 0 if i64(c[t, CW]) & 3 == thread else 1, 0, n)
    k = _hits(i64(c[t - 1, CW]), bank, index)
    if k >= 0 and i64(c[t - 1, CD + k]) == data and mem[_OLD + bank * 4 + k] != data:
        _by_writer(c, t - 1, unit, 0 if i64(c[t - 1, CW]) & 3 == thread else 1, 1, n)
    place = CONFIG + (unit * 6 + 5) * 4
    k = _hits(i64(c[t, FW]), bank, index)
    if k >= 0 and i64(c[t, FD + k]) != data and mem[_WORDS + bank * CFG_WORDS + index] == data:
        n[place + (0 if i64(c[t, FW]) & 3 == thread else 2)] += 1
    k = _hits(i64(c[t - 1, FW]), bank, index)
    if k >= 0 and i64(c[t - 1, FD + k]) == data and mem[_OLD_FLOP + k] != data:
        n[place + (1 if i64(c[t - 1, FW]) & 3 == thread else 3)] += 1


@kernel
def _thread_view(c: U32, t: int, unit: int, thread: int, index: int, data: int, n: I64) -> None:
    if thread > 2:
        return
    base = thread * PER_THREAD
    setc = i64(c[t - 1, base + SETC])
    changed = i64(c[t - 1, base + EV]) & SETC_CHANGE
    if changed and setc >> 16 & 0xFF == index and setc & 0xFFFF == data:
        n[BY_SETC16 + unit] += 1
    for age in range(2):
        risc = i64(c[t - age, RT])
        written = i64(c[t - age, GEV]) & RT_CHANGE and risc >> 16 & 0x1FF == index | thread << 7
        if written and (risc & 0xFFFF == data) == (age == 1):
            n[BY_RISC + unit * 4 + 2 + age] += 1


@kernel
def _store(write: int, c: U32, t: int, data: int, old: int, mem: I64) -> None:
    """Apply a write, and keep what it replaces."""
    if not write & VALID:
        return
    words = 4 if write >> 12 & 1 else 1
    low = write >> 4 & (0xFC if words == 4 else 0xFF)
    for bank in range(2):
        if not write >> 2 & 1 << bank:
            continue
        for k in range(words):
            if low + k < CFG_WORDS:
                place = _WORDS + bank * CFG_WORDS + low + k
                mem[old + (bank * 4 if old == _OLD else 0) + k] = mem[place]
                mem[place] = i64(c[t, data + k])


@kernel
def _consumed(
    c: U32, t: int, base: int, d: int, producer: int, gpr: int, late: int, n: I64
) -> None:
    """The word issued in row t, ``d`` cycles behind a producer of ``gpr``."""
    kind, word = i64(c[t, base + KIND]), i64(c[t, base + WORD])
    place = GPR + producer * 16 + late
    if kind in (ADDDMAREG, MULDMAREG):
        reads, reader = two_operand_reads(word, gpr), kind - ADDDMAREG
        for operand in range(2):
            if reads >> operand & 1:
                n[place + (2 + 2 * reader + operand) * 2] += 1
                if producer == 0 and d == 1:
                    form = 2 if word >> 23 & 1 else two_operand_cycles(word) - 3
                    n[RDCFG_AT_1 + (reader * 3 + form) * 2 + operand] += 1
        return
    if kind != WRCFG and kind != REG2FLOP:
        return
    source = (word >> 16 if kind == WRCFG else word) & 63
    wide = 1 if group_of(word, kind) == 4 else 0
    if source >> 2 * wide == gpr >> 2 * wide:
        n[place + ((0 if kind == WRCFG else 6) + wide) * 2] += 1


@kernel
def _produced(c: U32, t: int, base: int, n: I64) -> None:
    """A thread's word issues in row t; an operand may come from its words before."""
    for d in range(1, 6):
        kind, word = i64(c[t - d, base + KIND]), i64(c[t - d, base + WORD])
        if not i64(c[t - d, base + EV]) & ISSUED:
            continue
        if kind == RDCFG and d < 3:
            _consumed(c, t, base, d, 0, word >> 16 & 63, d - 1, n)
        elif kind == SETDMAREG and d < 3 and not word >> 7 & 1:
            _consumed(c, t, base, d, 1, word >> 1 & 63, d - 1, n)
        elif kind in (ADDDMAREG, MULDMAREG):
            late = d - two_operand_cycles(word)
            if 0 <= late < 2:
                _consumed(c, t, base, d, 2 + kind - ADDDMAREG, word >> 12 & 63, late, n)


@kernel
def count_hazards(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        for unit in range(3):
            view = i64(c[t, VIEW + unit])
            if view & VALID:
                _view(c, t, unit, view, mem, n)
        _store(i64(c[t, CW]), c, t, CD, _OLD, mem)
        _store(i64(c[t, FW]), c, t, FD, _OLD_FLOP, mem)
        for thread in range(3):
            base = thread * PER_THREAD
            if i64(c[t, base + EV]) & ISSUED:
                _produced(c, t, base, n)
            read, write = i64(c[t, base + RDC]), i64(c[t, base + GPRW])
            if read & VALID and write & VALID and read & 63 == write >> 2 & 63:
                n[SAME_CYCLE + min(write & 3, 3) - 1] += 1 if write & 3 else 0
