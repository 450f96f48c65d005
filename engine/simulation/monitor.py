# SPDX-License-Identifier: Apache-2.0
"""The monitor: turns the traces of each block of cycles into one transaction."""

from __future__ import annotations

from collections.abc import Callable

from cocotb.triggers import Event
from pyuvm import UVM_HIGH, ConfigDB, uvm_analysis_port, uvm_component, uvm_monitor

from tilepath.engine.checking.trace import TraceReader
from tilepath.engine.simulation.block_end import SimControl


class TraceMonitor(uvm_monitor):
    """Publishes a :class:`TraceBlock` at the end of each block of cycles."""

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        reader: TraceReader | None,
        on_block: Callable[[], None],
    ) -> None:
        super().__init__(name, parent)
        self._reader = reader
        self._on_block = on_block
        self._control: SimControl = ConfigDB().get(self, "", "CONTROL")
        self._done = Event()
        self.cycle = 0
        self.events = 0
        self.ends: list[int] = []
        self.cpu_ends: list[float] = []  # CPU time (s) of the process when a block was checked
        self.spent_ends: list[dict[str, float]] = []  # on what: by then, of the first and the last

    def build_phase(self) -> None:
        """Create the analysis port."""
        super().build_phase()
        self.ap = uvm_analysis_port("ap", self)

    async def run_phase(self) -> None:
        """Follow the simulation; a broken trace or a mismatch ends the test at once."""
        spent = self._control.spent
        while True:
            self.cycle = await self._control.next_block()
            self.ends.append(self.cycle)
            try:
                self._on_block()
                block = None if self._reader is None else self._reader.read(self.cycle)
                spent.on("reading")
                if block is not None:
                    self.events = block.events
                    self.ap.write(block)
                    self.uvm_report.info("BLOCK", f"{block.events} events", UVM_HIGH)
            except Exception as error:
                self._control.failed(error, self.cycle)
                raise
            self.cpu_ends.append(spent.until)
            self.spent_ends[1:] = [spent.parts()]
            self._done.set()

    async def block(self) -> None:
        """Wait until the next block is read, and checked by those who subscribed."""
        await self._done.wait()
        self._done.clear()
