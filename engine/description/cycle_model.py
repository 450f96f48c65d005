# SPDX-License-Identifier: Apache-2.0
"""A golden model that is told what comes in, cycle by cycle, and tells what goes out.

It is the shortest way to a model; it takes some microseconds a cycle. Models that have to be fast
work on whole arrays, or are compiled (``engine/compiled``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tilepath.engine.description.boundary import (
    NOT_KNOWN,
    ORIGIN_STREAMS,
    Boundary,
    Field,
    Records,
    Stream,
)
from tilepath.engine.errors import there_are

Values = Any
"""Of a stream with one field its value, of several a tuple of them, of none ``True``.

Values are whole numbers, however wide a field is. ``None``: no event.
"""


class _Given(NamedTuple):
    """The records of an input that are still to come, by cycle."""

    name: str
    number: int
    is_event: bool
    wide: bool
    later: dict[int, Values]


class CycleModel:
    """What a DUT does in a cycle; derive from it and say so in :meth:`cycle`.

    ``boundary``: the streams. Levels are 0 until they are recorded, and until :meth:`cycle` says
    otherwise.
    """

    boundary: ClassVar[Boundary]

    def __init__(self, _profile: str = "") -> None:
        self._now = 0
        table = self.boundary.table
        self._given = [
            _Given(name, number, table[name].kind == "event", _is_wide(table[name]), {})
            for number, name in enumerate(self.boundary.inputs)
        ]
        self._levels: dict[str, Values] = dict.fromkeys(
            name for name, stream in table.items() if stream.kind == "level"
        )
        self._levels = {name: _zero(table[name]) for name in self._levels}
        self._counts = [0] * len(self._given)
        self._cause = NOT_KNOWN

    def cycle(self, given: Mapping[str, Values]) -> Mapping[str, Values]:
        """What comes out in a cycle, by name of the stream; then the state is the next cycle's.

        ``given`` has all inputs of that cycle: levels, and events or ``None``. What is left out is
        no event, or a level that stays.
        """
        raise NotImplementedError

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        """Expected output records of the cycles before ``until``."""
        for one in self._given:
            fields = [field.name for field in self.boundary.table[one.name].fields]
            rows = inputs[one.name][["cycle", *fields]].tolist()
            if one.wide:
                rows = [tuple(_whole(value) for value in row) for row in rows]
            one.later.update(
                (row[0], row[1] if len(fields) == 1 else row[1:] or True) for row in rows
            )
        made: dict[str, list[Any]] = {name: [] for name in self.boundary.outputs}
        for cycle in range(self._now, until):
            for name, values in self.cycle(self._inputs(cycle)).items():
                if name not in made:
                    raise ValueError(f"cycle() gave {name!r}; {there_are(made, name)}")
                stream = self.boundary.table[name]
                if stream.kind == "event":
                    if values is None:
                        continue
                elif self._levels[name] == values:
                    continue
                else:
                    self._levels[name] = values
                row = values if isinstance(values, tuple) else (values,) * len(stream.fields)
                # of what the DUT has not taken, though it should have
                row = tuple(0 if value is None else value for value in row)
                if _is_wide(stream):
                    row = tuple(map(_split, row, stream.fields))
                made[name].append((cycle, *row, self._cause))
        self._now = until
        return {
            name: np.array(rows, self.boundary.table[name].expected_dtype)
            for name, rows in made.items()
        }

    def _inputs(self, cycle: int) -> dict[str, Values]:
        given: dict[str, Values] = {}
        for one in self._given:
            new = one.later.pop(cycle, None)
            if one.is_event:
                given[one.name] = new
            elif new is not None:
                self._levels[one.name] = new
            if new is not None:
                self._cause = self._counts[one.number] * ORIGIN_STREAMS + one.number
                self._counts[one.number] += 1
        for one in self._given:
            if not one.is_event:
                given[one.name] = self._levels[one.name]
        return given


def _is_wide(stream: Stream) -> bool:
    return any(field.words > 1 for field in stream.fields)


def _whole(words: Any) -> int:
    """The number that words are, lowest first."""
    if isinstance(words, int):
        return words
    return sum(int(word) << 32 * at for at, word in enumerate(words))


def _split(value: int, field: Field) -> Any:
    """The inverse, for a field."""
    if field.words == 1:
        return value
    return tuple(value >> 32 * at & 0xFFFF_FFFF for at in range(field.words))


def _zero(stream: Stream) -> Values:
    zeros = (0,) * len(stream.fields)
    return zeros[0] if len(zeros) == 1 else zeros
