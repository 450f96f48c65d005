# SPDX-License-Identifier: Apache-2.0
"""A player's agent: sequencer and driver; and the sequence that feeds one from an iterable."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from pyuvm import (
    UVM_FULL,
    ConfigDB,
    uvm_agent,
    uvm_component,
    uvm_driver,
    uvm_sequence,
    uvm_sequence_item,
    uvm_sequencer,
)

from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.description.player import ChunkWriter, Items
from tilepath.engine.simulation.block_end import SimControl


class Burst(uvm_sequence_item):
    """A transaction of many items for one player; ``items`` = None ends the stimulus."""

    def __init__(self, name: str, items: Items | None) -> None:
        super().__init__(name)
        self.items = items


class BurstSequence(uvm_sequence):
    """Sends each array of an iterable as one :class:`Burst`, then the end."""

    def __init__(self, name: str, source: Iterable[Items]) -> None:
        super().__init__(name)
        self._source = source

    async def body(self) -> None:
        """Called by ``start``."""
        for items in self._source:
            await self._send(Burst(self.get_name(), items))
        await self._send(Burst(self.get_name(), None))

    async def _send(self, burst: Burst) -> None:
        await self.start_item(burst)
        await self.finish_item(burst)


Outlet = tuple[ChunkWriter, int, RunCheck | None]
"""Takes a player's items to chunk files, so many cycles ahead, and to the check."""


class PlayerDriver(uvm_driver):
    """Turns bursts into chunk files, always enough of them for the next block of cycles.

    It drives no signal: the player in the harness does, so that a burst costs Python the same
    whatever it does on the pins.
    """

    def __init__(self, name: str, parent: uvm_component, outlet: Outlet) -> None:
        super().__init__(name, parent)
        self._writer, self._lead, self._check = outlet
        folder = self._writer.path(0).parent
        self._state_file: Path = folder / f"{self._writer.name}.state"
        self._control: SimControl = ConfigDB().get(self, "", "CONTROL")
        self.state = PlayerState(0, False)

    @property
    def exhausted(self) -> bool:
        """Whether all was played."""
        return self.state.exhausted

    async def run_phase(self) -> None:
        """Write bursts; stay at least ``lead`` cycles ahead of the player."""
        waiting: list[Items] = []  # gathered, because small files cost more than their contents
        cycles = 0
        while True:
            burst = await self.seq_item_port.get_next_item()
            if burst.items is not None:
                waiting.append(self._writer.checked(burst.items))
                cycles += self._writer.player.cycles(burst.items)
            if waiting and (burst.items is None or cycles > self._lead):
                items = np.concatenate(waiting)
                self._writer.write(items)
                self.uvm_report.info("CHUNK", f"{len(items)} items, {cycles} cycles", UVM_FULL)
                if self._check is not None:
                    self._control.spent.on("stimulus")
                    self._check.sent(self._writer.name, items)
                    self._control.spent.on("model")
                waiting, cycles = [], 0
            if burst.items is None:
                self._writer.finish()
                if self._check is not None:
                    self._check.finished(self._writer.name)
            self.seq_item_port.item_done()
            while self._writer.cycles_left(self.state.consumed) > self._lead:
                self._control.spent.on("stimulus")
                await self._control.after_block()

    def refresh(self) -> None:
        """Read how far the player has come; called at the end of each block of cycles."""
        data = self._state_file.read_bytes()[-8:]
        consumed, exhausted = np.frombuffer(data, "<u4")
        self.state = PlayerState(int(consumed), bool(exhausted))


class PlayerAgent(uvm_agent):
    """Sequencer and driver of one player."""

    def __init__(self, name: str, parent: uvm_component, outlet: Outlet) -> None:
        super().__init__(name, parent)
        self._outlet = outlet

    def build_phase(self) -> None:
        """Create sequencer and driver."""
        super().build_phase()
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = PlayerDriver("driver", self, self._outlet)

    def connect_phase(self) -> None:
        """Connect driver to sequencer."""
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
