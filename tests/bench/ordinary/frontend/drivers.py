# SPDX-License-Identifier: Apache-2.0
"""Drivers of one thread: its core, and whoever takes words from its issue port."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.tests.bench.ordinary.drivers import ItemDriver, LevelDriver


class CoreDriver(ItemDriver):
    """Pushes words, writes MopCfg and requests mop_syncs."""

    others = (
        *("push_valid_i", "push_word_i", "cfg_valid_i", "cfg_index_i", "cfg_data_i"),
        "sync_req_i",
    )

    def build_phase(self) -> None:
        """Look up what answers."""
        super().build_phase()
        self._taken = self.ports.reader("push_ready_o")
        self._acknowledged = self.ports.reader("sync_ack_o")

    async def drive(self, item: Any) -> None:
        """Start all that the item asks for in one cycle, and wait until it is done."""
        if item.background:
            raise ValueError("this bench knows no mop_sync in the background")
        pin = self.pin
        for _ in range(item.gap):
            await self.edge
        pushing, syncing = item.push, item.sync
        if pushing:
            pin["push_valid_i"].value = 1
            pin["push_word_i"].value = item.word
        if item.mopcfg:
            pin["cfg_valid_i"].value = 1
            pin["cfg_index_i"].value = item.index
            pin["cfg_data_i"].value = item.data
        if syncing:
            pin["sync_req_i"].value = 1
        await self.edge
        if item.mopcfg:
            pin["cfg_valid_i"].value = 0
        while True:
            if pushing and self._taken():
                pin["push_valid_i"].value = 0
                pushing = False
            if syncing and self._acknowledged():
                pin["sync_req_i"].value = 0
                syncing = False
            if not pushing and not syncing:
                return
            await self.edge


class ReadyDriver(LevelDriver):
    """Drives ``issue_ready``."""

    fields: ClassVar = {"ready": "issue_ready_i"}
    rest: ClassVar = {"issue_ready_i": 1}


class ConditionDriver(LevelDriver):
    """Drives ``sfpu_cc``."""

    fields: ClassVar = {"busy": "sfpu_cc_i"}
