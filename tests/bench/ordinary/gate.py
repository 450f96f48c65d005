# SPDX-License-Identifier: Apache-2.0
"""What stands for the wait gates in front of units: threads that take turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cocotb.triggers import Event as Signal
from pyuvm import uvm_component

from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.counters import CounterMonitor
from tilepath.tests.bench.ordinary.drivers import HeldDriver, ItemDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import Ports, Reader
from tilepath.tests.bench.ordinary.responder import Responder

THREADS = 3
_ISSUE = 1  # source of thread 0 in what items wait for


class GateDriver(ItemDriver):
    """Offers the words of one thread to the gate."""

    pinless = True

    async def drive(self, item: Any) -> None:
        """Offer the word until it has gone."""
        for _ in range(item.gap):
            await self.edge
        await self.shared.gate.offer(self.ports.index, item)


FLOP_PORTS: Final = [f"flop_{name}_i" for name in ("offered", "bank", "index", "wide", "data")]
SECOND_DRIVERS: Final = {"flop": partial(HeldDriver, ready="flop_done_o"), "store": HeldDriver}
"""Of writes that come beside others: the first waits for the config unit."""


class FlopMonitor(PortMonitor):
    """REG2FLOP's writes, in the cycle in which they are made."""

    def valid(self, _stream: str) -> str:
        """Not the one that says that a write is there."""
        return "flop_done_o"


def add_threads(env: BlockEnv, *targets: str) -> None:
    """An agent for each thread: its words, own configuration, and counters of these targets."""
    for t in range(THREADS):
        env.agent(
            f"t{t}",
            {"issue": GateDriver, "setc16": HeldDriver},
            {CounterMonitor: (*targets, "counter", "setc16", "counter_fault")},
            index=t,
            prefix="t",
        )


class Gate(Responder):
    """The wait gates: words go to units, the threads in turn, or to the address counters.

    ``issue``: pins valid, thread and word of each unit. A unit is ready with its bit of ready_o.
    ``unit``: the one that gets a word; None: the counters. ``held``: threads that must wait, a bit
    each.
    """

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        ports: Ports,
        issue: Sequence[Sequence[Any]],
        unit: Callable[[int], int | None],
        held: Reader,
    ) -> None:
        super().__init__(name, parent, ports)
        dut = ports.dut
        self._ready = ports.reader("ready_o")
        self._issue = issue
        self._unit = unit
        self._held = held
        self._counter = [(dut.counter_valid_i[t], dut.counter_word_i[t]) for t in range(THREADS)]
        self.pins = [pin for pins in (*issue, *self._counter) for pin in pins]
        self._offers: list[Any] = [None] * THREADS
        self._begun = [False] * THREADS
        self._gone = [Signal() for _ in range(THREADS)]
        self._last = [THREADS - 1] * len(issue)

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
        """Unit → thread whose word it gets; threads whose words go to the counters."""
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
            unit = self._unit(item.word)
            if unit is None:
                counters.append(thread)
            else:
                wants.setdefault(unit, []).append(thread)
        units = {
            u: min(threads, key=lambda t: (t - self._last[u] - 1) % THREADS)
            for u, threads in wants.items()
            if ready >> u & 1
        }
        return units, counters
