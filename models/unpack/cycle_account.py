# SPDX-License-Identifier: Apache-2.0
"""How the rows of the account are written by the parts of the model, as they go (``account``).

Whoever calls has asked ``keeps``; ``number``: of the unpacker.
"""

from __future__ import annotations

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.compiled_io import Outputs, Rows, has, look
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.unpack import UNPACKERS
from tilepath.models.unpack import sample_source
from tilepath.models.unpack.account import BUSY
from tilepath.models.unpack.cycle_state import Model, plan_at
from tilepath.models.unpack.plan import Kind
from tilepath.models.unpack.settings import (
    MISC_CFG,
    WORDS,
    Sampled,
    counter,
    read,
    read_all,
    wide,
)
from tilepath.models.unpack.timing_state import WRITE


@part
def _in_order(account: Record, number: int, thread: int, cycle: int) -> Record:
    """A row of ``account.ORDER`` in which nothing is."""
    row = new_row(account.order, cycle)
    row.unpacker, row.thread = number, thread
    row.word = row.kind = row.uses = row.resets = row.switches = row.busy = 0
    return row


# --- what an instruction samples


@part
def _differs(model: Model, number: int) -> bool:
    for place in range(WORDS.shape[1]):
        word = WORDS[number, place]
        if model.config[0, word] != model.config[1, word]:
            return True
    return False


@part
def _regular(
    account: Record, values: Record, plan: Record, seen: Sampled, number: int, cycle: int
) -> None:
    row = new_row(account.regular, cycle)
    thread, pointers = plan.thread, values.pointers[number]
    row.unpacker, row.plan = number, plan
    read_all(row.seen, values.settings.fields[number], seen, plan.state, thread)
    row.pointer[0] = 4 * sample_source.datum_pointer(plan.source)
    row.pointer[1] = sample_source.exponent_pointer(plan.source)
    for place in range(8):
        of_set = plan.adc if place < 2 or place == 4 else thread
        row.counters[place] = counter(seen.live, of_set, number, place >> 2, place & 3)
    row.x_dim = sample_source.x_dim(values.settings, plan, seen)
    row.context, row.behind_dst = pointers.context[thread], pointers.sel_dst


@compiled
def sampled(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """An instruction, whose plan is made, and whose traces are not left yet."""
    account, timing, values = out.account[0], model.timing[0], model.values[0]
    unit = timing.units[number]
    plan = plan_at(values.units[number], unit.next_number)
    seen = Sampled(model.config, model.thread_config, model.counters[0].live)
    kind, thread = plan.kind, plan.thread
    row = new_row(account.sampled, cycle)
    row.unpacker, row.plan = number, plan
    row.context = values.pointers[number].context[thread]
    counts = values.settings.fields[number].context_count
    row.context_count = read(seen.config, plan.state, counts)
    row.differs = _differs(model, number)
    row.matrix_bank = timing.matrix_bank >> number & 1
    row.owners = model.join[0].shown.owner >> 2 * number & 3
    row.tied = kind <= Kind.FLUSH and timing.units[1 - number].unpacr.here != 0
    if kind == Kind.REGULAR:
        _regular(account, values, plan, seen, number, cycle)
    order = _in_order(account, number, thread, cycle)
    order.word, order.kind = plan.word, kind
    if kind == Kind.INCREMENT or (kind == Kind.REGULAR and plan.multi and plan.word >> 3 & 1):
        order.uses = 1


# --- levels


@compiled
def handed(account: Record, banks: int, cycle: int) -> None:
    """Banks become the Matrix Unit's; what hands them over went some cycles before."""
    busy = account.memory.busy[(cycle - WRITE - 2) & (BUSY - 1)]
    for place in range(4):
        if banks >> place & 1:
            row = new_row(account.handed, cycle)
            row.unpacker, row.bank = place >> 1, place & 1
            row.busy = busy & (0b010101 if place >> 1 else 0b101010) != 0


@compiled
def formats_changed(account: Record, now: int, before: int, cycle: int) -> None:
    """Formats that come with banks, four bits each."""
    for place in range(4):
        if (now ^ before) >> 4 * place & 15:
            row = new_row(account.format, cycle)
            row.unpacker, row.bank = place >> 1, place & 1
            row.format = now >> 4 * place & 15


@compiled
def stale_changed(account: Record, now: int, before: int, cycle: int) -> None:
    """Banks of SrcA, a bit each."""
    for bank in range(2):
        if (before & ~now) >> bank & 1:
            row = new_row(account.stale, cycle)
            row.bank, row.command = bank, account.memory.command


@compiled
def pause_changed(account: Record, pause: int, cycle: int) -> None:
    """``pause``: from this cycle on."""
    memory = account.memory
    if pause == 0:
        row = new_row(account.pause, cycle)
        row.cycles = cycle - memory.paused
    memory.paused = cycle


# --- the Matrix Unit, and writes of others


@compiled
def matrix(model: Model, rows: Rows, out: Outputs, command: int, cycle: int) -> None:
    """The Matrix Unit's command, a row of its stream or less than 0, and the row that it writes."""
    account, join = out.account[0], model.join[0]
    memory = account.memory
    writes = has(rows.matrix_write, cycle)
    if command < 0 and not writes:
        return
    row = new_row(account.matrix, cycle)
    row.command, row.write = memory.nothing.command, memory.nothing.write
    row.owners, row.writes, row.valid = join.shown.owner, writes, 0
    # whether ``pause`` was 1 in the cycle before
    row.paused = (join.shown.pause != 0) != (memory.paused == cycle)
    if command >= 0:
        memory.command = rows.matrix.records[command]
        row.command, row.valid = memory.command, join.read_valid
    if writes:
        row.write = look(rows.matrix_write)


@compiled
def setc16(model: Model, out: Outputs, thread: int, index: int, value: int, cycle: int) -> None:
    """A SETC16, before it is written."""
    for number in range(UNPACKERS):
        row = _in_order(out.account[0], number, thread, cycle)
        if index == MISC_CFG:
            row.resets = value >> (4 + 8 * number) & 1
        if index == 0:
            row.switches = (wide(model.thread_config[thread, 0]) ^ value) & 1
        row.busy = model.join[0].shown.busy >> (2 * thread + number) & 1


@compiled
def flop(account: Record, bank: int, beside: bool, cycle: int) -> None:
    """REG2FLOP's write."""
    row = new_row(account.flop, cycle)
    row.bank, row.beside = bank, beside


@compiled
def store(rows: Rows, account: Record, given: Record, cycle: int) -> None:
    """A core's store, before the SETC16 of its cycle."""
    row = new_row(account.store, cycle)
    thread = wide(given.thread)
    row.thread, row.beside = thread, 0
    if has(rows.setc16[thread], cycle):
        row.beside = 2 if look(rows.setc16[thread]).index == given.index else 1


@compiled
def fault(kind: Record, number: int, flags: int, cycle: int) -> None:
    """Flags of an instruction, a request, a step or token: each has its ``kind`` of rows."""
    row = new_row(kind, cycle)
    row.unpacker, row.flags_ = number, flags


@part
def unit_fault(out: Outputs, flags: int, busy: int, cycle: int) -> None:
    """Flags of the unit, and who is busy in their cycle."""
    row = new_row(out.account[0].unit_fault, cycle)
    row.flags_, row.busy = flags, busy
