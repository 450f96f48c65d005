# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the control block's ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.control.streams import THREADS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.control import drivers, monitors, ports


class ThreadAgent(InterfaceAgent):
    """One thread."""

    drivers: ClassVar = {"issue": drivers.IssueDriver}
    monitors = (monitors.GateMonitor,)


class CoreAgent(InterfaceAgent):
    """The cores, which reach configuration and semaphores."""

    drivers: ClassVar = {"risc": drivers.RiscDriver, "risc_sem": drivers.SemDriver}
    monitors = (monitors.CoreMonitor,)


class StreamAgent(InterfaceAgent):
    """The streams' registers, which have no pins of their own: they publish what is written."""

    drivers: ClassVar = {"stream": drivers.StreamDriver}

    def build_phase(self) -> None:
        """Create the registers too."""
        super().build_phase()
        self.ports.registers = drivers.StreamRegisters("registers", self, self.ports)
        self.watching.append(self.ports.registers)


class UnitAgent(InterfaceAgent):
    """The six units."""

    drivers: ClassVar = {"conditions": drivers.ConditionsDriver, "work": drivers.WorkDriver}
    monitors = (monitors.UnitMonitor,)

    def build_phase(self) -> None:
        """Create the stubs too."""
        super().build_phase()
        self.stubs = drivers.UnitStubs("stubs", self, self.ports)


class StateAgent(InterfaceAgent):
    """Config, sync and scalar unit."""

    monitors = (monitors.StateMonitor, monitors.WriteMonitor)


class Env(BlockEnv):
    """An agent for each thread, and for whatever else is around the block or inside."""

    block = "control"

    def make_agents(self) -> list[InterfaceAgent]:
        """Three of threads, and four more."""
        dut = self.dut
        shared = ports.Shared(dut.obs_sem_value_o)
        threads = [
            ThreadAgent(f"t{t}", self, ports.ThreadPorts(dut, shared, t)) for t in range(THREADS)
        ]
        return [
            *threads,
            CoreAgent("cores", self, ports.CorePorts(dut, shared)),
            StreamAgent("streams", self, ports.StreamPorts(dut, shared)),
            UnitAgent("units", self, ports.UnitPorts(dut, shared)),
            StateAgent("state", self, ports.StatePorts(dut)),
        ]
