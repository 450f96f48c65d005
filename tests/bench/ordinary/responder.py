# SPDX-License-Identifier: Apache-2.0
"""What answers the DUT, each in its own way: memories, registers, units, gates."""

from __future__ import annotations

from itertools import count
from typing import Any

from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.ports import Ports


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
