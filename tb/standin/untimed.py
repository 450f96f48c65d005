# SPDX-License-Identifier: Apache-2.0
"""The math stand-in without time, led by the words, loads and writes that a run recorded.

An instruction takes effect at once in its sampling cycle: the first cycle without pause behind its
issue (docs/standin.md, section 3). What is written before shows in it, levels of that cycle too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilepath.isa.boundary.standin import THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.models.standin import MatrixUnit
from tilepath.models.state import State
from tilepath.tb.kernel.description.stream import Records

_LEVELS: Final = ("owner", "implied", "stale", "unpack_bank", "pause")
_WRITES: Final = ("cfg", *(f"t{thread}.setc16" for thread in range(THREADS)), "load")
_ISSUE: Final = "issue"


class UntimedUnit:
    """Leads ``MatrixUnit``; words are one at a time, and loads meet none that is under way."""

    def __init__(self, profile: str) -> None:
        self._unit = MatrixUnit(profile)
        self._paused = False
        self._held: Any = None  # a word that was issued before a pause
        self._acts: list[tuple[int, bool, int, str, Any]] = []  # cycle, is issue, order, …
        self._taken = 0
        self._actions: dict[str, Callable[[str, int, Any], None]] = {
            **{name: self._level for name in _LEVELS},
            "store": self._store,  # a SETC16 stands over it
            **dict.fromkeys(_WRITES[1:-1], self._setc16),
            "cfg": self._cfg,
            "load": self._load,
            _ISSUE: self._issue,
        }

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """What one block of cycles has recorded; what shows behind it waits for the next one."""
        last = -1
        for name in self._actions:
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
            self._actions[name](name, cycle, record)

    def _issue(self, _name: str, _cycle: int, record: Any) -> None:
        if self._paused:
            self._held = record
        else:
            self._unit.execute(int(record["thread"]), int(record["word"]))

    def _level(self, name: str, cycle: int, record: Any) -> None:
        value, unit = int(record["value"]), self._unit
        if name == "owner":
            unit.src_owner[:] = (value >> np.arange(4) & 1).reshape(2, 2)
        elif name == "implied":
            unit.implied[:] = (value >> 4 * np.arange(4) & 15).reshape(2, 2)
        elif name == "stale":
            unit.stale[:] = value >> np.arange(2) & 1
        elif name == "unpack_bank":
            unit.src_bank[:] = value >> np.arange(2) & 1
        else:
            self._paused = bool(value)
            if not value and self._held is not None:
                self._push(cycle, _ISSUE, self._held)
                self._held = None

    def _cfg(self, _name: str, _cycle: int, record: Any) -> None:
        index = int(record["index"])
        first, count = (index & ~3, 4) if record["wide"] else (index, 1)
        for word, data in zip(
            range(first, min(first + count, CFG_WORDS)), record["data"], strict=False
        ):
            for bank in (0, 1):
                if word >= CFG_GLOBAL_BASE or record["banks"] >> bank & 1:
                    self._unit.config[bank, word] = data

    def _setc16(self, name: str, _cycle: int, record: Any) -> None:
        if record["index"] < THD_WORDS:
            self._unit.thread_config[int(name[1]), record["index"]] = record["value"]

    def _store(self, _name: str, _cycle: int, record: Any) -> None:
        if record["index"] < THD_WORDS:
            self._unit.thread_config[record["thread"], record["index"]] = record["value"]

    def _load(self, _name: str, _cycle: int, record: Any) -> None:
        unit, row = self._unit, int(record["row"])
        if record["target"] == 2:
            unit.dst[row] = record["data"] & 0xFFFF
            unit.dst_valid[row] = record["row_valid"]
        else:
            file = unit.src_b if record["target"] else unit.src_a
            file[record["bank"], row % 64] = record["data"] & 0x7FFFF

    def state(self) -> State:
        """As the boundary describes it."""
        self._act(float("inf"))
        return self._unit.state()
