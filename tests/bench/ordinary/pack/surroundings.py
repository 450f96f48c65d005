# SPDX-License-Identifier: Apache-2.0
"""L1 around the packers."""

from __future__ import annotations

from pyuvm import uvm_component

from tilepath.isa.boundary.pack import SLOTS
from tilepath.tb.pack.streams import LATENCY
from tilepath.tests.bench.ordinary.l1 import L1, LINE_BITS, Answers
from tilepath.tests.bench.ordinary.ports import Ports, reader

_PORTS = 5  # four packers, and packer 0's source
_NUMBERS = 1 << 17  # of lines


class L1Memory(L1):
    """L1: takes what packers write, and answers what they read in order, after a latency."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        dut = ports.dut
        answers = [Answers(dut.answer_valid_i[k], dut.answer_data_i[k]) for k in range(_PORTS)]
        super().__init__(name, parent, ports, profile, _NUMBERS, LATENCY, answers)
        self._read_valid = ports.reader("read_valid_o")
        self._reads = [
            (reader(dut.read_line_o[k]), reader(dut.read_count_o[k])) for k in range(_PORTS)
        ]
        self._write_valid = ports.reader("write_valid_o")
        self._writes = [
            (reader(dut.write_line_o[k]), reader(dut.write_data_o[k])) for k in range(SLOTS)
        ]

    def take(self) -> None:
        """What packers read and write in this cycle."""
        due = self.cycle + max(1, self.latency)
        valid = self._read_valid()
        for k, (line, wanted) in enumerate(self._reads if valid else ()):
            if valid >> k & 1:
                first = line()
                found = [self.lines.get((first + i) % _NUMBERS, 0) for i in range(wanted())]
                data = sum(line << LINE_BITS * i for i, line in enumerate(found))
                self.answers[k].put(due, data)
        valid = self._write_valid()
        for k, (line, written) in enumerate(self._writes if valid else ()):
            if valid >> k & 1:
                self.written.append((line(), written()))
