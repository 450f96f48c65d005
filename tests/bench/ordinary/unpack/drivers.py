# SPDX-License-Identifier: Apache-2.0
"""Drivers of the unpackers, and what stands around them: the wait gates, and L1.

Whatever depends on what happened in the cycle before is decided at the falling edge of the clock:
then all drivers have done what they do at the rising one.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import Any

from cocotb.triggers import ClockCycles, RisingEdge
from cocotb.triggers import Event as Signal
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.isa import profiles
from tilepath.tb.unpack.items import LINE_BYTES
from tilepath.tb.unpack.streams import THREADS, UNPACKERS
from tilepath.tests.bench.ordinary.drivers import PlayerDriver
from tilepath.tests.bench.ordinary.items import Event, LevelItem
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.unpack import items

_OPCODES = (0x42, 0x43)
_NOTHING = (1 << 128) - 1  # what L1 answers where there is no line
_LINES = 4


class HeldDriver(PlayerDriver):
    """Drives items that are there for one cycle, and can wait for something before."""

    source: int

    async def drive(self, item: Any) -> None:
        """Drive the item when it may begin, and count it."""
        for _ in range(item.gap):
            await self.edge
        if not self.free(item):
            falling = self.ports.clk.falling_edge
            await falling
            while not self.met(item):
                await falling
        self.begin(item)
        await self.edge
        self.end(item)
        self.ports.shared.count(self.source)

    def free(self, item: Any) -> bool:
        """Whether it waits for nothing."""
        return not item.idle and not item.after >> 28 and not item.and_after >> 28

    def met(self, item: Any) -> bool:
        """Whether it may begin in this cycle."""
        return bool(self.ports.shared.met(item))

    def begin(self, item: Any) -> None:
        """Drive the pins."""

    def end(self, item: Any) -> None:
        """Take back what must not stay."""


class CfgDriver(HeldDriver):
    """Configuration writes."""

    item_type = items.CfgItem
    source = 4

    def begin(self, item: items.CfgItem) -> None:
        """The write."""
        ports = self.ports
        ports.cfg_valid.value = 1
        ports.cfg_banks.value = item.banks
        ports.cfg_index.value = item.index
        ports.cfg_wide.value = item.wide
        ports.cfg_data.value = item.data

    def end(self, item: items.CfgItem) -> None:
        """No write."""
        self.ports.cfg_valid.value = 0


class Setc16Driver(HeldDriver):
    """Writes of a thread's own configuration."""

    item_type = items.Setc16Item

    def build_phase(self) -> None:
        """The thread is known."""
        super().build_phase()
        self.source = 5 + self.ports.index

    def begin(self, item: items.Setc16Item) -> None:
        """The write."""
        ports = self.ports
        ports.setc16_valid.value = 1
        ports.setc16_index.value = item.index
        ports.setc16_value.value = item.value

    def end(self, item: items.Setc16Item) -> None:
        """No write."""
        self.ports.setc16_valid.value = 0


class MatrixDriver(HeldDriver):
    """The Matrix Unit, with its bank pointers."""

    item_type = items.MatrixItem
    source = 8

    def free(self, item: items.MatrixItem) -> bool:
        """Neither does it wait for a bank."""
        return super().free(item) and not item.wait

    def met(self, item: items.MatrixItem) -> bool:
        """A bank may have to be the Matrix Unit's."""
        if not super().met(item):
            return False
        b = item.file == 1
        return not item.wait or bool(
            int(self.ports.shared.owner.value) >> 2 * b + self._bank(item) & 1
        )

    def _bank(self, item: items.MatrixItem) -> int:
        if not item.follow:
            return item.bank
        banks: int = self.ports.shared.matrix_banks
        return banks >> (item.file == 1) & 1

    def begin(self, item: items.MatrixItem) -> None:
        """The command."""
        ports = self.ports
        ports.matrix_valid.value = 1
        ports.matrix_op.value = item.op
        ports.matrix_file.value = item.file
        ports.matrix_bank.value = self._bank(item)
        ports.matrix_row.value = item.row

    def end(self, item: items.MatrixItem) -> None:
        """No command; the pointer may change."""
        ports = self.ports
        ports.matrix_valid.value = 0
        if item.toggle and item.file < 2:
            ports.shared.matrix_banks ^= 1 << item.file
            ports.matrix_banks.value = ports.shared.matrix_banks


class BaseDriver(PlayerDriver):
    """The bases of SETREG."""

    item_type = items.BaseItem

    async def drive(self, item: items.BaseItem) -> None:
        """Drive the level for its number of cycles."""
        self.ports.setreg_base0.value = item.base0
        self.ports.setreg_base1.value = item.base1
        await ClockCycles(self.ports.clk, item.cycles)


class LatencyDriver(PlayerDriver):
    """How long L1 takes."""

    item_type = LevelItem

    async def drive(self, item: LevelItem) -> None:
        """Keep the level for its number of cycles."""
        self.ports.shared.latency = item.value
        await ClockCycles(self.ports.clk, item.cycles)


class L1Driver(HeldDriver):
    """Writes L1."""

    item_type = items.L1Item
    source = 9

    def end(self, item: items.L1Item) -> None:
        """The write is over."""
        self.ports.l1.write(item.line, item.data)


class IssueDriver(PlayerDriver):
    """Offers the words of one thread to the gate."""

    item_type = items.IssueItem

    async def drive(self, item: items.IssueItem) -> None:
        """Offer the word until it has gone."""
        for _ in range(item.gap):
            await self.edge
        ports = self.ports
        await ports.gate.offer(ports.index, item)


class Gate(uvm_component):
    """The wait gates: words go to the unpackers, the threads in turn, or to the counters."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self._ports: Any = ports
        self._offers: list[items.IssueItem | None] = [None] * THREADS
        self._begun = [False] * THREADS
        self._gone = [Signal() for _ in range(THREADS)]
        self._last = [THREADS - 1] * UNPACKERS

    async def offer(self, thread: int, item: items.IssueItem) -> None:
        """Offer ``item`` right behind a rising edge; return behind that at which it has gone."""
        self._gone[thread].clear()
        self._offers[thread] = item
        await self._gone[thread].wait()

    async def run_phase(self) -> None:
        """Decide in each cycle what goes, and tell the drivers at its end."""
        ports = self._ports
        rising, falling = ports.clk.rising_edge, ports.clk.falling_edge
        await RisingEdge(ports.rst)
        while True:
            await falling
            units, counters = self._choose()
            for u, thread in units.items():
                pins = ports.unpackers[u]
                pins.issue_valid.value = 1
                pins.issue_thread.value = thread
                pins.issue_word.value = self._word(thread)
            for thread in counters:
                pins = ports.threads[thread]
                pins.counter_valid.value = 1
                pins.counter_word.value = self._word(thread)
            await rising
            for u, thread in units.items():
                ports.unpackers[u].issue_valid.value = 0
                self._last[u] = thread
            for thread in counters:
                ports.threads[thread].counter_valid.value = 0
            for thread in (*units.values(), *counters):
                self._offers[thread] = None
                self._begun[thread] = False
                ports.shared.count(1 + thread)
                self._gone[thread].set()

    def _word(self, thread: int) -> int:
        item = self._offers[thread]
        assert item is not None
        return item.word

    def _choose(self) -> tuple[dict[int, int], list[int]]:
        """Unpacker → thread whose word it gets; threads whose words go to the counters."""
        ports = self._ports
        if not any(self._offers):
            return {}, []
        hold, ready = int(ports.hold.value), int(ports.ready.value)
        wants: tuple[list[int], list[int]] = ([], [])
        counters = []
        for thread, item in enumerate(self._offers):
            if item is None:
                continue
            self._begun[thread] = self._begun[thread] or ports.shared.met(item)
            if not self._begun[thread] or hold >> thread & 1:
                continue
            if item.word >> 24 in _OPCODES:
                wants[item.word >> 23 & 1].append(thread)
            else:
                counters.append(thread)
        units = {
            u: min(threads, key=lambda t: (t - self._last[u] - 1) % THREADS)
            for u, threads in enumerate(wants)
            if threads and ready >> u & 1
        }
        return units, counters


class L1Memory(uvm_component):
    """L1: answers both unpackers in order, after a latency, and publishes what is written."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent)
        self._ports: Any = ports
        self._lines: dict[int, int] = {}
        self._count = profiles.get(profile).l1_bytes // LINE_BYTES
        self._written: list[tuple[int, int]] = []
        self._cycle = 0

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    def write(self, line: int, data: int) -> None:
        """What is written in a cycle, called at its end, shows in the next one."""
        self._written.append((line, data))
        self.ap.write(Event("l1_write", self._cycle, (line, data)))

    def _read(self, line: int, wanted: bool) -> int:
        return self._lines.get(line, 0) if wanted and line < self._count else _NOTHING

    async def run_phase(self) -> None:
        """Take requests at the end of each cycle, and answer in the next one at the earliest."""
        ports = self._ports
        rising, falling = ports.clk.rising_edge, ports.clk.falling_edge
        waiting: list[deque[tuple[int, tuple[int, int, int]]]] = [deque(), deque()]
        answering = [False, False]
        last = [0, 0]
        latency = 0
        await RisingEdge(ports.rst)
        for cycle in count():
            await falling
            self._cycle = cycle
            for line, data in self._written:
                if line < self._count:
                    for place in range(_LINES):
                        self._lines[line + place] = data >> 128 * place & _NOTHING
            self._written.clear()
            if ports.shared.latency != latency:
                latency = ports.shared.latency
                self.ap.write(Event("l1_latency", cycle, (latency,)))
            await rising
            for u, pins in enumerate(ports.unpackers):
                if pins.l1_valid.value:
                    last[u] = max(cycle + latency, last[u] + 1)
                    waiting[u].append((last[u], self._answer(pins)))
                if waiting[u] and waiting[u][0][0] == cycle + 1:
                    lines, exponent, delta = waiting[u].popleft()[1]
                    pins.l1_answer_valid.value = 1
                    pins.l1_answer_lines.value = lines
                    pins.l1_answer_exponent.value = exponent
                    pins.l1_answer_delta.value = delta
                    answering[u] = True
                elif answering[u]:
                    pins.l1_answer_valid.value = 0
                    answering[u] = False

    def _answer(self, pins: Any) -> tuple[int, int, int]:
        """What the request on ``pins`` reads: datum lines, exponent line, delta line."""
        number, wanted = int(pins.l1_lines.value), int(pins.l1_count.value)
        lines = 0
        for place in range(_LINES):
            line = self._read(number >> 28 * place & 0xFFF_FFFF, place < wanted)
            lines |= line << 128 * place
        exponent = self._read(int(pins.l1_exponent.value), bool(pins.l1_has_exponent.value))
        delta = self._read(int(pins.l1_delta.value), bool(pins.l1_has_delta.value))
        return lines, exponent, delta
