# SPDX-License-Identifier: Apache-2.0
"""What comes from outside: levels at the begin of a cycle, the rest at its end (section 2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.compiled_io import Outputs, Rows, has, origin, raise_unit_fault, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.pack import LINE_WORDS
from tilepath.isa.boundary.unpack import THREADS, UNPACKERS
from tilepath.models.adc import untimed_commands
from tilepath.models.unpack import cycle_account, timing_issue
from tilepath.models.unpack.cycle_state import Model, keeps
from tilepath.models.unpack.faults import UnitFlag
from tilepath.models.unpack.plan import OPCODE_NOP
from tilepath.models.unpack.settings import CFG_WORDS, GLOBAL_WORDS, MISC_CFG, THD_WORDS, wide


@part
def begin(model: Model, rows: Rows, cycle: int) -> None:
    """Levels."""
    timing, join = model.timing[0], model.join[0]
    if has(rows.matrix_bank, cycle):
        timing.matrix_bank = take(rows.matrix_bank).value
    if has(rows.l1_latency, cycle):
        timing.latency = take(rows.l1_latency).cycles
    if has(rows.setreg_base, cycle):
        bases = take(rows.setreg_base)
        join.setreg_base[0] = bases.base0
        join.setreg_base[1] = bases.base1


# --- at the end of a cycle


@part
def _check_signs(model: Model, bank: int, word: int, data: int, by: int) -> None:
    """A write that changes Src?Unsigned of an unpacker that is busy (U53)."""
    settings, join = model.values[0].settings, model.join[0]
    for unpacker in range(UNPACKERS):
        field = settings.fields[unpacker].unsigned
        if word != field.word or (join.shown.busy >> unpacker) & 0b010101 == 0:
            continue
        if ((wide(model.config[bank, word]) ^ data) >> field.lsb) & field.ones:
            raise_unit_fault(join, UnitFlag.UNSIGNED0 << unpacker, by)


@part
def _write_config(model: Model, write: Record, given: int, by: int) -> None:
    index, count = wide(write.index), 1
    if write.wide:
        index, count = index & ~3, 4
    for word in range(index, min(index + count, CFG_WORDS)):
        data = wide(write.data_[word - index])
        banks = 3 if word >= GLOBAL_WORDS else given
        for bank in range(2):
            if (banks >> bank) & 1:
                _check_signs(model, bank, word, data, by)
                model.config[bank, word] = data


@part
def _write_thread_config(model: Model, thread: int, write: Record, by: int) -> None:
    """A SETC16, and its reset of context counters (U6)."""
    if write.index < THD_WORDS:
        model.thread_config[thread, write.index] = write.value
    if write.index == MISC_CFG:
        for unpacker in range(UNPACKERS):
            if (write.value >> (4 + 8 * unpacker)) & 1:
                model.values[0].pointers[unpacker].context[thread] = 0
                model.join[0].pointers_by[unpacker] = by


@part
def _issue(model: Model, rows: Rows, ready: int, cycle: int) -> None:
    timing = model.timing[0]
    has_unpacr = False
    for number in range(UNPACKERS):
        if not has(rows.issue[number], cycle):
            continue
        given = take(rows.issue[number])
        if (ready >> number) & 1 == 0:
            continue
        by = origin(rows.issue[number])
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
    if has(rows.cfg, cycle):
        write, beside = take(rows.cfg), True
        _write_config(model, write, wide(write.banks), origin(rows.cfg))
    if has(rows.flop, cycle):
        flop = take(rows.flop)
        if kept:
            cycle_account.flop(out.account[0], wide(flop.bank), beside, cycle)
        _write_config(model, flop, 1 << wide(flop.bank), origin(rows.flop))
    if has(rows.store, cycle):  # a SETC16 stands over it
        store = take(rows.store)
        if kept:
            cycle_account.store(rows, out.account[0], store, cycle)
        if store.index < THD_WORDS:
            model.thread_config[store.thread, store.index] = store.value
    if has(rows.counter_flops, cycle):  # before the threads' words (A13)
        untimed_commands.flop(model.counters[0], take(rows.counter_flops))
    for thread in range(THREADS):
        if has(rows.setc16[thread], cycle):
            given = take(rows.setc16[thread])
            if kept:
                index, value = wide(given.index), wide(given.value)
                cycle_account.setc16(model, out, thread, index, value, cycle)
            _write_thread_config(model, thread, given, origin(rows.setc16[thread]))
        if has(rows.counter[thread], cycle):
            word = wide(take(rows.counter[thread]).word)
            untimed_commands.execute(model.counters[0], thread, word)
    if has(rows.l1_write, cycle):
        write = take(rows.l1_write)
        _write_l1(model, wide(write.line), write.data_)
    while has(rows.l1_changes, cycle):
        change = take(rows.l1_changes)
        _write_l1(model, change.line, change.data_)
