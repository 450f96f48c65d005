# SPDX-License-Identifier: Apache-2.0
"""The pins of one interface: what is sent to them, who looks at them in each cycle, who answers.

The clock is driven by cocotb, so that what is read right behind its rising edge is what flip-flops
see at that edge, under both simulators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from cocotb.triggers import RisingEdge
from numpy.typing import NDArray
from pyuvm import uvm_analysis_port, uvm_component, uvm_monitor, uvm_sequence, uvm_sequence_item

from tilepath.engine.description.block import Block
from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.stream import Stream
from tilepath.tb.adc.streams import TARGETS


@dataclass(slots=True)
class Event:
    """What a monitor saw: in which stream, in which cycle, and the values of the fields."""

    stream: str
    cycle: int
    values: tuple[int, ...] = ()


class Item(uvm_sequence_item):
    """A transaction whose attributes are the fields of a player, and ``gap`` or ``cycles``."""

    def __init__(self, name: str, fields: dict[str, int]) -> None:
        super().__init__(name)
        vars(self).update(fields)


class ItemSequence(uvm_sequence):
    """Sends one :class:`Item` for each row of the arrays of a test's stimulus."""

    def __init__(self, name: str, player: Player, source: Iterable[Items]) -> None:
        super().__init__(name)
        self._player = player
        self._source = source

    async def body(self) -> None:
        """Called by ``start``."""
        for items in self._source:
            columns = self._player.unpack(items)
            for values in zip(*map(numbers, columns.values()), strict=True):
                item = Item("item", dict(zip(columns, values, strict=True)))
                await self.start_item(item)
                await self.finish_item(item)


def numbers(column: NDArray[Any]) -> list[int]:
    """The values of a field, one each row; several words, lowest first, make one number."""
    if column.ndim == 1:
        values: list[int] = column.tolist()
        return values
    return [int.from_bytes(row.tobytes(), "little") for row in column.astype("<u4")]


# -- pins, and how they are read


Reader = Callable[[], int]


def reader(handle: Any) -> Reader:
    """A function that reads a signal as an unsigned number; ``ValueError`` for X and Z."""
    bits = handle._handle.get_signal_val_binstr
    return lambda: int(bits(), 2)


class Ports:
    """The ports of ``dut``, or with ``index`` that element of each of them.

    Streams and players of an interface with a prefix are named ``<prefix><index>.<name>``.
    ``names``: stream → what its ports are called after, where that is not the stream's own name; or
    all of them: the one that says that it happens (``""``: none), and those of its fields.
    ``shared``: what components have in common besides pins.
    """

    def __init__(
        self,
        dut: Any,
        block: Block,
        names: Mapping[str, str | Sequence[str]],
        shared: Any,
        index: int | None = None,
        prefix: str = "",
    ) -> None:
        self.dut = dut
        self.index = index
        self.shared = shared
        self.clk, self.rst = dut.clk_i, dut.rst_ni
        self._block = block
        self._names = names
        self._prefix = f"{prefix}{index}." if prefix else ""

    def __getitem__(self, port: str) -> Any:
        """The handle of ``port``."""
        handle = getattr(self.dut, port)
        return handle if self.index is None else handle[self.index]

    def reader(self, port: str, element: int | None = None) -> Reader:
        """What reads ``port``, or an ``element`` of it."""
        return reader(self[port] if element is None else getattr(self.dut, port)[element])

    def name_of(self, name: str) -> str:
        """Full name of this interface's stream or player ``name``."""
        return self._prefix + name

    def stream(self, name: str) -> Stream:
        """Description of this interface's stream ``name``, or of the one with this full name."""
        table = self._block.stream_table
        return table[self.name_of(name)] if self.name_of(name) in table else table[name]

    def player(self, name: str) -> Player:
        """Description of this interface's player ``name``."""
        return self._block.player_table[self.name_of(name)]

    def pins(self, stream: Stream) -> tuple[str, Sequence[str]]:
        """The port that says that ``stream`` happens, or ``""``, and the ports of its fields.

        Where ``names`` does not list them, each field has a port of its own, or one port has all.
        """
        name = self._names.get(stream.name, stream.name)
        if not isinstance(name, str):
            return name[0], name[1:]
        end = "_i" if stream.direction == "input" else "_o"
        fields = [f"{name}_{field.name}{end}" for field in stream.fields]
        if not all(hasattr(self.dut, port) for port in fields):
            fields = [f"{name}{end}"]
        for valid in (f"{name}_valid{end}", f"{name}{end}"):
            if valid not in fields and hasattr(self.dut, valid):
                return valid, fields
        return "", fields

    def played(self, player: Player) -> tuple[str, dict[str, str]]:
        """The port that says that an item of ``player`` is there, and field → port.

        A port that has several fields is that of the first of them.
        """
        record = player.records[0]
        stream = next(s for s in self._block.streams if s.name == record.stream)
        valid, ports = self.pins(stream)
        fields = [record.named.get(field.name, field.name) for field in stream.fields]
        return valid, dict(zip(fields, ports, strict=False))


# -- monitors: each has streams to look at, whose ports are named after them


class Sample:
    """Reads the fields of a stream from signals, which follow one another as the fields do.

    A signal that is wider than its field has the next fields too, lowest bits first; what is left
    of the last one is no field.
    """

    def __init__(self, stream: Stream, handles: Iterable[Any]) -> None:
        handles = list(handles)
        self._reads: list[Reader] = [reader(handle) for handle in handles]
        # several values are recorded as words
        widths = iter([f.width if f.count == 1 else 32 * f.words for f in stream.fields])
        self.rest = (0,) * len(handles)
        self._cuts = [list(_cuts(widths, len(handle))) for handle in handles]
        self._whole = all(
            len(cuts) == 1 and cuts[0][1] >> len(handle) - 1
            for handle, cuts in zip(handles, self._cuts, strict=True)
        )
        assert not list(widths), f"{stream.name} has more fields than its signals have bits"

    def read(self) -> tuple[int, ...]:
        """The signals as they are."""
        return tuple([read() for read in self._reads])

    def fields(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The fields in what :meth:`read` gave."""
        if self._whole:
            return values
        pairs = zip(values, self._cuts, strict=True)
        return tuple([value >> low & mask for value, cuts in pairs for low, mask in cuts])

    def __call__(self) -> tuple[int, ...]:
        """The fields now."""
        return self.fields(self.read())


def _cuts(widths: Iterator[int], bits: int) -> Iterator[tuple[int, int]]:
    """Place and mask of each of the next fields that are in a signal of ``bits``."""
    low = 0
    while low < bits and (width := next(widths, 0)):
        yield low, (1 << width) - 1
        low += width


class PortMonitor(uvm_monitor):
    """Looks at an interface in each cycle from reset on, and publishes events.

    Each of ``streams`` happens when the port says so that its pins have for it; without one, a
    level does when it has changed (all are 0 at first), and an event when a field is not 0.
    """

    def __init__(
        self, name: str, parent: uvm_component, ports: Ports, streams: Sequence[str]
    ) -> None:
        super().__init__(name, parent)
        self.ports = ports
        self.streams = streams

    def build_phase(self) -> None:
        """Create the analysis port, and look all signals up."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)
        self._events: list[tuple[str, Reader, Sample]] = []
        self._flags: list[tuple[str, Sample]] = []
        self._levels: list[tuple[str, Sample]] = []
        for name in self.streams:
            full, sample, valid = self.name_of(name), self.sampler(name), self.valid(name)
            if self.ports.stream(name).kind == "level":
                self._levels.append((full, sample))
            elif valid:
                self._events.append((full, self.ports.reader(valid), sample))
            else:
                self._flags.append((full, sample))
        self._last = [level.rest for _, level in self._levels]

    def name_of(self, stream: str) -> str:
        """Full name of this interface's ``stream``."""
        return self.ports.name_of(stream)

    def valid(self, stream: str) -> str:
        """The port that says that ``stream`` happens, or ``""``."""
        return self.ports.pins(self.ports.stream(stream))[0]

    def sampler(self, stream: str) -> Sample:
        """What reads the fields of ``stream``."""
        described = self.ports.stream(stream)
        return Sample(described, [self.ports[port] for port in self.ports.pins(described)[1]])

    async def run_phase(self) -> None:
        """Follow the clock."""
        await RisingEdge(self.ports.rst)
        edge = self.ports.clk.rising_edge
        for cycle in count():
            await edge
            self.sample(cycle)

    def event(self, stream: str, cycle: int, *values: int) -> None:
        """Publish an event; ``stream`` is its full name."""
        self.ap.write(Event(stream, cycle, values))

    def sample(self, cycle: int) -> None:
        """Look at the interface in ``cycle``."""
        for stream, valid, fields in self._events:
            if valid():
                self.event(stream, cycle, *fields())
        for stream, fields in self._flags:
            values = fields()
            if any(values):
                self.event(stream, cycle, *values)
        for place, (stream, level) in enumerate(self._levels):
            values = level.read()
            if values != self._last[place]:
                self._last[place] = values
                self.event(stream, cycle, *level.fields(values))


# -- the monitor of address counters, wherever they are


class CounterMonitor(PortMonitor):
    """One thread; of the counters of a target, live values and checkpoints of two channels."""

    def build_phase(self) -> None:
        """Look the counters up; they have no ports of their own."""
        targets = [name for name in self.streams if name in TARGETS]
        self.streams = [name for name in self.streams if name not in TARGETS]
        super().build_phase()
        dut, first = self.ports.dut, 2 * len(TARGETS) * (self.ports.index or 0)
        self._counters = [
            (
                self.name_of(target),
                [
                    reader(getattr(dut, port)[first + 2 * TARGETS.index(target) + channel])
                    for channel in (0, 1)
                    for port in ("live_o", "cr_o")
                ],
            )
            for target in TARGETS
            if target in targets
        ]
        self._values = [[0, 0, 0, 0] for _ in self._counters]

    def sample(self, cycle: int) -> None:
        """Look at all counters and checkpoints."""
        super().sample(cycle)
        for place, (stream, reads) in enumerate(self._counters):
            values = [read() for read in reads]
            if values != self._values[place]:
                self._values[place] = values
                self.event(stream, cycle, *_fields(*values[:2]), *_fields(*values[2:]))


def _fields(live: int, checkpoint: int) -> tuple[int, ...]:
    """X and its checkpoint, then Y, Z and W with the live value in the low half."""
    pairs = [(live >> low & 0x1FFF, checkpoint >> low & 0x1FFF) for low in (19, 33, 47)]
    return live & 0x3FFFF, checkpoint & 0x3FFFF, *(high << 16 | value for value, high in pairs)


# -- what answers the DUT, each in its own way: memories, registers, units, gates


class Responder(uvm_component):
    """Follows the clock from reset on, and can publish events that are not seen at pins.

    All of ``pins`` rest at 0.
    """

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self.ports = ports
        self.shared: Any = ports.shared
        self.pins: list[Any] = []
        self.cycle = 0

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    def idle(self) -> None:
        """Drive all pins to rest."""
        for pin in self.pins:
            pin.value = 0

    def publish(self, stream: str, *values: int) -> None:
        """An event of this cycle."""
        self.ap.write(Event(stream, self.cycle, values))

    async def run_phase(self) -> None:
        """Follow the clock."""
        rising, falling = self.ports.clk.rising_edge, self.ports.clk.falling_edge
        await RisingEdge(self.ports.rst)
        for cycle in count():
            await falling
            self.cycle = cycle
            self.begin()
            await rising
            self.end()

    def begin(self) -> None:
        """Begin in the middle of a cycle, when all drivers have done their part."""

    def end(self) -> None:
        """End at the end of a cycle, right behind the edge."""
