# SPDX-License-Identifier: Apache-2.0
"""Compares what the monitors saw with the golden model, word by word and cycle by cycle."""

from __future__ import annotations

import numpy as np
from pyuvm import uvm_component, uvm_scoreboard, uvm_tlm_analysis_fifo

from tb.kernel.registry import load_block
from tests.bench.ordinary.monitors import PortMonitor

Rows = list[tuple[int, ...]]


class Scoreboard(uvm_scoreboard):
    """Takes events out of one FIFO a monitor, and checks all those of a span of cycles at once."""

    def __init__(self, name: str, parent: uvm_component, block: str, profile: str) -> None:
        super().__init__(name, parent)
        described = load_block(block)
        self._model = described.model(profile)
        self._columns = {
            name: ("cycle", *(field.name for field in stream.fields))
            for name, stream in described.stream_table.items()
        }
        directions = {name: s.direction for name, s in described.stream_table.items()}
        self._inputs = [name for name, direction in directions.items() if direction == "input"]
        self._outputs = [name for name, direction in directions.items() if direction == "output"]
        self._seen: dict[str, Rows] = {name: [] for name in self._columns}
        self._fifos: list[uvm_tlm_analysis_fifo] = []
        self.compared = 0

    def subscribe(self, monitor: PortMonitor) -> None:
        """Connect a FIFO of its own to ``monitor``; to be called in the connect phase."""
        fifo = uvm_tlm_analysis_fifo(f"fifo_{len(self._fifos)}", self)
        monitor.ap.connect(fifo.analysis_export)
        self._fifos.append(fifo)

    def check(self, until: int) -> None:
        """Compare all events before cycle ``until``; ``AssertionError`` for one that differs."""
        for fifo in self._fifos:
            there, event = fifo.try_get()
            while there:
                self._seen[event.stream].append((event.cycle, *event.values))
                there, event = fifo.try_get()
        expected = self._model.step({name: self._records(name) for name in self._inputs}, until)
        for name in self._outputs:
            wanted = expected[name][list(self._columns[name])].tolist()
            if wanted != self._seen[name]:
                raise AssertionError(_difference(name, wanted, self._seen[name]))
            self.compared += len(wanted)
        for rows in self._seen.values():
            rows.clear()

    def check_phase(self) -> None:
        """A scoreboard that compared nothing fails."""
        assert self.compared > 0, "the scoreboard compared no event"

    def _records(self, name: str) -> np.ndarray:
        return np.array(self._seen[name], [(column, "<u4") for column in self._columns[name]])


def _difference(name: str, wanted: Rows, seen: Rows) -> str:
    for index, (want, got) in enumerate(zip(wanted, seen, strict=False)):
        if want != got:
            return f"{name}, event {index}: expected (cycle, values) {want}, saw {got}"
    return f"{name}: expected {len(wanted)} events, saw {len(seen)}"
