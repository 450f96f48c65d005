# SPDX-License-Identifier: Apache-2.0
"""The monitors of all blocks: each has streams to look at, whose ports are named after them.

The clock is driven by cocotb, so that what is read right behind its rising edge is what flip-flops
see at that edge, under both simulators.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component, uvm_monitor

from tilepath.engine.description.stream import Stream
from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.ports import Ports, Reader, reader


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
