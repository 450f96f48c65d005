# SPDX-License-Identifier: Apache-2.0
"""``FlagPipeModel``: from input records to output records of the flag pipe, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.cycle_exact import CycleExactModel
from tilepath.engine.compiled.records import Records, for_compiled, zeros
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import BOUNDARY, ENDPOINT_STATE, ENDPOINTS
from tilepath.models.flag_pipe import cycle
from tilepath.models.flag_pipe.account import ACCOUNT, begin
from tilepath.models.flag_pipe.cycle_records import (
    JOIN,
    LOGGED,
    ROOM,
    Model,
    Rows,
    by_stream,
    checked,
)
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
        self._model = Model(new_timing(profile), new_memory(), zeros(JOIN), self._told.accounts)
        self._for_compiled = self._model._replace(
            timing=for_compiled(self._model.timing), join=for_compiled(self._model.join)
        )
        self._log = for_compiled(zeros(LOGGED, ROOM))
        self._left: tuple[Records, ...] | None = None  # commands that are not accepted yet
        self._seen = dict.fromkeys(self.inputs, 0)
        self.account: Sequence[Mapping[str, Records]] = ()

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``flag_pipe.account`` has what is in it."""
        begin(self._told.keep())
        self._for_compiled = self._for_compiled._replace(account=self._told.accounts)

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        rows = checked(inputs, self.now, until, self._seen)
        for name, records in inputs.items():
            self._seen[name] += records.shape[0]
        if self._left is not None:
            both = zip(self._left, rows.commands, strict=True)
            rows = Rows(tuple(np.concatenate(pair) for pair in both), rows.changes)
        rows = Rows(tuple(map(for_compiled, rows.commands)), for_compiled(rows.changes))
        logs = [self._log[:0]]
        account: list[Mapping[str, Records]] = []
        join = self._model.join[0]
        while self.now < until:
            self.now = cycle.run(self._for_compiled, rows, self._log, self.now, until)
            logs.append(self._log[: join.written].copy())
            join.written = 0
            account += self._told.taken(self.now >= until)
            self._for_compiled = self._for_compiled._replace(account=self._told.accounts)
        self._left = tuple(
            given[row:].copy() for given, row in zip(rows.commands, join.next_row, strict=True)
        )
        join.taken_before += join.next_row
        join.next_row[:] = 0
        join.next_change = 0
        self.account = tuple(account)
        return by_stream(np.concatenate(logs))

    def waiting(self) -> list[str]:
        """The cores that have not finished their commands when cycle ``now`` begins, and why."""
        offered = [left.shape[0] > 0 for left in self._left or ()]
        return describe(self._model.timing[0], offered, self.now)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Endpoints, flags and memories after cycle ``now - 1``, as the boundary describes."""
        timing = self._model.timing[0]
        ends = [
            [timing.endpoints[number][name] for name in ENDPOINT_STATE]
            for number in range(ENDPOINTS)
        ]
        return {
            "endpoints": np.array(ends, np.uint32),
            "flags": np.array([bank.visible for bank in timing.banks], np.uint8),
            "memory": sums(self._model.words),
        }
