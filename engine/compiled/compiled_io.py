# SPDX-License-Identifier: Apache-2.0
"""Streams of a boundary as the kernels of the cycle-exact models reach them, by name.

A kernel takes its inputs as one ``NamedTuple``, :data:`Rows`, with an :class:`Input` for each
stream, or a tuple of them for a stream with copies::

    if has(rows.cfg, cycle):
        write = take(rows.cfg)
        by = origin(rows.cfg)

Its outputs are another one, :data:`Outputs`, with the buffers of each stream, one a copy::

    row = put(out.fault[number], cycle, by)
    row.thread, row.flags_ = thread, faults

Records have the fields of the boundary (``data_`` for ``data``: see ``records.named``). A stream of
faults, a field each, has them in one array: see :func:`put_flags`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.cycle_exact import concatenated
from tilepath.engine.compiled.inputs import checked_rows, read_only
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, named, record
from tilepath.engine.description.boundary import ORIGIN_STREAMS, Boundary, Stream, names

Rows: TypeAlias = Any  # the inputs of a kernel for a block of cycles, by name
Outputs: TypeAlias = Any  # its outputs

NEVER: Final = 1 << 62  # a cycle behind all others
_LAST: Final = np.array([NEVER])
_SPAN: Final = 1 << 20  # cycles, a byte each
_COUNT_BYTES: Final = 8
_POSITION: Final = record(
    stream=np.int64,  # number of the input, as in an origin
    row=np.int64,  # that comes next
    taken_before=np.int64,  # records before row 0
)


class Input(NamedTuple):
    """Records of an input, and how far they are taken: an array of one."""

    records: Records
    position: Records


@part
def has(given: Input, cycle: int) -> bool:
    """Whether an input has a record in this cycle."""
    row = given.position[0].row
    return row < given.records.shape[0] and given.records[row].cycle == cycle  # type: ignore[no-any-return]


@part
def look(given: Input) -> Record:
    """The next record of an input, which stays the next one."""
    found: Record = given.records[given.position[0].row]
    return found


@part
def due(given: Input) -> int:
    """The cycle of the next record of an input, or ``NEVER``."""
    row = given.position[0].row
    return np.int64(given.records[row].cycle) if row < given.records.shape[0] else NEVER  # type: ignore[return-value]


@part
def take(given: Input) -> Record:
    """The next record of an input."""
    found: Record = given.records[given.position[0].row]
    given.position[0].row += 1
    return found


@part
def origin(given: Input) -> int:
    """Return the origin of the record last taken."""
    position = given.position[0]
    index = position.taken_before + position.row - 1
    return index * ORIGIN_STREAMS + position.stream  # type: ignore[no-any-return]


@part
def next_cycle(rows: Rows, cycle: int) -> int:
    """The first cycle from ``cycle`` on with a record of any input, or ``NEVER``."""
    clock = rows.clock.position[0]
    while rows.clock.records[clock.row] < cycle:
        clock.row += 1
    return rows.clock.records[clock.row]  # type: ignore[no-any-return]


@part
def raise_unit_fault(join: Record, flag: int, by: int) -> None:
    """A flag of ``unit_fault``."""
    join.unit_faults |= flag
    join.unit_fault_by = by


@part
def put(buffer: Record, cycle: int, by: int) -> Record:
    """Another record of an output, with its cycle and origin; the other fields are not set."""
    row: Record = buffer.rows[buffer.count]
    buffer.count += 1
    row.cycle, row.origin = cycle, by
    return row


@part
def put_level(buffer: Record, cycle: int, value: int, by: int) -> None:
    """A level of one field has changed."""
    put(buffer, cycle, by).value = value


@part
def put_flags(buffer: Record, cycle: int, flags: int, by: int) -> None:
    """Faults of a stream that has a field for each, bit 0 first."""
    row = put(buffer, cycle, by)
    for bit in range(row.flags_.shape[0]):
        row.flags_[bit] = (flags >> bit) & 1


@cache
def _tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A ``NamedTuple``; of this module, where compiled kernels that are kept look for its name."""
    assert name not in globals(), f"{name} has had other fields"
    made = globals()[name] = namedtuple(name, fields, module=__name__)
    return made


def given(stream: Stream, wide: bool) -> np.dtype[Any]:
    """Layout of a stream's records as a kernel takes them."""
    fields = ("cycle", *(field.name for field in stream.fields))
    return named(np.dtype([(field, np.int64) for field in fields]) if wide else stream.dtype)


def _known(cycles: Sequence[Records]) -> npt.NDArray[np.int64]:
    """Each of the cycles once, increasing, then ``NEVER``; those of an array increase."""
    if not cycles:
        return _LAST
    first = min(int(each[0]) for each in cycles)
    span = max(int(each[-1]) for each in cycles) - first + 1
    if span > _SPAN:
        return np.unique(np.concatenate([*cycles, _LAST]))
    busy = np.zeros(span, np.bool_)  # sorting takes thirty times as long
    for each in cycles:
        busy[each - first] = True
    return np.concatenate([np.flatnonzero(busy) + first, _LAST])


class KernelInputs:
    """The input records of a boundary for a kernel, block of cycles by block of cycles."""

    def __init__(
        self,
        boundary: Boundary,
        without: Iterable[str] = (),
        more: Mapping[str, int] | None = None,
        *,
        wide: bool = False,
    ) -> None:
        """Begin with record 0.

        Args:
            boundary: all its inputs are checked.
            without: streams that the kernel does not take.
            more: what it takes beside them: name → copies, 0 for a single one.
            wide: all fields are int64; there are none of several words then.
        """
        self._table = {name: boundary.table[name] for name in boundary.inputs}
        self._recorded = {name: stream.dtype for name, stream in self._table.items()}
        self._wide = wide
        self._named = {name: given(stream, wide) for name, stream in self._table.items()}
        self._nothing = {name: read_only(np.zeros(0, some)) for name, some in self._named.items()}
        streams = [s for s in boundary.streams if s.direction == "input" and s.name not in without]
        self._places = {s.name: (boundary.number(s.instances[0]), s.copies) for s in streams}
        self._instances = {s.name: s.instances for s in streams}
        behind = len(boundary.inputs)
        for name, copies in (more or {}).items():
            self._places[name] = (behind, copies)
            behind += max(copies, 1)
        self._last: dict[int, Records] = {}
        self._positions: Records = np.zeros(behind + 1, _POSITION)
        self._positions["stream"] = np.arange(behind + 1)
        self._position = [self._positions[n : n + 1] for n in range(behind + 1)]
        self._make = _tuple(f"{boundary.name}_rows", (*self._places, "clock"))

    def checked(self, given: Mapping[str, Records], start: int, until: int) -> dict[str, Records]:
        """All inputs; ``ValueError`` for what is wrong with them."""
        return {name: self._checked(name, given.get(name), start, until) for name in self._table}

    def rows(self, checked: Mapping[str, Records], **more: Records | Sequence[Records]) -> Rows:
        """Checked inputs of the next block, behind what was not taken of those before."""
        found: dict[str, Any] = {}
        cycles = []
        for name, (first, copies) in self._places.items():
            parts = more[name] if name in more else [checked[i] for i in self._instances[name]]
            inputs = tuple(
                Input(self._behind(first + place, part), self._position[first + place])
                for place, part in enumerate([parts] if isinstance(parts, np.ndarray) else parts)
            )
            cycles += [each.records["cycle"] for each in inputs if each.records.shape[0]]
            found[name] = inputs if copies else inputs[0]
        self._positions["taken_before"] += self._positions["row"]
        self._positions["row"] = 0
        return self._make(**found, clock=Input(_known(cycles), self._position[-1]))

    def _behind(self, number: int, records: Records) -> Records:
        """``records`` behind those of the block before that were not taken."""
        if number in self._last:
            left = self._last[number][self._position[number]["row"][0] :]
            records = concatenated([left, records]) if left.shape[0] else records
        self._last[number] = read_only(records)
        return self._last[number]

    def _checked(self, name: str, given: Records | None, start: int, until: int) -> Records:
        described, fields = self._recorded[name], self._table[name].fields
        if given is None or (given.shape[0] == 0 and given.dtype == described):
            return self._nothing[name]
        narrow = {field.name: field.width for field in fields if field.words == 1}
        rows = checked_rows(name, given, narrow, start, until)
        if self._wide:
            return read_only(rows.reshape(-1).view(self._named[name]))
        for field in fields:
            shape = (given.shape[0], field.words)
            if field.words > 1 and (
                field.name not in (given.dtype.names or ()) or given[field.name].shape != shape
            ):
                raise ValueError(f"{name}: want {field.name} as {field.words} words")
        if given.dtype != described:
            fitting = np.zeros(given.shape[0], described)
            for each in described.names or ():
                fitting[each] = given[each]
            given = fitting
        return read_only(np.ascontiguousarray(given).view(self._named[name]))


def _expected(boundary: Boundary, stream: Stream) -> np.dtype[Any]:
    """Layout of a stream's records as a kernel writes them."""
    fields = stream.fields
    if len(fields) > 1 and tuple(f.name for f in fields) == names(boundary.faults_of(stream.name)):
        return np.dtype([("cycle", "<u4"), ("flags", "<u4", (len(fields),)), ("origin", "<i8")])
    return stream.expected_dtype


class Room:
    """Room for the records of a pass of a kernel.

    Attributes:
        memory: an array of one record, with a field for each output: its buffers, one a copy. The
            system provides what is written to.
        fields: the same by name, as arrays.
    """

    def __init__(
        self,
        boundary: Boundary,
        size: int,
        groups: Mapping[str, Sequence[str]] | None = None,
        more: Mapping[str, tuple[np.dtype[Any], int]] | None = None,
    ) -> None:
        """Make room.

        Args:
            boundary: of all its outputs, those that a kernel does not write too.
            size: records of each.
            groups: streams that are alike: name → names, in the boundary's order; their copies
                follow one another.
            more: what the kernel writes beside them: name → its dtype, and how many.
        """
        group_of = {name: group for group, each in (groups or {}).items() for name in each}
        layouts: dict[str, tuple[np.dtype[Any], int]] = {}
        members: dict[str, dict[str, np.dtype[Any]]] = {}  # of each field: the streams
        for stream in boundary.streams:
            if stream.direction == "output":
                name = group_of.get(stream.name, stream.name)
                layouts[name] = named(_expected(boundary, stream)), size
                instances = dict.fromkeys(stream.instances, stream.expected_dtype)
                members.setdefault(name, {}).update(instances)
        for name, layout in (more or {}).items():
            layouts[name], members[name] = layout, {name: layout[0]}
        fields: dict[str, Any] = {
            name: (record(count=np.int64, rows=layout), len(members[name]))
            for name, layout in layouts.items()
        }
        described: Any = record(**fields)
        self.memory: Records = np.zeros(1, described)
        self.fields: dict[str, Records] = {name: self.memory[name][0] for name in fields}
        self._bytes: npt.NDArray[np.uint8] = self.memory.view(np.uint8)
        self._words: npt.NDArray[np.int64] = self.memory.view(np.int64)
        places = {}
        for name, instances in members.items():
            first, stride = described.fields[name][1], fields[name][0].itemsize
            for copy, (instance, dtype) in enumerate(instances.items()):
                places[instance] = (first + copy * stride, dtype, np.zeros(0, dtype))
        order = [*boundary.outputs, *(more or {})]
        self._places = {name: places[name] for name in order}
        self._counts = np.array([self._places[name][0] // _COUNT_BYTES for name in order])
        self._name = f"{boundary.name}_outputs"

    def outputs(self, **more: Any) -> Outputs:
        """The buffers as a kernel takes them, with ``more`` beside them."""
        return _tuple(self._name, (*more, *self.fields))(**more, **self.fields)

    def taken(self) -> dict[str, Records]:
        """Copies of what is written, by name of the stream; all of it is forgotten."""
        counts = self._words[self._counts].tolist()
        self._words[self._counts] = 0
        found = {}
        for (name, (place, dtype, nothing)), count in zip(
            self._places.items(), counts, strict=True
        ):
            first = place + _COUNT_BYTES  # NumPy copies bytes faster than records
            rows = self._bytes[first : first + count * dtype.itemsize]
            found[name] = rows.copy().view(dtype) if count else nothing
        return found
