# SPDX-License-Identifier: Apache-2.0
"""What the monitors of all blocks have in common.

The clock is driven by cocotb, so that what is read right behind its rising edge is what flip-flops
see at that edge, under both simulators.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_component, uvm_monitor

from tilepath.tests.bench.ordinary.items import Event
from tilepath.tests.bench.ordinary.ports import Ports


class PortMonitor(uvm_monitor):
    """Calls :meth:`sample` for each cycle from reset on, which publishes events."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self.ports: Any = ports
        self._last: dict[str, tuple[int, ...]] = {}
        self._pending: set[str] = set()

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    async def run_phase(self) -> None:
        """Follow the clock."""
        await RisingEdge(self.ports.rst)
        edge = self.ports.clk.rising_edge
        for cycle in count():
            await edge
            self.sample(cycle)

    def sample(self, cycle: int) -> None:
        """Look at the interface in ``cycle``."""
        raise NotImplementedError

    def name_of(self, stream: str) -> str:
        """Full name of this interface's ``stream``."""
        return self.ports.name_of(stream)

    def event(self, stream: str, cycle: int, *values: int) -> None:
        """Publish an event."""
        self.ap.write(Event(stream, cycle, values))

    def level(self, stream: str, cycle: int, *values: int) -> None:
        """Publish ``values`` if they are not those of the cycle before (0 at first)."""
        last = self._last.get(stream)
        if values != last:
            self._last[stream] = values
            if last is not None or any(values):
                self.event(stream, cycle, *values)

    def handshake(
        self, offer: str, accept: str, cycle: int, valid: Any, ready: Any, *payload: Any
    ) -> None:
        """Publish the first cycle of an offer, and the cycle in which it is accepted."""
        if not valid.value:
            return
        if offer not in self._pending:
            self.event(offer, cycle, *(int(handle.value) for handle in payload))
        if ready.value:
            self.event(accept, cycle)
            self._pending.discard(offer)
        else:
            self._pending.add(offer)
