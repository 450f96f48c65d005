# SPDX-License-Identifier: Apache-2.0
"""L1 around the unpackers."""

from __future__ import annotations

from pyuvm import uvm_component

from tilepath.tb.unpack.streams import LATENCY, UNPACKERS
from tilepath.tests.bench.ordinary.l1 import L1, LINE, LINE_BITS, Answers
from tilepath.tests.bench.ordinary.ports import Ports, Reader

_LINES = 4
_RSI_LINES = 2
_NUMBER_BITS = 28  # of a line
_REQUEST = ("lines", "count", "has_exponent", "exponent", "has_delta", "delta", "rsi", "rsi_count")
_ANSWER = ("valid", "lines", "exponent", "delta", "rsi")


class L1Memory(L1):
    """L1: answers both unpackers in order, after a latency; where there is no line, with ones."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        answers = [
            Answers(*(getattr(ports.dut, f"l1_answer_{n}_i")[u] for n in _ANSWER))
            for u in range(UNPACKERS)
        ]
        super().__init__(name, parent, ports, profile, 1 << _NUMBER_BITS, LATENCY, answers)
        self._requests = [
            (ports.reader("l1_valid_o", u), {n: ports.reader(f"l1_{n}_o", u) for n in _REQUEST})
            for u in range(UNPACKERS)
        ]

    def take(self) -> None:
        """Requests of this cycle."""
        for answers, (requested, request) in zip(self.answers, self._requests, strict=True):
            if requested():
                answers.put(self.cycle + self.latency, *self._answer(request))

    def _read(self, line: int, wanted: bool) -> int:
        return self.lines.get(line, 0) if wanted and line < self.count else LINE

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
            lines |= self._read(number, place < wanted) << LINE_BITS * place
        return lines
