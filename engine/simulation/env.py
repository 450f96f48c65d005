# SPDX-License-Identifier: Apache-2.0
"""The environment: an agent for each player, one monitor, scoreboard, coverage collector."""

from __future__ import annotations

from pyuvm import ConfigDB, uvm_component, uvm_env

from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.checking.trace import TraceReader
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import ChunkWriter
from tilepath.engine.description.registry import coverage_of
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.host.request import RunRequest
from tilepath.engine.simulation.agent import PlayerAgent
from tilepath.engine.simulation.monitor import TraceMonitor
from tilepath.engine.simulation.scoreboard import CoverageCollector, Scoreboard


class BlockEnv(uvm_env):
    """The environment of any block, made from its description."""

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        block: Block,
        spec: TestSpec,
        request: RunRequest,
        block_cycles: int,
    ) -> None:
        super().__init__(name, parent)
        self._block = block
        self._spec = spec
        self._request = request
        self._block_cycles = block_cycles
        self.scoreboard: Scoreboard | None = None
        self.coverage: CoverageCollector | None = None
        self.monitor: TraceMonitor | None = None
        self.agents: dict[str, PlayerAgent] = {}

    def build_phase(self) -> None:
        """Create the components; what the block's description raises ends the test by its name."""
        try:
            self._build()
        except Exception as error:
            ConfigDB().get(self, "", "CONTROL").failed(error, 0)
            raise

    def _build(self) -> None:
        request = self._request
        keep = request.keeps_trace
        reader = check = None
        if request.check:
            reader = TraceReader(request.trace_dir, self._block.stream_table, keep)
            cycles = request.endless_cycles
            spec = self._spec.drawn_as(request.context)
            check = RunCheck(self._block, request.profile, spec, cycles, request.trace_dir)
            self.scoreboard = Scoreboard("scoreboard", self, check, self._states)
            self.scoreboard.stands = self._spec.stands(request.context)
            if request.coverage:
                model = coverage_of(self._block, request.profile)
                model.follow(check.checker.model)
                self.coverage = CoverageCollector("coverage", self, model)
        for name, player in self._block.player_table.items():
            writer = ChunkWriter(player, name, request.stimulus_dir, keep)
            outlet = writer, self._block_cycles + 64, check
            self.agents[name] = PlayerAgent(name.replace(".", "_"), self, outlet)
        self.monitor = TraceMonitor("monitor", self, reader, self._refresh)

    def _states(self) -> dict[str, PlayerState]:
        return {name: agent.driver.state for name, agent in self.agents.items()}

    def _refresh(self) -> None:
        for agent in self.agents.values():
            agent.driver.refresh()

    def connect_phase(self) -> None:
        """Connect the monitor to its subscribers, the scoreboard first."""
        assert self.monitor is not None
        if self.scoreboard is not None:
            self.monitor.ap.connect(self.scoreboard.analysis_export)
        if self.coverage is not None:
            self.monitor.ap.connect(self.coverage.analysis_export)
