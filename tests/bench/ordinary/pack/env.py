# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the packers' ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.pack.streams import THREADS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.gate import GateDriver
from tilepath.tests.bench.ordinary.pack import drivers, monitors
from tilepath.tests.bench.ordinary.pack.surroundings import L1Memory, PackGate
from tilepath.tests.bench.ordinary.ports import reader


class ThreadAgent(InterfaceAgent):
    """One thread."""

    drivers: ClassVar = {"issue": GateDriver, "setc16": drivers.Setc16Driver}
    monitors = (monitors.ThreadMonitor,)


class UnitAgent(InterfaceAgent):
    """What all packers have in common, and Dst."""

    drivers: ClassVar = {
        "cfg": drivers.CfgDriver,
        "dst_write": drivers.DstDriver,
        "dst_zero": drivers.ZeroDriver,
        "hist": drivers.HistDriver,
        "offset": drivers.OffsetDriver,
        "setreg_base": drivers.BaseDriver,
    }
    monitors = (monitors.UnitMonitor,)


class GateAgent(InterfaceAgent):
    """The gate in front of the packers."""

    def build_phase(self) -> None:
        """Create the gate."""
        super().build_phase()
        self.ports.shared.gate = self.responder = PackGate("gate", self, self.ports)


class L1Agent(InterfaceAgent):
    """L1, and what the packers write and read there."""

    drivers: ClassVar = {
        "l1_write": drivers.L1Driver,
        "l1_latency": drivers.LatencyDriver,
        "l1_ready": drivers.ReadyDriver,
    }
    monitors = (monitors.LineMonitor,)

    def build_phase(self) -> None:
        """Create the memory too."""
        super().build_phase()
        memory = L1Memory("l1", self, self.ports, self.profile)
        self.ports.shared.l1 = self.responder = memory
        self.watching.append(memory)


class Env(BlockEnv):
    """An agent for each thread, and three more."""

    block = "pack"

    def make_agents(self) -> list[InterfaceAgent]:
        """Six of them."""
        shared = drivers.Shared(reader(self.dut.busy_o))
        alone = self.ports(shared=shared)
        l1 = L1Agent("l1", self, alone)
        l1.profile = self.profile
        threads = [ThreadAgent(f"t{t}", self, self.ports(t, shared=shared)) for t in range(THREADS)]
        return [*threads, UnitAgent("unit", self, alone), GateAgent("gate", self, alone), l1]
