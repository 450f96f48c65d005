# SPDX-License-Identifier: Apache-2.0
"""Records of the outputs (section 9). ``number``: of the unpacker; ``by``: origin."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import Outputs, put, put_flags, put_level
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.isa.boundary.unpack import SLOTS, THREADS, UNPACKERS, WRITES
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.unpack import cycle_account, l1_walk, timing_issue, to_registers
from tilepath.models.unpack.account import BUSY
from tilepath.models.unpack.cycle_state import Model, keeps
from tilepath.models.unpack.plan import NOT_READ
from tilepath.models.unpack.settings import wide

_ALL_SLOTS: Final = (1 << SLOTS) - 1

# --- levels


@part
def _owners(model: Model) -> int:
    value = 0
    for number in range(UNPACKERS):
        for bank in range(2):
            value |= model.timing[0].units[number].owner[bank] << (2 * number + bank)
    return value


@part
def _implied(model: Model) -> int:
    value = 0
    for number in range(UNPACKERS):
        for bank in range(2):
            value |= model.timing[0].units[number].implied[bank] << (8 * number + 4 * bank)
    return value


@part
def _busy(model: Model) -> int:
    value = 0
    for thread in range(THREADS):
        for number in range(UNPACKERS):
            if model.timing[0].busy[thread, number]:
                value |= 1 << (2 * thread + number)
    return value


@part
def _ready(model: Model, cycle: int) -> int:
    value = 0
    for number in range(UNPACKERS):
        unit = model.timing[0].units[number]
        value |= (1 if timing_issue.is_ready(model.timing[0], unit, cycle) else 0) << number
    return value


@part
def _differ(pointers: Record, shown: Record) -> bool:
    """Whether pointers are not as shown last; from now on they are."""
    differ = pointers.bank != shown.bank or pointers.acc != shown.acc
    shown.bank, shown.acc = pointers.bank, pointers.acc
    for thread in range(THREADS):
        differ = differ or pointers.row[thread] != shown.row[thread]
        differ = differ or pointers.context[thread] != shown.context[thread]
        shown.row[thread] = pointers.row[thread]
        shown.context[thread] = pointers.context[thread]
    return bool(differ)


@part
def _show_pointers(model: Model, out: Outputs, number: int, cycle: int) -> None:
    join = model.join[0]
    by = join.pointers_by[number]
    join.pointers_by[number] = -1
    pointers = model.values[0].pointers[number]
    if not _differ(pointers, join.shown.pointers[number]):
        return
    level = put(out.pointers[number], cycle, by)
    level.bank, level.acc = pointers.bank, pointers.acc
    level.row0, level.row1, level.row2 = pointers.row[0], pointers.row[1], pointers.row[2]
    level.context0, level.context1 = pointers.context[0], pointers.context[1]
    level.context2 = pointers.context[2]


@part
def _level(buffer: Record, before: int, now: int, by: int, cycle: int) -> int:
    """A level, which shows if it is not as it was; returns it."""
    if now != before:
        put_level(buffer, cycle, now, by)
    return now


@part
def show(model: Model, out: Outputs, pause: int, cycle: int) -> None:
    """The levels, where they are not as they were."""
    timing, shown = model.timing[0], model.join[0].shown
    registers = model.values[0].registers
    stale = wide(registers.stale[0]) | wide(registers.stale[1]) << 1
    ready, hold = _ready(model, cycle), timing_issue.holds(timing)
    owner, busy, implied = _owners(model), _busy(model), _implied(model)
    if keeps(out):
        account = out.account[0]
        if pause != shown.pause:
            cycle_account.pause_changed(account, pause, cycle)
        if stale != shown.stale:
            cycle_account.stale_changed(account, stale, shown.stale, cycle)
        if implied != shown.implied:
            cycle_account.formats_changed(account, implied, shown.implied, cycle)
        if owner != shown.owner:
            cycle_account.handed(account, owner & ~shown.owner, cycle)
        account.memory.busy[cycle & (BUSY - 1)] = busy
    shown.pause = _level(out.pause[0], shown.pause, pause, timing.pause_by, cycle)
    shown.stale = _level(out.stale[0], shown.stale, stale, timing.stale_by, cycle)
    shown.implied = _level(out.implied[0], shown.implied, implied, timing.owner_by, cycle)
    shown.ready = _level(out.ready[0], shown.ready, ready, timing.changed_by, cycle)
    shown.hold = _level(out.hold[0], shown.hold, hold, timing.changed_by, cycle)
    shown.owner = _level(out.owner[0], shown.owner, owner, timing.owner_by, cycle)
    shown.busy = _level(out.busy[0], shown.busy, busy, timing.changed_by, cycle)
    for number in range(UNPACKERS):
        if model.join[0].pointers_by[number] != -1:
            _show_pointers(model, out, number, cycle)


# --- requests


@part
def put_read(out: Outputs, number: int, cycle: int) -> Record:
    """A record without any line; its origin is not known yet."""
    read = put(out.read[number], cycle, NOT_KNOWN)
    read.count = read.rsi_count = 0
    read.line0 = read.line1 = read.line2 = read.line3 = 0
    read.has_exponent = read.exponent = read.has_delta = read.delta = 0
    read.rsi0 = read.rsi1 = 0
    return read


@part
def request_rsi(read: Record, source: Record) -> None:
    """The lines of RSI entries."""
    read.rsi_count = 1
    read.rsi0 = source.rsi_first >> 4
    if source.rsi_end != NOT_READ:
        read.rsi_count = 2
        read.rsi1 = source.rsi_end >> 4


@part
def request_beat(read: Record, source: Record, beat: Record) -> None:
    """The lines of a beat."""
    read.count = beat.line_count
    read.line0 = beat.lines[0]
    if beat.line_count > 1:
        read.line1 = beat.lines[1]
    if beat.line_count > 2:
        read.line2 = beat.lines[2]
    if beat.line_count > 3:
        read.line3 = beat.lines[3]
    if source.reads_exponents:
        read.has_exponent = 1
        read.exponent = l1_walk.exponent_line(beat)
    if source.compressed:
        read.has_delta = 1
        read.delta = l1_walk.delta_line(beat)


# --- what is written


@part
def put_step(out: Outputs, number: int, plan: Record, step: Record, cycle: int, by: int) -> None:
    """A record for each group of slots of which one is written."""
    for group in range(len(WRITES)):
        mask = step.masks[group]
        if mask:
            row = put(out.write[UNPACKERS * group + number], cycle, by)
            _fill_write(row, plan, step, group)


@part
def _change_row(out: Outputs, row: int, valid: int, cycle: int) -> Record:
    changes = out.changes[0]
    change: Record = changes.rows[changes.count]
    changes.count += 1
    change.cycle, change.row, change.valid, change.mask = cycle, row, valid, 0
    return change


@part
def put_changes(out: Outputs, plan: Record, step: Record, is_second: bool, cycle: int) -> None:
    """Rows of Dst's storage that a part of a step writes, those of 32 bits by halves."""
    target, last = plan.target, -1
    for slot in range(step.count):
        if not to_registers.is_stored(target, step, slot, is_second):
            continue
        address = (step.address + slot) & target.address_mask
        row, column, value = address >> 4, address & 15, wide(step.values[slot])
        if row != last:
            place = storage_row(target.access, target.wide, row)
            high = _change_row(out, place, 1, cycle)
            low = _change_row(out, place + LOW_HALF, -1, cycle) if target.wide else high
            last = row
        high.mask |= 1 << column
        low.mask = high.mask
        low.numbers[column] = value & 0xFFFF
        if target.wide:
            high.numbers[column] = value >> 16


@part
def _fill_write(row: Record, plan: Record, step: Record, group: int) -> None:
    target, mask = plan.target, step.masks[group]
    row.dst = target.to_dst
    row.wide = target.wide & target.to_dst
    row.bank = plan.bank
    row.transpose_ = target.transposes
    row.address = step.address
    row.mask = mask
    for slot in range(SLOTS):
        row.data_[slot] = step.values[SLOTS * group + slot]
    if mask != _ALL_SLOTS:
        for slot in range(SLOTS):
            if (mask >> slot) & 1 == 0:
                row.data_[slot] = 0


@part
def put_clear(out: Outputs, number: int, plan: Record, cycle: int, by: int) -> None:
    """ZEROSRC."""
    row = put(out.clear[number], cycle, by)
    row.banks = 3 if plan.both_banks else 1 << plan.bank
    row.value = plan.clear_value


@part
def put_overlay(out: Outputs, number: int, plan: Record, cycle: int, by: int) -> None:
    """OverlayClear."""
    row = put(out.overlay[number], cycle, by)
    row.stream, row.count = plan.stream, plan.clear_count


@part
def put_setreg(out: Outputs, number: int, address: int, value: int, cycle: int, by: int) -> None:
    """SETREG."""
    row = put(out.setreg[number], cycle, by)
    row.address, row.data_ = address, value


@part
def command(out: Outputs, cycle: int, by: int, number: int, plan: Record) -> None:
    """The increments of an instruction, for the counters."""
    row = put(out.commands[0], cycle, by)
    row.unpacker, row.thread, row.adc = number, plan.thread, plan.adc
    row.y0, row.z0, row.y1, row.z1 = plan.y0, plan.z0, plan.y1, plan.z1


# --- faults


@part
def raise_fault(join: Record, number: int, plan: Record, by: int) -> None:
    """Faults of an instruction; the load, which comes first, names the thread."""
    if plan.faults == 0:
        return
    if join.faults[number] == 0:
        join.fault_thread[number] = plan.thread
        join.fault_by[number] = by
    join.faults[number] |= plan.faults


@part
def put_faults(model: Model, out: Outputs, cycle: int) -> None:
    """Put out the faults of instructions and of the unit in this cycle."""
    join = model.join[0]
    for number in range(UNPACKERS):
        if join.faults[number]:
            if keeps(out):
                cycle_account.fault(out.account[0].fault, number, join.faults[number], cycle)
            row = put(out.fault[number], cycle, join.fault_by[number])
            row.thread, row.flags_ = join.fault_thread[number], join.faults[number]
            join.faults[number] = 0
    if join.unit_faults:
        if keeps(out):
            cycle_account.unit_fault(out, join.unit_faults, join.shown.busy, cycle)
        put_flags(out.unit_fault[0], cycle, join.unit_faults, join.unit_fault_by)
        join.unit_faults = 0


@part
def put_read_fault(out: Outputs, number: int, flags: int, cycle: int, by: int) -> None:
    """Put out the fault of a request."""
    if keeps(out):
        cycle_account.fault(out.account[0].read_fault, number, flags, cycle)
    put_flags(out.read_fault[number], cycle, flags, by)


@part
def put_write_fault(out: Outputs, number: int, flags: int, cycle: int, by: int) -> None:
    """Put out the fault of a step or token."""
    if keeps(out):
        cycle_account.fault(out.account[0].write_fault, number, flags, cycle)
    put_flags(out.write_fault[number], cycle, flags, by)


@part
def _put_row(buffer: Record, join: Record, file: int, cycle: int) -> Record:
    row = put(buffer, cycle, join.read_by)
    for column in range(to_registers.COLUMNS):
        row.data_[column] = join.read_data[file, column]
    return row


@part
def put_answers(model: Model, out: Outputs, cycle: int) -> None:
    """The rows that the Matrix Unit has read in the cycle before."""
    join = model.join[0]
    if join.reading & 1:
        _put_row(out.answer_a[0], join, 0, cycle)
    if join.reading & 2:
        _put_row(out.answer_b[0], join, 1, cycle)
    if join.reading & 4:
        _put_row(out.answer_d[0], join, 2, cycle).row_valid = join.read_valid
    join.reading = 0
