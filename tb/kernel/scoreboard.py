# SPDX-License-Identifier: Apache-2.0
"""The scoreboard and the coverage collector: subscribers of the trace monitor."""

from __future__ import annotations

from collections.abc import Mapping

from pyuvm import uvm_analysis_export, uvm_component, uvm_scoreboard, uvm_subscriber

from tb.kernel.checker import Checker
from tb.kernel.coverage import CoverageModel
from tb.kernel.trace import TraceBlock


class _BlockExport(uvm_analysis_export):
    def __init__(self, name: str, parent: Scoreboard) -> None:
        super().__init__(name, parent)
        self._checker = parent.checker

    def write(self, block: TraceBlock) -> None:
        self._checker.check(block)


class Scoreboard(uvm_scoreboard):
    """Compares each block with the model; at the end, that enough was compared."""

    def __init__(
        self, name: str, parent: uvm_component, checker: Checker, floor: Mapping[str, int]
    ) -> None:
        super().__init__(name, parent)
        self.checker = checker
        self._floor = floor

    def build_phase(self) -> None:
        """Create the analysis export."""
        super().build_phase()
        self.analysis_export = _BlockExport("analysis_export", self)

    def check_phase(self) -> None:
        """A scoreboard that compared nothing, or less than the test's floor, fails."""
        if self.checker.events == 0:
            raise AssertionError("the scoreboard compared no event at all")
        for stream, least in self._floor.items():
            seen = self.checker.seen(stream)
            if seen < least:
                raise AssertionError(f"{stream} had only {seen} events; this test needs {least}")


class CoverageCollector(uvm_subscriber):
    """Samples functional coverage from each block."""

    def __init__(self, name: str, parent: uvm_component, model: CoverageModel) -> None:
        super().__init__(name, parent)
        self.model = model

    def write(self, block: TraceBlock) -> None:
        """Called by the monitor, after the scoreboard found no mismatch."""
        self.model.sample(block.streams, block.start, block.end)
