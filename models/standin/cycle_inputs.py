# SPDX-License-Identifier: Apache-2.0
"""What comes from outside: levels and answers at the begin of a cycle, the rest at its end."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Rows, has, look, origin, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.boundary.standin import LANES, THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.models.pack.fields import wide
from tilepath.models.standin import account
from tilepath.models.standin.cycle_state import Model
from tilepath.models.standin.plan import SRC_ROWS, Target


@part
def _levels(timing: Record, rows: Rows, cycle: int) -> None:
    if has(rows.owner, cycle):
        value = wide(take(rows.owner).value)
        for place in range(4):
            timing.owner[place >> 1, place & 1] = (value >> place) & 1
    if has(rows.implied, cycle):
        value = wide(take(rows.implied).value)
        for place in range(4):
            timing.implied[place >> 1, place & 1] = (value >> (4 * place)) & 15
    if has(rows.stale, cycle):
        timing.stale = take(rows.stale).value
    if has(rows.unpack_bank, cycle):
        value = wide(take(rows.unpack_bank).value)
        timing.unpack_bank[0], timing.unpack_bank[1] = value & 1, value >> 1
    if has(rows.pause, cycle):
        timing.pause = take(rows.pause).value


@part
def _races(timing: Record, rows: Rows, cycle: int) -> None:
    timing.unpack_zero = timing.pack_lanes = 0
    if has(rows.unpack_zero, cycle):
        timing.unpack_zero = take(rows.unpack_zero).files
    if has(rows.pack_read, cycle):
        read = take(rows.pack_read)
        timing.pack_lanes, timing.pack_wide = read.lanes, read.wide
        for lane in range(LANES):
            timing.pack_row[lane] = read.row[lane]


@part
def _answer_src(timing: Record, file: int, answer: Record, into: Records) -> None:
    number = timing.read[file]
    if number >= 0:
        for column in range(16):
            into[number, column] = answer.data_[column]


@part
def _answers(timing: Record, rows: Rows, cycle: int) -> None:
    """Rows that were read in the cycle before."""
    if has(rows.answer_a, cycle):
        _answer_src(timing, 0, take(rows.answer_a), timing.rows.a)
    if has(rows.answer_b, cycle):
        _answer_src(timing, 1, take(rows.answer_b), timing.rows.b)
    if has(rows.answer_d, cycle):
        answer, number = take(rows.answer_d), timing.read[Target.DST]
        if number >= 0:
            timing.rows.row_valid[number] = answer.row_valid
            for column in range(16):
                data = wide(answer.data_[column])
                timing.rows.d[number, column] = data if answer.row_valid else 0
    for file in range(3):
        timing.read[file] = -1


@part
def begin(timing: Record, rows: Rows, cycle: int) -> None:
    """Levels, answers, what others do in this cycle."""
    _levels(timing, rows, cycle)
    _races(timing, rows, cycle)
    _answers(timing, rows, cycle)


@part
def _write_config(model: Model, write: Record) -> None:
    index, count = wide(write.index), 1
    if write.wide:
        index, count = index & ~3, 4
    for word in range(index, min(index + count, CFG_WORDS)):
        banks = 3 if word >= CFG_GLOBAL_BASE else wide(write.banks)
        for bank in range(2):
            if (banks >> bank) & 1:
                model.sampled.config[bank, word] = write.data_[word - index]


@part
def _load(model: Model, load: Record) -> None:
    files, row = model.files, wide(load.row)
    if load.target == Target.DST:
        files.dst_valid[row] = load.row_valid
        for column in range(16):
            files.dst[row, column] = load.data_[column]
        return
    src = files.src_a if load.target == Target.SRC_A else files.src_b
    for column in range(16):
        src[load.bank, row & (SRC_ROWS - 1), column] = load.data_[column]


@part
def _tell_store(model: Model, rows: Rows, store: Record, cycle: int) -> None:
    """A store, and the SETC16 of its thread in the same cycle."""
    index = -1
    for thread in range(THREADS):
        if thread == store.thread and has(rows.setc16[thread], cycle):
            index = wide(look(rows.setc16[thread]).index)
    account.stored(model.account[0], store, index, cycle)


@part
def end(model: Model, rows: Rows, ready: int, cycle: int) -> None:
    """What shows from the next cycle on: configuration, loads, a word; without ``ready`` none."""
    timing = model.timing[0]
    if has(rows.cfg, cycle):
        timing.cfg_written = cycle
        _write_config(model, take(rows.cfg))
    if has(rows.store, cycle):  # a SETC16 stands over it
        store = take(rows.store)
        if len(model.account):
            _tell_store(model, rows, store, cycle)
        if store.index < THD_WORDS:
            model.sampled.thread_config[store.thread, store.index] = store.value
    for thread in range(THREADS):
        if has(rows.setc16[thread], cycle):
            timing.own_written[thread] = cycle
            write = take(rows.setc16[thread])
            if write.index < THD_WORDS:
                model.sampled.thread_config[thread, write.index] = write.value
    if has(rows.load, cycle):
        _load(model, take(rows.load))
    if has(rows.issue, cycle):
        given = take(rows.issue)
        if ready:
            timing.inside, timing.sampled, timing.step = 1, 0, 0
            timing.thread, timing.word = given.thread, given.word
            timing.by = origin(rows.issue)
            timing.issued = cycle
