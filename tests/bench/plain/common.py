# SPDX-License-Identifier: Apache-2.0
"""What both plain benches have: cocotb and pyuvm, an agent for each interface, checks each cycle.

The clock is driven by cocotb: what is read right behind its rising edge is what flip-flops see.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import cocotb
import pyuvm
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from tilepath.tests.bench.ordinary.ports import reader

Pins = Mapping[str, int]


class Item(pyuvm.uvm_sequence_item):
    """What is driven: values, for a number of cycles or after a gap."""

    def __init__(self, values: Sequence[int], cycles: int) -> None:
        super().__init__("item")
        self.values = values
        self.cycles = cycles


class RandomSequence(pyuvm.uvm_sequence):
    """Items without end, drawn from a generator of its own."""

    def __init__(self, name: str, draw: Callable[[random.Random], Item]) -> None:
        super().__init__(name)
        self._draw = draw
        self._rng = random.Random(f"{cocotb.RANDOM_SEED} {name}")

    async def body(self) -> None:
        """Called by ``start``."""
        while True:
            item = self._draw(self._rng)
            await self.start_item(item)
            await self.finish_item(item)


class LevelDriver(pyuvm.uvm_driver):
    """Drives values that stay for some cycles."""

    def __init__(self, name: str, parent: pyuvm.uvm_component, pins: Sequence[str]) -> None:
        super().__init__(name, parent)
        self.pins = [getattr(cocotb.top, pin) for pin in pins]
        self.edge = RisingEdge(cocotb.top.clk_i)

    async def run_phase(self) -> None:
        """Drive item after item from reset on."""
        for pin in self.pins:
            pin.value = 0
        await RisingEdge(cocotb.top.rst_ni)
        while True:
            item = await self.seq_item_port.get_next_item()
            await self.drive(item)
            self.seq_item_port.item_done()

    async def drive(self, item: Item) -> None:
        """Drive an item, and return behind the edge at which the next one may begin."""
        self.show(item)
        for _ in range(item.cycles):
            await self.edge

    def show(self, item: Item) -> None:
        """Put the values of an item on the pins."""
        for pin, value in zip(self.pins, item.values, strict=True):
            pin.value = value


class OfferDriver(LevelDriver):
    """Drives events: values with a valid, the first of the pins, until they are taken."""

    async def drive(self, item: Item) -> None:
        """Wait for the gap, then offer."""
        for _ in range(item.cycles):
            await self.edge
        self.show(item)
        await self.edge
        while not self.taken():
            await self.edge
        self.pins[0].value = 0

    def taken(self) -> bool:
        """Whether it was taken at the edge that was just there."""
        return True


class Monitor(pyuvm.uvm_monitor):
    """Publishes the pins of an interface in each cycle from reset on."""

    def __init__(self, name: str, parent: pyuvm.uvm_component, pins: Sequence[str]) -> None:
        super().__init__(name, parent)
        self.ap = pyuvm.uvm_analysis_port("ap", self)
        self._reads = [(pin, reader(getattr(cocotb.top, pin))) for pin in pins]

    async def run_phase(self) -> None:
        """Follow the clock."""
        await RisingEdge(cocotb.top.rst_ni)
        edge = RisingEdge(cocotb.top.clk_i)
        while True:
            await edge
            self.ap.write({pin: read() for pin, read in self._reads})


class Agent(pyuvm.uvm_agent):
    """Driver, sequencer and monitor of an interface."""

    def __init__(
        self,
        name: str,
        parent: pyuvm.uvm_component,
        driver: type[LevelDriver],
        driven: Sequence[str],
        others: Sequence[str],
    ) -> None:
        super().__init__(name, parent)
        self.driver = driver("driver", self, driven)
        self.sequencer = pyuvm.uvm_sequencer("sequencer", self)
        self.monitor = Monitor("monitor", self, (*driven, *others))

    def connect_phase(self) -> None:
        """Connect driver and sequencer."""
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


class Scoreboard(pyuvm.uvm_subscriber):
    """Holds all pins of each cycle against a golden model."""

    def __init__(self, name: str, parent: pyuvm.uvm_component, model: Any, monitors: int) -> None:
        super().__init__(name, parent)
        self.cycles = 0
        self._model = model
        self._monitors = monitors
        self._samples: list[Pins] = []

    def write(self, sample: Pins) -> None:
        """One monitor's pins; those of the last one complete a cycle."""
        self._samples.append(sample)
        if len(self._samples) == self._monitors:
            pins = {name: value for one in self._samples for name, value in one.items()}
            self._samples.clear()
            for pin, wanted in self._model.cycle(pins).items():
                assert pins[pin] == wanted, f"cycle {self.cycles}: {pin} {pins[pin]}, not {wanted}"
            self.cycles += 1


class Coverage(pyuvm.uvm_subscriber):
    """Counts bins; a design says which, and when one is hit."""

    names: ClassVar[Sequence[Any]]

    def build_phase(self) -> None:
        """Declare the bins."""
        self.bins = Counter(dict.fromkeys(self.names, 0))

    def report_phase(self) -> None:
        """Say how much was hit."""
        self.logger.info("%d of %d bins", sum(map(bool, self.bins.values())), len(self.bins))


class Env(pyuvm.uvm_env):
    """An agent for each interface, the scoreboard, coverage of the first interface."""

    def __init__(self, name: str, parent: PlainTest) -> None:
        super().__init__(name, parent)
        self.agents = [Agent(each, self, *how) for each, (how, _) in parent.interfaces.items()]
        self.scoreboard = Scoreboard("scoreboard", self, parent.model(), len(self.agents))
        self.coverage = parent.coverage("coverage", self)

    def connect_phase(self) -> None:
        """Connect the monitors."""
        for agent in self.agents:
            agent.monitor.ap.connect(self.scoreboard.analysis_export)
        self.agents[0].monitor.ap.connect(self.coverage.analysis_export)


class PlainTest(pyuvm.uvm_test):
    """Resets the design, and plays items at random for ``+cycles``.

    ``interfaces``: driver, pins it drives and others, and what draws its items.
    """

    interfaces: ClassVar[Mapping[str, tuple[tuple[Any, ...], Callable[[random.Random], Item]]]]
    model: ClassVar[type]
    coverage: ClassVar[type[Coverage]]

    def build_phase(self) -> None:
        """Create the environment."""
        self.env = Env("env", self)

    async def run_phase(self) -> None:
        """Run the wanted number of cycles."""
        self.raise_objection()
        Clock(cocotb.top.clk_i, 10, "ns").start()
        cocotb.top.rst_ni.value = 0
        for agent in self.env.agents:
            _, draw = self.interfaces[agent.get_name()]
            cocotb.start_soon(RandomSequence(agent.get_name(), draw).start(agent.sequencer))
        await ClockCycles(cocotb.top.clk_i, 4)
        cocotb.top.rst_ni.value = 1
        await ClockCycles(cocotb.top.clk_i, int(cocotb.plusargs["cycles"]))
        self.drop_objection()

    def check_phase(self) -> None:
        """A scoreboard that compared nothing fails."""
        assert self.env.scoreboard.cycles
