# SPDX-License-Identifier: Apache-2.0
"""What a stream at a block's boundary is, and what caused an event of it.

A record is a row of 32-bit little-endian words: the cycle, then each field in its own word or
words, at least two words in all. HDL recorders and NumPy layouts both follow from the description.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = Literal["event", "level"]
Direction = Literal["input", "output"]
Records = NDArray[np.void]

NOT_KNOWN: Final = -1  # origin of an event that nothing in particular caused
ORIGIN_BITS: Final = 8
ORIGIN_STREAMS: Final = (
    1 << ORIGIN_BITS
)  # an origin: this times the index, plus the stream's number


def fitting(name: str, values: ArrayLike, least: int, most: int) -> NDArray[np.uint32]:
    """``values`` as uint32; ``ValueError`` when one is outside ``least`` … ``most``."""
    if isinstance(values, int | np.integer) and least <= values <= most:
        return np.array(values, np.uint32)
    wide = np.asarray(values, np.int64)
    if wide.size and (wide.min() < least or wide.max() > most):
        raise ValueError(f"{name}: {least} to {most}, not {wide.min()} to {wide.max()}")
    return wide.astype(np.uint32)


@dataclass(frozen=True)
class Field:
    """One recorded value of ``width`` bits, or ``count`` of them behind one another.

    ``bits`` are named groups of the value's bits, (name, width), lowest first; together they are as
    wide as the value; a group named ``""`` is always 0. ``values`` are the names of the numbers
    0, 1, …. Reports show both. ``alike``: what this field and others of the stream are called
    together, where a bug is likely to show in any of them.
    """

    name: str
    width: int = 1
    bits: tuple[tuple[str, int], ...] = ()
    values: tuple[str, ...] = ()
    count: int = 1
    alike: str = ""

    def __post_init__(self) -> None:
        """``ValueError`` for groups that are not as wide as the value, and for no value at all."""
        if self.width < 1 or self.count < 1:
            raise ValueError(f"field {self.name}: {self.count} values of {self.width} bits")
        if self.bits and sum(width for _, width in self.bits) != self.width:
            raise ValueError(f"field {self.name}: its groups do not add up to {self.width} bits")

    @property
    def words(self) -> int:
        """Number of 32-bit words the field takes in a record."""
        return (self.width + 31) // 32 * self.count

    def value(self, **groups: ArrayLike) -> NDArray[np.uint32]:
        """The value (of at most 32 bits) whose named groups hold these; groups left out hold 0.

        Scalars and arrays broadcast. ``ValueError`` for a number that does not fit its group, and
        for a group that there is not.
        """
        made = np.zeros((), np.uint32)
        low = 0
        for name, width in self.bits:
            if name in groups:
                part = fitting(name.replace("_", " "), groups.pop(name), 0, (1 << width) - 1)
                made = made | part << np.uint32(low)
            low += width
        if groups:
            raise ValueError(f"field {self.name} has no {', '.join(groups)}")
        return made

    def split(self, values: ArrayLike) -> dict[str, NDArray[np.uint32]]:
        """The named groups of ``values`` (at most 32 bits), lowest first, and what they hold.

        ``ValueError`` for a value that does not fit.
        """
        rest = fitting(self.name, values, 0, (1 << self.width) - 1)
        found: dict[str, NDArray[np.uint32]] = {}
        for name, width in self.bits:
            if name:
                found[name] = rest & np.uint32((1 << width) - 1)
            rest = rest >> np.uint32(width)
        return found


def describe(field: Field, value: int) -> str:
    """The name of ``value``, or what its named groups hold, without those that are 0; or ``""``."""
    if value < len(field.values) or not field.bits:
        return field.values[value] if value < len(field.values) else ""
    widths = dict(field.bits)
    groups = [(name, int(number)) for name, number in field.split(value).items() if number]
    return ", ".join(n if widths[n] == 1 else f"{n} {number:#x}" for n, number in groups)


@dataclass(frozen=True)
class Stream:
    """A stream of records at the boundary of a block.

    ``event`` streams have a record for each cycle in which the event happens; ``level`` streams
    one for each cycle whose value differs from the one before (all 0 before cycle 0).
    ``copies`` > 0 makes that many instances, named ``t0.<name>``, ``t1.<name>``, …: one a thread;
    ``prefix`` stands in the place of ``t`` where they are not threads.
    ``module``: the HDL module that is made of it, if not ``<block>_rec_<name>``; blocks that are
    joined keep the names that each has alone. ``alike``: what this stream and others are called
    together, where a bug is likely to show in any of them.
    """

    name: str
    direction: Direction
    kind: Kind = "event"
    fields: tuple[Field, ...] = ()
    copies: int = 0
    module: str = ""
    prefix: str = "t"
    alike: str = ""

    @property
    def instances(self) -> tuple[str, ...]:
        """The names under which traces, model and scoreboard know this stream."""
        if self.copies == 0:
            return (self.name,)
        return tuple(f"{self.prefix}{i}.{self.name}" for i in range(self.copies))

    @property
    def payload_words(self) -> int:
        """32-bit words of a record after the cycle; never fewer than one."""
        return max(1, sum(f.words for f in self.fields))

    def _layout(self) -> list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]:
        layout: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]] = [("cycle", "<u4")]
        for f in self.fields:
            layout.append((f.name, "<u4") if f.words == 1 else (f.name, "<u4", (f.words,)))
        return layout

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a recorded event: ``cycle``, the fields, and ``_pad`` where there are none."""
        layout = self._layout()
        if not self.fields:
            layout.append(("_pad", "<u4"))
        return np.dtype(layout)

    @property
    def expected_dtype(self) -> np.dtype[np.void]:
        """Layout of what a model expects: ``cycle``, the fields, and ``origin`` (int64)."""
        return np.dtype([*self._layout(), ("origin", "<i8")])

    def empty(self) -> Records:
        """An array of no records."""
        return np.empty(0, self.dtype)


@dataclass(frozen=True)
class Fault:
    """A flag that a block raises: ``bit`` of the faults of ``stream``, lowest first.

    ``decision`` is the number of the decision that says so; ``""`` where the contract alone does.
    """

    name: str
    stream: str
    bit: int
    meaning: str
    decision: str = ""


def names(group: Sequence[Fault]) -> tuple[str, ...]:
    """The names of ``group``, in its order."""
    return tuple(fault.name for fault in group)


def flags(group: Sequence[Fault]) -> tuple[Field, ...]:
    """A field of one bit for each fault of ``group``."""
    return tuple(Field(fault.name) for fault in group)


class FaultBits(Protocol):
    """Faults by name, in capitals, each a number with its bit set."""

    def __getattr__(self, name: str) -> int: ...


def fault_bits(name: str, group: Sequence[Fault]) -> FaultBits:
    """An ``IntEnum`` of ``group`` called ``name``, which compiled loops can read too."""
    make: Any = enum.IntEnum
    return cast(FaultBits, make(name, {fault.name.upper(): 1 << fault.bit for fault in group}))


@dataclass(frozen=True)
class StateArray:
    """A part of a block's architectural state: an array of numbers of up to 32 bits.

    ``shape``: of one copy; ``copies`` > 0 of them, one a thread, make one dimension more, in front.
    ``dtype``: as the models' ``state()`` has it; a signed one where -1 stands for none.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    copies: int = 0

    @property
    def instances(self) -> tuple[str, ...]:
        """The names under which the bench reads the copies out of the RTL."""
        if self.copies == 0:
            return (self.name,)
        return tuple(f"t{number}.{self.name}" for number in range(self.copies))

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """Shape with the copies."""
        return (self.copies, *self.shape) if self.copies else self.shape


@dataclass(frozen=True)
class Boundary:
    """All streams and faults of a block, and its architectural state; what follows by name."""

    name: str
    streams: tuple[Stream, ...]
    faults: tuple[Fault, ...] = ()
    state: tuple[StateArray, ...] = ()

    @cached_property
    def table(self) -> dict[str, Stream]:
        """Instance name → stream, in the order described; ``ValueError`` for a name used twice."""
        return stream_table(self.streams)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Instances of input streams; a stream's place here is its number in an origin."""
        return tuple(name for name, s in self.table.items() if s.direction == "input")

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Instances of output streams."""
        return tuple(name for name, s in self.table.items() if s.direction == "output")

    def number(self, instance: str) -> int:
        """Number of an input stream's instance in an origin; ``ValueError`` for another name."""
        return self.inputs.index(instance)

    def stream(self, name: str) -> Stream:
        """The description of a stream, by its name or that of an instance; ``KeyError``."""
        by_name = {s.name: s for s in self.streams}
        return by_name[name] if name in by_name else self.table[name]

    def faults_of(self, stream: str) -> tuple[Fault, ...]:
        """The faults of a stream (its name without copies), bit 0 first."""
        return tuple(fault for fault in self.faults if fault.stream == stream)


def stream_table(streams: Sequence[Stream]) -> dict[str, Stream]:
    """Instance name → description, in the order given; ``ValueError`` for a name used twice."""
    table: dict[str, Stream] = {}
    for name, stream in _instances(streams):
        if name in table:
            raise ValueError(f"stream {name} is described twice")
        table[name] = stream
    return table


def _instances(streams: Sequence[Stream]) -> Iterator[tuple[str, Stream]]:
    for stream in streams:
        for name in stream.instances:
            yield name, stream


class Origin(NamedTuple):
    """What caused an event: record ``index``, counted since reset, of input stream ``stream``.

    In records it is an int64: 256 × index + the stream's number in ``Boundary.inputs``, or
    ``NOT_KNOWN``.
    """

    stream: str
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here

    def encode(self, inputs: Sequence[str]) -> int:
        """The number; ``ValueError`` for a stream that is not one of ``inputs``."""
        return self.index * ORIGIN_STREAMS + tuple(inputs).index(self.stream)

    @classmethod
    def decode(cls, origin: int, inputs: Sequence[str]) -> Origin | None:
        """What the number stands for, or None if it is not known; ``IndexError`` for no stream."""
        if origin == NOT_KNOWN:
            return None
        index, number = divmod(origin, ORIGIN_STREAMS)
        if index < 0:
            raise IndexError(f"{origin} is no origin")
        return cls(inputs[number], index)
