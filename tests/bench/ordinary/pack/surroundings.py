# SPDX-License-Identifier: Apache-2.0
"""What stands around the packers: the gate, and L1."""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import Any

from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.isa import profiles
from tilepath.isa.boundary.pack import SLOTS
from tilepath.tb.pack.block import LINE_BYTES
from tilepath.tb.pack.streams import CHUNK, OPCODES
from tilepath.tests.bench.ordinary.gate import Gate
from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.ports import Ports, reader

_PORTS = 5  # four packers, and packer 0's source
_NUMBERS = 1 << 17  # of lines
_LINE = (1 << 8 * LINE_BYTES) - 1


class PackGate(Gate):
    """The gate in front of the packers."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        dut = ports.dut
        super().__init__(
            name, parent, ports, [(dut.issue_valid_i, dut.issue_thread_i, dut.issue_word_i)]
        )

    def unit(self, word: int) -> int | None:
        """All packers are one unit."""
        return 0 if word >> 24 in OPCODES else None


class Answers:
    """What a port is answered, in order, one answer a cycle."""

    def __init__(self, valid: Any, data: Any) -> None:
        self.pins = (valid, data)
        self._waiting: deque[tuple[int, int]] = deque()
        self._last = 0
        self._answering = False

    def put(self, cycle: int, data: int) -> None:
        """Answer in ``cycle``, or as soon after it as the port is free."""
        self._last = max(cycle, self._last + 1)
        self._waiting.append((self._last, data))

    def show(self, cycle: int) -> None:
        """Drive what is to be seen in ``cycle``."""
        valid, pin = self.pins
        if self._waiting and self._waiting[0][0] == cycle:
            pin.value = self._waiting.popleft()[1]
            valid.value = 1
            self._answering = True
        elif self._answering:
            valid.value = 0
            self._answering = False


class L1Memory(uvm_component):
    """L1: takes what packers write, and answers what they read in order, after a latency.

    It publishes what the test writes, and the latency, which have no pins.
    """

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent)
        dut = ports.dut
        self._ports = ports
        self._answers = [
            Answers(dut.answer_valid_i[k], dut.answer_data_i[k]) for k in range(_PORTS)
        ]
        self._read_valid = ports.reader("read_valid_o")
        self._reads = [
            (reader(dut.read_line_o[k]), reader(dut.read_count_o[k])) for k in range(_PORTS)
        ]
        self._write_valid = ports.reader("write_valid_o")
        self._writes = [
            (reader(dut.write_line_o[k]), reader(dut.write_data_o[k])) for k in range(SLOTS)
        ]
        self._lines: dict[int, int] = {}
        self._count = profiles.get(profile).l1_bytes // LINE_BYTES
        self._tested: list[tuple[int, int]] = []
        self._packed: list[tuple[int, int]] = []
        self._cycle = 0

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    def idle(self) -> None:
        """No answers."""
        for answers in self._answers:
            for pin in answers.pins:
                pin.value = 0

    def write(self, line: int, data: int) -> None:
        """Lines that the test writes in a cycle, called at its end, show in the next one."""
        self._tested += [
            ((line + k) % _NUMBERS, data >> 8 * LINE_BYTES * k & _LINE) for k in range(CHUNK)
        ]
        self.ap.write(Event("l1_write", self._cycle, (line, data)))

    async def run_phase(self) -> None:
        """Take what comes at the end of each cycle, and answer in the next one at the earliest."""
        ports = self._ports
        rising, falling = ports.clk.rising_edge, ports.clk.falling_edge
        latency = 0
        await RisingEdge(ports.rst)
        for cycle in count():
            await falling
            self._cycle = cycle
            self._store()
            if ports.shared.latency != latency:
                latency = ports.shared.latency
                self.ap.write(Event("l1_latency", cycle, (latency,)))
            await rising
            self._take(cycle + max(1, latency))
            for answers in self._answers:
                answers.show(cycle + 1)

    def _store(self) -> None:
        """What was written in the cycle before, the packers' lines last."""
        self._lines.update((at, data) for at, data in self._tested if at < self._count)
        self._lines.update((at, data) for at, data in self._packed if at < self._count)
        self._tested.clear()
        self._packed.clear()

    def _take(self, due: int) -> None:
        """What packers read and write in this cycle."""
        valid = self._read_valid()
        for k, (line, wanted) in enumerate(self._reads if valid else ()):
            if valid >> k & 1:
                first = line()
                found = [self._lines.get((first + i) % _NUMBERS, 0) for i in range(wanted())]
                data = sum(line << 8 * LINE_BYTES * i for i, line in enumerate(found))
                self._answers[k].put(due, data)
        valid = self._write_valid()
        for k, (line, written) in enumerate(self._writes if valid else ()):
            if valid >> k & 1:
                self._packed.append((line(), written()))
