# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the control block: from input events to output events, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import LoopInputs, Room, Rows, due, look
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, for_compiled
from tilepath.isa import profiles
from tilepath.isa.boundary.control import BOUNDARY, STREAMS, UNITS, VIEWERS
from tilepath.models.control import (
    cycle_account,
    cycle_arbiter,
    cycle_config,
    cycle_gate,
    cycle_latch,
    cycle_levels,
    cycle_scalar,
    cycle_sync,
    cycle_waiting,
)
from tilepath.models.control.cycle_block import reset_block
from tilepath.models.control.instructions import CORES, THREADS, Resource
from tilepath.models.control.state import architectural

CHUNK: Final = 16384  # cycles per pass of the loop; no stream has more than one event a cycle


@compiled
def _run(
    blocks: Records, inputs: Rows, outputs: Records, accounts: Records, start: int, until: int
) -> None:
    """All events in cycles ``start`` to ``until - 1``; ``accounts``: one, or none if not kept."""
    block = blocks[0]
    block.risc.offered, block.risc_sem.offered = due(inputs.risc), due(inputs.risc_sem)
    cycle = start
    while cycle < until:
        _cycle(block, inputs, outputs[0], accounts, cycle)
        following = cycle_levels.next_cycle(block, inputs, cycle)
        if len(accounts) and following > cycle + 1:
            cycle_account.lasting(accounts[0], min(following, until) - cycle - 1)
        cycle = following
    cycle_levels.write_streams(block, inputs, until)


@part
def _cycle(block: Record, inputs: Rows, outputs: Record, accounts: Records, cycle: int) -> None:
    """One cycle, as registers see it: all that is read or decided comes before what is written."""
    # What shows from this cycle on: inputs, and what the end of the cycle before changed
    _inputs(block, inputs, cycle)
    cycle_levels.show_state(block, outputs, cycle)
    cycle_latch.show_gone(block, outputs, cycle)

    # Read as registered: what is dated for this cycle takes its operands
    cycle_config.enter(block, outputs, cycle)
    cycle_config.read_stream(block, cycle)
    cycle_scalar.read(block, outputs, cycle)
    cycle_gate.show_views(block, outputs, cycle)
    cycle_levels.show_units(block, outputs, cycle)

    # Decide who issues: waits, then who finds its resource available, then arbitration
    cycle_latch.evaluate(block, outputs, cycle)
    cycle_gate.ask(block, cycle)
    cycle_arbiter.ask_access(block, cycle)
    cycle_sync.ask_access(block, inputs, outputs, cycle)
    cycle_arbiter.decide(block)
    risc_wins = block.risc.asks and cycle_arbiter.wins(block, CORES, Resource.CONFIG)
    risc_sem_wins = block.risc_sem.asks and cycle_arbiter.wins(block, CORES, Resource.SYNC)

    if len(accounts):
        cores_get = look(inputs.risc_sem).get if block.risc_sem.offered <= cycle else 0
        row = inputs.risc_sem.position[0].row
        read = inputs.risc_sem.records[row - 1].index if row else 0
        wins = (1 if risc_wins else 0) | (2 if risc_sem_wins else 0)
        cycle_account.tell(block, accounts[0], cycle, wins, cores_get, read)

    # End of the cycle: write, in the order in which the last one stays (RDCFG before the scalar
    # unit, the cores before SETC16)
    cycle_latch.clear(block, cycle)
    cycle_config.leave_prepare(block, cycle)
    cycle_config.write(block, outputs, cycle)
    cycle_scalar.write(block, outputs, cycle)
    cycle_sync.write(block, outputs, cycle)
    cycle_gate.write_setc16(block, outputs, cycle)

    # Issue: date what the winners do from the next cycle on. Only mutexes change at once: who
    # issues is decided by now
    for thread in range(THREADS):
        gate = block.gates[thread]
        if gate.wins:
            cycle_arbiter.advance(block, thread, gate.offered.resource)
            cycle_gate.issue(block, outputs, thread, cycle)
    if risc_wins:
        cycle_arbiter.advance(block, CORES, Resource.CONFIG)
        cycle_config.issue_access(block, inputs, cycle)
    if risc_sem_wins:
        cycle_arbiter.advance(block, CORES, Resource.SYNC)
        cycle_sync.issue_access(block, inputs, cycle)
    cycle_config.end_cycle(block, cycle)


@part
def _inputs(block: Record, inputs: Rows, cycle: int) -> None:
    """Levels, stream registers and offered words as they are in ``cycle``."""
    cycle_levels.refresh(block, inputs, cycle)
    cycle_levels.write_streams(block, inputs, cycle)
    for thread in range(THREADS):
        cycle_gate.take_offer(block, inputs, thread, cycle)


class ControlModel(CycleExactModel):
    """Gates, config unit, sync unit and scalar unit.

    The origin of a record is the input record that caused the event; ``NOT_KNOWN`` when no single
    one did. A level names what changed it; ``config_pipe`` what entered.

    Attributes:
        fields: stream suffix (``"offer"``, ``"issue"``, ``"risc"``, …) -> names of its fields,
            without ``cycle`` and ``origin``; inputs and outputs.
    """

    fields: Final = {stream.name: tuple(f.name for f in stream.fields) for stream in STREAMS}
    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Block after reset. Raises ``ValueError`` for an unknown profile."""
        self._blocks = reset_block(profiles.get(profile))
        self._memory = for_compiled(self._blocks)
        views = [f"view_{unit}" for unit in VIEWERS]
        self._room = Room(BOUNDARY, CHUNK, groups={"units": UNITS, "views": views})
        self._told = Told(cycle_account.ACCOUNT)
        self.account: Sequence[Mapping[str, Records]] = ()
        self._inputs = LoopInputs(BOUNDARY, wide=True)
        self._rows = self._inputs.rows(self._inputs.checked({}, 0, 0))

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``control.account`` has what is in it."""
        cycle_account.begin(self._told.keep())

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        self._rows = self._inputs.rows(self._inputs.checked(inputs, self.now, until))
        parts = []
        account: list[Mapping[str, Records]] = []
        most = cycle_account.ACCOUNT_CYCLES if len(self._told.accounts) else CHUNK
        while True:
            accounts = self._told.accounts
            end = min(until, self.now + most)
            _run(self._memory, self._rows, self._room.memory, accounts, self.now, end)
            parts.append(self._room.taken())
            if len(accounts):
                account += self._told.taken(end == until)
                cycle_account.forget_rows(self._told.accounts["memory"])
            self.now = end
            if end == until:
                break
        self.account = account
        return joined(parts)

    def waiting(self) -> list[str]:
        """What holds the words that are offered and not issued when cycle ``now`` begins.

        One line for each such thread: the thread, the word, and the latch with its condition or the
        resource it lacks; then one for each access of the cores that still waits.
        """
        return cycle_waiting.describe(self._blocks, self._rows, self.now)

    def state(self) -> dict[str, npt.NDArray[np.integer]]:
        """A copy of the architectural state at the start of cycle ``now``.

        Parts, shapes and types are those of :func:`tilepath.models.control.state.architectural`,
        as of ``ControlState.state``.
        """
        return architectural(self._blocks[0].state)
