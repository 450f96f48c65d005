# SPDX-License-Identifier: Apache-2.0
"""Drivers of one thread: its core, and whoever takes words from its issue port."""

from __future__ import annotations

from cocotb.triggers import ClockCycles

from tilepath.tests.bench.ordinary.drivers import PlayerDriver
from tilepath.tests.bench.ordinary.frontend.items import CoreItem
from tilepath.tests.bench.ordinary.items import LevelItem


class CoreDriver(PlayerDriver):
    """Pushes words, writes MopCfg and requests mop_syncs."""

    item_type = CoreItem

    async def drive(self, item: CoreItem) -> None:
        """Start all that the item asks for in one cycle, and wait until it is done."""
        ports = self.ports
        for _ in range(item.gap):
            await self.edge
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
        await self.edge
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
            await self.edge


class ReadyDriver(PlayerDriver):
    """Drives ``issue_ready``."""

    item_type = LevelItem

    async def drive(self, item: LevelItem) -> None:
        """Drive the level for its number of cycles."""
        self.ports.issue_ready.value = item.value
        await ClockCycles(self.ports.clk, item.cycles)
