# SPDX-License-Identifier: Apache-2.0
"""Records of the outputs: levels where they change, commands and rows to the files, faults."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Outputs, put, put_level
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.boundary.standin import THREADS
from tilepath.models.standin.plan import COUNTERS, DST_ROWS, SRC_ROWS, Rwc, Target


@part
def _show_rwc(timing: Record, out: Outputs, thread: int, cycle: int) -> None:
    own, differs = timing.rwc[thread], False
    for place in range(COUNTERS):
        if own[place] != timing.shown_rwc[thread, place]:
            differs = True
            timing.shown_rwc[thread, place] = own[place]
    if not differs:
        return
    row = put(out.rwc[thread], cycle, timing.by)
    row.a, row.a_cr, row.b, row.b_cr = own[0], own[1], own[2], own[3]
    row.d, row.d_cr, row.phase, row.bias = own[4], own[5], own[Rwc.PHASE], own[Rwc.BIAS]


@part
def show(timing: Record, out: Outputs, cycle: int) -> None:
    """The levels, where they are not as they were."""
    by, ready, busy = timing.by, 1 - timing.inside, timing.inside << timing.thread
    bank = timing.matrix_bank[0] | timing.matrix_bank[1] << 1
    if ready != timing.shown_ready:
        timing.shown_ready = ready
        put_level(out.ready[0], cycle, ready, by)
    if busy != timing.shown_busy:
        timing.shown_busy = busy
        put_level(out.busy[0], cycle, busy, by)
    if bank != timing.shown_bank:
        timing.shown_bank = bank
        put_level(out.matrix_bank[0], cycle, bank, by)
    for thread in range(THREADS):
        _show_rwc(timing, out, thread, cycle)


@part
def _access(plan: Record) -> int:
    """Return the access as the port has it: bits 1:0 of Config word 220."""
    return plan.access.swizzle | plan.access.remap << 1  # type: ignore[no-any-return]


@part
def put_command(timing: Record, out: Outputs, at_once: bool, releases: int, cycle: int) -> None:
    """``matrix``: rows that are read, banks given back, ZEROACC, ZEROSRC (``at_once``).

    What no set bit uses is 0.
    """
    plan, read = timing.plan, 0
    for file in range(3):
        read |= (timing.read[file] >= 0) << file
    clears = plan.clears if at_once else 0
    zeroes = 1 if timing.step < plan.zeroes else 0
    if (read | releases | clears | zeroes) == 0:
        return
    row = put(out.matrix[0], cycle, timing.by)
    row.read, row.release, row.clear, row.zero = read, releases, clears, zeroes
    row.banks = (plan.banks[0] | plan.banks[1] << 1) & (read | releases) & 3
    row.row_a = row.row_b = row.row = row.wide = row.access = 0
    row.neg_inf = plan.neg_inf if clears else 0
    row.zero_mode = row.undo = 0
    if read & 1:
        row.row_a = _row_of(plan.reads[0], timing.read[0], SRC_ROWS)
    if read & 2:
        row.row_b = _row_of(plan.reads[1], timing.read[1], SRC_ROWS)
    if read & 4:
        row.row = _row_of(plan.reads[2], timing.read[2], DST_ROWS)
        row.wide, row.access = plan.wide_read, _access(plan)
    if zeroes:
        row.row = (plan.zero_row + timing.step) & (DST_ROWS - 1)
        row.wide = plan.zero_wide
        row.zero_mode, row.undo = plan.zero_mode, plan.undo
        row.access = _access(plan) if plan.zero_mode < 2 else 0


@part
def _row_of(run: Record, number: int, rows: int) -> int:
    return (run.row + number * run.step) & (rows - 1)  # type: ignore[no-any-return]


@part
def put_write(timing: Record, out: Outputs, number: int, data: Records, cycle: int) -> None:
    """``matrix_write``."""
    plan = timing.plan
    row, to_dst = put(out.matrix_write[0], cycle, timing.by), plan.target == Target.DST
    row.target = plan.target
    row.bank = 0 if to_dst else plan.banks[plan.target]
    row.row = _row_of(plan.writes, number, DST_ROWS if to_dst else SRC_ROWS)
    row.wide = plan.wide_write if to_dst else 0
    row.access = _access(plan) if to_dst else 0
    for column in range(16):
        row.data_[column] = data[column]


@part
def put_fault(timing: Record, out: Outputs, cycle: int) -> None:
    """``fault``."""
    row = put(out.fault[0], cycle, timing.by)
    row.thread, row.word, row.flags_ = timing.thread, timing.word, timing.plan.faults
