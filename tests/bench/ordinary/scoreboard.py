# SPDX-License-Identifier: Apache-2.0
"""Compares what the monitors saw with the golden model, word by word and cycle by cycle."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyuvm import uvm_component, uvm_scoreboard, uvm_tlm_analysis_fifo

from tilepath.engine.description.registry import load_block
from tilepath.tests.bench.ordinary.items import numbers

Rows = list[tuple[int, ...]]


class Scoreboard(uvm_scoreboard):
    """Takes events out of one FIFO a monitor, and checks all those of a span of cycles at once."""

    def __init__(self, name: str, parent: uvm_component, block: str, profile: str) -> None:
        super().__init__(name, parent)
        described = load_block(block)
        self._model = described.model(profile)
        self._streams = described.stream_table
        self._columns = {
            name: ("cycle", *(field.name for field in stream.fields))
            for name, stream in described.stream_table.items()
        }
        self._wide = {
            name: [field for field in stream.fields if field.words > 1]
            for name, stream in described.stream_table.items()
        }
        directions = {name: s.direction for name, s in described.stream_table.items()}
        self._inputs = [name for name, direction in directions.items() if direction == "input"]
        self._outputs = [name for name, direction in directions.items() if direction == "output"]
        self._rows_seen: dict[str, Rows] = {name: [] for name in self._columns}
        self._fifos: list[uvm_tlm_analysis_fifo] = []
        self.seen = dict.fromkeys(self._columns, 0)

    @property
    def compared(self) -> int:
        """Number of output events compared so far."""
        return sum(self.seen[name] for name in self._outputs)

    def subscribe(self, monitor: Any) -> None:
        """Connect a FIFO of its own to what has an analysis port; in the connect phase."""
        fifo = uvm_tlm_analysis_fifo(f"fifo_{len(self._fifos)}", self)
        monitor.ap.connect(fifo.analysis_export)
        self._fifos.append(fifo)

    def check(self, until: int) -> None:
        """Compare all events before cycle ``until``; ``AssertionError`` for one that differs."""
        for fifo in self._fifos:
            there, event = fifo.try_get()
            while there:
                self._rows_seen[event.stream].append((event.cycle, *event.values))
                there, event = fifo.try_get()
        expected = self._model.step({name: self._records(name) for name in self._inputs}, until)
        for name in self._outputs:
            wanted = self._rows(name, expected[name])
            if wanted != self._rows_seen[name]:
                raise AssertionError(_difference(name, wanted, self._rows_seen[name]))
        for name, rows in self._rows_seen.items():
            self.seen[name] += len(rows)
            rows.clear()

    def check_phase(self) -> None:
        """A scoreboard that compared nothing fails."""
        assert self.compared > 0, "the scoreboard compared no event"

    def _records(self, name: str) -> np.ndarray:
        """Records for the model; a value of more than 32 bits becomes an array of words."""
        rows, wide = self._rows_seen[name], self._wide[name]
        if not wide:
            return np.array(rows, [(column, "<u4") for column in self._columns[name]])
        records = np.zeros(len(rows), self._streams[name].dtype)
        for column, values in zip(self._columns[name], zip(*rows, strict=True), strict=False):
            records[column] = (
                values if records[column].ndim == 1 else _words(values, records[column])
            )
        return records

    def _rows(self, name: str, records: np.ndarray) -> Rows:
        """The model's records as the monitors would have seen them."""
        columns = self._columns[name]
        if not self._wide[name]:
            rows: Rows = records[list(columns)].tolist()
            return rows
        return list(zip(*(numbers(records[column]) for column in columns), strict=True))


def _words(values: tuple[int, ...], like: np.ndarray) -> np.ndarray:
    """Each value in words of 32 bits, lowest first, as many as a row of ``like`` has."""
    raw = b"".join(value.to_bytes(4 * like.shape[1], "little") for value in values)
    return np.frombuffer(raw, "<u4").reshape(like.shape)


def _difference(name: str, wanted: Rows, seen: Rows) -> str:
    for index, (want, got) in enumerate(zip(wanted, seen, strict=False)):
        if want != got:
            return f"{name}, event {index}: expected (cycle, values) {want}, saw {got}"
    return f"{name}: expected {len(wanted)} events, saw {len(seen)}"
