# SPDX-License-Identifier: Apache-2.0
"""Output records of the cycle at hand, but for those of the L1 ports."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import (
    Outputs,
    Rows,
    has,
    origin,
    put,
    put_flags,
    put_level,
    raise_unit_fault,
    take,
)
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.models.pack import cycle_account_time as account
from tilepath.models.pack import timing_issue
from tilepath.models.pack.cycle_inputs import HIST_BUSY
from tilepath.models.pack.cycle_state import Model, as_int, copy_words
from tilepath.models.pack.faults import RunFlag
from tilepath.models.pack.state import LANES, LINE_WORDS, PACKERS
from tilepath.models.pack.timing_state import issue_at, step


@part
def show(model: Model, out: Outputs, cycle: int) -> None:
    """Levels as registered, and the answer of the histogram."""
    timing, join = model.timing[0], model.join[0]
    ready = 1 if timing_issue.is_ready(timing) else 0
    if ready != join.shown_ready:
        by = join.changed_by if timing.issued else NOT_KNOWN
        if len(model.account):
            account.ready_changed(model.account[0], PACKERS, ready, cycle)
        put_level(out.ready[0], cycle, ready, by)
        join.shown_ready = ready
    if timing.busy != join.shown_busy:
        if len(model.account):
            account.busy_changed(model, cycle)
        put_level(out.busy[0], cycle, timing.busy, join.changed_by)
        join.shown_busy = timing.busy
    if join.answers:
        join.answers = 0
        copy_words(put(out.hist_data[0], cycle, join.answer_origin).data_, join.answer)


@part
def effects(model: Model, out: Outputs, cycle: int) -> None:
    """Fault and SETREG's write of the instruction that has its effect now (section 4)."""
    timing = model.timing[0]
    if not timing_issue.has_effect(timing, cycle):
        return
    head = issue_at(timing, timing.effective)
    timing.effective += 1
    if head.faults:
        row = put(out.fault[0], cycle, head.origin)
        row.thread, row.flags_ = head.thread, head.faults
    if head.writes:
        write = put(out.setreg[0], cycle, head.origin)
        write.address, write.data_ = head.address, head.written


@part
def put_source(model: Model, out: Outputs, line: int, cycle: int) -> None:
    """Packer 0 reads a line as source."""
    packer = model.timing[0].packers[0]
    put(out.source[0], cycle, step(packer, packer.steps_made).origin).line = line
    if len(model.account):
        account.source_read(model, cycle)


@part
def put_rows(model: Model, out: Outputs, lanes: int, cycle: int) -> None:
    """Rows of Dst, as they are granted."""
    timing = model.timing[0]
    if len(model.account):
        account.rows_granted(model, lanes, cycle)
    for lane in range(LANES):
        if (lanes >> lane) & 1:
            number, place = (lane, 0) if timing.packer_count > 1 else (0, lane)
            asks = step(timing.packers[number], timing.packers[number].steps_made)
            row = put(out.row[lane], cycle, asks.origin)
            row.row, row.wide = asks.rows[place], timing.packers[number].path.wide


@part
def tell_position(model: Model, number: int) -> None:
    """``edge_position`` of a step that is made (section 10)."""
    join, packer = model.join[0], model.timing[0].packers[number]
    if join.behind[number]:
        join.behind[number] = 0
        join.run_faults[number] |= RunFlag.EDGE_POSITION
        join.run_fault_by[number] = step(packer, packer.steps_made).origin


@part
def answer(model: Model, asked: Record) -> None:
    """A read of the histogram (section 2)."""
    join, state = model.join[0], model.walking[0]
    number = as_int(asked.packer) % model.timing[0].packer_count
    for k in range(LINE_WORDS):
        join.answer[k] = 0
        if asked.mode == 6 or asked.mode == 7:
            first = 16 * (as_int(asked.mode) - 6) + 4 * k
            for n in range(4):
                join.answer[k] |= as_int(state.bins[number, first + n]) << (8 * n)
    if asked.mode == 9:
        join.answer[0] = state.maximum[0]


@part
def histogram(model: Model, rows: Rows, cycle: int, was_busy: bool) -> bool:
    """A read or a clear; whether it is a clear."""
    join = model.join[0]
    if not has(rows.hist, cycle):
        return False
    asked = take(rows.hist)
    by = origin(rows.hist)
    if was_busy:
        raise_unit_fault(join, HIST_BUSY, by)
    if asked.op:
        return True
    answer(model, asked)
    join.answers = 1
    join.answer_origin = by
    return False


@part
def put_faults(model: Model, out: Outputs, cycle: int) -> None:
    """Faults of lines, and of what came from outside, in this cycle (section 10)."""
    join = model.join[0]
    for number in range(model.timing[0].packer_count):
        if join.run_faults[number]:
            put_flags(
                out.run_fault[number], cycle, join.run_faults[number], join.run_fault_by[number]
            )
            join.run_faults[number] = 0
    if join.unit_faults:
        put_flags(out.unit_fault[0], cycle, join.unit_faults, join.unit_fault_by)
        join.unit_faults = 0
