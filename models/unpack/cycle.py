# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the unpackers: from input records to output records, block by block.

Time (``timing_*``) and values (``walk``, ``slots`` and what they are made of) are joined here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import (
    LoopInputs,
    Outputs,
    Room,
    Rows,
    next_cycle,
    origin,
)
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Records, record
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.pack import LINE_WORDS
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS, WRITES
from tilepath.models.adc.embedded import Beside
from tilepath.models.dst_rows import DST_CHANGE
from tilepath.models.issued_words import check_words
from tilepath.models.unpack import (
    cycle_account,
    cycle_inputs,
    cycle_matrix,
    cycle_outputs,
    cycle_values,
    timing_fetch,
    timing_write,
)
from tilepath.models.unpack.account import ACCOUNT, CYCLES, SHOWN, begin
from tilepath.models.unpack.cycle_state import Model, keeps, new_model
from tilepath.models.unpack.plan import OPCODE_NOP, OPCODE_UNPACR
from tilepath.models.unpack.waiting import describe

CHANGES: Final = 16  # of Dst in a cycle: eight rows of 32 bits

# Lines that other units write to L1 at the end of a cycle
L1_CHANGE: Final = record(cycle=np.int64, line=np.int64, data_=(np.uint32, LINE_WORDS))

# An instruction's increments of the counters: fields of stream ``unpack`` of ``docs/adc.md``
COMMAND: Final = record(**dict.fromkeys(ADC.stream("unpack").expected_dtype.names or (), np.int64))
_COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")


def check_issues(given: Mapping[str, Records]) -> None:
    """``ValueError`` for words that are none of the unpacker's."""
    for unpacker in range(UNPACKERS):
        issues = given[f"u{unpacker}.issue"]
        opcode = issues["word"] >> 24
        ours = (opcode == OPCODE_UNPACR) | (opcode == OPCODE_NOP)
        ours &= (issues["word"] >> 23) & 1 == unpacker
        check_words(f"u{unpacker}.issue", issues, ours, "instruction of this unpacker")


@part
def _is_active(model: Model) -> bool:
    """Whether something is in the unpackers, or on the way out."""
    if model.join[0].shown.busy or model.join[0].reading:
        return True
    units = model.timing[0].units
    return timing_write.is_flipping(units[0]) or timing_write.is_flipping(units[1])


@part
def _begin(model: Model, rows: Rows, out: Outputs, cycle: int) -> int:
    """What is as registered in this cycle; the row of the Matrix Unit's command, or -1."""
    cycle_inputs.begin(model, rows, cycle)
    for number in range(UNPACKERS):
        timing_write.show_flips(model.timing[0], model.timing[0].units[number], cycle)
    cycle_outputs.show(model, out, 1 if cycle_values.pauses(model, cycle) else 0, cycle)
    model.join[0].active = _is_active(model)
    if model.join[0].reading:
        cycle_outputs.put_answers(model, out, cycle)
    return cycle_matrix.begin(model, rows, cycle)


@part
def _end(model: Model, rows: Rows, out: Outputs, command: int, cycle: int) -> None:
    """What shows from the next cycle on.

    What is written wins over release and zeroing, what is cleared over what is written, and the
    Matrix Unit over the unpackers.
    """
    if keeps(out):
        cycle_account.matrix(model, rows, out, command, cycle)
    if command != cycle_matrix.NOTHING:
        cycle_matrix.end(model, rows.matrix.records[command], origin(rows.matrix))
    lost = cycle_matrix.write(model, rows, cycle)
    for number in range(UNPACKERS):
        cycle_values.take_effect(model, out, number, lost, cycle)
        timing_fetch.settle(model.timing[0].units[number], cycle)
    if command != cycle_matrix.NOTHING:
        cycle_matrix.clear(model, rows.matrix.records[command])
    cycle_inputs.end(model, rows, out, cycle)
    cycle_outputs.put_faults(model, out, cycle)


@part
def _cycle(model: Model, rows: Rows, out: Outputs, cycle: int) -> None:
    """A cycle, from the registers upwards: each stage finds what those behind it have left."""
    command = _begin(model, rows, out, cycle)
    if model.join[0].active:
        for number in range(UNPACKERS):
            cycle_values.write(model, out, number, cycle)
            timing_write.finish_bounded(model.timing[0].units[number], cycle)
            cycle_values.request(model, out, number, cycle)
        cycle_values.fetch(model, out, cycle)
        for number in range(UNPACKERS):
            cycle_values.load(model, number, cycle)
            cycle_values.sample_issued(model, out, number, cycle)
    _end(model, rows, out, command, cycle)


@compiled
def _run(model: Model, rows: Rows, out: Outputs, cycle: int, until: int) -> int:
    """Cycles from ``cycle`` to ``until`` - 1, as many as there is room for; returns the next."""
    join = model.join[0]
    for _ in range(CYCLES):
        given = next_cycle(rows, cycle)
        if join.active == 0:
            cycle = given
        if cycle >= until:
            return until
        _cycle(model, rows, out, cycle)
        if given == cycle:
            join.active = 1
        cycle += 1
    return cycle


class Counters:
    """The address counters beside the unpackers: ``models.adc`` with their commands."""

    def __init__(self, profile: str) -> None:
        """Begin after reset."""
        self.beside = Beside(profile, BOUNDARY, "unpack", "unpacker")
        zw = (1 << profiles.get(profile).zw_w) - 1
        self._largest = ((1 << 18) - 1, (1 << 13) - 1, zw, zw) * 2

    def step(
        self, commands: Records, inputs: Mapping[str, Records], until: int
    ) -> dict[str, Records]:
        """Output streams of the counters; ``commands``: of ``COMMAND``."""
        unpack = np.zeros(commands.shape[0], ADC.table["unpack"].dtype)
        for field in unpack.dtype.names or ():
            unpack[field] = commands[field]
        return self.beside.advance(unpack, commands["origin"], inputs, until)[0]

    def account(self, shown: Mapping[str, Records]) -> Sequence[Mapping[str, Records]]:
        """Account for the last ``step``, which has returned ``shown``."""
        parts: list[Mapping[str, Records]] = []
        for told in self.beside.account:
            parts.append({f"counter_{kind}": rows for kind, rows in told.items()})
        for of_set in range(THREADS):
            for unpacker in range(UNPACKERS):
                levels = shown[f"t{of_set}.unpacker{unpacker}"]
                rows = np.zeros(len(levels), SHOWN)
                rows["cycle"], rows["unpacker"], rows["set"] = levels["cycle"], unpacker, of_set
                rows["largest"] = self._largest
                for number, name in enumerate(_COUNTERS):
                    rows["live"][:, number] = levels[name] & self._largest[number]
                parts.append({"shown": rows})
        return parts


def new_room() -> Room:
    """Room for a pass: for all outputs, commands of the counters, and changes of Dst."""
    size = CYCLES + 1
    more = {"commands": (COMMAND, size), "changes": (DST_CHANGE, CHANGES * size)}
    return Room(BOUNDARY, size, {"write": WRITES}, more)


class UnpackModel(CycleExactModel):
    """Both unpackers, with SrcA, SrcB, Dst and L1.

    Instructions are the origin of what they do, and of ``ready``, ``hold`` and ``busy`` the one
    that was issued, loaded or done last. Refused are thread 3 and words that are no instruction of
    the unpacker. A word that is offered in a cycle without ``ready`` is not issued, and leaves no
    trace.

    Attributes:
        l1: L1 after cycle ``now`` - 1: uint8, shape (l1_bytes of the profile,).
        l1_changes: lines that other units write to L1 in the cycles of the next ``step``, which
            forgets them (``L1_CHANGE``, in the order of cycles).
        dst_changes: what unpacker 0 did to Dst in the last ``step`` (``dst_rows.DST_CHANGE``).
        counters: the address counters beside them, which REG2FLOP may write, too.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Unpackers after reset. Raises ``ValueError`` for an unknown profile."""
        self._model = new_model(profile)
        self.l1: npt.NDArray[np.uint8] = self._model.l1.view(np.uint8)
        self.l1_changes: Records = np.zeros(0, L1_CHANGE)
        self.dst_changes: Records = np.zeros(0, DST_CHANGE)
        self._counters = Counters(profile)
        self.counters = self._counters.beside
        self._inputs = LoopInputs(BOUNDARY, more={"l1_changes": 0, "counter_flops": 0})
        self._written = new_room()
        self.account: Sequence[Mapping[str, Records]] = ()
        self._told = Told(ACCOUNT)

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``unpack.account`` has what is in it."""
        begin(self._told.keep())
        self._counters.beside.keep_account()

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        checked = self._inputs.checked(inputs, self.now, until)
        check_issues(checked)
        rows = self._inputs.rows(
            checked, l1_changes=self.l1_changes, counter_flops=self.counters.flops
        )
        self.l1_changes = self.l1_changes[:0]
        parts = []
        account: list[Mapping[str, Records]] = []
        while True:
            outputs = self._written.outputs(account=self._told.accounts)
            self.now = _run(self._model, rows, outputs, self.now, until)
            account += self._told.taken(self.now >= until)
            parts.append(self._written.taken())
            if self.now >= until:
                break
        found = joined(parts)
        self.dst_changes = found.pop("changes")
        counted = self._counters.step(found.pop("commands"), inputs, until)
        if account:
            self.account = (*account, *self._counters.account(counted))
        return {**found, **counted}

    def waiting(self) -> list[str]:
        """What holds the instructions that are in the unpackers when cycle ``now`` begins."""
        return describe(self._model, self.now)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The registers after cycle ``now - 1``, as the boundary describes; copies."""
        model = self._model
        values: Any = model.values[0]
        owner = [timing_write.owners_after(unit, self.now) for unit in model.timing[0].units]
        return {
            "src_a": values.registers.src[0].copy(),
            "src_b": values.registers.src[1].copy(),
            "dst": values.registers.dst.copy(),
            "dst_valid": values.registers.valid.copy(),
            "src_owner": np.array(owner, np.uint8),
            "src_bank": values.pointers["bank"].astype(np.uint32),
            "src_row": values.pointers["row"].astype(np.uint32),
            "context_counter": values.pointers["context"].astype(np.uint32),
            "setreg_acc": values.pointers["acc"].astype(np.uint32),
            "live": model.counters[0].live[:, :UNPACKERS].copy(),
            "checkpoint": model.counters[0].checkpoint[:, :UNPACKERS].copy(),
        }
