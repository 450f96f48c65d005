# SPDX-License-Identifier: Apache-2.0
"""Coverage of what config instructions and the cores' accesses ask for: fields and addresses.

Source: frontend-config section 7, paragraph Config; C1 to C7, C15; docs/control.md section 4.

CFGSHIFTMASK has too many fields for their full product. What its result depends on at once, ALU,
mode, width and rotation, is crossed in full. Which words it reads and writes is a matter of scratch
selector and target, crossed in full with the thread where it matters (selector 3); both meet the
ALU and the mode, because mode and ALU decide whether the old value is needed.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ADC,
    CFG_WORDS,
    CFGSHIFTMASK,
    CONFIG_INSTR,
    EV,
    GEV,
    GLOBAL_BASE,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    MULDMAREG,
    NOP,
    PER_THREAD,
    RDCFG,
    READ_WRITE,
    RISC,
    RISC_DONE,
    RISC_FIRST,
    RISC_ON,
    RMWCIB,
    RT,
    SCRATCH,
    SETC,
    SETC16,
    STREAMWRCFG,
    THREAD_AXIS,
    THREAD_WORDS,
    U32,
    VALID,
    WORD,
    WRCFG,
    i64,
)
from tilepath.tb.kernel.coverage.bins import PointGroup

GROUP = PointGroup()

_ALU: Final = ("or", "and", "xor", "add", "or_not", "and_not", "xor_not", "sub")
_MODES: Final = ("mode0", "mode1")
_WIDTHS: Final = ("0", "1", "2-14", "15", "16-29", "30", "31")
_ROTATIONS: Final = ("0", "1", "2-15", "16", "17-30", "31")
_SELECTORS: Final = ("sel0", "sel1", "sel2", "sel3_t0", "sel3_t1", "sel3_t2")
_TARGETS: Final = ("banked", "scratch_same", "scratch_other", "223", "other_global")
SHIFT: Final = GROUP.add(
    "cfgshiftmask.alu_x_mode_x_width_x_rotation",
    _ALU,
    _MODES,
    ("0", "1", "15", "30", "31"),
    ("0", "1", "16", "31"),
)
SHIFT_OTHER: Final = GROUP.add("cfgshiftmask.width_x_rotation", _WIDTHS, _ROTATIONS)
SHIFT_TARGET: Final = GROUP.add("cfgshiftmask.selector_x_target", _SELECTORS, _TARGETS)
SHIFT_SELECT: Final = GROUP.add("cfgshiftmask.alu_x_mode_x_selector", _ALU, _MODES, _SELECTORS)
SHIFT_ALU: Final = GROUP.add("cfgshiftmask.alu_x_mode_x_target", _ALU, _MODES, _TARGETS)

_LOW2: Final = ("+0", "+1", "+2", "+3")
WRCFG128: Final = GROUP.add("wrcfg128.gpr_x_index", _LOW2, _LOW2)
QUAD: Final = GROUP.add(
    "wrcfg128.group", ("0", "8-172", "176_last_banked", "180_first_global", "184-216", "220_last")
)
RMW: Final = GROUP.add(
    "rmwcib.byte_x_mask_x_space", _LOW2, ("0", "ff", "sparse"), ("banked", "global")
)
RMW_4: Final = GROUP.add("rmwcib.word_4_x_byte", _LOW2)
EDGE: Final = GROUP.add("config.instruction_x_edge_index", CONFIG_INSTR, ("0", "179", "180", "223"))
SETC_INDEX: Final = GROUP.add(
    "setc16.index_x_thread", ("0", "1-56", "57", "58", "59-62", "63-66", "67"), THREAD_AXIS
)
SETC_TOGETHER: Final = GROUP.add("setc16.threads_in_one_cycle", ("1", "2", "3"))
CONFIG_GPR: Final = GROUP.add("config.gpr", ("wrcfg", "rdcfg"), ("0", "1-62", "63"))
ADC_WORD: Final = GROUP.add(
    "adc.opcode_x_thread", ("50", "51", "52", "53", "54", "55", "56", "5e"), THREAD_AXIS
)

# Bits of a word that no field has (section 1): set, they change nothing
_IGNORED: Final = (
    ("nop", 0xFFFFFF), ("stallwait", 0x6000), ("semwait", 0x7C00), ("streamwait", 0x4004),
    ("seminit", 0xFC03), ("sempost", 0xFFFC03), ("semget", 0xFFFC03), ("atgetm", 0xFF0000),
    ("atrelm", 0xFF0000), ("streamwrcfg", 0x800000), ("wrcfg", 0xC07800), ("cfgshiftmask", 0),
    ("rmwcib", 0), ("rdcfg", 0xC0F800), ("setc16", 0), ("dmanop", 0xFFFFFF), ("setdmareg", 0),
    ("adddmareg", 0x7C0000), ("muldmareg", 0x7C0000),
)  # fmt: skip
_IGNORED_MASK: Final = tuple(mask for _, mask in _IGNORED)
IGNORED: Final = GROUP.add(
    "word.ignored_bits",
    tuple(name for name, mask in _IGNORED if mask),
    ("clear", "set"),
)
_IGNORED_PLACE: Final = tuple(
    sum(2 for _, mask in _IGNORED[:k] if mask) for k in range(len(_IGNORED))
)

_RANGES: Final = (
    *(f"{bank}_{space}" for bank in ("bank0", "bank1", "alias") for space in ("banked", "global")),
    *THREAD_AXIS,
    "beyond",
)
ACCESS: Final = GROUP.add("risc.access_x_range", READ_WRITE, _RANGES)
_EDGES: Final = (
    0, 179, 180, 223, 224, 403, 404, 447, 448, 627, 628, 671, 672, 739, 740, 807, 808, 875, 876,
    1023,
)  # fmt: skip
ACCESS_EDGE: Final = GROUP.add(
    "risc.access_x_edge_address", READ_WRITE, tuple(str(edge) for edge in _EDGES)
)
ACCESS_WAIT: Final = GROUP.add("risc.cycles_before_it_wins", READ_WRITE, ("0", "1", ">1"))
ACCESS_NEXT: Final = GROUP.add("risc.next_offered", ("at_once", "later"))
# A SETC16 in the cycle in which a RISC access writes ThreadConfig of its thread, or reads it
SETC_RISC: Final = GROUP.add(
    "setc16.with_risc_x_word_x_thread", READ_WRITE, ("same_word", "other_word"), THREAD_AXIS
)

_SINCE: Final = 0  # cycles since the access was offered; since the last was done
_DONE: Final = 1
MEMORY: Final = 2


@kernel
def _width(value: int) -> int:
    """Index into _WIDTHS."""
    if value < 2:
        return value
    if value < 16:
        return 3 if value == 15 else 2
    return value - 25 if value >= 30 else 4


@kernel
def _rotation(value: int) -> int:
    """Index into _ROTATIONS."""
    if value < 2:
        return value
    if value < 17:
        return 3 if value == 16 else 2
    return 5 if value == 31 else 4


@kernel
def _target(index: int, scratch: int) -> int:
    """Index into _TARGETS; -1 beyond the end."""
    if index >= CFG_WORDS:
        return -1
    if index < GLOBAL_BASE:
        return 0
    if SCRATCH <= index < SCRATCH + 3:
        return 1 if index == scratch else 2
    return 3 if index == 223 else 4


@kernel
def _shift(word: int, thread: int, n: I64) -> None:
    mode, alu = word >> 23 & 1, word >> 20 & 7
    width, rotation = _width(word >> 15 & 31), _rotation(word >> 10 & 31)
    select = word >> 8 & 3
    scratch = SCRATCH + (thread if select == 3 else select)
    select = 3 + thread if select == 3 else select
    target = _target(word & 0xFF, scratch)
    if target < 0:
        return
    both = alu * 2 + mode
    n[SHIFT_OTHER + width * 6 + rotation] += 1
    w = width if width < 2 else (2 if width == 3 else width - 2)
    r = rotation if rotation < 2 else (2 if rotation == 3 else rotation - 2)
    if width not in (2, 4) and rotation not in (2, 4):
        n[SHIFT + (both * 5 + w) * 4 + r] += 1
    n[SHIFT_TARGET + select * 5 + target] += 1
    n[SHIFT_SELECT + both * 6 + select] += 1
    n[SHIFT_ALU + both * 5 + target] += 1


@kernel
def _edge(index: int) -> int:
    if index == 0:
        return 0
    if index == GLOBAL_BASE - 1 or index == GLOBAL_BASE:
        return index - GLOBAL_BASE + 2
    return 3 if index == CFG_WORDS - 1 else -1


@kernel
def _quad(index: int) -> int:
    """Index into QUAD's groups; -1 for the group of word 4, whose write is dropped."""
    if index < 4:
        return 0
    if index < 8:
        return -1
    if index < 180:
        return 2 if index >= 176 else 1
    if index < 184:
        return 3
    return 5 if index >= 220 else 4


@kernel
def _gpr(value: int) -> int:
    return 0 if value == 0 else (2 if value == 63 else 1)


@kernel
def _config(kind: int, word: int, thread: int, n: I64) -> None:
    index = word & (0xFF if kind in (RMWCIB, CFGSHIFTMASK) else 0x7FF)
    edge = _edge(index)
    if edge >= 0:
        n[EDGE + (kind - STREAMWRCFG) * 4 + edge] += 1
    if kind == CFGSHIFTMASK:
        _shift(word, thread, n)
    elif kind == RMWCIB:
        byte, mask = (word >> 24) - 0xB3, word >> 16 & 0xFF
        if index < CFG_WORDS:
            cls = 0 if mask == 0 else (1 if mask == 0xFF else 2)
            n[RMW + (byte * 3 + cls) * 2 + (1 if index >= GLOBAL_BASE else 0)] += 1
        if index == 4 and mask:
            n[RMW_4 + byte] += 1
    elif kind == WRCFG:
        n[CONFIG_GPR + _gpr(word >> 16 & 63)] += 1
        if word >> 15 & 1 and index < CFG_WORDS:
            n[WRCFG128 + (word >> 16 & 3) * 4 + (index & 3)] += 1
            group = _quad(index)
            if group >= 0:
                n[QUAD + group] += 1
    elif kind == RDCFG:
        n[CONFIG_GPR + 3 + _gpr(word >> 16 & 63)] += 1


@kernel
def _range(address: int) -> int:
    """Index into _RANGES."""
    if address < 3 * CFG_WORDS:
        space = 1 if address % CFG_WORDS >= GLOBAL_BASE else 0
        return address // CFG_WORDS * 2 + space
    address -= 3 * CFG_WORDS
    return 6 + address // THREAD_WORDS if address < 3 * THREAD_WORDS else 9


@kernel
def _access(c: U32, t: int, mem: I64, n: I64) -> None:
    events = i64(c[t, GEV])
    mem[_DONE] += 1
    if events & RISC_FIRST:
        mem[_SINCE] = 0
        n[ACCESS_NEXT + (0 if mem[_DONE] == 1 else 1)] += 1
    if events & RISC_ON and events & RISC_DONE:
        access = i64(c[t, RISC])
        write, address = access >> 10 & 1, access & 0x3FF
        n[ACCESS + write * 10 + _range(address)] += 1
        for e in range(20):
            if address == _EDGES[e]:
                n[ACCESS_EDGE + write * 20 + e] += 1
        n[ACCESS_WAIT + write * 3 + min(mem[_SINCE] - 1, 2)] += 1
        mem[_DONE] = 0
        place = address - 3 * CFG_WORDS
        for thread in range(3):
            setc = i64(c[t, thread * PER_THREAD + SETC])
            if setc & VALID and place >= 0 and place // THREAD_WORDS == thread:
                other = 0 if setc >> 16 & 0xFF == place % THREAD_WORDS else 1
                if not write or i64(c[t, RT]) & VALID:
                    n[SETC_RISC + (write * 2 + other) * 3 + thread] += 1
    mem[_SINCE] += 1


@kernel
def _setc16(setc: int, thread: int, n: I64) -> None:
    index = setc >> 16 & 0xFF
    cls = 0
    if 1 <= index < 57:
        cls = 1
    elif index in (57, 58):
        cls = index - 55
    elif 59 <= index < 67:
        cls = 4 if index < 63 else 5
    elif index >= 67:
        cls = 6
    n[SETC_INDEX + cls * 3 + thread] += 1


@kernel
def count_fields(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        together = 0
        for thread in range(3):
            base = thread * PER_THREAD
            setc = i64(c[t, base + SETC])
            if setc & VALID:
                _setc16(setc, thread, n)
            if not i64(c[t, base + EV]) & ISSUED:
                continue
            kind, word = i64(c[t, base + KIND]), i64(c[t, base + WORD])
            if NOP <= kind <= MULDMAREG and _IGNORED_MASK[kind - NOP]:
                junk = 1 if word & _IGNORED_MASK[kind - NOP] else 0
                n[IGNORED + _IGNORED_PLACE[kind - NOP] + junk] += 1
            if STREAMWRCFG <= kind <= RDCFG:
                _config(kind, word, thread, n)
            elif kind == ADC:
                opcode = word >> 24
                n[ADC_WORD + (7 if opcode == 0x5E else opcode - 0x50) * 3 + thread] += 1
            elif kind == SETC16:
                together += 1
        if together:
            n[SETC_TOGETHER + together - 1] += 1
        _access(c, t, mem, n)
