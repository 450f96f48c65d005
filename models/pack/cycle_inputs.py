# SPDX-License-Identifier: Apache-2.0
"""What comes from outside: levels and counters at the begin of a cycle, the rest at its end."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import Rows, has, origin, raise_unit_fault, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.pack import THREADS
from tilepath.isa.constants import CFG_WORDS, THD_WORDS
from tilepath.models.adc.untimed_state import PACKERS as TARGET
from tilepath.models.pack import cycle_account_time as account
from tilepath.models.pack import timing_issue
from tilepath.models.pack.cycle_state import Model, as_int
from tilepath.models.pack.cycle_walk import packers_of
from tilepath.models.pack.fields import ACC_STATS, IS_READ
from tilepath.models.pack.state import COLUMNS, DST_ROWS, PACKERS
from tilepath.models.pack.timing_rows import is_read, take_banks

_HALF: Final = DST_ROWS // 2
_GLOBAL: Final = 180  # words from here on are one copy
BUSY_CONFIG, HIST_BUSY, DST_BUSY = 1, 2, 4


# --- at the begin of a cycle


@part
def begin(model: Model, rows: Rows, cycle: int) -> None:
    """Levels, counters as registered, and what the Matrix Unit reads."""
    timing, join, state = model.timing[0], model.join[0], model.sampling[0]
    if has(rows.dst_read, cycle):
        read = take(rows.dst_read)
        timing.matrix_banks = take_banks(timing, as_int(read.row), as_int(read.wide))
        if len(model.account):
            account.matrix_reads(model, as_int(read.row), as_int(read.wide), cycle)
    if has(rows.l1_ready, cycle):
        before = join.l1_ready
        join.l1_ready = take(rows.l1_ready).value
        if len(model.account):
            account.ports_changed(model, before, cycle)
    if has(rows.l1_latency, cycle):
        join.l1_latency = take(rows.l1_latency).cycles
    if has(rows.setreg_base, cycle):
        level = take(rows.setreg_base)
        state.setreg_base[0] = level.base_
        state.setreg_scaler[0] = level.scaler0
        state.setreg_scaler[1] = level.scaler1
        state.setreg_scaler[2] = level.scaler2
        state.setreg_scaler[3] = level.scaler3
    for k in range(THREADS):
        if has(rows.changes[k], cycle):
            change = take(rows.changes[k])
            for channel in range(2):
                for counter in range(4):
                    model.live[k, TARGET, channel, counter] = change.live[channel, counter]


# --- at the end of a cycle


@part
def write_config(model: Model, record: Record, given: int, by: int, was_busy: bool) -> None:
    """One word, or four from a multiple of four on, in the ``given`` banks."""
    join = model.join[0]
    join.config_writes += 1
    index, count = as_int(record.index), 1
    if record.wide:
        index, count = index & ~3, 4
    for word in range(index, min(index + count, CFG_WORDS)):
        banks = 3 if word >= _GLOBAL else given
        for bank in range(2):
            if (banks >> bank) & 1:
                model.config[bank, word] = record.data_[word - index]
        if was_busy and banks and IS_READ[word]:
            raise_unit_fault(join, BUSY_CONFIG, by)


@part
def write_thread_config(model: Model, thread: int, record: Record) -> None:
    """A SETC16, or a core's store."""
    if record.index < THD_WORDS:
        model.thread_config[thread, record.index] = record.value
        model.join[0].config_writes += record.index == ACC_STATS


@part
def write_dst(model: Model, record: Record, by: int) -> None:
    """A run of rows, each with its mask of columns; the rows are valid from now on."""
    for k in range(record.count):
        row = (as_int(record.row) + k) & (DST_ROWS - 1)
        if is_read(model.timing[0], row):
            raise_unit_fault(model.join[0], DST_BUSY, by)
        model.memory.valid[row] = 1
        for column in range(COLUMNS):
            if (record.mask[k] >> column) & 1:
                word = record.data_[8 * k + (column >> 1)]
                model.memory.dst[row, column] = (word >> (16 * (column & 1))) & 0xFFFF


@part
def change_dst(model: Model, rows: Rows, cycle: int) -> None:
    """Changes by other units, where packers are joined with them (docs/datapath.md).

    Rows that packers get in this cycle as well are a fault.
    """
    join, memory = model.join[0], model.memory
    while has(rows.dst_changes, cycle):
        change = take(rows.dst_changes)
        for column in range(COLUMNS):
            if (change.mask >> column) & 1:
                memory.dst[change.row, column] = change.numbers[column]
        if change.valid >= 0:
            memory.valid[change.row] = change.valid
        if change.mask and is_read(model.timing[0], change.row):
            raise_unit_fault(join, DST_BUSY, -1)


@part
def zero_dst(model: Model, record: Record) -> None:
    """All rows or a half become invalid (P58)."""
    first = 0 if record.all_ else _HALF * as_int(record.half)
    for row in range(first, DST_ROWS if record.all_ else first + _HALF):
        model.memory.valid[row] = 0


@part
def _write_memories(model: Model, rows: Rows, cycle: int) -> None:
    l1 = model.memory.l1
    if has(rows.dst_zero, cycle):
        zero_dst(model, take(rows.dst_zero))
    if has(rows.dst_write, cycle):  # rows of this cycle are valid
        write = take(rows.dst_write)
        write_dst(model, write, origin(rows.dst_write))
        if len(model.account):
            account.dst_written(model, as_int(write.row), as_int(write.count), cycle)
    if has(rows.l1_write, cycle):
        record = take(rows.l1_write)
        for k in range(record.data_.shape[0]):
            line = as_int(record.line) + (k >> 2)
            if line < l1.shape[0]:
                l1[line, k & 3] = record.data_[k]


@part
def end(model: Model, rows: Rows, cycle: int, was_busy: bool) -> None:
    """What shows from the next cycle on: issues, configuration, memories."""
    timing, join = model.timing[0], model.join[0]
    if has(rows.issue, cycle):
        record = take(rows.issue)
        if join.shown_ready:
            word = as_int(record.word)
            packers = packers_of(model.sampling[0].parameters, word)
            by = origin(rows.issue)
            timing_issue.issue(timing, cycle, as_int(record.thread), word, packers, by)
            join.changed_by = by
    if has(rows.cfg, cycle):
        write = take(rows.cfg)
        write_config(model, write, as_int(write.banks), origin(rows.cfg), was_busy)
    if has(rows.flop, cycle):
        flop = take(rows.flop)
        write_config(model, flop, 1 << as_int(flop.bank), origin(rows.flop), was_busy)
    if has(rows.store, cycle):
        store = take(rows.store)
        write_thread_config(model, as_int(store.thread), store)
    for thread in range(THREADS):
        if has(rows.setc16[thread], cycle):
            write_thread_config(model, thread, take(rows.setc16[thread]))
    if has(rows.offset, cycle):
        offset = take(rows.offset)
        for number in range(PACKERS):
            if (offset.packers >> number) & 1:
                model.sampling[0].offsets[number] = offset.value
    _write_memories(model, rows, cycle)
    change_dst(model, rows, cycle)
