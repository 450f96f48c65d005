# SPDX-License-Identifier: Apache-2.0
"""The account of the scalar unit, and of values that are read as they change.

As ``cycle_account``, before the end of a cycle: what a cycle writes is due, and not written yet.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.compiled_io import NEVER
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.registers import config_field
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.account import SETC16S, THREAD_WORDS_FROM, WRITES, Writer
from tilepath.models.control.cycle_block import VIEWS, slot
from tilepath.models.control.instructions import CORES, THREADS, Kind, Resource
from tilepath.models.control.state import (
    GLOBAL,
    read_config,
    read_thread_config,
    state_id,
    wide,
)
from tilepath.models.fields import get

_STATE_ID: Final = config_field("CFG_STATE_ID_StateID").addr32
_VIEWS_FROM: Final = len(Kind)  # bits of ``uses``


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
        gpr, late = values.result_gpr(first, before), distance - 1
        if first == Kind.RDCFG:
            gpr = get(before, F.RDCFG_GPR)
        elif values.is_two_operand(first):
            late = distance - values.two_operand_cycles(before)
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
                row.producer, row.distance, row.late = first, distance, late


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
    _note_writes(block, account.memory, cycle)
    entry, scalar = block.config_unit.entry, block.scalar_unit
    enters = entry.issued_in == cycle - 1 and entry.kind != Kind.RISC
    if enters and values.config_index(entry.kind, entry.word) < GLOBAL:
        _uses(account, entry.source, entry.kind, cycle)
    flop = scalar.issued_in == cycle - 1 and scalar.kind == Kind.REG2FLOP
    if flop and values.flop_writes_config(scalar.word):
        _uses(account, scalar.thread, Kind.REG2FLOP, cycle)
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
def _word(block: Record, bank: int, index: int) -> int:
    """A word of configuration as it shows, of ``bank``, or of thread ``bank``."""
    if index >= THREAD_WORDS_FROM:
        return read_thread_config(block.state, bank, index - THREAD_WORDS_FROM)
    return read_config(block.state, bank, index)


@part
def _note(
    block: Record, kept: Record, write: tuple[int, int, int, int, int], words: Records, cycle: int
) -> None:
    """A write is due: its writer and thread, banks, index and number of words."""
    now = kept.now
    kept.due, now.cycle = True, cycle
    now.writer, now.thread, now.banks, now.index, now.words = write
    for place in range(now.words):
        now.new[place] = words[place]
        for bank in range(THREADS):
            if (now.banks >> bank) & 1:
                now.old[bank, place] = _word(block, bank, now.index + place)


@part
def _note_writes(block: Record, memory: Record, cycle: int) -> None:
    """Keep the writes that are due, beside those of the cycle before.

    Which are there until the views have been told, so they are moved in ``tell_writes``.
    """
    unit, write = block.scalar_unit, block.config_unit.writes[slot(cycle)]
    cores, kept = block.config_unit.risc_write, memory.writes
    for number in range(WRITES):
        kept[number].due = False
    if write.valid:
        count = 4 if write.quad else 1
        told = _writer(write), write.source, write.banks, write.index, count
        _note(block, kept[0], told, write.words, cycle)
    if unit.writes_config:
        index, count = values.flop_index(unit.word), 4 if values.flop_is_quad(unit.word) else 1
        told = Writer.REG2FLOP + 0, unit.thread, 1 << unit.bank, index, count
        _note(block, kept[1], told, unit.words, cycle)
    if cores.valid:
        index = THREAD_WORDS_FROM + cores.index
        told = Writer.CORES_THREAD + 0, CORES + 0, 1 << cores.thread, index, 1
        memory.value[0] = cores.value
        _note(block, kept[2], told, memory.value, cycle)
    for thread in range(THREADS):
        setc16 = block.gates[thread].setc16
        if setc16.issued_in != cycle - 1:
            continue
        told = Writer.SETC16 + 0, thread, 1 << thread, THREAD_WORDS_FROM + setc16.index, 1
        memory.value[0] = setc16.value
        mine = kept[SETC16S + thread]
        _note(block, mine, told, memory.value, cycle)
        if setc16.index == _STATE_ID and (setc16.value ^ mine.now.old[thread, 0]) & 1:
            memory.threads[thread].state_changes_in = cycle
        if cores.valid and cores.thread == thread and cores.index == setc16.index:
            mine.now.old[thread, 0] = wide(cores.value)


@part
def _view(block: Record, account: Record, unit: int, cycle: int) -> None:
    view = block.views[unit]
    row = new_row(account.viewed, cycle)
    row.thread, row.unit, row.index = view.thread, unit, view.index
    bank = row.bank = state_id(block.state, view.thread)
    if view.index >= THREAD_WORDS_FROM:
        bank = view.thread
    shown = _word(block, bank, view.index)
    for number in range(WRITES):
        for age in range(2):
            kept = account.memory.writes[number]
            write = kept.before if age else kept.now
            place = view.index - write.index
            there = (write.banks >> bank) & 1 and 0 <= place < write.words
            if write.cycle != cycle - age or not there:
                continue
            other = write.old[bank, place] if age else write.new[place]
            if other != shown and (not age or write.new[place] == shown):
                change = new_row(account.changing, cycle)
                change.thread, change.unit, change.age = view.thread, unit, age
                change.writer, change.by = write.writer, write.thread


@compiled
def tell_writes(account: Record) -> None:
    """What the end of the cycle writes is what was written before, in the next one."""
    for number in range(WRITES):
        kept = account.memory.writes[number]
        if kept.due:
            kept.before = kept.now
    for thread in range(THREADS):
        mine = account.memory.threads[thread]
        mine.state_changed_in = mine.state_changes_in
