# SPDX-License-Identifier: Apache-2.0
"""The only place where Python touches the simulation: the end of each block of cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotb.triggers import Event, ValueChange
from cocotb_bus.bus import Bus

from tilepath.engine.host.spent import Spent


class SimControl:
    """Waits for ``tp_control`` in the harness and tells everyone who asked.

    The harness toggles ``ctl_block`` between two clock edges, after the recorders have flushed;
    nothing is sampled at a clock edge here, so it cannot matter which simulator runs. All of Python
    goes on from here, so here is noted how long the simulator took. ``failed`` is told of what ends
    the run, with the cycle.
    """

    def __init__(self, top: Any, failed: Callable[[Exception, int], None]) -> None:
        self.failed = failed
        self._bus = Bus(top, "ctl", ["block", "cycle"])
        self._waiters: list[Event] = []
        self._phase = 0
        self.spent = Spent()

    async def next_block(self) -> int:
        """Wait for the end of the current block; returns the number of cycles so far."""
        self._phase ^= 1
        while True:
            await ValueChange(self._bus.block)
            # Icarus also reports the change from X to 0 at the start
            if str(self._bus.block.value) == str(self._phase):
                break
        self.spent.on("simulator")
        cycle = int(self._bus.cycle.value)
        waiters, self._waiters = self._waiters, []
        for event in waiters:
            event.set()
        return cycle

    async def after_block(self) -> None:
        """Wait until somebody's :meth:`next_block` returns; for those who only follow."""
        event = Event()
        self._waiters.append(event)
        await event.wait()
