# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model: which row when, and what is written, from the rows that the files answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import LoopInputs, Outputs, Room, Rows, next_cycle, put
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import profiles
from tilepath.isa.boundary.standin import BOUNDARY, LANES
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.standin import account, cycle_inputs, cycle_outputs, files, moves
from tilepath.models.standin.account import ACCOUNT, CYCLES, whole_rows
from tilepath.models.standin.cycle_state import Model, check_issues, new_model
from tilepath.models.standin.plan import COUNTERS, DST_ROWS, Flag, Op, Target
from tilepath.models.standin.sample import sample


@part
def _read(timing: Record) -> None:
    """Which rows are read in this cycle of the instruction."""
    plan = timing.plan
    for file in range(3):
        number = timing.step - plan.reads[file].first
        if 0 <= number < plan.reads[file].length:
            timing.read[file] = number
    if timing.read[0] >= 0 and (timing.stale >> plan.banks[0]) & 1:
        plan.faults |= Flag.STALE


@part
def _packers_read(timing: Record, row: int) -> bool:
    """Whether the packers read a row of storage in this cycle."""
    for lane in range(LANES):
        if (timing.pack_lanes >> lane) & 1:
            other = timing.pack_row[lane]
            if row == other or (timing.pack_wide and row == (other + LOW_HALF) & (DST_ROWS - 1)):
                return True
    return False


@part
def _write(model: Model, out: Outputs, cycle: int) -> None:
    """The row that is written at the end of this cycle, if any."""
    timing = model.timing[0]
    plan, number = timing.plan, timing.step - timing.plan.writes.first
    if number < 0 or number >= plan.writes.length:
        return
    moves.row_of(plan, timing.rows, number)
    cycle_outputs.put_write(timing, out, number, timing.rows.out, cycle)
    files.write_row(model.files, plan, number, timing.rows.out)
    if len(model.account):
        account.row_written(model.account[0], timing, number, cycle)
    if plan.target == Target.DST:
        row = (plan.writes.row + number) & (DST_ROWS - 1)
        row = storage_row(plan.access, plan.wide_write, row)
        if _packers_read(timing, row):
            plan.faults |= Flag.DST_RACE
        if plan.wide_write and _packers_read(timing, row + LOW_HALF):
            plan.faults |= Flag.DST_RACE


@part
def _begin(model: Model, out: Outputs, cycle: int) -> None:
    """The sampling cycle."""
    timing = model.timing[0]
    plan = timing.plan
    sample(plan, model.sampled, timing.thread, timing.word)
    timing.sampled = 1
    if len(model.account):
        account.sampled(model.account[0], model.sampled, timing, cycle)
    if plan.op == Op.ZEROSRC:
        files.clear_src(model.files, plan)
    for file in range(2):
        if (plan.clears >> (2 * file)) & 3 and (timing.unpack_zero >> file) & 1:
            plan.faults |= Flag.ZEROSRC_RACE
    if plan.op == Op.CLREXPHIST:
        put(out.hist_clear[0], cycle, timing.by)


@part
def _finish(timing: Record, out: Outputs, cycle: int) -> None:
    """The last cycle: at its end counters and pointers change."""
    plan = timing.plan
    for file in range(2):
        if (plan.releases >> file) & 1 and not timing.owner[file, plan.banks[file]]:
            plan.faults |= Flag.RELEASE_OWNER
        if (plan.flips >> file) & 1:
            timing.matrix_bank[file] = 1 - plan.banks[file]
    for place in range(COUNTERS):
        timing.rwc[timing.thread, place] = plan.next_rwc[place]
    if plan.faults:
        cycle_outputs.put_fault(timing, out, cycle)
    timing.inside = 0


@part
def _work(model: Model, out: Outputs, cycle: int) -> None:
    """A cycle of the instruction that is inside."""
    timing = model.timing[0]
    at_once = timing.sampled == 0
    if at_once:
        _begin(model, out, cycle)
    plan = timing.plan
    if timing.step < plan.zeroes:
        files.zero_dst(model.files, plan, timing.step)
    if plan.op == Op.GMPOOL and timing.step == 1:
        moves.check_scale(plan, timing.rows)
    _write(model, out, cycle)
    _read(timing)
    is_last = timing.step == plan.cycles - 1
    cycle_outputs.put_command(timing, out, at_once, plan.releases if is_last else 0, cycle)
    timing.step += 1
    if is_last:
        _finish(timing, out, cycle)
        if len(model.account):
            account.left(model.account[0], timing, cycle)


@part
def _cycle(model: Model, rows: Rows, out: Outputs, cycle: int) -> None:
    timing = model.timing[0]
    cycle_inputs.begin(timing, rows, cycle)
    cycle_outputs.show(timing, out, cycle)
    ready = 1 - timing.inside
    kept = len(model.account)
    timing.active = timing.inside
    if timing.inside and not timing.pause:
        _work(model, out, cycle)
    elif kept and timing.inside:
        account.paused(model.account[0], timing, cycle)
    cycle_inputs.end(model, rows, ready, cycle)
    if kept and timing.active:
        account.ended(model.account[0], timing, cycle)
    if timing.inside:
        timing.active = 1


@compiled
def _run(model: Model, rows: Rows, out: Outputs, cycle: int, until: int) -> int:
    """Cycles from ``cycle`` to ``until`` - 1, as many as there is room for; returns the next."""
    timing = model.timing[0]
    for _ in range(CYCLES):
        if timing.active == 0:
            cycle = next_cycle(rows, cycle)
        if cycle >= until:
            return until
        _cycle(model, rows, out, cycle)
        cycle += 1
    return cycle


class StandinModel(CycleExactModel):
    """The math stand-in: what is written follows from the rows that were answered.

    The origin of every record is the word that was issued last. Refused are thread 3 and words
    that are none of the matrix unit's. A word in a cycle without ``ready`` leaves no trace.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Begin after reset. Raises ``ValueError`` for an unknown profile."""
        self._told = Told(ACCOUNT)
        self._model = new_model(profile, self._told.accounts)
        self._inputs = LoopInputs(BOUNDARY)
        self._room = Room(BOUNDARY, CYCLES + 1)
        self.account: Sequence[Mapping[str, Records]] = ()

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``standin.account`` has what is in it."""
        self._told.keep()
        self._model = self._model._replace(account=self._told.accounts)
        self._model.timing[0].rows.noted = 1

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        checked = self._inputs.checked(inputs, self.now, until)
        check_issues(checked["issue"])
        rows = self._inputs.rows(checked)
        parts, accounts = [], list[Mapping[str, Records]]()
        while True:
            self.now = _run(self._model, rows, self._room.outputs(), self.now, until)
            parts.append(self._room.taken())
            for told in self._told.taken(self.now >= until):
                accounts.append(whole_rows(told, self._told.accounts))
                self._model = self._model._replace(account=self._told.accounts)
            if self.now >= until:
                break
        self.account = tuple(accounts)
        return joined(parts)

    def waiting(self) -> list[str]:
        """The instruction that is inside when cycle ``now`` begins."""
        timing: Any = self._model.timing[0]
        if not timing.inside:
            return []
        what = f"{isa.named_word(int(timing.word))} of thread {int(timing.thread)}"
        if not timing.sampled:
            return [f"{what}: not sampled yet"]
        return [f"{what}: cycle {int(timing.step)} of {int(timing.plan.cycles)}"]

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """After cycle ``now - 1``, as the boundary describes it; copies.

        The files are as this unit and ``load`` have written them: beside other units that write
        to them, only ``rwc`` and ``matrix_bank`` count.
        """
        timing: Any = self._model.timing[0]
        return {
            **{name: array.copy() for name, array in self._model.files._asdict().items()},
            "rwc": timing.rwc.astype(np.uint32),
            "matrix_bank": timing.matrix_bank.astype(np.uint8),
        }
