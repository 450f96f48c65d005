# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the packers: from input records to output records, block by block.

Time (``timing_*``) and values (``walk`` and what it is made of) are joined here: values are worked
out in the order of the instructions, each in the cycle in which time says that it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import LoopInputs, Outputs, Room, Rows, next_cycle
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants, profiles
from tilepath.isa.boundary.pack import BOUNDARY, THREADS
from tilepath.models.dst_rows import DST_CHANGE
from tilepath.models.issued_words import check_words
from tilepath.models.pack import cycle_account_time as account
from tilepath.models.pack import cycle_inputs, cycle_outputs, cycle_walk
from tilepath.models.pack.account import ACCOUNT, begin
from tilepath.models.pack.cycle_account import departed
from tilepath.models.pack.cycle_counters import Counters
from tilepath.models.pack.cycle_port import ports
from tilepath.models.pack.cycle_state import Model, new_model
from tilepath.models.pack.state import sum_of
from tilepath.models.pack.timing_gather import gather
from tilepath.models.pack.timing_issue import become_quiet, depart, departs, drained, has_drained
from tilepath.models.pack.timing_rows import begins_step, grant_rows, is_made, make_step
from tilepath.models.pack.timing_state import (
    HISTOGRAM,
    LINES,
    UNDER_WAY,
    issue_at,
    rows_in_flight,
    sums_in_flight,
    under_way,
)

CHUNK: Final = 4096  # cycles in which anything happens per pass: bounds the output buffers
_OPCODES: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)


@part
def _make_steps(model: Model, out: Outputs, cycle: int) -> None:
    """Row requests of all packers, and the steps that they complete (section 6)."""
    timing, join = model.timing[0], model.join[0]
    for number in range(timing.packer_count):
        if begins_step(timing, number, cycle) and cycle_walk.begin(model, number, cycle):
            line = cycle_walk.read_source(model, number, cycle)
            cycle_outputs.put_source(model, out, line, cycle)
    lanes = grant_rows(timing)
    if lanes:
        cycle_outputs.put_rows(model, out, lanes, cycle)
        cycle_walk.count_later(model, lanes, cycle + HISTOGRAM - 1)
    for number in range(timing.packer_count):
        packer = timing.packers[number]
        if is_made(packer):
            if len(model.account):
                account.step_made(model, number, cycle)
            cycle_outputs.tell_position(model, number)
            make_step(packer, join.answered[number] if not packer.granted else cycle)


@part
def _depart_and_sample(model: Model, cycle: int, departing: bool) -> None:
    """The head of the plan queue departs, and what was issued in the last cycle is sampled."""
    timing, join = model.timing[0], model.join[0]
    if departing:
        number = timing.departed
        head = depart(timing, cycle)
        if len(model.account):
            departed(model, head, number, cycle)
        if head.is_pacr and timing.mode != join.mode_walking:
            join.mode_walking = timing.mode
            cycle_walk.change_modes(model, join.samples[number & 15])
        cycle_walk.send(model, head, number)
        join.changed_by = head.origin
    if timing.issued > timing.departed:
        newest = issue_at(timing, timing.issued - 1)
        if newest.cycle + 1 == cycle:
            cycle_walk.sample_issue(model, newest, timing.issued - 1)


@part
def _cycle(model: Model, rows: Rows, out: Outputs, cycle: int, has_input: bool) -> bool:
    """A cycle; whether the packers are idle behind it, so that only an input can wake them."""
    timing, join = model.timing[0], model.join[0]
    if has_input:
        cycle_inputs.begin(model, rows, cycle)
    cycle_outputs.show(model, out, cycle)
    was_busy = timing.busy != 0
    empty = drained(timing, cycle)
    departing = departs(timing, cycle, empty)
    become_quiet(timing, empty)
    cycle_outputs.effects(model, out, cycle)
    is_clear = False
    if has_input:
        is_clear = cycle_outputs.histogram(model, rows, cycle, was_busy)
    _make_steps(model, out, cycle)
    for number in range(timing.packer_count):
        gather(timing.packers[number], cycle)
    ports(model, out, cycle)
    _depart_and_sample(model, cycle, departing)
    if has_input:
        cycle_inputs.end(model, rows, cycle, was_busy)
    cycle_walk.count_now(model, cycle)
    if is_clear:
        model.walking[0].bins[:] = 0
        model.walking[0].maximum[:] = 0
        if len(model.account):
            account.cleared(model, cycle)
    cycle_outputs.put_faults(model, out, cycle)
    everyone = (1 << timing.packer_count) - 1
    settled = timing.busy == join.shown_busy == 0 and timing.issued == timing.effective
    return settled and empty == everyone and not join.answers and join.shown_ready != 0


@compiled
def _run(model: Model, rows: Rows, out: Outputs, cycle: int, until: int) -> int:
    """Cycles from ``cycle`` to ``until`` - 1, as many as there is room for; returns the next."""
    join = model.join[0]
    for _ in range(CHUNK):
        given = next_cycle(rows, cycle)
        if join.is_idle:
            cycle = given
        if cycle >= until:
            return until
        if len(model.account) and account.is_full(model.account[0]):
            return cycle
        join.is_idle = _cycle(model, rows, out, cycle, given == cycle)
        cycle += 1
    return cycle


def _plan_queue(timing: Record) -> list[str]:
    """Instructions that have not departed."""
    lines = []
    for number in range(int(timing.departed), int(timing.issued)):
        head = issue_at(timing, number)
        what = f"{isa.named_word(int(head.word))} of thread {int(head.thread)}"
        if number > timing.departed:
            lines.append(f"{what}: behind it in the plan queue")
        elif not head.is_pacr or head.mode != timing.mode:
            lines.append(f"{what}: waits until all packers have drained")
        else:
            lines.append(f"{what}: in the plan queue, at most {UNDER_WAY} are under way")
    return lines


def _held(packer: Record, number: int) -> str:
    """What a packer holds."""
    parts = (
        (under_way(packer), "instructions under way"),
        (rows_in_flight(packer), "rows in flight"),
        (int(packer.elements), "elements in the gather"),
        (int(packer.lines_in_flight), f"entries of {LINES} for L1"),
        (sums_in_flight(packer), "accumulations"),
    )
    held = ", ".join(f"{int(count)} {what}" for count, what in parts if count)
    return f"packer {number}: {held}{', closes' if packer.closes else ''}"


class PackModel(CycleExactModel):
    """The packers, with Dst and L1.

    The origin of a record is the instruction whose datums, lines or faults these are; of ``ready``
    and ``busy`` the one that was issued or departed last; of ``unit_fault`` the write. Refused are
    thread 3 and words that are not the packers'. A word that is issued while three are held, which
    ``ready`` forbids, is ignored.

    Attributes:
        l1: L1 after cycle ``now`` - 1: uint32, shape (lines, 4 words).
        dst_changes: what other units do to Dst in the cycles of the next ``step``, which forgets it
            (``dst_rows.DST_CHANGE``, in the order in which they take effect).
        counters: the address counters beside them, which REG2FLOP may write, too.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Packers, Dst and L1 after reset. Raises ``ValueError`` for an unknown profile."""
        self._told = Told(ACCOUNT)
        self._model = new_model(profile, self._told.accounts)
        self.l1: npt.NDArray[np.uint32] = self._model.memory.l1
        self.dst_changes: Records = np.zeros(0, DST_CHANGE)
        self._counters = Counters(profile)
        self.counters = self._counters.beside
        beside = {"changes": THREADS, "dst_changes": 0}
        self._inputs = LoopInputs(BOUNDARY, without=("counter",), more=beside)
        self._room = Room(BOUNDARY, CHUNK + 1)
        self.account: Sequence[Mapping[str, Records]] = ()

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``pack.account`` has what is in it."""
        begin(self._told.keep())
        self._model = self._model._replace(account=self._told.accounts)
        self._model.walk["accounts"] = 1

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        given = self._inputs.checked(inputs, self.now, until)
        issues = given["issue"]
        ours = np.isin(issues["word"] >> 24, _OPCODES)
        check_words("issue", issues, ours, "word of the packers")
        counted, changes = self._counters.step(given, inputs, until)
        rows = self._inputs.rows(given, changes=changes, dst_changes=self.dst_changes)
        self.dst_changes = self.dst_changes[:0]
        parts, account = [], list[Mapping[str, Records]]()
        while self.now < until:
            self.now = _run(self._model, rows, self._room.outputs(), self.now, until)
            parts.append(self._room.taken())
            account += self._told.taken(self.now >= until)
            self._model = self._model._replace(account=self._told.accounts)
        self.account = tuple(account)
        return {**joined(parts or [self._room.taken()]), **counted}

    def waiting(self) -> list[str]:
        """What holds the instructions that are in the packers when cycle ``now`` begins."""
        timing = self._model.timing[0]
        lines = _plan_queue(timing)
        for number in range(int(timing.packer_count)):
            packer = timing.packers[number]
            if not has_drained(packer, self.now):
                lines.append(_held(packer, number))
        return [f"cycle {self.now}: {line}" for line in lines]

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Dst, histograms and L1 after cycle ``now - 1``, as the boundary describes; copies."""
        model, memory = self._model, self._model.memory
        return {
            "dst": memory.dst.copy(),
            "dst_valid": memory.valid.copy(),
            "bins": model.walking[0].bins.copy(),
            "maximum": model.walking[0].maximum.copy(),
            "l1_sum": sum_of(memory.l1.reshape(-1)),
        }
