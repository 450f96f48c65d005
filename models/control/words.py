# SPDX-License-Identifier: Apache-2.0
"""What single words mean, without time: arithmetic, state access, faults.

The state is that of ``layout``: ``m`` int64. Bit positions: frontend-config §1.
"""

from __future__ import annotations

from tilepath.models.control import layout as L
from tilepath.models.jit import part


@part
def rotate(value: int, amount: int) -> int:
    """``value`` (32 bits) rotated right by 0 to 31."""
    return ((value >> amount) | (value << (32 - amount))) & L.LOW32


@part
def shift_mask(word: int, old: int, scratch: int) -> int:
    """New value of a configuration word by CFGSHIFTMASK (C1 to C3)."""
    alu = (word >> 20) & 7
    amount = (word >> 10) & 31
    mask = ((2 << ((word >> 15) & 31)) - 1) & L.LOW32
    operand = rotate(scratch & mask, amount)
    if alu >= 4 and alu < 7:
        operand = operand ^ L.LOW32
    if ((word >> 23) & 1) == 0:
        old &= rotate(mask, amount) ^ L.LOW32
    if alu == 0 or alu == 4:
        return old | operand
    if alu == 1 or alu == 5:
        return old & operand
    if alu == 2 or alu == 6:
        return old ^ operand
    if alu == 3:
        return (old + operand) & L.LOW32
    return (old - operand) & L.LOW32


@part
def replace_bits(word: int, old: int) -> int:
    """New value of a configuration word by RMWCIB0 to RMWCIB3."""
    shift = ((word >> 24) - 0xB3) * 8
    mask = ((word >> 16) & 255) << shift
    return (old & (mask ^ L.LOW32)) | ((((word >> 8) & 255) << shift) & mask)


@part
def flop_value(word: int, gpr: int) -> int:
    """What REG2FLOP writes to a counter, 18 bits (C14)."""
    size = word >> 22 & 3
    offset = word >> 18 & 3
    value = 0
    if size == 1 and offset == 0:
        value = gpr
    elif size == 2 and (offset & 1) == 0:
        value = (gpr >> (8 * offset)) & 0xFFFF
    elif size == 3:
        value = (gpr >> (8 * offset)) & 0xFF
    return value & 0x3FFFF


@part
def add_cycles(word: int) -> int:
    """Cycles of an ADDDMAREG: whether both operands come at once."""
    immediate = (word >> 23) & 1
    return 3 if immediate or ((word >> 8) & 15) == ((word >> 2) & 15) else 4


@part
def state_id(m: L.Memory, thread: int) -> int:
    """The thread's configuration bank."""
    bank: int = m[L.THD + thread * L.THD_WORDS] & 1
    return bank


@part
def bank_sel(m: L.Memory, thread: int, select: int) -> int:
    """Stream that selector ``select`` (2 bits) of the thread stands for."""
    stream: int = m[L.THD + thread * L.THD_WORDS + L.TC_STREAM + select] & 63
    return stream


@part
def read_config(m: L.Memory, bank: int, index: int) -> int:
    """A configuration word; 0 beyond the end (C6)."""
    if index >= L.CFG_WORDS:
        return 0
    value: int = m[L.CFG + bank * L.CFG_WORDS + index]
    return value


@part
def write_config(m: L.Memory, banks: int, index: int, data: int) -> None:
    """Write a word to the banks of the bit mask ``banks``; 3 for a global word."""
    if banks & 1:
        m[L.CFG + index] = data
    if banks & 2:
        m[L.CFG + L.CFG_WORDS + index] = data


@part
def banks_of(bank: int, index: int) -> int:
    """Bit mask of the banks that a write through ``bank`` reaches."""
    return 3 if index >= L.GLOBAL else 1 << bank


@part
def scratch_of(m: L.Memory, word: int, thread: int) -> int:
    """CFGSHIFTMASK's operand (C4)."""
    select = (word >> 8) & 3
    value: int = m[L.CFG + L.SCRATCH + (thread if select == 3 else select)]
    return value


@part
def change_semaphores(m: L.Memory, kind: int, word: int) -> bool:
    """SEMINIT, SEMPOST or SEMGET (C20); whether anything is different then."""
    changed = False
    for n in range(8):
        if (word >> (2 + n)) & 1:
            value = m[L.SEM_VALUE + n]
            new = value
            if kind == L.SEMPOST:
                new = min(value + 1, 15)
            elif kind == L.SEMGET:
                new = max(value - 1, 0)
            else:
                new = (word >> 16) & 15
                changed = changed or m[L.SEM_MAX + n] != (word >> 20) & 15
                m[L.SEM_MAX + n] = (word >> 20) & 15
            changed = changed or new != value
            m[L.SEM_VALUE + n] = new
    return changed


@part
def semaphores_hold(m: L.Memory, what: int) -> bool:
    """Whether SEMWAIT waits; ``what``: mask [7:0], condition [9:8]."""
    for n in range(8):
        if (what >> n) & 1:
            value = m[L.SEM_VALUE + n]
            if (what & 0x100 and value == 0) or (what & 0x200 and value >= m[L.SEM_MAX + n]):
                return True
    return False


@part
def stream_target(m: L.Memory, thread: int, what: int, low: int) -> int:
    """STREAMWAIT's target (C8); ``what``: CondIdx [0], StreamSel [2:1]; ``low``: 10 bits."""
    at = L.THD + thread * L.THD_WORDS
    high: int = m[at + L.TC_MSGS_HI] & 0x7F if what & 1 else m[at + L.TC_PHASE_HI] & 0x3FF
    return high << 10 | low


@part
def stream_place(m: L.Memory, thread: int, what: int) -> int:
    """Place in the stream file that STREAMWAIT compares; BankSel is live (C11)."""
    register = L.REG_MSGS if what & 1 else L.REG_PHASE
    return bank_sel(m, thread, what >> 1) * L.STREAM_REGS + register


@part
def stream_count(what: int, register: int) -> int:
    """The compared bits of a stream register: 17 of the message count, 20 of the phase (C9)."""
    return register & (0x1FFFF if what & 1 else 0xFFFFF)


@part
def wait_what(kind: int, word: int) -> int:
    """The latch's 13 bits of condition."""
    if kind == L.STALLWAIT:
        condition = word & 0x1FFF
        return condition if condition != 0 else 0x00F  # C17
    if kind == L.SEMWAIT:
        return ((word >> 2) & 0xFF) | ((word & 3) << 8)
    return ((word >> 3) & 1) | ((word & 3) << 1)


@part
def mutex_slot(word: int) -> int:
    """0 to 3 for mutexes 0, 2, 3, 4; -1 for an index that does not exist."""
    index = word & 0xFFFF
    if index == 0:
        return 0
    return index - 1 if 2 <= index <= 4 else -1


@part
def config_index(kind: int, word: int) -> int:
    """Index of the configuration word (8 or 11 bits); the first of four for a 128-bit WRCFG."""
    if kind == L.RMWCIB or kind == L.CFGSHIFTMASK:
        return word & 0xFF
    if kind == L.WRCFG and (word >> 15) & 1:
        return word & 0x7FC
    return word & 0x7FF


@part
def faults_of(m: L.Memory, thread: int, kind: int, word: int) -> int:
    """Fault flags of a word that issues, as bits (section 8 of the cycle contract)."""
    faults = 0
    if L.WRCFG <= kind <= L.STREAMWRCFG:
        index = config_index(kind, word)
        if index >= L.CFG_WORDS:
            faults = L.F_CFG_OOB
        elif index == L.STATE_RESET and kind != L.RMWCIB and kind != L.RDCFG:
            faults = L.F_STATE_RESET
    elif kind == L.SETC16:
        if (word >> 16) & 0xFF >= L.THD_WORDS:
            faults = L.F_CFG_OOB
    elif kind == L.REG2FLOP:
        target = (word >> 20) & 3
        size = (word >> 22) & 3
        offset = (word >> 18) & 3
        if target == 0:
            if (word >> 6) & 127 >= L.FLOP_WORDS:
                faults = L.F_CFG_OOB
        elif target >= 2:
            if (word >> 9) & 3 == 3 or (target == 3 and (word >> 16) & 3 == 3):
                faults = L.F_FLOP_TARGET
            if size == 0 or (size == 1 and offset != 0) or (size == 2 and offset & 1):
                faults |= L.F_FLOP_SIZE
    elif kind == L.SETDMAREG:
        if (word >> 7) & 1:
            faults = L.F_UNSUPPORTED
    elif kind == L.SEMWAIT:
        if word & 3 == 0:
            faults = L.F_SEM_COND
    elif kind == L.ATGETM or kind == L.ATRELM:
        slot = mutex_slot(word)
        if slot < 0:
            faults = L.F_MUTEX_INDEX
        elif kind == L.ATRELM and m[L.OWNER + slot] != thread + 1:
            faults = L.F_MUTEX_OWNER
    elif kind == L.ILLEGAL:
        faults = L.F_ILLEGAL
    elif kind == L.UNSUPPORTED:
        faults = L.F_UNSUPPORTED
    return faults
