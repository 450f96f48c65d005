# SPDX-License-Identifier: Apache-2.0
"""The memories around the flag pipe, and what the cores do with their own ones."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import MEMORIES, READ_PORTS, SHARED_PORTS, WRITE_PORTS
from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.monitors import Sample
from tilepath.tests.bench.ordinary.pack.surroundings import Answers
from tilepath.tests.bench.ordinary.ports import Ports, reader

_PORTS = (*READ_PORTS, *WRITE_PORTS)
_WORD = (1 << 32) - 1


class Memories(uvm_component):
    """L1, UB0, UB1 and global memory; publishes what their ports accept, and what cores look at."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports, profile: str) -> None:
        super().__init__(name, parent)
        dut = ports.dut
        self._ports = ports
        self._accept = ports.reader("accept_o")
        self._access = [Sample(ports.stream(n), [dut.access_o[k]]) for k, n in enumerate(_PORTS)]
        self._latency = [reader(dut.latency_i[m]) for m in range(len(READ_PORTS))]
        self._answers = [Answers(dut.rvalid_i[m], dut.rdata_i[m]) for m in range(len(READ_PORTS))]
        self._beat = profiles.get(profile).rtl_parameters()["BEAT_BYTES"]
        self._data: list[dict[int, int]] = [{} for _ in MEMORIES]
        self._filled: list[tuple[int, int, int]] = []
        self._written: list[tuple[int, int, int]] = []
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

    def work(self, core: int, item: Any) -> None:
        """At the end of a cycle: what a core sees of its memory, and writes there for the next."""
        if item.look_beats:
            total = mix = 0
            for word in self._words(core, item.look_addr, item.look_beats):
                total = total + word & _WORD
                mix = (mix << 1 | mix >> 31) + word & _WORD
            self.ap.write(Event(f"core{core}.look", self._cycle, (total, mix)))
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

    async def run_phase(self) -> None:
        """Take what comes at the end of each cycle, and answer in the next one at the earliest."""
        rising, falling = self._ports.clk.rising_edge, self._ports.clk.falling_edge
        await RisingEdge(self._ports.rst)
        for cycle in count():
            await falling
            self._cycle = cycle
            for memory, addr, data in (*self._filled, *self._written):  # what the DUT writes wins
                self._data[memory][addr] = data
            self._filled.clear()
            self._written.clear()
            await rising
            if accepted := self._accept():
                self._take(cycle, accepted)
            for answers in self._answers:
                answers.show(cycle + 1)

    def _take(self, cycle: int, accepted: int) -> None:
        for k, (port, access) in enumerate(zip(_PORTS, self._access, strict=True)):
            if accepted >> k & 1:
                values = access()
                self.ap.write(Event(port, cycle, values))
                addr = values[port in SHARED_PORTS]
                if k < len(READ_PORTS):
                    data = self._data[k].get(addr, 0)
                    self._answers[k].put(cycle + max(1, self._latency[k]()), data)
                else:
                    self._written.append((k - len(READ_PORTS), addr, values[-1]))
