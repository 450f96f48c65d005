# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the unpackers' ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.unpack.streams import THREADS, UNPACKERS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.unpack import drivers, monitors, ports


class ThreadAgent(InterfaceAgent):
    """One thread."""

    drivers: ClassVar = {"issue": drivers.IssueDriver, "setc16": drivers.Setc16Driver}
    monitors = (monitors.ThreadMonitor,)


class UnpackerAgent(InterfaceAgent):
    """One unpacker, which is only looked at."""

    monitors = (monitors.UnpackerMonitor,)


class UnitAgent(InterfaceAgent):
    """Configuration, Matrix Unit, L1 and the gate in front of the unpackers."""

    drivers: ClassVar = {
        "cfg": drivers.CfgDriver,
        "matrix": drivers.MatrixDriver,
        "setreg_base": drivers.BaseDriver,
        "l1_write": drivers.L1Driver,
        "l1_latency": drivers.LatencyDriver,
    }
    monitors = (monitors.UnitMonitor,)

    def build_phase(self) -> None:
        """Create L1 too, which has no pins for what is written."""
        super().build_phase()
        self.ports.l1 = drivers.L1Memory("l1", self, self.ports, self.ports.profile)
        self.watching.append(self.ports.l1)


class Env(BlockEnv):
    """An agent for each thread and each unpacker, and one for the rest."""

    block = "unpack"

    def make_agents(self) -> list[InterfaceAgent]:
        """Six of them."""
        dut = self.dut
        shared = ports.Shared(dut.busy_o, dut.owner_o)
        threads = [ports.ThreadPorts(dut, shared, t) for t in range(THREADS)]
        unpackers = [ports.UnpackerPorts(dut, shared, u) for u in range(UNPACKERS)]
        unit = ports.UnitPorts(dut, shared, threads, unpackers, self.profile)
        gate = drivers.Gate("gate", self, unit)
        for thread in threads:
            thread.gate = gate
        return [
            *(ThreadAgent(f"t{t}", self, p) for t, p in enumerate(threads)),
            *(UnpackerAgent(f"u{u}", self, p) for u, p in enumerate(unpackers)),
            UnitAgent("unit", self, unit),
        ]
