# SPDX-License-Identifier: Apache-2.0
"""L1 as tests fill it, and how memories answer."""

from __future__ import annotations

from collections import deque
from typing import Any

from pyuvm import uvm_component

from tilepath.isa import profiles
from tilepath.tests.bench.ordinary.drivers import HeldDriver
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.responder import Responder

LINE_BITS = 128
LINE = (1 << LINE_BITS) - 1
_CHUNK = 4  # lines that a test writes at once


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


class L1(Responder):
    """The lines of L1, by number; publishes what the test writes, and how long L1 takes.

    ``numbers``: how many there are, more than lines: those without one are not written. ``rest``:
    the latency before a test sets it.
    """

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        ports: Ports,
        profile: str,
        numbers: int,
        rest: int,
        answers: list[Answers],
    ) -> None:
        super().__init__(name, parent, ports)
        self.lines: dict[int, int] = {}
        self.count = profiles.get(profile).l1_bytes * 8 // LINE_BITS
        self.numbers = numbers
        self.latency = 0
        ports.shared.l1_latency = None
        self.answers = answers
        self.pins = [pin for each in answers for pin in each.pins]
        self._rest = rest
        self._tested: list[tuple[int, int]] = []

    def write(self, line: int, data: int) -> None:
        """What the test writes in a cycle, called at its end, shows in the next one."""
        self._tested += [
            ((line + k) % self.numbers, data >> LINE_BITS * k & LINE) for k in range(_CHUNK)
        ]
        self.publish("l1_write", line, data)

    def begin(self) -> None:
        """What was written in the cycle before is there."""
        for line, data in self._tested:
            if line < self.count:
                self.lines[line] = data
        self._tested.clear()
        latency = self.shared.l1_latency.latency if self.shared.l1_latency else self._rest
        if latency != self.latency:
            self.latency = latency
            self.publish("l1_latency", latency)

    def end(self) -> None:
        """Take what comes at the end of each cycle, and answer in the next one at the earliest."""
        self.take()
        for answers in self.answers:
            answers.show(self.cycle + 1)

    def take(self) -> None:
        """What the DUT reads in this cycle."""
        raise NotImplementedError
