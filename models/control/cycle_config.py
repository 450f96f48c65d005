# SPDX-License-Identifier: Apache-2.0
"""Config unit: what an instruction reads on entry, and the write that is dated for it then.

In each cycle first everything is read (``enter``, ``read_stream``), then everything is written
(``write``), so that what is read is the state as registered. Stages: section 4 of the contract.
"""

from __future__ import annotations

import enum
from typing import Final

from tilepath.engine.compiled.compiled_io import Rows, due, origin, put, put_flags, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.cycle_block import (
    ISSUE_LASTS,
    STREAM_WRITE_LASTS,
    slot,
    stay_awake,
)
from tilepath.models.control.instructions import CORES, THREADS, Kind
from tilepath.models.control.state import (
    BOTH_BANKS,
    CONFIG_WORDS,
    GLOBAL,
    THREAD_WORDS,
    banks_of,
    read_config,
    read_gpr,
    read_thread_config,
    state_id,
    stream_of,
    write_config,
)
from tilepath.models.fields import get

# Addresses of the cores (section 4): two banks, both banks at once, ThreadConfig
_ALIAS: Final = 2 * CONFIG_WORDS
_THREAD_CONFIG: Final = 3 * CONFIG_WORDS
_END: Final = _THREAD_CONFIG + THREADS * THREAD_WORDS


class Stage(enum.IntEnum):
    """Stages, as bits of ``config_pipe``; ``M3`` is -3."""

    PREPARE = 1 << 0
    M3 = 1 << 1
    M2 = 1 << 2
    M1 = 1 << 3
    ZERO = 1 << 4
    P1 = 1 << 5
    RISC = 1 << 6  # an access of the cores in stage 0


@part
def issue(block: Record, thread: int, cycle: int) -> None:
    """The thread's word gets the unit in ``cycle``."""
    unit = block.config_unit
    offered = block.gates[thread].offered
    entry = unit.entry
    entry.issued_in = cycle
    entry.kind = offered.kind
    entry.source = thread
    entry.word = offered.word
    entry.origin = offered.origin
    next_cycle = slot(cycle + 1)
    second = slot(cycle + 2)
    if offered.kind == Kind.WRCFG:
        unit.stages[next_cycle] |= Stage.M1
        unit.stages[second] |= Stage.ZERO
        unit.others_from = max(unit.others_from, cycle + 2)  # stage -1 is empty then
    elif offered.kind == Kind.CFGSHIFTMASK:
        unit.stages[next_cycle] |= Stage.M1 | Stage.ZERO
        unit.stages[second] |= Stage.ZERO
        unit.others_from = max(unit.others_from, cycle + 2)  # its second stage is one of the others
    elif offered.kind == Kind.RMWCIB:
        unit.stages[next_cycle] |= Stage.ZERO
    elif offered.kind == Kind.RDCFG:
        unit.stages[next_cycle] |= Stage.ZERO
        unit.stages[second] |= Stage.P1
    # the way of a STREAMWRCFG is dated when it leaves the prepare phase


@part
def issue_access(block: Record, inputs: Rows, cycle: int) -> None:
    """The cores' access gets the unit in ``cycle``; it is made, and done, in the next one."""
    access = take(inputs.risc)
    entry = block.config_unit.entry
    entry.issued_in = cycle
    entry.kind = Kind.RISC
    entry.source = CORES
    entry.word = access.address
    entry.origin = origin(inputs.risc)
    entry.write = access.write
    entry.value = access.data_
    block.config_unit.stages[slot(cycle + 1)] |= Stage.RISC
    block.risc.offered = due(inputs.risc)
    block.risc.done_in = cycle + 1
    stay_awake(block, cycle + ISSUE_LASTS)


@part
def available(block: Record, kind: int, cycle: int) -> bool:
    """Whether an instruction of this kind (or an access, ``RISC``) finds its stages free.

    Stage -4 is not looked at by those behind: they overtake the STREAMWRCFG in it (C16).
    """
    unit = block.config_unit
    if kind == Kind.STREAMWRCFG:
        leaves = block.stream_busy == 0
        return not unit.prepare.valid or leaves
    return cycle >= int(unit.wrcfg_from if kind == Kind.WRCFG else unit.others_from)


@part
def holds_instruction(unit: Record, cycle: int) -> bool:
    """Whether one is in stages -4 to +1: condition 12 of STALLWAIT (C17)."""
    but_cores = unit.stages[slot(cycle)] & (Stage.RISC - 1)
    return bool(unit.prepare.valid or but_cores != 0)


@part
def enter(block: Record, outputs: Record, cycle: int) -> None:
    """Entry cycle of what issued in the cycle before: sample the state, date the write."""
    unit = block.config_unit
    entry = unit.entry
    if entry.issued_in != cycle - 1:
        return
    if entry.kind == Kind.RISC:
        _access(block, outputs, cycle)
    elif entry.kind == Kind.STREAMWRCFG:
        prepare = unit.prepare
        prepare.valid = True
        prepare.source = entry.source
        prepare.word = entry.word
        prepare.bank = state_id(block.state, entry.source)
        select = get(entry.word, F.STREAMWRCFG_STREAM_SEL)
        prepare.stream = stream_of(block.state, entry.source, select)
        prepare.origin = entry.origin
    elif entry.kind == Kind.RDCFG:
        result = unit.results[slot(cycle + 1)]
        result.valid = True
        result.thread = entry.source
        result.gpr = get(entry.word, F.RDCFG_GPR)
        bank = state_id(block.state, entry.source)
        result.value = read_config(block.state, bank, get(entry.word, F.RDCFG_CFG_INDEX))
        result.origin = entry.origin
    else:
        _read_operands(block, cycle)


@part
def _read_operands(block: Record, cycle: int) -> None:
    """Entry of WRCFG, CFGSHIFTMASK (both write in the next cycle) or RMWCIB (in this one)."""
    state = block.state
    entry = block.config_unit.entry
    thread = entry.source
    word = entry.word
    bank = state_id(state, thread)
    index = values.config_index(entry.kind, word)
    due = cycle if entry.kind == Kind.RMWCIB else cycle + 1
    write = block.config_unit.writes[slot(due)]
    _begin_write(write, entry, entry.kind, bank, index)
    write.valid = not values.drops_write(entry.kind, index)
    if entry.kind == Kind.RMWCIB:
        write.words[0] = values.replaced_bits(state, bank, word)
    elif entry.kind == Kind.CFGSHIFTMASK:
        write.words[0] = values.shifted_and_masked(state, thread, bank, word)
    else:
        write.quad = get(word, F.WRCFG_IS128) != 0
        gpr = values.wrcfg_gpr(word)
        for n in range(4 if write.quad else 1):
            write.words[n] = read_gpr(state, thread, gpr + n)


@part
def _begin_write(write: Record, cause: Record, kind: int, bank: int, index: int) -> None:
    """A write of one word by ``cause``, an entry or what was prepared."""
    write.kind = kind
    write.source = cause.source
    write.origin = cause.origin
    write.banks = banks_of(bank, index)
    write.index = index
    write.quad = False


@part
def _access(block: Record, outputs: Record, cycle: int) -> None:
    """An access of the cores, in stage 0 in ``cycle``."""
    entry = block.config_unit.entry
    address = entry.word
    outside = address >= _END
    dropped = False
    value = 0
    if entry.write and not outside:
        if address >= _THREAD_CONFIG:
            _write_thread_config(block.config_unit, outputs, cycle)
        else:
            dropped = _write_access(block.config_unit, cycle)
    elif not outside:
        value = _read_access(block.state, address)
    put(outputs.risc_done[0], cycle, entry.origin).data_ = value
    if outside or dropped:
        faults = (1 if outside else 0) | (2 if dropped else 0)
        put_flags(outputs.risc_fault[0], cycle, faults, entry.origin)
    if outside and not block.sticky.cfg_oob:
        block.sticky.cfg_oob = True
        block.sticky.origin = entry.origin


@part
def _read_access(state: Record, address: int) -> int:
    """What the cores read: a bank, bank 0 for both, or ThreadConfig."""
    if address >= _THREAD_CONFIG:
        place = address - _THREAD_CONFIG
        return read_thread_config(state, place // THREAD_WORDS, place % THREAD_WORDS)
    bank = 1 if CONFIG_WORDS <= address < _ALIAS else 0
    return read_config(state, bank, address % CONFIG_WORDS)


@part
def _write_access(unit: Record, cycle: int) -> bool:
    """The cores write to Config at the end of ``cycle``; whether it is dropped (C18)."""
    address = unit.entry.word
    index = address % CONFIG_WORDS
    write = unit.writes[slot(cycle)]
    _begin_write(write, unit.entry, Kind.RISC, address // CONFIG_WORDS & 1, index)
    if address >= _ALIAS:
        write.banks = BOTH_BANKS
    write.words[0] = unit.entry.value
    write.valid = not values.drops_write(Kind.RISC, index)
    return not write.valid


@part
def _write_thread_config(unit: Record, outputs: Record, cycle: int) -> None:
    """The cores write to ThreadConfig at the end of ``cycle``."""
    place = unit.entry.word - _THREAD_CONFIG
    write = unit.risc_write
    write.valid = True
    write.thread = place // THREAD_WORDS
    write.index = place % THREAD_WORDS
    write.value = unit.entry.value & 0xFFFF
    row = put(outputs.risc_thread_write[0], cycle, unit.entry.origin)
    row.thread = write.thread
    row.index = write.index
    row.data_ = write.value


@part
def leave_prepare(block: Record, cycle: int) -> None:
    """End of ``cycle``: a STREAMWRCFG leaves the prepare phase if there is no contention (C16)."""
    unit = block.config_unit
    prepare = unit.prepare
    if not prepare.valid or block.stream_busy:
        return
    prepare.valid = False
    unit.stages[slot(cycle + 1)] |= Stage.M3
    unit.stages[slot(cycle + 2)] |= Stage.M2
    unit.stages[slot(cycle + 3)] |= Stage.M1
    unit.stages[slot(cycle + 4)] |= Stage.ZERO
    unit.wrcfg_from = cycle + 3  # stages -3 and -2 are empty then
    unit.others_from = max(unit.others_from, cycle + 4)  # stage -1 is empty then
    stay_awake(block, cycle + STREAM_WRITE_LASTS)
    index = values.config_index(Kind.STREAMWRCFG, prepare.word)
    write = unit.writes[slot(cycle + 4)]
    _begin_write(write, prepare, Kind.STREAMWRCFG, prepare.bank, index)
    write.valid = not values.drops_write(Kind.STREAMWRCFG, index)
    write.from_stream = True
    write.stream = prepare.stream
    write.register = get(prepare.word, F.STREAMWRCFG_REG_INDEX)


@part
def read_stream(block: Record, cycle: int) -> None:
    """Stage -3 of the STREAMWRCFG that writes three cycles later, if there is one."""
    write = block.config_unit.writes[slot(cycle + 3)]
    if write.from_stream:
        write.words[0] = block.state.stream_registers[write.stream, write.register]
        write.from_stream = False


@part
def writes_thcon(unit: Record, cycle: int) -> bool:
    """Whether stage 0 writes one of the words that REG2FLOP writes, in ``cycle``."""
    write = unit.writes[slot(cycle)]
    return bool(write.valid and values.THCON <= write.index < GLOBAL)


@part
def write(block: Record, outputs: Record, cycle: int) -> None:
    """End of ``cycle``: stages 0 and +1, and the cores' write to ThreadConfig."""
    state = block.state
    unit = block.config_unit
    if unit.writes[slot(cycle)].valid:
        _write_config(state, unit.writes[slot(cycle)], outputs.config_write[0], cycle)
    result = unit.results[slot(cycle)]
    if result.valid:
        result.valid = False
        row = put(outputs.rdcfg[result.thread], cycle, result.origin)
        row.gpr = result.gpr
        row.data_ = result.value
        state.gpr[result.thread, result.gpr] = result.value
    thread_write = unit.risc_write
    if thread_write.valid:
        thread_write.valid = False
        state.thread_config[thread_write.thread, thread_write.index] = thread_write.value


@part
def put_words(row: Record, index: int, quad: bool, words: Record) -> None:
    """Fill in what was written to Config: one word, or four."""
    row.index, row.quad = index, quad
    row.data0 = words[0]
    row.data1 = words[1] if quad else 0
    row.data2 = words[2] if quad else 0
    row.data3 = words[3] if quad else 0


@part
def end_cycle(block: Record, cycle: int) -> None:
    """Free the ring's entry for stages; comes last in ``cycle``."""
    block.config_unit.stages[slot(cycle)] = 0


@part
def _write_config(state: Record, done: Record, shown: Record, cycle: int) -> None:
    """Stage 0 writes; ``shown``: the stream that tells."""
    done.valid = False
    row = put(shown, cycle, done.origin)
    row.source = done.source
    row.banks = done.banks
    put_words(row, done.index, done.quad, done.words)
    for n in range(4 if done.quad else 1):
        write_config(state, done.banks, done.index + n, done.words[n])
