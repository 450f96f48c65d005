# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the address counters: from commands to changes, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc.timing_cycles import run
from tilepath.models.adc.timing_state import (
    INPUTS,
    OUTPUT_COUNTS,
    Commands,
    as_commands,
    new_outputs,
    new_timing,
    written,
)
from tilepath.models.adc.untimed_state import architectural_state, new_state
from tilepath.models.inputs import checked_rows
from tilepath.models.records import Records

# Cycles with commands per pass of the kernel. It bounds the output buffers: 21 MB at most, of
# which the system provides what is written to.
_CHUNK: Final = 36_000
_END: Final = 1 << 32  # cycles are 32 bits in records: the first that is none

# Input stream -> field -> bits; order of fields as in the boundary, which ``as_commands`` relies on
_WIDTHS: Final = {
    name: {field.name: field.width for field in BOUNDARY.table[name].fields} for name in INPUTS
}
_NOTHING: Final = {name: BOUNDARY.table[name].empty() for name in INPUTS}


class AdcModel:
    """The address counters as a function from input to output streams, in blocks.

    Attributes:
        fields: stream suffix (``"issue"``, ``"packers"``, …) -> names of its fields, without
            ``cycle`` and ``origin``; inputs and outputs.
        inputs, outputs: full names of the streams (``"unpack"``, …, ``"conflict"``).
        now: first cycle that has not been modelled yet.
    """

    fields: Final = {
        stream.name: tuple(field.name for field in stream.fields) for stream in BOUNDARY.streams
    }
    inputs: Final = BOUNDARY.inputs
    outputs: Final = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Counters after reset. Raises ``ValueError`` for an unknown profile."""
        self.now = 0
        self._state = new_state(profile)
        self._timing = new_timing()

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its commands in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32), then
            ``origin`` (int64), the command that caused the record: an ``isa.boundary.Origin`` of
            ``inputs``. It names the command that is at fault; for a level the last one that touched
            the target in the cycle before; for ``conflict`` the last one that touched a counter
            again; for a ``unit_fault`` of two commands the latter.

        Raises:
            ValueError: unknown stream, wrong fields, a value outside its width, commands that are
                out of order or outside the cycles, ``until`` before ``now`` or beyond 2**32. The
                model is as before.

        How a run is cut into blocks makes no difference to the records.
        """
        if not self.now <= until <= _END:
            raise ValueError(f"until {until}: want {self.now} to {_END}")
        if unknown := set(inputs) - set(self.inputs):
            raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
        rows = [
            checked_rows(name, inputs.get(name, _NOTHING[name]), _WIDTHS[name], self.now, until)
            for name in INPUTS
        ]
        lengths = np.array([some.shape[0] for some in rows])
        next_row, taken_before = self._timing["next_row"][0], self._timing["taken_before"][0]
        next_row[:] = 0
        commands = as_commands(rows)
        passes = []
        more = True
        while more:
            left = int((lengths - next_row).sum())
            more, records = self._pass(commands, left, until)
            passes.append(records)
        taken_before += lengths
        self.now = until
        if len(passes) == 1:
            return passes[0]
        return {name: np.concatenate([some[name] for some in passes]) for name in self.outputs}

    def _pass(self, commands: Commands, left: int, until: int) -> tuple[bool, dict[str, Records]]:
        """Some of the cycles: whether any of ``left`` commands are left then, and the records."""
        cycles = min(_CHUNK, left)  # no more of them can have commands
        self._timing["cycles_left"] = cycles
        for count in OUTPUT_COUNTS:
            self._timing[count] = 0
        outputs = new_outputs(cycles + 1)  # a change of the last pass or block may show first
        more = run(self._timing, self._state, commands, outputs, until)
        return bool(more), written(outputs, self._timing)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The counters after cycle ``now - 1``, as ``models.state`` says (A1).

        ``live`` and ``checkpoint``: uint32, shape (3 sets, 3 targets, 2 channels, 4 counters
        X Y Z W); copies.
        """
        return architectural_state(self._state)
