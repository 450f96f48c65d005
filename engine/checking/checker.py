# SPDX-License-Identifier: Apache-2.0
"""Compares recorded outputs with the model's, block of cycles after block of cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tilepath.engine.checking.causes import Causes
from tilepath.engine.checking.edit import WINDOW
from tilepath.engine.checking.mismatch import SHOWN, Mismatch, MismatchError
from tilepath.engine.checking.rows import Rows, rows_of, same
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.compiled.state import State
from tilepath.engine.description.block import Block, ExplainsWaits, HasState
from tilepath.engine.description.stream import Records

_Difference = tuple[int, int, str, int]
"""Cycle, order of the stream, stream, event."""


class Checker:
    """Feeds recorded inputs to the model and compares every output event, its cycle included."""

    def __init__(self, block: Block, profile: str) -> None:
        self._block = block
        table = block.stream_table
        self._inputs = [n for n, s in table.items() if s.direction == "input"]
        self._outputs = [n for n, s in table.items() if s.direction == "output"]
        # loads compiled code now, not within the first block
        block.model(profile).step({name: table[name].empty() for name in self._inputs}, 1)
        self.model = block.model(profile)
        self.causes = Causes(block)
        self._fields = {n: ("cycle", *(f.name for f in table[n].fields)) for n in self._outputs}
        self._words = {n: 1 + sum(f.words for f in table[n].fields) for n in self._outputs}
        self._layouts: dict[str, list[np.dtype[np.void]]] = {n: [] for n in self._outputs}
        self.compared = dict.fromkeys(self._outputs, 0)
        self.recorded = dict.fromkeys(self._inputs, 0)
        self._previous = {n: table[n].empty() for n in self._outputs}
        self.cycles = 0

    @property
    def events(self) -> int:
        """Number of output events compared so far."""
        return sum(self.compared.values())

    def seen(self, stream: str) -> int:
        """Number of records of ``stream`` so far; 0 for one that does not exist."""
        return self.compared.get(stream, self.recorded.get(stream, 0))

    def waiting(self) -> list[str]:
        """What the model knows of why nothing goes on; no lines if it cannot tell."""
        return self.model.waiting() if isinstance(self.model, ExplainsWaits) else []

    def state(self) -> State | None:
        """The model's architectural state after the last cycle; ``None`` if it has none."""
        return self.model.state() if isinstance(self.model, HasState) else None

    def check(self, block: TraceBlock) -> Mapping[str, Records]:
        """Compare one block; raises :class:`MismatchError` for the first event that differs.

        Returns what the model expected: the same records, with their origins.
        """
        inputs = {name: block.streams[name] for name in self._inputs}
        self.causes.keep({n: (self.recorded[n], r) for n, r in inputs.items()})
        for name, records in inputs.items():
            self.recorded[name] += len(records)
        expected = self.model.step(inputs, block.end)
        if lost := [name for name in self._outputs if name not in expected]:
            raise ValueError(f"the model's step() returns no records of {', '.join(lost)}")
        differences: list[_Difference] = []
        for order, name in enumerate(self._outputs):
            sides = expected[name], block.streams[name]
            index = same(self._rows(name, sides[0]), rows_of(sides[1]), self._words[name])
            if cycles := [int(side["cycle"][index]) for side in sides if index < len(side)]:
                differences.append((min(cycles), order, name, index))
        if differences:
            raise MismatchError(self._mismatch(sorted(differences), expected, block))
        for name in self._outputs:
            if count := len(block.streams[name]):
                self.compared[name] += count
                self._previous[name] = block.streams[name][-SHOWN:]
        self.cycles = block.end
        return expected

    def _rows(self, name: str, expected: Records) -> Rows:
        """Expected records as rows, which begin as those of a trace do."""
        if expected.dtype not in self._layouts[name]:
            fields: Mapping[str, Any] = expected.dtype.fields or {}
            table: Mapping[str, Any] = self._block.stream_table[name].dtype.fields or {}
            if any(fields.get(n, (None,))[:2] != table[n][:2] for n in self._fields[name]):
                raise ValueError(f"the model's records of {name} are laid out as {expected.dtype}")
            self._layouts[name].append(expected.dtype)
        return rows_of(expected)

    def _mismatch(
        self, differences: list[_Difference], expected: Mapping[str, Records], block: TraceBlock
    ) -> Mismatch:
        """What to report of ``differences``, sorted."""
        cycle, _, name, index = differences[0]
        before = np.concatenate([self._previous[name], block.streams[name][:index]])
        found = Mismatch(
            block=self._block,
            stream=name,
            event=self.compared[name] + index,
            cycle=cycle,
            expected=expected[name][index : index + WINDOW],
            actual=block.streams[name][index : index + WINDOW],
            before=before[-SHOWN:],
            cause=self.causes.of(expected[name][index : index + 1]),
            others=[(other, at) for at, _, other, _ in differences[1:]],
        )
        if found.cause and found.edit.kind != "extra":
            return found
        suspects = self.causes.last(name, expected[name], cycle)
        last = self.causes.of(expected[name][max(0, index - 1) : index])  # of the event before
        if last and last[:2] not in [suspect[:2] for suspect in suspects]:
            suspects.append(last)
        return replace(found, suspects=suspects)
