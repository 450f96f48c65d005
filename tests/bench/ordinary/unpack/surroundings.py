# SPDX-License-Identifier: Apache-2.0
"""L1 around the unpackers, as tests fill it."""

from __future__ import annotations

from collections import deque
from typing import Any

from pyuvm import uvm_component

from tilepath.isa import profiles
from tilepath.tb.unpack.streams import LATENCY, UNPACKERS
from tilepath.tests.bench.ordinary.drivers import HeldDriver
from tilepath.tests.bench.ordinary.ports import Ports, Reader
from tilepath.tests.bench.ordinary.responder import Responder

_LINES = 4
_RSI_LINES = 2
_NUMBER_BITS = 28  # of a line
_LINE_BITS = 128
_LINE = (1 << _LINE_BITS) - 1
_CHUNK = 4  # lines that a test writes at once
_REQUEST = ("lines", "count", "has_exponent", "exponent", "has_delta", "delta", "rsi", "rsi_count")
_ANSWER = ("valid", "lines", "exponent", "delta", "rsi")


class L1Driver(HeldDriver):
    """Writes L1, which has no pins for it."""

    pinless = True

    def end(self, item: Any) -> None:
        """The write is over."""
        super().end(item)
        self.shared.l1.write(item.line, item.data)


class Answers:
    """What a port is answered, in order, one answer a cycle."""

    def __init__(self, valid: Any, *data: Any) -> None:
        self.pins = (valid, *data)
        self._waiting: deque[tuple[int, tuple[int, ...]]] = deque()
        self._last = 0
        self._answering = False

    def put(self, cycle: int, *data: int) -> None:
        """Answer in ``cycle``, or as soon after it as the port is free."""
        self._last = max(cycle, self._last + 1)
        self._waiting.append((self._last, data))

    def show(self, cycle: int) -> None:
        """Drive what is to be seen in ``cycle``."""
        valid, *pins = self.pins
        if self._waiting and self._waiting[0][0] == cycle:
            for pin, value in zip(pins, self._waiting.popleft()[1], strict=True):
                pin.value = value
            valid.value = 1
            self._answering = True
        elif self._answering:
            valid.value = 0
            self._answering = False


class L1Memory(Responder):
    """L1: answers both unpackers in order, after a latency; where there is no line, with ones.

    It publishes what the test writes, and how long it takes.
    """

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent, ports)
        self._lines: dict[int, int] = {}
        self._count = profiles.get(profile).l1_bytes * 8 // _LINE_BITS
        self._latency = 0
        ports.shared.l1_latency = None
        self._written: list[tuple[int, int]] = []
        self._answers = [
            Answers(*(getattr(ports.dut, f"l1_answer_{n}_i")[u] for n in _ANSWER))
            for u in range(UNPACKERS)
        ]
        self.pins = [pin for each in self._answers for pin in each.pins]
        self._requests = [
            (ports.reader("l1_valid_o", u), {n: ports.reader(f"l1_{n}_o", u) for n in _REQUEST})
            for u in range(UNPACKERS)
        ]

    def write(self, line: int, data: int) -> None:
        """What the test writes in a cycle, called at its end, shows in the next one."""
        self._written += [
            ((line + k) % (1 << _NUMBER_BITS), data >> _LINE_BITS * k & _LINE)
            for k in range(_CHUNK)
        ]
        self.publish("l1_write", line, data)

    def begin(self) -> None:
        """What was written in the cycle before is there."""
        self._lines |= {line: data for line, data in self._written if line < self._count}
        self._written.clear()
        latency = self.shared.l1_latency.latency if self.shared.l1_latency else LATENCY
        if latency != self._latency:
            self._latency = latency
            self.publish("l1_latency", latency)

    def end(self) -> None:
        """Take the requests of a cycle at its end, and answer in the next one at the earliest."""
        for answers, (requested, request) in zip(self._answers, self._requests, strict=True):
            if requested():
                answers.put(self.cycle + self._latency, *self._answer(request))
            answers.show(self.cycle + 1)

    def _read(self, line: int, wanted: bool) -> int:
        return self._lines.get(line, 0) if wanted and line < self._count else _LINE

    def _answer(self, request: dict[str, Reader]) -> tuple[int, ...]:
        """What a request reads: lines of datums, of exponents, of deltas and of RSI entries."""
        single = [
            self._read(request[name](), bool(request[f"has_{name}"]()))
            for name in ("exponent", "delta")
        ]
        lines = self._several(request["lines"](), request["count"](), _LINES)
        return lines, *single, self._several(request["rsi"](), request["rsi_count"](), _RSI_LINES)

    def _several(self, numbers: int, wanted: int, most: int) -> int:
        """The first ``wanted`` of the lines with these numbers; the first one is lowest."""
        lines = 0
        for place in range(most):
            number = numbers >> _NUMBER_BITS * place & (1 << _NUMBER_BITS) - 1
            lines |= self._read(number, place < wanted) << _LINE_BITS * place
        return lines
