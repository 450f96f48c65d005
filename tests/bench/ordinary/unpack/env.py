# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the unpackers' ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.unpack.streams import THREADS, UNPACKERS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.gate import GateDriver
from tilepath.tests.bench.ordinary.ports import reader
from tilepath.tests.bench.ordinary.unpack import drivers, monitors
from tilepath.tests.bench.ordinary.unpack.surroundings import L1Memory, UnpackGate


class ThreadAgent(InterfaceAgent):
    """One thread."""

    drivers: ClassVar = {"issue": GateDriver, "setc16": drivers.Setc16Driver}
    monitors = (monitors.ThreadMonitor,)


class UnpackerAgent(InterfaceAgent):
    """One unpacker, which is only looked at."""

    monitors = (monitors.UnpackerMonitor,)


class UnitAgent(InterfaceAgent):
    """Configuration and Matrix Unit."""

    drivers: ClassVar = {
        "cfg": drivers.CfgDriver,
        "matrix": drivers.MatrixDriver,
        "setreg_base": drivers.BaseDriver,
    }
    monitors = (monitors.UnitMonitor,)


class GateAgent(InterfaceAgent):
    """The gate in front of the unpackers."""

    def build_phase(self) -> None:
        """Create the gate."""
        super().build_phase()
        self.ports.shared.gate = self.responder = UnpackGate("gate", self, self.ports)


class L1Agent(InterfaceAgent):
    """L1, which has no pins for what is written."""

    drivers: ClassVar = {"l1_write": drivers.L1Driver, "l1_latency": drivers.LatencyDriver}

    def build_phase(self) -> None:
        """Create the memory too."""
        super().build_phase()
        memory = L1Memory("l1", self, self.ports, self.profile)
        self.ports.shared.l1 = self.responder = memory
        self.watching.append(memory)


class Env(BlockEnv):
    """An agent for each thread and each unpacker, and three more."""

    block = "unpack"

    def make_agents(self) -> list[InterfaceAgent]:
        """Eight of them."""
        shared = drivers.Shared(reader(self.dut.busy_o), reader(self.dut.owner_o))
        alone = self.ports(shared=shared)
        l1 = L1Agent("l1", self, alone)
        l1.profile = self.profile
        return [
            *(ThreadAgent(f"t{t}", self, self.ports(t, shared=shared)) for t in range(THREADS)),
            *(UnpackerAgent(f"u{u}", self, self.ports(u, "u")) for u in range(UNPACKERS)),
            UnitAgent("unit", self, alone),
            GateAgent("gate", self, alone),
            l1,
        ]
