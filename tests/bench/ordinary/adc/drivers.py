# SPDX-License-Identifier: Apache-2.0
"""Drivers of the writers; no command is ever refused, so each is there for one cycle."""

from __future__ import annotations

from tilepath.tests.bench.ordinary.adc import items
from tilepath.tests.bench.ordinary.drivers import PlayerDriver


class IssueDriver(PlayerDriver):
    """Instructions of one thread."""

    item_type = items.IssueItem

    async def drive(self, item: items.IssueItem) -> None:
        """Offer the word for one cycle."""
        for _ in range(item.gap):
            await self.edge
        ports = self.ports
        ports.issue_valid.value = 1
        ports.issue_word.value = item.word
        await self.edge
        ports.issue_valid.value = 0


class UnpackDriver(PlayerDriver):
    """Updates of the unpackers."""

    item_type = items.UnpackItem

    async def drive(self, item: items.UnpackItem) -> None:
        """Drive the command for one cycle."""
        for _ in range(item.gap):
            await self.edge
        ports = self.ports
        ports.unpack_valid.value = 1
        ports.unpack_unpacker.value = item.unpacker
        ports.unpack_thread.value = item.thread
        ports.unpack_adc.value = item.adc
        ports.unpack_y0.value = item.y0
        ports.unpack_z0.value = item.z0
        ports.unpack_y1.value = item.y1
        ports.unpack_z1.value = item.z1
        await self.edge
        ports.unpack_valid.value = 0


class PackDriver(PlayerDriver):
    """Updates of the packers."""

    item_type = items.PackItem

    async def drive(self, item: items.PackItem) -> None:
        """Drive the command for one cycle."""
        for _ in range(item.gap):
            await self.edge
        ports = self.ports
        ports.pack_valid.value = 1
        ports.pack_sets.value = item.sets
        ports.pack_addr_mod.value = item.addr_mod
        await self.edge
        ports.pack_valid.value = 0


class FlopDriver(PlayerDriver):
    """REG2FLOP."""

    item_type = items.FlopItem

    async def drive(self, item: items.FlopItem) -> None:
        """Drive the command for one cycle."""
        for _ in range(item.gap):
            await self.edge
        ports = self.ports
        ports.flop_valid.value = 1
        ports.flop_thread.value = item.thread
        ports.flop_select.value = item.select
        ports.flop_channel.value = item.channel
        ports.flop_counter.value = item.counter
        ports.flop_checkpoint.value = item.checkpoint
        ports.flop_value.value = item.value
        await self.edge
        ports.flop_valid.value = 0
