# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the control block's ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.control.streams import THREADS, UNITS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.control import drivers, monitors
from tilepath.tests.bench.ordinary.control.responders import StreamRegisters, UnitStubs
from tilepath.tests.bench.ordinary.ports import reader


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
        self.ports.shared.registers = self.responder = StreamRegisters(
            "registers", self, self.ports
        )
        self.watching.append(self.responder)


class StubAgent(InterfaceAgent):
    """What stands for the six units."""

    drivers: ClassVar = {"conditions": drivers.ConditionsDriver, "work": drivers.WorkDriver}
    monitors = (monitors.ConditionMonitor,)

    def build_phase(self) -> None:
        """Create the stubs too."""
        super().build_phase()
        self.responder = UnitStubs("stubs", self, self.ports)


class UnitAgent(InterfaceAgent):
    """One unit."""

    monitors = (monitors.UnitMonitor,)


class StateAgent(InterfaceAgent):
    """Config, sync and scalar unit."""

    monitors = (monitors.StateMonitor,)


class Env(BlockEnv):
    """An agent for each thread and unit, and for whatever else is around the block or inside."""

    block = "control"

    def make_agents(self) -> list[InterfaceAgent]:
        """Three of threads, six of units, and four more."""
        shared = drivers.Shared(reader(self.dut.obs_sem_value_o))
        alone = self.ports(shared=shared)
        return [
            *(ThreadAgent(f"t{t}", self, self.ports(t, shared=shared)) for t in range(THREADS)),
            *(UnitAgent(f"unit{u}", self, self.ports(u)) for u in range(len(UNITS))),
            CoreAgent("cores", self, alone),
            StreamAgent("streams", self, alone),
            StubAgent("stubs", self, alone),
            StateAgent("state", self, alone),
        ]
