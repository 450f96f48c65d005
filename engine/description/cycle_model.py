# SPDX-License-Identifier: Apache-2.0
"""A golden model that is told what comes in, cycle by cycle, and tells what goes out.

It is the shortest way to a model; it takes some microseconds a cycle. With a compiled loop over the
cycles it takes a fiftieth of that. Models of more than a screen are made otherwise
(``engine/compiled``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.records import attribute, record
from tilepath.engine.description.boundary import (
    NOT_KNOWN,
    ORIGIN_STREAMS,
    Boundary,
    Records,
    Stream,
)

Rows = NDArray[Any]  # a record a cycle
Values = Any
"""Of a stream with one field its value, of another a tuple of values; ``None``: no event."""


class _Given(NamedTuple):
    """The records of an input that are still to come, by cycle."""

    name: str
    number: int
    is_event: bool
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
            _Given(name, number, table[name].kind == "event", {})
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
            one.later.update((row[0], row[1] if len(fields) == 1 else row[1:]) for row in rows)
        made: dict[str, list[Any]] = {name: [] for name in self.boundary.outputs}
        for cycle in range(self._now, until):
            for name, values in self.cycle(self._inputs(cycle)).items():
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


def _zero(stream: Stream) -> Values:
    zeros = (0,) * len(stream.fields)
    return zeros[0] if len(zeros) == 1 else zeros


class _Columns(NamedTuple):
    """What a stream is in a record of all streams: field → column there, and values of a level."""

    name: str
    is_event: bool
    by_field: dict[str, str]
    last: dict[str, int]

    @property
    def happens(self) -> str:
        """The column that says whether an event happens."""
        return _flat(self.name)


class CompiledCycleModel:
    """What a DUT does in a cycle, in a loop over many cycles: a function that is ``@compiled``.

    The loop gets the state, an array of one record; a record of all inputs for each cycle; and a
    record of all outputs for each cycle, all 0, which it fills. A level is a column of the stream's
    name. An event is one, too, 1 in cycles in which it happens; its fields are columns
    ``<stream>_<field>``, as those of levels with several, and 0 where there is no event. Names that
    arrays have a use for get an underscore behind: ``sum_``.

    Attributes:
        boundary: the streams; ``ValueError`` for a field of more than 32 bits.
        held: the state, described by ``records.record``; all of it is 0 at first.
        loop: the function, as a static method.
    """

    boundary: ClassVar[Boundary]
    held: ClassVar[np.dtype[Any]]
    loop: ClassVar[Callable[[Rows, Rows, Rows], None]]

    def __init__(self, _profile: str = "") -> None:
        self._now = 0
        self._state = np.zeros(1, self.held)
        self._inputs = [_columns(n, self.boundary.table[n]) for n in self.boundary.inputs]
        self._outputs = [_columns(n, self.boundary.table[n]) for n in self.boundary.outputs]
        self._given, self._made = _row(self._inputs), _row(self._outputs)
        self._counts = [0] * len(self._inputs)
        self._cause = NOT_KNOWN

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        """Expected output records of the cycles before ``until``."""
        length = until - self._now
        given, made = np.zeros(length, self._given), np.zeros(length, self._made)
        causes = np.full(length + 1, NOT_KNOWN)
        causes[0] = self._cause
        for number, one in enumerate(self._inputs):
            records = inputs[one.name]
            at = records["cycle"].astype(np.int64) - self._now
            counted = self._counts[number] + np.arange(len(at))
            causes[1 + at] = counted * ORIGIN_STREAMS + number
            self._counts[number] += len(at)
            _give(given, one, records, at)
        type(self).loop(self._state, given, made)
        known = np.where(causes == NOT_KNOWN, 0, np.arange(length + 1))
        latest = causes[np.maximum.accumulate(known)]
        self._cause = int(latest[-1])
        found = {}
        for one in self._outputs:
            at = _when(made, one)
            rows = np.zeros(len(at), self.boundary.table[one.name].expected_dtype)
            rows["cycle"], rows["origin"] = self._now + at, latest[1 + at]
            for field, column in one.by_field.items():
                rows[field] = made[column][at]
            found[one.name] = rows
        self._now = until
        return found


def _flat(name: str) -> str:
    return attribute(name.replace(".", "_"))


def _columns(name: str, stream: Stream) -> _Columns:
    is_event = stream.kind == "event"
    single = not is_event and len(stream.fields) == 1
    by_field = {f.name: _flat(name if single else f"{name}_{f.name}") for f in stream.fields}
    if wide := [f.name for f in stream.fields if f.words > 1]:
        raise ValueError(f"{name}: {wide[0]} has more bits than a compiled cycle takes: 32")
    return _Columns(name, is_event, by_field, dict.fromkeys(by_field.values(), 0))


def _row(streams: list[_Columns]) -> np.dtype[Any]:
    """A record of a cycle."""
    flags = [stream.happens for stream in streams if stream.is_event]
    values = [column for stream in streams for column in stream.by_field.values()]
    return record(**dict.fromkeys((*flags, *values), np.int64))


def _give(given: Rows, stream: _Columns, records: Records, at: NDArray[np.int64]) -> None:
    """Put what was recorded into its cycles; a level stays until the next record."""
    if stream.is_event:
        given[stream.happens][at] = 1
    for field, column in stream.by_field.items():
        if stream.is_event:
            given[column][at] = records[field]
        else:
            values = np.concatenate([[stream.last[column]], records[field]])
            given[column] = np.repeat(values, np.diff(at, prepend=0, append=len(given)))
            stream.last[column] = int(values[-1])


def _when(made: Rows, stream: _Columns) -> NDArray[np.intp]:
    """Return the cycles in which an event happens, or a level is another than before."""
    if stream.is_event:
        return np.flatnonzero(made[stream.happens])
    changed = np.zeros(len(made), np.bool_)
    for column, last in stream.last.items():
        changed |= np.diff(made[column], prepend=last) != 0
        stream.last[column] = int(made[column][-1]) if len(made) else last
    return np.flatnonzero(changed)
