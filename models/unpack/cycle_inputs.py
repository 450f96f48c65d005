# SPDX-License-Identifier: Apache-2.0
"""What comes from outside: levels at the begin of a cycle, the rest at its end (section 2)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary.pack import LINE_WORDS
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS
from tilepath.models.adc import untimed_commands
from tilepath.models.cycle_inputs import has, origin, raise_unit_fault, sooner
from tilepath.models.jit import part
from tilepath.models.records import Record, Records
from tilepath.models.unpack import cycle_account, timing_issue
from tilepath.models.unpack.cycle_records import Outputs, Rows, keeps
from tilepath.models.unpack.cycle_state import Model
from tilepath.models.unpack.faults import UnitFlag
from tilepath.models.unpack.plan import OPCODE_NOP
from tilepath.models.unpack.settings import CFG_WORDS, GLOBAL_WORDS, MISC_CFG, THD_WORDS, wide
from tilepath.models.unpack.timing_state import NEVER

ISSUE: Final = BOUNDARY.number("u0.issue")
COUNTER: Final = BOUNDARY.number("t0.counter")
CFG: Final = BOUNDARY.number("cfg")
FLOP: Final = BOUNDARY.number("flop")
STORE: Final = BOUNDARY.number("store")
SETC16: Final = BOUNDARY.number("t0.setc16")
MATRIX: Final = BOUNDARY.number("matrix")
MATRIX_WRITE: Final = BOUNDARY.number("matrix_write")
MATRIX_BANK: Final = BOUNDARY.number("matrix_bank")
SETREG_BASE: Final = BOUNDARY.number("setreg_base")
L1_WRITE: Final = BOUNDARY.number("l1_write")
L1_LATENCY: Final = BOUNDARY.number("l1_latency")
L1_CHANGES: Final = len(BOUNDARY.inputs)
COUNTER_FLOPS: Final = L1_CHANGES + 1


@part
def take(join: Record, stream: int, records: Records) -> Record:
    """The next record of an input; the cycle is an active one."""
    found: Record = records[join.next_row[stream]]
    join.next_row[stream] += 1
    join.active = 1
    return found


@part
def next_cycle(join: Record, rows: Rows) -> int:
    """The next cycle with a record of an input, or ``NEVER``."""
    cycle = sooner(join, CFG, rows.cfg, NEVER)
    cycle = sooner(join, FLOP, rows.flop, cycle)
    cycle = sooner(join, STORE, rows.store, cycle)
    cycle = sooner(join, MATRIX, rows.matrix, cycle)
    cycle = sooner(join, MATRIX_WRITE, rows.matrix_write, cycle)
    cycle = sooner(join, MATRIX_BANK, rows.matrix_bank, cycle)
    cycle = sooner(join, SETREG_BASE, rows.setreg_base, cycle)
    cycle = sooner(join, L1_WRITE, rows.l1_write, cycle)
    cycle = sooner(join, L1_LATENCY, rows.l1_latency, cycle)
    cycle = sooner(join, L1_CHANGES, rows.l1_changes, cycle)
    cycle = sooner(join, COUNTER_FLOPS, rows.counter_flops, cycle)
    for unpacker in range(UNPACKERS):
        cycle = sooner(join, ISSUE + unpacker, rows.issue[unpacker], cycle)
    for thread in range(THREADS):
        cycle = sooner(join, COUNTER + thread, rows.counter[thread], cycle)
        cycle = sooner(join, SETC16 + thread, rows.setc16[thread], cycle)
    return cycle


@part
def begin(model: Model, rows: Rows, cycle: int) -> None:
    """Levels."""
    timing, join = model.timing[0], model.join[0]
    if has(join, MATRIX_BANK, rows.matrix_bank, cycle):
        timing.matrix_bank = take(join, MATRIX_BANK, rows.matrix_bank).value
    if has(join, L1_LATENCY, rows.l1_latency, cycle):
        timing.latency = take(join, L1_LATENCY, rows.l1_latency).cycles
    if has(join, SETREG_BASE, rows.setreg_base, cycle):
        bases = take(join, SETREG_BASE, rows.setreg_base)
        join.setreg_base[0] = bases.base0
        join.setreg_base[1] = bases.base1


# --- at the end of a cycle


@part
def _check_signs(model: Model, bank: int, word: int, data: int) -> None:
    """A write that changes Src?Unsigned of an unpacker that is busy (U53)."""
    settings, join = model.values[0].settings, model.join[0]
    for unpacker in range(UNPACKERS):
        field = settings.fields[unpacker].unsigned
        if word != field.word or (join.shown.busy >> unpacker) & 0b010101 == 0:
            continue
        if ((wide(model.config[bank, word]) ^ data) >> field.lsb) & field.ones:
            raise_unit_fault(join, UnitFlag.UNSIGNED0 << unpacker, origin(join, CFG))


@part
def _write_config(model: Model, write: Record, given: int) -> None:
    index, count = wide(write.index), 1
    if write.wide:
        index, count = index & ~3, 4
    for word in range(index, min(index + count, CFG_WORDS)):
        data = wide(write.data_[word - index])
        banks = 3 if word >= GLOBAL_WORDS else given
        for bank in range(2):
            if (banks >> bank) & 1:
                _check_signs(model, bank, word, data)
                model.config[bank, word] = data


@part
def _write_thread_config(model: Model, thread: int, write: Record) -> None:
    """A SETC16, and its reset of context counters (U6)."""
    if write.index < THD_WORDS:
        model.thread_config[thread, write.index] = write.value
    if write.index == MISC_CFG:
        for unpacker in range(UNPACKERS):
            if (write.value >> (4 + 8 * unpacker)) & 1:
                model.values[0].pointers[unpacker].context[thread] = 0
                model.join[0].pointers_by[unpacker] = origin(model.join[0], SETC16 + thread)


@part
def _issue(model: Model, rows: Rows, ready: int, cycle: int) -> None:
    timing, join = model.timing[0], model.join[0]
    has_unpacr = False
    for number in range(UNPACKERS):
        if not has(join, ISSUE + number, rows.issue[number], cycle):
            continue
        given = take(join, ISSUE + number, rows.issue[number])
        if (ready >> number) & 1 == 0:
            continue
        by = origin(join, ISSUE + number)
        word, thread, unit = wide(given.word), wide(given.thread), timing.units[number]
        if word >> 24 == OPCODE_NOP:
            timing_issue.issue(unit.nop, thread, word, by)
            unit.nop.sampled = cycle + 1
        else:
            timing_issue.issue(unit.unpacr, thread, word, by)
            has_unpacr = True
        timing.busy[thread, number] += 1
        timing.changed_by = by
    if has_unpacr:
        timing_issue.begin_phase(timing, cycle)


@part
def _write_l1(model: Model, line: int, data: npt.NDArray[np.uint32]) -> None:
    first = LINE_WORDS * line
    for k in range(data.shape[0]):
        if first + k < model.l1.shape[0]:
            model.l1[first + k] = data[k]


@part
def end(model: Model, rows: Rows, out: Outputs, cycle: int) -> None:
    """What shows from the next cycle on: issues, configuration, counters, L1."""
    join, kept, beside = model.join[0], keeps(out), False
    _issue(model, rows, join.shown.ready, cycle)
    if has(join, CFG, rows.cfg, cycle):
        write, beside = take(join, CFG, rows.cfg), True
        _write_config(model, write, wide(write.banks))
    if has(join, FLOP, rows.flop, cycle):
        flop = take(join, FLOP, rows.flop)
        if kept:
            cycle_account.flop(out.account, wide(flop.bank), beside, cycle)
        _write_config(model, flop, 1 << wide(flop.bank))
    if has(join, STORE, rows.store, cycle):  # a SETC16 stands over it
        store = take(join, STORE, rows.store)
        if kept:
            cycle_account.store(join, rows, out.account, store, cycle)
        if store.index < THD_WORDS:
            model.thread_config[store.thread, store.index] = store.value
    if has(join, COUNTER_FLOPS, rows.counter_flops, cycle):  # before the threads' words (A13)
        untimed_commands.flop(model.counters[0], take(join, COUNTER_FLOPS, rows.counter_flops))
    for thread in range(THREADS):
        if has(join, SETC16 + thread, rows.setc16[thread], cycle):
            given = take(join, SETC16 + thread, rows.setc16[thread])
            if kept:
                index, value = wide(given.index), wide(given.value)
                cycle_account.setc16(model, out, thread, index, value, cycle)
            _write_thread_config(model, thread, given)
        if has(join, COUNTER + thread, rows.counter[thread], cycle):
            word = wide(take(join, COUNTER + thread, rows.counter[thread]).word)
            untimed_commands.execute(model.counters[0], thread, word)
    if has(join, L1_WRITE, rows.l1_write, cycle):
        write = take(join, L1_WRITE, rows.l1_write)
        _write_l1(model, wide(write.line), write.data_)
    while has(join, L1_CHANGES, rows.l1_changes, cycle):
        change = take(join, L1_CHANGES, rows.l1_changes)
        _write_l1(model, change.line, change.data_)
