# SPDX-License-Identifier: Apache-2.0
"""The memories around the flag pipe, and what the cores do with their own ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyuvm import uvm_component

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import MEMORIES, READ_PORTS, SHARED_PORTS, WRITE_PORTS
from tilepath.tests.bench.ordinary.l1 import Answers
from tilepath.tests.bench.ordinary.monitors import Sample
from tilepath.tests.bench.ordinary.ports import Ports, reader
from tilepath.tests.bench.ordinary.responder import Responder

_PORTS = (*READ_PORTS, *WRITE_PORTS)
_WORD = (1 << 32) - 1


class Memories(Responder):
    """L1, UB0, UB1 and global memory; publishes what their ports accept, and what cores look at."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent, ports)
        dut = ports.dut
        self._accept = ports.reader("accept_o")
        self._access = [Sample(ports.stream(n), [dut.access_o[k]]) for k, n in enumerate(_PORTS)]
        self._latency = [reader(dut.latency_i[m]) for m in range(len(READ_PORTS))]
        self._answers = [Answers(dut.rvalid_i[m], dut.rdata_i[m]) for m in range(len(READ_PORTS))]
        self.pins = [pin for answers in self._answers for pin in answers.pins]
        self._beat = profiles.get(profile).rtl_parameters()["BEAT_BYTES"]
        self._data: list[dict[int, int]] = [{} for _ in MEMORIES]
        self._filled: list[tuple[int, int, int]] = []
        self._written: list[tuple[int, int, int]] = []

    def work(self, core: int, item: Any) -> None:
        """At the end of a cycle: what a core sees of its memory, and writes there for the next."""
        if item.look_beats:
            total = mix = 0
            for word in self._words(core, item.look_addr, item.look_beats):
                total = total + word & _WORD
                mix = (mix << 1 | mix >> 31) + word & _WORD
            self.publish(f"core{core}.look", total, mix)
        words = np.arange(item.fill_beats * self._beat // 4, dtype=np.uint64) * 0x85EB_CA6B
        raw = (words + item.stamp * 0x9E37_79B1 & _WORD).astype("<u4").tobytes()
        for at in range(0, len(raw), self._beat):
            data = int.from_bytes(raw[at : at + self._beat], "little")
            self._filled.append((core, item.tile_addr + at, data))

    def _words(self, core: int, addr: int, beats: int) -> list[int]:
        found = (self._data[core].get(addr + self._beat * i, 0) for i in range(beats))
        raw = b"".join(data.to_bytes(self._beat, "little") for data in found)
        words: list[int] = np.frombuffer(raw, "<u4").tolist()
        return words

    def begin(self) -> None:
        """What was written in the cycle before is there; what the DUT writes wins."""
        for memory, addr, data in (*self._filled, *self._written):
            self._data[memory][addr] = data
        self._filled.clear()
        self._written.clear()

    def end(self) -> None:
        """Take what comes, and answer in the next cycle at the earliest."""
        if accepted := self._accept():
            self._take(accepted)
        for answers in self._answers:
            answers.show(self.cycle + 1)

    def _take(self, accepted: int) -> None:
        for k, (port, access) in enumerate(zip(_PORTS, self._access, strict=True)):
            if accepted >> k & 1:
                values = access()
                self.publish(port, *values)
                addr = values[port in SHARED_PORTS]
                if k < len(READ_PORTS):
                    data = self._data[k].get(addr, 0)
                    self._answers[k].put(self.cycle + max(1, self._latency[k]()), data)
                else:
                    self._written.append((k - len(READ_PORTS), addr, values[-1]))
