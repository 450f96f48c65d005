# SPDX-License-Identifier: Apache-2.0
"""What instructions compute and which faults they have: words and state in, values out, no time.

Nothing here writes state. Both models take their values from here, and from ``sync_values``; *when*
state is read and written is theirs to say.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.isa.registers import config_field
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values
from tilepath.models.control.instructions import Fault, Kind
from tilepath.models.control.state import (
    CONFIG_WORDS,
    LOW32,
    SEMAPHORES,
    THREAD_WORDS,
    read_config,
    read_gpr,
    read_thread_config,
    stream_of,
    wide,
)
from tilepath.models.fields import get

STATE_RESET: Final = config_field("STATE_RESET_EN").addr32
THCON: Final = constants.CFG_THCON_BASE  # REG2FLOP's word 0
_FLOP_WORDS: Final = constants.CFG_GLOBAL_BASE - THCON
_SCRATCH: Final = config_field("SCRATCH_SEC0_val").addr32  # of thread 0; the threads' one by one
_PHASE_HI: Final = config_field("STREAMWAIT_PHASE_HI_Val").addr32
_MESSAGES_HI: Final = config_field("STREAMWAIT_NUM_MSGS_HI_Val").addr32
_LOW16: Final = 0xFFFF
_COUNTER_MASK: Final = (1 << 18) - 1  # an address counter has at most 18 bits
_NUM_MSGS_MASK: Final = (1 << 17) - 1  # C9
_PHASE_MASK: Final = (1 << 20) - 1


# --- Config unit


@part
def config_index(kind: int, word: int) -> int:
    """Index of the word of Config; the first of four for a 128-bit WRCFG (C6, C15)."""
    if kind == Kind.RMWCIB:
        return get(word, F.RMWCIB_CFG_INDEX)
    if kind == Kind.CFGSHIFTMASK:
        return get(word, F.CFGSHIFTMASK_CFG_INDEX)
    if kind == Kind.RDCFG:
        return get(word, F.RDCFG_CFG_INDEX)
    if kind == Kind.STREAMWRCFG:
        return get(word, F.STREAMWRCFG_CFG_INDEX)
    index = get(word, F.WRCFG_CFG_INDEX)
    return index & ~3 if get(word, F.WRCFG_IS128) else index


@part
def drops_write(kind: int, index: int) -> bool:
    """Whether a write is dropped: beyond the end (C6), or word 4, but for RMWCIB (C18).

    ``index``: of a word, what ``config_index`` says. With 128 bits it is the first of the group of
    four, so that 4 stands for words 4 to 7, which are dropped together.
    """
    return index >= CONFIG_WORDS or (index == STATE_RESET and kind != Kind.RMWCIB)


@part
def wrcfg_gpr(word: int) -> int:
    """The register that WRCFG takes, the first of four with 128 bits (C15)."""
    gpr = get(word, F.WRCFG_GPR)
    return gpr & ~3 if get(word, F.WRCFG_IS128) else gpr


@part
def _rotate_right(value: int, amount: int) -> int:
    """32 bits rotated by 0 to 31."""
    return ((value >> amount) | (value << (32 - amount))) & LOW32


@part
def _shift_mask(word: int, old: int, scratch: int) -> int:
    """CFGSHIFTMASK on the word ``old``, with operand ``scratch`` (C1 to C3)."""
    alu = get(word, F.CFGSHIFTMASK_ALU)
    rotation = get(word, F.CFGSHIFTMASK_ROTATE)
    mask = ((2 << get(word, F.CFGSHIFTMASK_MASK_WIDTH)) - 1) & LOW32  # C1: all ones for 31
    operand = _rotate_right(scratch & mask, rotation)
    # C2: OR, AND and XOR, each with the operand or its complement; sum; difference
    if constants.CFGSM_ALU_OR_NOT <= alu <= constants.CFGSM_ALU_XOR_NOT:
        operand ^= LOW32  # C3: ones outside of the mask, too
    if get(word, F.CFGSHIFTMASK_MASK_MODE) == 0:
        old &= _rotate_right(mask, rotation) ^ LOW32  # C1
    if alu == constants.CFGSM_ALU_OR or alu == constants.CFGSM_ALU_OR_NOT:
        return old | operand
    if alu == constants.CFGSM_ALU_AND or alu == constants.CFGSM_ALU_AND_NOT:
        return old & operand
    if alu == constants.CFGSM_ALU_XOR or alu == constants.CFGSM_ALU_XOR_NOT:
        return old ^ operand
    if alu == constants.CFGSM_ALU_ADD:
        return (old + operand) & LOW32  # C3: the carry leaves the field
    return (old - operand) & LOW32


@part
def shifted_and_masked(state: Record, thread: int, bank: int, word: int) -> int:
    """What CFGSHIFTMASK writes, through ``bank`` (C5)."""
    old = read_config(state, bank, get(word, F.CFGSHIFTMASK_CFG_INDEX))
    return _shift_mask(word, old, read_config(state, bank, scratch_index(thread, word)))


@part
def scratch_index(thread: int, word: int) -> int:
    """Index of the scratch word that CFGSHIFTMASK takes (C4)."""
    select = get(word, F.CFGSHIFTMASK_SCRATCH)
    return _SCRATCH + (thread if select == 3 else select)


@part
def replaced_bits(state: Record, bank: int, word: int) -> int:
    """What RMWCIB0 to RMWCIB3 write: byte 0 to 3 of the word, where the mask is 1."""
    shift = 8 * (get(word, F.OPCODE) - constants.OP_RMWCIB0)
    mask = get(word, F.RMWCIB_MASK) << shift
    value = get(word, F.RMWCIB_DATA) << shift
    return (read_config(state, bank, get(word, F.RMWCIB_CFG_INDEX)) & (mask ^ LOW32)) | (
        value & mask
    )


# --- Scalar unit


@part
def half_value(word: int) -> int:
    """SETDMAREG's value, in the half of the register that it writes; 0 in the other one."""
    return get(word, F.SETDMAREG_VALUE) << (16 * (get(word, F.SETDMAREG_HALF_REG) & 1))


@part
def half_mask(word: int) -> int:
    """The half that SETDMAREG writes: bit 0 the low one, bit 1 the high one."""
    return 1 + (get(word, F.SETDMAREG_HALF_REG) & 1)


@part
def half_gpr(word: int) -> int:
    """The register that SETDMAREG writes."""
    return get(word, F.SETDMAREG_HALF_REG) >> 1


@part
def second_operand(state: Record, thread: int, word: int) -> int:
    """Operand B of ADDDMAREG and MULDMAREG: 6 bits of the word, or a register (C25)."""
    b = get(word, F.ADDDMAREG_B)
    return b if get(word, F.ADDDMAREG_IMM) else read_gpr(state, thread, b)


@part
def sum_or_product(kind: int, a: int, b: int) -> int:
    """What ADDDMAREG or MULDMAREG writes, 32 bits: A plus B, or low half by low half (C25)."""
    if kind == Kind.MULDMAREG:
        return (a & _LOW16) * (b & _LOW16)
    return (a + b) & LOW32


@part
def two_operand_cycles(word: int) -> int:
    """Cycles of ADDDMAREG and MULDMAREG (C25): whether both operands come at once."""
    same_group = (get(word, F.ADDDMAREG_A) ^ get(word, F.ADDDMAREG_B)) >> 2 == 0
    return 3 if get(word, F.ADDDMAREG_IMM) or same_group else 4


@part
def flop_writes_config(word: int) -> bool:
    """Whether REG2FLOP writes Config: by its target, and within the words it reaches (C14)."""
    config = get(word, F.REG2FLOP_TARGET) == constants.R2F_TARGET_CONFIG
    return config and get(word, F.REG2FLOP_FLOP_CFG) < _FLOP_WORDS


@part
def flop_is_quad(word: int) -> bool:
    """Whether it writes four words (C14)."""
    return get(word, F.REG2FLOP_SIZE) == constants.R2F_SIZE_B128


@part
def flop_index(word: int) -> int:
    """Index of the word of Config that it writes, the first one of four (C14, C15)."""
    flop = get(word, F.REG2FLOP_FLOP_CFG)
    return THCON + (flop & ~3 if flop_is_quad(word) else flop)


@part
def flop_gpr(word: int) -> int:
    """The register that goes there, the first one of four (C15)."""
    gpr = get(word, F.REG2FLOP_GPR)
    return gpr & ~3 if flop_is_quad(word) else gpr


@part
def flop_set(thread: int, word: int) -> int:
    """Set of counters that REG2FLOP means: the thread's own one, or Ctx (C14)."""
    own = get(word, F.REG2FLOP_TARGET) == constants.R2F_TARGET_ADC
    return thread if own else get(word, F.REG2FLOP_CTX)


@part
def _means_counter(word: int) -> bool:
    """Whether the target is an address counter: ADC or ADC_OF_CTX. LOCAL writes nothing (C14)."""
    return get(word, F.REG2FLOP_TARGET) >= constants.R2F_TARGET_ADC


@part
def _no_such_counter(word: int) -> bool:
    """Whether there is no such address counter: ADCSel 3, or set 3, which only Ctx can be (C14)."""
    of_ctx = get(word, F.REG2FLOP_TARGET) == constants.R2F_TARGET_ADC_OF_CTX
    return get(word, F.REG2FLOP_FLOP_ADC_SEL) == 3 or (of_ctx and get(word, F.REG2FLOP_CTX) == 3)


@part
def _no_such_size(word: int) -> bool:
    """Whether size and offset do not go together in a write to a counter (C14)."""
    size = get(word, F.REG2FLOP_SIZE)
    offset = get(word, F.REG2FLOP_BYTE_OFS)
    if size == constants.R2F_SIZE_B128:
        return True
    if size == constants.R2F_SIZE_B32:
        return offset != 0
    return size == constants.R2F_SIZE_B16 and offset & 1 != 0


@part
def flop_writes_counter(word: int) -> bool:
    """Whether REG2FLOP writes a counter (C14)."""
    return _means_counter(word) and not _no_such_counter(word)


@part
def counter_value(word: int, gpr: int) -> int:
    """What REG2FLOP writes to a counter, 18 bits, from the register's value (C14)."""
    if _no_such_size(word):
        return 0
    size = get(word, F.REG2FLOP_SIZE)
    value = gpr >> (8 * get(word, F.REG2FLOP_BYTE_OFS))  # 32 bits: the offset is 0
    if size == constants.R2F_SIZE_B16:
        value &= 0xFFFF
    elif size == constants.R2F_SIZE_B8:
        value &= 0xFF
    return value & _COUNTER_MASK


# --- Sync unit


@part
def stream_target(state: Record, thread: int, cond: int, low: int) -> int:
    """STREAMWAIT's target, composed with its low 10 bits (C8). ``cond``: CondIdx."""
    if cond == constants.STREAM_COND_MSGS:
        high = get(read_thread_config(state, thread, _MESSAGES_HI), F.NUM_MSGS_HI)
    else:
        high = get(read_thread_config(state, thread, _PHASE_HI), F.PHASE_HI)
    return high << 10 | low


@part
def stream_count(state: Record, thread: int, cond: int, select: int) -> int:
    """What STREAMWAIT compares: 17 bits of messages or 20 of phase (C9); BankSel is live (C11).

    ``cond``: CondIdx, ``select``: StreamSel.
    """
    return stream_register(state, stream_of(state, thread, select), cond)


@part
def stream_register_index(cond: int) -> int:
    """Return which register of a stream STREAMWAIT compares."""
    if cond == constants.STREAM_COND_MSGS:
        return constants.STREAM_REG_NUM_MSGS_RECEIVED
    return constants.STREAM_REG_CURR_PHASE


@part
def stream_register_value(cond: int, stored: int) -> int:
    """The bits of it that count."""
    return stored & (_NUM_MSGS_MASK if cond == constants.STREAM_COND_MSGS else _PHASE_MASK)


@part
def stream_register(state: Record, stream: int, cond: int) -> int:
    """What STREAMWAIT compares, of a stream."""
    stored = state.stream_registers[stream, stream_register_index(cond)]
    return stream_register_value(cond, wide(stored))


# --- Faults


@part
def faults_of(state: Record, thread: int, kind: int, word: int) -> int:
    """Faults of a word that issues, as bits of ``Fault`` (section 8 of the contract)."""
    faults = 0
    if Kind.WRCFG <= kind <= Kind.STREAMWRCFG:
        index = config_index(kind, word)
        if index >= CONFIG_WORDS:
            faults |= Fault.CFG_OOB  # C6
        elif kind != Kind.RDCFG and drops_write(kind, index):
            faults |= Fault.STATE_RESET  # C18
    elif kind == Kind.SETC16:
        if get(word, F.SETC16_CFG_INDEX) >= THREAD_WORDS:
            faults |= Fault.CFG_OOB  # C6
    elif kind == Kind.REG2FLOP:
        faults |= _flop_faults(word)
    elif kind == Kind.SETDMAREG:
        if get(word, F.SETDMAREG_MODE):
            faults |= Fault.UNSUPPORTED
    elif kind == Kind.SEMWAIT:
        if get(word, F.SEMWAIT_COND) == 0:
            faults |= Fault.SEM_COND  # C19
    elif sync_values.loses(state, kind, word, Kind.NOP, 0):
        faults |= Fault.SEM_LOST  # C26
    elif kind == Kind.ATGETM or kind == Kind.ATRELM:
        place = sync_values.mutex_place(word)
        if place < 0:
            faults |= Fault.MUTEX_INDEX  # C19
        elif kind == Kind.ATRELM and state.mutex_owners[place] != thread:
            faults |= Fault.MUTEX_OWNER
    elif kind == Kind.ILLEGAL:
        faults |= Fault.ILLEGAL  # F17
    elif kind == Kind.UNSUPPORTED:
        faults |= Fault.UNSUPPORTED
    return faults


@part
def is_two_operand(kind: int) -> bool:
    """Whether an instruction makes a register of two: ADDDMAREG and those like it."""
    return Kind.ADDDMAREG <= kind <= Kind.MULDMAREG


@part
def result_gpr(kind: int, word: int) -> int:
    """The register that SETDMAREG, ADDDMAREG or MULDMAREG writes; -1: another word (C27)."""
    if is_two_operand(kind):
        return get(word, F.ADDDMAREG_RESULT)
    return half_gpr(word) if kind == Kind.SETDMAREG and get(word, F.SETDMAREG_MODE) == 0 else -1


@part
def wrcfg_reads(word: int, gpr: int) -> bool:
    """Whether a WRCFG reads a register; with 128 bits it reads four."""
    return gpr >> 2 == get(word, F.WRCFG_GPR) >> 2 and (
        get(word, F.WRCFG_IS128) != 0 or gpr == get(word, F.WRCFG_GPR)
    )


@part
def _flop_faults(word: int) -> int:
    """Faults of REG2FLOP, told by the word alone (C14)."""
    faults = 0
    if get(word, F.REG2FLOP_TARGET) == constants.R2F_TARGET_CONFIG:
        if not flop_writes_config(word):
            faults |= Fault.CFG_OOB
    elif _means_counter(word):
        if _no_such_counter(word):
            faults |= Fault.FLOP_TARGET
        if _no_such_size(word):
            faults |= Fault.FLOP_SIZE
    return faults


@part
def latch_what(kind: int, word: int) -> int:
    """``what`` of the latch of a wait of this ``Kind``, 13 bits (C17 for condition 0)."""
    if kind == Kind.STALLWAIT:
        chosen = get(word, F.STALLWAIT_COND)
        return chosen if chosen else constants.STALL_DEFAULT_COND
    if kind == Kind.SEMWAIT:
        return get(word, F.SEMWAIT_SEM_MASK) | get(word, F.SEMWAIT_COND) << SEMAPHORES
    return get(word, F.STREAMWAIT_COND_IDX) | get(word, F.STREAMWAIT_STREAM_SEL) << 1
