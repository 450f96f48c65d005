# SPDX-License-Identifier: Apache-2.0
"""``FlagPipeModel``: from input records to output records of the flag pipe, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import NEVER, LoopInputs, Room, Rows, due
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.records import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import BOUNDARY
from tilepath.models.flag_pipe import cycle
from tilepath.models.flag_pipe.account import ACCOUNT, begin
from tilepath.models.flag_pipe.cycle_records import GROUPS, JOIN, LEVELS, ROOM, Model
from tilepath.models.flag_pipe.memory import new_memory, sums
from tilepath.models.flag_pipe.timing_state import new_timing
from tilepath.models.flag_pipe.waiting import describe


class FlagPipeModel(CycleExactModel):
    """The flag pipe: cores, flags and memories.

    The origin of a record is the command at work; of a level the command or the clear that changed
    it last. A command that is offered while the core's one before waits is offered behind it. A
    read of global memory that the bench does not have is 0, a write to it is dropped.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Cores, flags and memories after reset. Raises ``ValueError`` for an unknown profile."""
        self._told = Told(ACCOUNT)
        parts = new_timing(profile), new_memory(), np.zeros(1, JOIN)
        self._model = Model(*parts, self._told.accounts)
        levels = {group: len(names) for group, names in LEVELS.items()}
        self._inputs = LoopInputs(BOUNDARY, sum(LEVELS.values(), ()), levels, wide=True)
        self._room = Room(BOUNDARY, ROOM, GROUPS)
        self._rows: Rows = None  # of the last step
        self.account: Sequence[Mapping[str, Records]] = ()

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``flag_pipe.account`` has what is in it."""
        begin(self._told.keep())
        self._model = self._model._replace(account=self._told.accounts)

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        checked = self._inputs.checked(inputs, self.now, until)
        levels = {group: [checked[name] for name in names] for group, names in LEVELS.items()}
        rows, out = self._inputs.rows(checked, **levels), self._room.outputs()
        self._rows = rows
        parts, account = [self._room.taken()], list[Mapping[str, Records]]()
        while self.now < until:
            self.now = cycle.run(self._model, rows, out, self.now, until)
            parts.append(self._room.taken())
            account += self._told.taken(self.now >= until)
            self._model = self._model._replace(account=self._told.accounts)
        self.account = tuple(account)
        return joined(parts)

    def waiting(self) -> list[str]:
        """The cores that have not finished their commands when cycle ``now`` begins, and why."""
        offered = [due(given) != NEVER for given in self._rows.cmd] if self._rows else []
        return describe(self._model.timing[0], offered, self.now)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Endpoints, flags and memories after cycle ``now - 1``, as the boundary describes."""
        timing = self._model.timing[0]
        return {
            "endpoints": np.array(timing.endpoints.tolist(), np.uint32),
            "flags": timing.banks["visible"].astype(np.uint8),
            "memory": sums(self._model.words),
        }
