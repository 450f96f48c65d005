# SPDX-License-Identifier: Apache-2.0
"""Golden models that say what goes out in a cycle in which something comes in.

:class:`CycleModel` is called for each cycle: the shortest way to a model, which takes some
microseconds a cycle. The loop of a :class:`CompiledCycleModel` goes over many cycles, in some
hundredths of a microsecond each. Larger models are made otherwise (``engine/compiled``).
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

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
from tilepath.engine.errors import there_are

Rows = NDArray[Any]  # a record a cycle
Values = Any
"""Of a stream with one field its value, of several a tuple of them, of none ``True``.

Values are whole numbers, however wide a field is. ``None``: no event.
"""


class _Columns:
    """A stream in a record of all streams: ``happens``, of an event, and its fields' columns."""

    def __init__(self, name: str, stream: Stream) -> None:
        self.name, self.dtype, self.is_event = name, stream.expected_dtype, stream.kind == "event"
        flat = name.replace(".", "_")
        single = not self.is_event and len(stream.fields) == 1
        self.happens = _column(flat)
        self.fields = {
            f.name: _column(flat if single else f"{flat}_{f.name}") for f in stream.fields
        }
        shapes = [(f.words,) if f.words > 1 else () for f in stream.fields]
        kinds = zip(self.fields.values(), [(np.int64, shape) for shape in shapes], strict=True)
        self.kinds: dict[str, Any] = {
            **({self.happens: np.int64} if self.is_event else {}),
            **dict(kinds),
        }
        # what a level was in the cycle before
        self._last = [np.zeros((1, *shape), np.int64) for shape in shapes]

    def put(self, given: Rows, records: Records, at: NDArray[np.int64]) -> None:
        """Put what was recorded into its cycles; a level stays until the next record."""
        if self.is_event:
            given[self.happens][at] = 1
        for place, (field, column) in enumerate(self.fields.items()):
            if self.is_event:
                given[column][at] = records[field]
            else:
                values = np.concatenate([self._last[place], records[field]])
                counts = np.diff(at, prepend=0, append=len(given))
                given[column] = np.repeat(values, counts, axis=0)
                self._last[place] = values[-1:]

    def take(self, made: Rows, first: int, origins: Rows) -> Records:
        """Return the events, or the changes of a level, of cycles from ``first`` on."""
        happens = np.zeros(len(made), np.bool_)
        if self.is_event:
            happens = made[self.happens] != 0
        for place, column in enumerate(self.fields.values()):
            if not self.is_event:
                values = np.concatenate([self._last[place], made[column]])
                differs = values[1:] != values[:-1]
                happens |= differs if differs.ndim == 1 else differs.any(axis=1)
                self._last[place] = values[-1:]
        at = np.flatnonzero(happens)
        rows = np.zeros(len(at), self.dtype)
        rows["cycle"], rows["origin"] = first + at, origins[at]
        for field, column in self.fields.items():
            rows[field] = made[column][at]
        return rows

    def listed(self, given: Rows) -> list[Values]:
        """Return the values of each cycle."""
        columns = [_whole(given[column]) for column in self.fields.values()]
        values = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        if not self.is_event:
            return values
        happens = (given[self.happens] != 0).tolist()
        return [v if h else None for v, h in zip(values or happens, happens, strict=True)]

    def fill(self, made: Rows, each: list[Values]) -> None:
        """Put the values of each cycle; what the DUT has not taken, though it should have, is 0."""
        if self.is_event:
            made[self.happens] = [values is not None for values in each]
        for place, column in enumerate(self.fields.values()):
            found = [values[place] if isinstance(values, tuple) else values for values in each]
            numbers = [0 if value is None else value for value in found]
            made[column] = _split(numbers, made[column].shape)


def _column(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else attribute(name)


def _whole(column: Rows) -> list[int]:
    """The number of each cycle; one of several words has the lowest first."""
    if column.ndim == 1:
        return column.tolist()  # type: ignore[no-any-return]
    rows: list[list[int]] = column.tolist()
    return [sum(word << 32 * at for at, word in enumerate(row)) for row in rows]


def _split(numbers: list[int], shape: tuple[int, ...]) -> Rows:
    """The inverse."""
    if len(shape) == 1:
        return np.array(numbers, np.int64)
    rows = [[value >> 32 * at & 0xFFFF_FFFF for at in range(shape[1])] for value in numbers]
    return np.array(rows, np.int64).reshape(shape)


def _row(streams: Sequence[_Columns]) -> np.dtype[Any]:
    """A record of all streams; ``ValueError`` where two columns have one name."""
    kinds: dict[str, Any] = {}
    for one in streams:
        if twice := kinds.keys() & one.kinds.keys():
            raise ValueError(f"{one.name}: another stream has a column {', '.join(twice)}, too")
        kinds |= one.kinds
    return record(**kinds)


class CompiledCycleModel:
    """What a DUT does in a cycle, in a loop over many cycles: a function that is ``@compiled``.

    The loop gets the state, an array of one record; a record of all inputs for each cycle; and a
    record of all outputs for each cycle, all 0, which it fills. A level is a column of the stream's
    name. An event is one, too, 1 in cycles in which it happens; its fields are columns
    ``<stream>_<field>``, as those of levels with several, and 0 where there is no event. Names that
    arrays or Python have a use for get an underscore behind: ``sum_``, ``in_``.

    Attributes:
        boundary: the streams; ``ValueError`` where two columns would have one name.
        held: the state, described by ``records.record``; all of it is 0 at first.
        loop: the function, as a static method.
    """

    boundary: ClassVar[Boundary]
    held: ClassVar[np.dtype[Any]]
    loop: ClassVar[Callable[[Rows, Rows, Rows], None]]

    def __init__(self, _profile: str = "") -> None:
        table = self.boundary.table
        self._inputs = [_Columns(name, table[name]) for name in self.boundary.inputs]
        self._outputs = [_Columns(name, table[name]) for name in self.boundary.outputs]
        self._given, self._made = _row(self._inputs), _row(self._outputs)
        self._now, self._cause = 0, NOT_KNOWN
        self._counts = [0] * len(self._inputs)
        self._begin()

    def _begin(self) -> None:
        self._state = np.zeros(1, self.held)

    def _run(self, given: Rows, made: Rows) -> None:
        type(self).loop(self._state, given, made)

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
            one.put(given, records, at)
        self._run(given, made)
        known = np.where(causes == NOT_KNOWN, 0, np.arange(length + 1))
        latest = causes[np.maximum.accumulate(known)]
        self._cause = int(latest[-1])
        found = {one.name: one.take(made, self._now, latest[1:]) for one in self._outputs}
        self._now = until
        return found


class CycleModel(CompiledCycleModel):
    """What a DUT does in a cycle; derive from it and say so in :meth:`cycle`.

    ``boundary``: the streams. Levels are 0 until they are recorded, and until :meth:`cycle` says
    otherwise.
    """

    def cycle(self, given: Mapping[str, Values]) -> Mapping[str, Values]:
        """What comes out in a cycle, by name of the stream; then the state is the next cycle's.

        ``given`` has all inputs of that cycle: levels, and events or ``None``. What is left out is
        no event, or a level that stays; ``ValueError`` for the name of no output.
        """
        raise NotImplementedError

    def _begin(self) -> None:
        # what is told of a cycle that tells nothing
        self._stays: dict[str, Values] = dict.fromkeys(one.name for one in self._outputs)
        self._levels = [one.name for one in self._outputs if not one.is_event]

    def _run(self, given: Rows, made: Rows) -> None:
        names = [one.name for one in self._inputs]
        told: dict[str, list[Values]] = {one.name: [] for one in self._outputs}
        listed = [one.listed(given) for one in self._inputs] or [[None] * len(given)]
        for values in zip(*listed, strict=True):
            found = {**self._stays, **self.cycle(dict(zip(names, values, strict=False)))}
            for name, value in found.items():
                if name not in told:
                    raise ValueError(f"cycle() gave {name!r}; {there_are(told, name)}")
                told[name].append(value)
            for name in self._levels:
                self._stays[name] = found[name]
        for one in self._outputs:
            one.fill(made, told[one.name])
