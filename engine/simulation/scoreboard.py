# SPDX-License-Identifier: Apache-2.0
"""The scoreboard and the coverage collector: subscribers of the trace monitor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyuvm import (
    UVM_HIGH,
    ConfigDB,
    uvm_analysis_export,
    uvm_component,
    uvm_scoreboard,
    uvm_subscriber,
)

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.simulation.block_end import SimControl

States = Callable[[], Mapping[str, PlayerState]]


class _BlockExport(uvm_analysis_export):
    def __init__(self, name: str, parent: Scoreboard) -> None:
        super().__init__(name, parent)
        self._scoreboard = parent

    def write(self, block: TraceBlock) -> None:
        try:
            self._scoreboard.check.check(block, self._scoreboard.states())
        finally:
            self._scoreboard.control.spent.on("model")


class Scoreboard(uvm_scoreboard):
    """Holds each block against model, stimulus and declared faults; the whole run at its end.

    ``states`` gives how far each player has come.
    """

    def __init__(self, name: str, parent: uvm_component, check: RunCheck, states: States) -> None:
        super().__init__(name, parent)
        self.check = check
        self.states = states
        self.at_end = False
        self.stands: tuple[str, ...] = ()
        self.control: SimControl = ConfigDB().get(self, "", "CONTROL")

    def build_phase(self) -> None:
        """Create the analysis export."""
        super().build_phase()
        self.analysis_export = _BlockExport("analysis_export", self)

    def check_phase(self) -> None:
        """Enough must have been compared, and nothing may be left waiting."""
        try:
            self.check.finish(self.at_end, self.stands)
        except CheckError as error:
            self.control.failed(error, self.check.checker.cycles)
            raise
        self.uvm_report.info("CHECKED", f"{self.check.events} events", UVM_HIGH)
        self.control.spent.on("model")


class CoverageCollector(uvm_subscriber):
    """Samples functional coverage from each block."""

    def __init__(self, name: str, parent: uvm_component, model: CoverageModel) -> None:
        super().__init__(name, parent)
        self.model = model
        self._cycle = 0
        self._control: SimControl = ConfigDB().get(self, "", "CONTROL")

    def write(self, block: TraceBlock) -> None:
        """Called by the monitor, after the scoreboard found no mismatch."""
        self.model.sample(block.streams, block.start, block.end)
        self._cycle = block.end
        self._control.spent.on("coverage")

    def check_phase(self) -> None:
        """What the coverage model holds for impossible must not have happened."""
        self.model.finish()
        for point, bin_name, reason in self.model.contradicted():
            text = f"{point} {bin_name} was hit, but is excluded as impossible: {reason}"
            error = AssertionError(text)
            self._control.failed(error, self._cycle)
            raise error
