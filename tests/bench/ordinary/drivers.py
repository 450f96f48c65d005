# SPDX-License-Identifier: Apache-2.0
"""What the drivers of all blocks have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from cocotb.triggers import RisingEdge
from pyuvm import uvm_component, uvm_driver, uvm_sequence_item

from tilepath.tests.bench.ordinary.ports import Ports


class PlayerDriver(uvm_driver):
    """Drives one player's items of type ``item_type``, one after another, from reset on.

    What it drives changes right behind a rising edge of the clock.
    """

    item_type: ClassVar[type[uvm_sequence_item]]

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self.ports: Any = ports
        self.edge = ports.clk.rising_edge

    async def run_phase(self) -> None:
        """Drive item after item; the next one may begin in the cycle after the one before."""
        await RisingEdge(self.ports.rst)
        await self.edge
        while True:
            item = await self.seq_item_port.get_next_item()
            await self.drive(item)
            self.seq_item_port.item_done()

    async def drive(self, item: Any) -> None:
        """Drive ``item``, and return behind the edge at which the next one may begin."""
        raise NotImplementedError
