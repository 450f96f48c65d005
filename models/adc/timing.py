# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the address counters: from commands to changes, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy.typing as npt

from tilepath.engine.compiled.account import Told
from tilepath.engine.compiled.compiled_io import LoopInputs, Room
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.records import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY, TARGETS
from tilepath.models.adc.account import ACCOUNT, CYCLES, begin
from tilepath.models.adc.timing_cycles import run
from tilepath.models.adc.timing_state import new_timing
from tilepath.models.adc.untimed_state import architectural_state, new_state

# Cycles with commands per pass of the loop. It bounds the output buffers: 21 MB at most, of
# which the system provides what is written to.
_CHUNK: Final = 36_000


class AdcModel(CycleExactModel):
    """The address counters.

    The origin of a record is the command at fault; of a level the last one that touched the target
    in the cycle before; of ``conflict`` the last one that touched a counter again; of a
    ``unit_fault`` of two commands the latter.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Counters after reset. Raises ``ValueError`` for an unknown profile."""
        self._state = new_state(profile)
        self._timing = new_timing()
        self._inputs = LoopInputs(BOUNDARY, wide=True)
        # a change of the last pass or block may show first
        self._room = Room(BOUNDARY, _CHUNK + 1, groups={"levels": TARGETS})
        self._told = Told(ACCOUNT)
        self.account: Sequence[Mapping[str, Records]] = ()

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``adc.account`` has what is in it."""
        begin(self._told.keep())

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        commands = self._inputs.rows(self._inputs.checked(inputs, self.now, until))
        passes: list[dict[str, Records]] = []
        account: list[Mapping[str, Records]] = []
        more = True
        while more:
            accounts = self._told.accounts
            self._timing["cycles_left"] = CYCLES if len(accounts) else _CHUNK
            outputs = self._room.outputs()
            more = run(self._timing, self._state, commands, outputs, accounts, until)
            passes.append(self._room.taken())
            account += self._told.taken(not more)
        self.now = until
        self.account = account
        return joined(passes)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The counters after cycle ``now - 1``, as ``compiled.state`` says (A1).

        ``live`` and ``checkpoint``: uint32, shape (3 sets, 3 targets, 2 channels, 4 counters
        X Y Z W); copies.
        """
        return architectural_state(self._state)
