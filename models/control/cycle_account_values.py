# SPDX-License-Identifier: Apache-2.0
"""The account of the scalar unit, and of values that are read as they change.

As ``cycle_account``, before the end of a cycle: what a cycle writes is due, and not written yet.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.compiled_io import NEVER
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.registers import config_field
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.account import Producer, Writer
from tilepath.models.control.cycle_account_memory import entry_of
from tilepath.models.control.cycle_block import VIEWS, slot
from tilepath.models.control.instructions import THREADS, Kind, Resource
from tilepath.models.control.state import (
    CONFIG_WORDS,
    GLOBAL,
    read_config,
    read_thread_config,
    state_id,
    wide,
)
from tilepath.models.fields import get

_STATE_ID: Final = config_field("CFG_STATE_ID_StateID").addr32
_VIEWS_FROM: Final = 6  # bits of ``uses``
_THREAD_WORDS_FROM: Final = 256  # index of a view


# ── Scalar unit, and the words whose registers meet


@compiled
def tell_scalar(block: Record, account: Record, cycle: int) -> None:
    """What the scalar unit takes, multiplies and writes; operands that words before write."""
    unit = block.scalar_unit
    result = block.config_unit.results[slot(cycle)]
    if unit.kind == Kind.MULDMAREG and cycle == unit.last - 1:
        row = new_row(account.product, cycle)
        row.unit, row.b = unit, values.second_operand(block.state, unit.thread, unit.word)
    same = result.gpr == unit.gpr and result.thread == unit.thread
    if result.valid and unit.writes_gpr and same:
        new_row(account.clash, cycle).unit = unit
    waits = unit.kind == Kind.REG2FLOP and (unit.writes_config or unit.last == NEVER)
    if waits and cycle >= unit.issued_in + 2:
        _flop(block, account, cycle)
    for thread in range(THREADS):
        gate = block.gates[thread]
        if not gate.wins:
            continue
        offered, memory = gate.offered, account.memory.threads[thread]
        if offered.resource == Resource.SCALAR:
            row = new_row(account.scalar, cycle)
            row.thread, row.offered, row.unit = thread, offered, unit
        _operands(account, thread, offered.kind, offered.word, cycle)
        memory.issued_in[slot(cycle)] = cycle
        memory.words[slot(cycle)], memory.kinds[slot(cycle)] = offered.word, offered.kind


@part
def _flop(block: Record, account: Record, cycle: int) -> None:
    unit, write = block.scalar_unit, block.config_unit.writes[slot(cycle)]
    row = new_row(account.flop, cycle)
    row.unit, row.bank = unit, state_id(block.state, unit.thread)
    row.write, row.writer = write, _writer(write) if write.valid else -1


@part
def _operands(account: Record, thread: int, kind: int, word: int, cycle: int) -> None:
    """Registers that the word reads, and a word up to five cycles before writes."""
    memory = account.memory.threads[thread]
    two = values.is_two_operand(kind)
    if not two and kind != Kind.WRCFG and kind != Kind.REG2FLOP:
        return
    for distance in range(1, 6):
        place = slot(cycle - distance)
        if memory.issued_in[place] != cycle - distance:
            continue
        first, before = memory.kinds[place], memory.words[place]
        gpr, late, producer = -1, distance - 1, 0
        if first == Kind.RDCFG:
            gpr, producer = get(before, F.RDCFG_GPR), Producer.RDCFG
        elif first == Kind.SETDMAREG and get(before, F.SETDMAREG_MODE) == 0:
            gpr, producer = values.half_gpr(before), Producer.SETDMAREG
        elif values.is_two_operand(first):
            gpr = get(before, F.ADDDMAREG_RESULT)
            late = distance - values.two_operand_cycles(before)
            producer = Producer.ADDDMAREG if first == Kind.ADDDMAREG else Producer.MULDMAREG
        if gpr < 0 or not 0 <= late <= 1:
            continue
        reads = 0
        if two:
            reads = 1 if get(word, F.ADDDMAREG_A) == gpr else 0
            if get(word, F.ADDDMAREG_B) == gpr and not get(word, F.ADDDMAREG_IMM):
                reads |= 2
        elif kind == Kind.WRCFG:
            wide_one = 2 if get(word, F.WRCFG_IS128) else 0
            reads = 1 if get(word, F.WRCFG_GPR) >> wide_one == gpr >> wide_one else 0
        else:
            wide_one = 2 if values.flop_is_quad(word) else 0
            reads = 1 if get(word, F.REG2FLOP_GPR) >> wide_one == gpr >> wide_one else 0
        for operand in range(2):
            if (reads >> operand) & 1:
                row = new_row(account.operand, cycle)
                row.thread, row.word, row.kind, row.operand = thread, word, kind, operand
                row.producer, row.distance, row.late = producer, distance, late


# ── Values that are read as they change


@part
def _writer(write: Record) -> int:
    """``Writer`` of a write of the config unit."""
    if write.kind == Kind.WRCFG:
        return Writer.WRCFG128 if write.quad else Writer.WRCFG
    if write.kind == Kind.CFGSHIFTMASK:
        return Writer.CFGSHIFTMASK
    if write.kind == Kind.STREAMWRCFG:
        return Writer.STREAMWRCFG
    return Writer.RMWCIB if write.kind == Kind.RMWCIB else Writer.CORES


@compiled
def tell_views(block: Record, account: Record, cycle: int) -> None:
    """What the units read, while it is written or just after, and what read StateID."""
    _note_write(block, account.memory.config, cycle, False)
    _note_write(block, account.memory.flop, cycle, True)
    entry, scalar = block.config_unit.entry, block.scalar_unit
    enters = entry.issued_in == cycle - 1 and entry.kind != Kind.RISC
    if enters and values.config_index(entry.kind, entry.word) < GLOBAL:
        _uses(account, entry.source, entry_of(entry.kind), cycle)
    flop = scalar.issued_in == cycle - 1 and scalar.kind == Kind.REG2FLOP
    if flop and values.flop_writes_config(scalar.word):
        _uses(account, scalar.thread, Writer.REG2FLOP, cycle)
    for unit in range(VIEWS):
        view = block.views[unit]
        if view.issued_in == cycle - 1:
            _view(block, account, unit, cycle)
            if view.index < GLOBAL:
                _uses(account, view.thread, _VIEWS_FROM + unit, cycle)
    for thread in range(THREADS):
        memory = account.memory.threads[thread]
        if memory.state_changed_in == cycle - 1:
            row = new_row(account.state_id, cycle)
            row.thread = thread
            for order in range(2):
                then = cycle - 2 * order
                used = memory.used_in[slot(then)] == then
                row.uses[order] = memory.uses[slot(then)] if used else 0


@part
def _uses(account: Record, thread: int, what: int, cycle: int) -> None:
    """The thread's word, or view, takes its bank by StateID in ``cycle``."""
    memory, place = account.memory.threads[thread], slot(cycle)
    if memory.used_in[place] != cycle:
        memory.used_in[place], memory.uses[place] = cycle, 0
    memory.uses[place] |= 1 << what


@part
def _note_write(block: Record, kept: Record, cycle: int, flop: bool) -> None:
    """Keep a write to Config that is due, beside the one of the cycle before.

    ``kept`` has the latter until the views have been told, so it is moved in ``tell_writes``.
    """
    unit, write = block.scalar_unit, block.config_unit.writes[slot(cycle)]
    kept.due = unit.writes_config if flop else write.valid
    if not kept.due:
        return
    now = kept.now
    if flop:
        now.writer, now.thread, now.banks = Writer.REG2FLOP, unit.thread, 1 << unit.bank
        now.index = values.flop_index(unit.word)
        now.words = 4 if values.flop_is_quad(unit.word) else 1
    else:
        now.writer, now.thread, now.banks = _writer(write), write.source, write.banks
        now.index, now.words = write.index, 4 if write.quad else 1
    now.cycle = cycle
    for word in range(now.words):
        now.new[word] = unit.words[word] if flop else write.words[word]
        for bank in range(2):
            now.old[bank, word] = read_config(block.state, bank, now.index + word)


@part
def _changes(write: Record, bank: int, index: int, shown: int, age: int) -> bool:
    """Whether ``write`` is about the word, which showed, or shows, another value."""
    place = index - write.index
    if not (write.banks >> bank) & 1 or not 0 <= place < write.words:
        return False
    if age == 0:
        return bool(write.new[place] != shown)
    return bool(write.new[place] == shown and write.old[bank, place] != shown)


@part
def _seen(row: Record, age: int, writer: int, own: bool) -> None:
    row.changed[age] |= 1 << writer
    row.own[age] |= (1 << writer) if own else 0


@part
def _view(block: Record, account: Record, unit: int, cycle: int) -> None:
    view, memory = block.views[unit], account.memory
    row = new_row(account.viewed, cycle)
    row.thread, row.unit, row.index = view.thread, unit, view.index
    row.bank = state_id(block.state, view.thread)
    for age in range(2):
        row.changed[age] = row.own[age] = 0
    if view.index >= _THREAD_WORDS_FROM:
        _thread_view(block, account, row, view.thread, view.index - _THREAD_WORDS_FROM, cycle)
        return
    if view.index >= CONFIG_WORDS:
        return
    shown = read_config(block.state, row.bank, view.index)
    for age in range(2):
        write = memory.config.now if age == 0 else memory.config.before
        if write.cycle == cycle - age and _changes(write, row.bank, view.index, shown, age):
            _seen(row, age, write.writer, write.thread == view.thread)
        write = memory.flop.now if age == 0 else memory.flop.before
        if write.cycle == cycle - age and _changes(write, row.bank, view.index, shown, age):
            _seen(row, age, write.writer, write.thread == view.thread)


@part
def _thread_view(
    block: Record, account: Record, row: Record, thread: int, index: int, cycle: int
) -> None:
    memory, write = account.memory, block.config_unit.risc_write
    mine = memory.threads[thread]
    shown = read_thread_config(block.state, thread, index)
    if mine.setc16_in == cycle - 1 and mine.setc16_index == index and mine.setc16_changed:
        _seen(row, 1, Writer.SETC16, True)
    if write.valid and write.thread == thread and write.index == index and write.value != shown:
        _seen(row, 0, Writer.CORES_THREAD, False)
    there = memory.cores_thread == thread and memory.cores_index == index
    changed = memory.cores_changed and memory.cores_value == shown
    if memory.cores_in == cycle - 1 and there and changed:
        _seen(row, 1, Writer.CORES_THREAD, False)


@compiled
def tell_writes(block: Record, account: Record, cycle: int) -> None:
    """What the end of the cycle writes is what was written before, in the next one."""
    memory, write = account.memory, block.config_unit.risc_write
    _move(memory.config)
    _move(memory.flop)
    if write.valid:
        memory.cores_in, memory.cores_thread = cycle, write.thread
        memory.cores_index, memory.cores_value = write.index, write.value
        shown = read_thread_config(block.state, write.thread, write.index)
        memory.cores_changed = write.value != shown
    for thread in range(THREADS):
        setc16, mine = block.gates[thread].setc16, memory.threads[thread]
        if setc16.issued_in != cycle - 1:
            continue
        shown = read_thread_config(block.state, thread, setc16.index)
        if setc16.index == _STATE_ID and (setc16.value ^ shown) & 1:
            mine.state_changed_in = cycle
        if write.valid and write.thread == thread and write.index == setc16.index:
            shown = wide(write.value)
        mine.setc16_in, mine.setc16_index = cycle, setc16.index
        mine.setc16_changed = setc16.value != shown


@part
def _move(kept: Record) -> None:
    if not kept.due:
        return
    now, before = kept.now, kept.before
    before.cycle, before.writer, before.thread = now.cycle, now.writer, now.thread
    before.banks, before.index, before.words = now.banks, now.index, now.words
    for word in range(4):
        before.new[word] = now.new[word]
        before.old[0, word], before.old[1, word] = now.old[0, word], now.old[1, word]
