# SPDX-License-Identifier: Apache-2.0
"""Drivers of the control block, and what answers it: stubs of units, registers of streams.

Whatever depends on what happened in the cycle before is decided at the falling edge of the clock:
then all drivers have done what they do at the rising one.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from cocotb.triggers import ClockCycles, RisingEdge
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.tb.control.items import COUNT_REGISTER, PHASE_REGISTER
from tilepath.tb.control.streams import UNITS, VIEWS
from tilepath.tests.bench.ordinary.control import items
from tilepath.tests.bench.ordinary.drivers import PlayerDriver
from tilepath.tests.bench.ordinary.items import Event, LevelItem
from tilepath.tests.bench.ordinary.ports import Ports

# Conditions of STALLWAIT that the units make: SFPU 11, XMOV 9, MATH 4, PACK 3, UNPACK1 2, UNPACK0 1
_CONDITION = (1, 2, 3, 4, 11, 9)
_FORCED = 0x0BFF  # bits 10 and 12 are made by the DUT


class HeldDriver(PlayerDriver):
    """Drives items that can wait for something."""

    async def hold(self, item: items.HeldItem) -> None:
        """Return in the cycle in which ``item`` begins."""
        for _ in range(item.gap):
            await self.edge
        if item.after >> 16:
            falling = self.ports.clk.falling_edge
            await falling
            while not self.ports.shared.met(item.after):
                await falling


class IssueDriver(HeldDriver):
    """Offers the words of one thread."""

    item_type = items.IssueItem

    async def drive(self, item: items.IssueItem) -> None:
        """Offer the word until it is taken."""
        await self.hold(item)
        ports = self.ports
        ports.issue_valid.value = 1
        ports.issue_word.value = item.word
        await self.edge
        while not ports.issue_ready.value:
            await self.edge
        ports.issue_valid.value = 0
        ports.shared.count(1 + ports.index)


class RiscDriver(HeldDriver):
    """Configuration accesses."""

    item_type = items.RiscItem

    async def drive(self, item: items.RiscItem) -> None:
        """Offer the access until it is done."""
        await self.hold(item)
        ports = self.ports
        ports.risc_valid.value = 1
        ports.risc_write.value = item.write
        ports.risc_address.value = item.address
        ports.risc_data.value = item.data
        await self.edge
        while not ports.risc_done.value:
            await self.edge
        ports.risc_valid.value = 0
        ports.shared.count(4)


class SemDriver(HeldDriver):
    """Semaphore accesses."""

    item_type = items.SemItem

    async def drive(self, item: items.SemItem) -> None:
        """Offer the access until it is done."""
        await self.hold(item)
        ports = self.ports
        ports.risc_sem_valid.value = 1
        ports.risc_sem_write.value = item.write
        ports.risc_sem_index.value = item.index
        ports.risc_sem_get.value = item.get
        await self.edge
        while not ports.risc_sem_done.value:
            await self.edge
        ports.risc_sem_valid.value = 0
        ports.shared.count(5)


class ConditionsDriver(PlayerDriver):
    """``stream_busy``, and what is forced upon conditions and units."""

    item_type = LevelItem

    async def drive(self, item: LevelItem) -> None:
        """Drive the level for its number of cycles."""
        self.ports.shared.conditions = item.value
        self.ports.stream_busy.value = item.value >> 13 & 1
        await ClockCycles(self.ports.clk, item.cycles)


class WorkDriver(PlayerDriver):
    """How long words keep units busy."""

    item_type = LevelItem

    async def drive(self, item: LevelItem) -> None:
        """Keep the level for its number of cycles."""
        self.ports.shared.work = item.value
        await ClockCycles(self.ports.clk, item.cycles)


class UnitStubs(uvm_component):
    """Stands for the six units: busy after a word, asking for configuration in its entry cycle."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self._ports: Any = ports
        self._ready = [1] * len(UNITS)
        self._busy = 0

    async def run_phase(self) -> None:
        """Drive readiness and conditions in each cycle; take words at its end."""
        shared = self._ports.shared
        rising, falling = self._ports.clk.rising_edge, self._ports.clk.falling_edge
        left = [0] * len(UNITS)
        await RisingEdge(self._ports.rst)
        while True:
            await falling
            self._show(shared.conditions, left)
            work = shared.work
            await rising
            for unit, ready in enumerate(self._ready):
                if left[unit]:
                    left[unit] -= 1
                if ready and self._ports.unit_valid[unit].value:
                    left[unit] = work >> 5 * unit & 31
                    if unit < len(VIEWS):
                        self._enter(unit)

    def _show(self, conditions: int, left: list[int]) -> None:
        """Drive what has changed."""
        busy = conditions & _FORCED
        for unit, cycles in enumerate(left):
            if cycles:
                busy |= 1 << _CONDITION[unit]
            ready = int(not cycles and not conditions >> (16 + unit) & 1)
            if ready != self._ready[unit]:
                self._ready[unit] = ready
                self._ports.unit_ready[unit].value = ready
        if busy != self._busy:
            self._busy = busy
            self._ports.busy.value = busy

    def _enter(self, unit: int) -> None:
        """In the cycle to come, look at the configuration word that the instruction names."""
        ports = self._ports
        ports.view_thread[unit].value = int(ports.unit_thread[unit].value)
        ports.view_index[unit].value = int(ports.unit_word[unit].value) & 511


class StreamRegisters(uvm_component):
    """The registers of all streams: answers the DUT in the same cycle, and publishes writes."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self._ports: Any = ports
        self._registers: dict[tuple[int, int], int] = {}
        self._cycle = 0

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    def write(self, stream: int, register: int, data: int) -> None:
        """What is written at the end of a cycle shows in the next one."""
        self._registers[stream, register] = data
        self.ap.write(Event("stream_write", self._cycle, (stream, register, data)))

    async def run_phase(self) -> None:
        """Answer once in each cycle: what the DUT asks for comes from its flip-flops."""
        ports, read = self._ports, self._registers.get
        driven = [0] * 7
        handles = [handle for _, *pair in ports.waits for handle in pair] + [ports.stream_data]
        falling = ports.clk.falling_edge
        await RisingEdge(ports.rst)
        for cycle in count():
            await falling
            self._cycle = cycle
            answers = []
            for selected, _, _ in ports.waits:
                stream = int(selected.value)
                answers.append(read((stream, PHASE_REGISTER), 0) & 0xFFFFF)
                answers.append(read((stream, COUNT_REGISTER), 0) & 0x1FFFF)
            where = int(ports.stream.value), int(ports.stream_register.value)
            answers.append(read(where, 0))
            for place, answer in enumerate(answers):
                if answer != driven[place]:
                    driven[place] = answer
                    handles[place].value = answer


class StreamDriver(HeldDriver):
    """Writes stream registers."""

    item_type = items.StreamItem

    async def drive(self, item: items.StreamItem) -> None:
        """Write in the cycle in which the item begins."""
        await self.hold(item)
        await self.edge
        self.ports.registers.write(item.stream, item.register, item.data)
