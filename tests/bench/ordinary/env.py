# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the ordinary bench."""

from __future__ import annotations

from typing import Any

from pyuvm import uvm_agent, uvm_component, uvm_env, uvm_sequencer

from tb.frontend.streams import THREADS
from tests.bench.ordinary import monitors
from tests.bench.ordinary.drivers import CoreDriver, ReadyDriver
from tests.bench.ordinary.ports import ThreadPorts
from tests.bench.ordinary.scoreboard import Scoreboard


class ThreadAgent(uvm_agent):
    """Sequencers, drivers and monitors of one thread."""

    def __init__(self, name: str, parent: uvm_component, ports: ThreadPorts) -> None:
        super().__init__(name, parent)
        self.ports = ports

    def build_phase(self) -> None:
        """Create the components."""
        super().build_phase()
        self.core_sequencer = uvm_sequencer("core_sequencer", self)
        self.core_driver = CoreDriver("core_driver", self, self.ports)
        self.ready_sequencer = uvm_sequencer("ready_sequencer", self)
        self.ready_driver = ReadyDriver("ready_driver", self, self.ports)
        self.monitors = [
            monitors.CoreMonitor("core_monitor", self, self.ports),
            monitors.BriscMonitor("brisc_monitor", self, self.ports),
            monitors.ExpanderMonitor("expander_monitor", self, self.ports),
            monitors.IssueMonitor("issue_monitor", self, self.ports),
            monitors.StatusMonitor("status_monitor", self, self.ports),
        ]

    def connect_phase(self) -> None:
        """Connect drivers to sequencers."""
        self.core_driver.seq_item_port.connect(self.core_sequencer.seq_item_export)
        self.ready_driver.seq_item_port.connect(self.ready_sequencer.seq_item_export)


class OrdinaryEnv(uvm_env):
    """An agent for each thread, and the scoreboard."""

    def __init__(self, name: str, parent: uvm_component, dut: Any, profile: str) -> None:
        super().__init__(name, parent)
        self.ports = [ThreadPorts(dut, thread) for thread in range(THREADS)]
        self._profile = profile

    def build_phase(self) -> None:
        """Create the components."""
        self.agents = [ThreadAgent(f"t{p.index}", self, p) for p in self.ports]
        self.shared_monitor = monitors.SharedMonitor("shared_monitor", self, self.ports[0])
        self.scoreboard = Scoreboard("scoreboard", self, self._profile)

    def connect_phase(self) -> None:
        """Connect all monitors to the scoreboard."""
        everyone = [monitor for agent in self.agents for monitor in agent.monitors]
        for monitor in (*everyone, self.shared_monitor):
            self.scoreboard.subscribe(monitor)
