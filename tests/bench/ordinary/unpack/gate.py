# SPDX-License-Identifier: Apache-2.0
"""What stands for the wait gates in front of the unpackers: threads that take turns."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import Event as Signal
from pyuvm import uvm_component

from tilepath.isa import constants
from tilepath.tb.unpack.streams import THREADS, UNPACKERS
from tilepath.tests.bench.ordinary.drivers import ItemDriver
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.responder import Responder

_ISSUE = 1  # source of thread 0 in what items wait for
_OPCODES = (constants.OP_UNPACR, constants.OP_UNPACR_NOP)


class GateDriver(ItemDriver):
    """Offers the words of one thread to the gate."""

    pinless = True

    async def drive(self, item: Any) -> None:
        """Offer the word until it has gone."""
        for _ in range(item.gap):
            await self.edge
        await self.shared.gate.offer(self.ports.index, item)


class Gate(Responder):
    """The wait gates: words go to unpackers, the threads in turn, or to the address counters."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent, ports)
        dut = ports.dut
        self._ready, self._held = ports.reader("ready_o"), ports.reader("hold_o")
        self._issue = [
            (dut.issue_valid_i[u], dut.issue_thread_i[u], dut.issue_word_i[u])
            for u in range(UNPACKERS)
        ]
        self._counter = [(dut.counter_valid_i[t], dut.counter_word_i[t]) for t in range(THREADS)]
        self.pins = [pin for pins in (*self._issue, *self._counter) for pin in pins]
        self._offers: list[Any] = [None] * THREADS
        self._begun = [False] * THREADS
        self._gone = [Signal() for _ in range(THREADS)]
        self._last = [THREADS - 1] * UNPACKERS

    async def offer(self, thread: int, item: Any) -> None:
        """Offer ``item`` right behind a rising edge; return behind that at which it has gone."""
        self._gone[thread].clear()
        self._offers[thread] = item
        await self._gone[thread].wait()

    def begin(self) -> None:
        """Decide what goes in this cycle."""
        self._units, self._counters = self._choose()
        for u, thread in self._units.items():
            valid, of, word = self._issue[u]
            valid.value = 1
            of.value = thread
            word.value = self._offers[thread].word
        for thread in self._counters:
            valid, word = self._counter[thread]
            valid.value = 1
            word.value = self._offers[thread].word

    def end(self) -> None:
        """What was issued is done; tell the drivers."""
        for u, thread in self._units.items():
            self._issue[u][0].value = 0
            self._last[u] = thread
        for thread in self._counters:
            self._counter[thread][0].value = 0
        for thread in (*self._units.values(), *self._counters):
            self._offers[thread] = None
            self._begun[thread] = False
            self.shared.count(_ISSUE + thread)
            self._gone[thread].set()

    def _choose(self) -> tuple[dict[int, int], list[int]]:
        """Unpacker → thread whose word it gets; threads whose words go to the counters."""
        if not any(self._offers):
            return {}, []
        held, ready = self._held(), self._ready()
        wants: dict[int, list[int]] = {}
        counters = []
        for thread, item in enumerate(self._offers):
            if item is None:
                continue
            self._begun[thread] = self._begun[thread] or self.shared.met(item)
            if not self._begun[thread] or held >> thread & 1:
                continue
            if item.word >> 24 in _OPCODES:
                wants.setdefault(item.word >> 23 & 1, []).append(thread)
            else:
                counters.append(thread)
        units = {
            u: min(threads, key=lambda t: (t - self._last[u] - 1) % THREADS)
            for u, threads in wants.items()
            if ready >> u & 1
        }
        return units, counters
