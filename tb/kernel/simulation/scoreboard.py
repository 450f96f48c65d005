# SPDX-License-Identifier: Apache-2.0
"""The scoreboard and the coverage collector: subscribers of the trace monitor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from pyuvm import uvm_analysis_export, uvm_component, uvm_scoreboard, uvm_subscriber

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.checking.trace import TraceBlock
from tilepath.tb.kernel.coverage.model import CoverageModel

OnFailure = Callable[[Exception, int], None]


def _fail(on_failure: OnFailure, text: str, cycle: int) -> NoReturn:
    error = AssertionError(text)
    on_failure(error, cycle)
    raise error


class _BlockExport(uvm_analysis_export):
    def __init__(self, name: str, parent: Scoreboard) -> None:
        super().__init__(name, parent)
        self._checker = parent.checker

    def write(self, block: TraceBlock) -> None:
        self._checker.check(block)


class Scoreboard(uvm_scoreboard):
    """Compares each block with the model; at the end, that enough was compared."""

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        checker: Checker,
        floor: Mapping[str, int],
        on_failure: OnFailure,
    ) -> None:
        super().__init__(name, parent)
        self.checker = checker
        self._floor = floor
        self._on_failure = on_failure

    def build_phase(self) -> None:
        """Create the analysis export."""
        super().build_phase()
        self.analysis_export = _BlockExport("analysis_export", self)

    def check_phase(self) -> None:
        """A scoreboard that compared nothing, or less than the test's floor, fails."""
        if self.checker.events == 0:
            _fail(self._on_failure, "the scoreboard compared no event at all", self.checker.cycles)
        for stream, least in self._floor.items():
            seen = self.checker.seen(stream)
            if seen < least:
                text = f"{stream} had only {seen} events; this test needs {least}"
                _fail(self._on_failure, text, self.checker.cycles)


class CoverageCollector(uvm_subscriber):
    """Samples functional coverage from each block."""

    def __init__(
        self, name: str, parent: uvm_component, model: CoverageModel, on_failure: OnFailure
    ) -> None:
        super().__init__(name, parent)
        self.model = model
        self._on_failure = on_failure
        self._cycle = 0

    def write(self, block: TraceBlock) -> None:
        """Called by the monitor, after the scoreboard found no mismatch."""
        self.model.sample(block.streams, block.start, block.end)
        self._cycle = block.end

    def check_phase(self) -> None:
        """What the coverage model holds for impossible must not have happened."""
        self.model.finish()
        for point, bin_name, reason in self.model.contradicted():
            text = f"{point} {bin_name} was hit, but is excluded as impossible: {reason}"
            _fail(self._on_failure, text, self._cycle)
