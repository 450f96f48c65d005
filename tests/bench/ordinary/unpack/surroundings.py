# SPDX-License-Identifier: Apache-2.0
"""What stands around the unpackers: the gate, and L1."""

from __future__ import annotations

from collections import deque
from itertools import count

from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.isa import constants, profiles
from tilepath.tb.unpack.items import LINE_BYTES
from tilepath.tb.unpack.streams import UNPACKERS
from tilepath.tests.bench.ordinary.gate import Gate
from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.ports import Ports, Reader

_OPCODES = (constants.OP_UNPACR, constants.OP_UNPACR_NOP)
_NOTHING = (1 << 128) - 1  # what L1 answers where there is no line
_LINES = 4
_RSI_LINES = 2


class UnpackGate(Gate):
    """The gate in front of the unpackers."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        dut = ports.dut
        issue = [
            (dut.issue_valid_i[u], dut.issue_thread_i[u], dut.issue_word_i[u])
            for u in range(UNPACKERS)
        ]
        super().__init__(name, parent, ports, issue)
        self._hold = ports.reader("hold_o")

    def held(self) -> int:
        """Threads that an unpacker holds."""
        return self._hold()

    def unit(self, word: int) -> int | None:
        """The unpacker that gets ``word``."""
        return word >> 23 & 1 if word >> 24 in _OPCODES else None


class L1Port:
    """An unpacker's port to L1: requests, and answers in their order."""

    def __init__(self, ports: Ports, unpacker: int) -> None:
        names = (
            *("lines", "count", "has_exponent", "exponent", "has_delta", "delta"),
            *("rsi", "rsi_count"),
        )
        self.requested = ports.reader("l1_valid_o", unpacker)
        self.request = {n: ports.reader(f"l1_{n}_o", unpacker) for n in names}
        answer = ("valid", "lines", "exponent", "delta", "rsi")
        self._valid, *self._answer = (
            getattr(ports.dut, f"l1_answer_{n}_i")[unpacker] for n in answer
        )
        self._waiting: deque[tuple[int, tuple[int, ...]]] = deque()
        self._last = 0
        self._answering = False

    def idle(self) -> None:
        """No answer."""
        for pin in (self._valid, *self._answer):
            pin.value = 0

    def put(self, cycle: int, answer: tuple[int, ...]) -> None:
        """Answer in ``cycle``, or as soon after it as the port is free."""
        self._last = max(cycle, self._last + 1)
        self._waiting.append((self._last, answer))

    def show(self, cycle: int) -> None:
        """Drive what is to be seen in ``cycle``."""
        if self._waiting and self._waiting[0][0] == cycle:
            for pin, value in zip(self._answer, self._waiting.popleft()[1], strict=True):
                pin.value = value
            self._valid.value = 1
            self._answering = True
        elif self._answering:
            self._valid.value = 0
            self._answering = False


class L1Memory(uvm_component):
    """L1: answers both unpackers in order, after a latency, and publishes what is written."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent)
        self._ports = ports
        self._sides = [L1Port(ports, u) for u in range(UNPACKERS)]
        self._lines: dict[int, int] = {}
        self._count = profiles.get(profile).l1_bytes // LINE_BYTES
        self._written: list[tuple[int, int]] = []
        self._cycle = 0

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    def idle(self) -> None:
        """No answers."""
        for side in self._sides:
            side.idle()

    def write(self, line: int, data: int) -> None:
        """What is written in a cycle, called at its end, shows in the next one."""
        self._written.append((line, data))
        self.ap.write(Event("l1_write", self._cycle, (line, data)))

    async def run_phase(self) -> None:
        """Take requests at the end of each cycle, and answer in the next one at the earliest."""
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
            for side in self._sides:
                if side.requested():
                    side.put(cycle + latency, self._answer(side.request))
                side.show(cycle + 1)

    def _store(self) -> None:
        """What was written in the cycle before."""
        for line, data in self._written:
            if line < self._count:
                for place in range(_LINES):
                    self._lines[line + place] = data >> 128 * place & _NOTHING
        self._written.clear()

    def _read(self, line: int, wanted: bool) -> int:
        return self._lines.get(line, 0) if wanted and line < self._count else _NOTHING

    def _answer(self, request: dict[str, Reader]) -> tuple[int, ...]:
        """What a request reads: lines of datums, of exponents, of deltas and of RSI entries."""
        single = [
            self._read(request[name](), bool(request[f"has_{name}"]()))
            for name in ("exponent", "delta")
        ]
        lines = self._several(request["lines"](), request["count"](), _LINES)
        return lines, *single, self._several(request["rsi"](), request["rsi_count"](), _RSI_LINES)

    def _several(self, numbers: int, wanted: int, most: int) -> int:
        """The first ``wanted`` of the lines with these 28-bit numbers; the first one is lowest."""
        lines = 0
        for place in range(most):
            line = self._read(numbers >> 28 * place & 0xFFF_FFFF, place < wanted)
            lines |= line << 128 * place
        return lines
