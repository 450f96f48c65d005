# SPDX-License-Identifier: Apache-2.0
"""Drivers of one thread: its core, and whoever takes words from its issue port."""

from __future__ import annotations

from cocotb.triggers import ClockCycles, RisingEdge
from pyuvm import uvm_component, uvm_driver

from tests.bench.ordinary.items import CoreItem
from tests.bench.ordinary.ports import ThreadPorts


class CoreDriver(uvm_driver):
    """Pushes words, writes MopCfg and requests mop_syncs; what it drives changes after an edge."""

    def __init__(self, name: str, parent: uvm_component, ports: ThreadPorts) -> None:
        super().__init__(name, parent)
        self._ports = ports
        self._edge = ports.clk.rising_edge

    async def run_phase(self) -> None:
        """Drive item after item; the next one may begin in the cycle after the one before."""
        await RisingEdge(self._ports.rst)
        await self._edge
        while True:
            item = await self.seq_item_port.get_next_item()
            for _ in range(item.gap):
                await self._edge
            await self._drive(item)
            self.seq_item_port.item_done()

    async def _drive(self, item: CoreItem) -> None:
        ports = self._ports
        pushing, syncing = item.push, item.sync
        if pushing:
            ports.push_valid.value = 1
            ports.push_word.value = item.word
        if item.mopcfg:
            ports.cfg_valid.value = 1
            ports.cfg_index.value = item.index
            ports.cfg_data.value = item.data
        if syncing:
            ports.sync_req.value = 1
        await self._edge
        if item.mopcfg:
            ports.cfg_valid.value = 0
        while True:
            if pushing and ports.push_ready.value:
                ports.push_valid.value = 0
                pushing = False
            if syncing and ports.sync_ack.value:
                ports.sync_req.value = 0
                syncing = False
            if not pushing and not syncing:
                return
            await self._edge


class ReadyDriver(uvm_driver):
    """Drives ``issue_ready``."""

    def __init__(self, name: str, parent: uvm_component, ports: ThreadPorts) -> None:
        super().__init__(name, parent)
        self._ports = ports

    async def run_phase(self) -> None:
        """Drive level after level."""
        await RisingEdge(self._ports.rst)
        await RisingEdge(self._ports.clk)
        while True:
            item = await self.seq_item_port.get_next_item()
            self._ports.issue_ready.value = item.ready
            await ClockCycles(self._ports.clk, item.cycles)
            self.seq_item_port.item_done()
