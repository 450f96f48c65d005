# SPDX-License-Identifier: Apache-2.0
"""The math stand-in without time, led by the words, loads and writes that a run recorded.

An instruction takes effect at once in its sampling cycle: the first cycle without pause behind its
issue (docs/standin.md, section 3). What is written before shows in it, levels of that cycle too.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any, Final

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.standin import BOUNDARY
from tilepath.models.standin import MatrixUnit

_LEVELS: Final = {stream.name for stream in BOUNDARY.streams if stream.kind == "level"}
_PAUSE: Final = "pause"
_ISSUE: Final = "issue"


class UntimedUnit:
    """Leads ``MatrixUnit``; words are one at a time, and loads meet none that is under way."""

    def __init__(self, profile: str) -> None:
        self._unit = MatrixUnit(profile)
        self._paused = False
        self._held: Any = None  # a word that was issued before a pause
        self._acts: list[tuple[int, bool, int, str, Any]] = []  # cycle, is issue, order, …
        self._taken = 0

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """What one block of cycles has recorded; what shows behind it waits for the next one."""
        last = -1
        for name in (*self._unit.streams, _PAUSE):
            shows = 0 if name in _LEVELS else 1
            for cycle, record in zip(inputs[name]["cycle"].tolist(), inputs[name], strict=True):
                last = max(last, cycle)
                self._push(cycle + shows, name, record)
        self._act(last)

    def _push(self, cycle: int, name: str, record: Any) -> None:
        heapq.heappush(self._acts, (cycle, name == _ISSUE, self._taken, name, record))
        self._taken += 1

    def _act(self, last: float) -> None:
        while self._acts and self._acts[0][0] <= last:
            cycle, _, _, name, record = heapq.heappop(self._acts)
            if name == _PAUSE:
                self._pause(cycle, bool(record["value"]))
            elif name == _ISSUE and self._paused:
                self._held = record
            else:
                self._unit.apply(name, record)

    def _pause(self, cycle: int, paused: bool) -> None:
        self._paused = paused
        if not paused and self._held is not None:
            self._push(cycle, _ISSUE, self._held)
            self._held = None

    def state(self) -> State:
        """As the boundary describes it."""
        self._act(float("inf"))
        return self._unit.state()
