# SPDX-License-Identifier: Apache-2.0
"""Items of a ``level`` player against a level stream: the value of each cycle.

A level player waits for nothing, so that it is known for each item in which cycles its value holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.echo import Echo
from tilepath.engine.checking.finding import of_stimulus
from tilepath.engine.checking.mismatch import values_text
from tilepath.engine.description.block import Block
from tilepath.engine.description.stream import Records

_ALL: Final = 0xFFFF_FFFF
_FIRST: Final = 1  # cycle in which the first item holds


class LevelEcho:
    """What one player drives, as one level stream shows it."""

    def __init__(self, block: Block, player: str, echo: Echo) -> None:
        self._block = block
        self._player = player
        self._echo = echo
        self._stream = echo.stream
        self._start = 0  # of the next block of cycles
        self._written = 0
        # steps: cycle from which on, item, value and known of each field; the last one is idle
        idle = echo.idle
        _, values, _ = echo.records(np.zeros((1, echo.player.words), np.uint32))
        self._idle = {name: (idle or {}).get(name, 0) for name in values}
        self._idle_known = 0 if idle is None else _ALL
        self._end = _FIRST
        self._cycles: NDArray[np.int64] = np.zeros(1, np.int64)
        self._items: NDArray[np.int64] = np.full(1, -1)
        self._values = {n: np.full_like(v, self._idle[n]) for n, v in values.items()}
        self._known = {n: np.full_like(v, self._idle_known) for n, v in values.items()}
        # in the last cycle checked
        self._shown = {n: np.zeros_like(v) for n, v in values.items()}

    def sent(self, items: NDArray[np.uint32]) -> None:
        """Append the cycles, values and masks of ``items``."""
        if len(items) == 0:
            return
        ends = self._end + np.cumsum(np.maximum(items[:, 0], 1), dtype=np.int64)
        begins = np.concatenate(([self._end], ends[:-1]))
        self._end = int(ends[-1])
        _, values, known = self._echo.records(items)
        numbers = np.arange(self._written, self._written + len(items))
        self._written += len(items)
        self._cycles = np.concatenate((self._cycles, begins))
        self._items = np.concatenate((self._items, numbers))
        for name, column in values.items():
            self._values[name] = np.concatenate((self._values[name], column))
            self._known[name] = np.concatenate((self._known[name], known[name]))

    def check(self, streams: Mapping[str, Records], _consumed: int, end: int) -> None:
        """Compare the cycles up to ``end``; raises :class:`CheckError`."""
        records = streams[self._stream]
        self._go_idle(end)
        changes = records["cycle"].astype(np.int64)
        here = slice(*np.searchsorted(self._cycles, (self._start, end)))
        cycles = np.concatenate(([self._start], self._cycles[here], changes))
        cycles.sort(kind="stable")  # merges runs that rise; what stands twice does no harm
        step = np.searchsorted(self._cycles, cycles, side="right") - 1
        seen = np.searchsorted(changes, cycles, side="right")
        for name in self._values:
            recorded = np.concatenate((self._shown[name], records[name]))[seen]
            differ = (recorded ^ self._values[name][step]) & self._known[name][step]
            if differ.any():
                first = int(np.argmax(differ.reshape(len(differ), -1).any(axis=1)))
                self._fail(name, int(cycles[first]), int(step[first]), recorded[first])
            self._shown[name] = np.concatenate((self._shown[name], records[name]))[-1:]
        self._start = end
        past = max(0, int(np.searchsorted(self._cycles, end, side="right")) - 1)
        self._cycles, self._items = self._cycles[past:], self._items[past:]
        for columns in (self._values, self._known):
            for name in columns:
                columns[name] = columns[name][past:]

    def _go_idle(self, end: int) -> None:
        """Behind the last item, the level is idle."""
        if self._end >= end or self._cycles[-1] == self._end:
            return
        self._cycles = np.append(self._cycles, self._end)
        self._items = np.append(self._items, -1)
        for name in self._values:
            for columns, idle in (
                (self._values, self._idle[name]),
                (self._known, self._idle_known),
            ):
                last = np.full_like(columns[name][:1], idle)
                columns[name] = np.concatenate((columns[name], last))

    def _fail(self, field: str, cycle: int, step: int, recorded: NDArray[np.uint32]) -> None:
        item = int(self._items[step])
        begun = int(self._cycles[step])
        what = f"item {item} of {self._player}" if item >= 0 else f"{self._player}, idle,"
        text = f"{what} is not what {self._stream} shows in cycle {cycle}"
        sent = values_text(self._block, self._stream, field, self._values[field][step])
        found = values_text(self._block, self._stream, field, recorded)
        known = int(self._known[field][step].flat[0])
        lines = [f"{field} sent {sent}, from cycle {begun} on; recorded {found}"]
        lines += [f"of which these bits count: 0x{known:x}"] if known != _ALL else []
        raise of_stimulus(text, lines, cycle)
