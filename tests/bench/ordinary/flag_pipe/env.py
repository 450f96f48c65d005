# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the flag pipe's ordinary bench."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.isa.boundary.flag_pipe import CORES, READ_PORTS, WRITE_PORTS
from tilepath.tb.flag_pipe.streams import HOLDING
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.drivers import Waits
from tilepath.tests.bench.ordinary.flag_pipe import drivers, monitors
from tilepath.tests.bench.ordinary.flag_pipe.surroundings import Memories
from tilepath.tests.bench.ordinary.ports import Ports, reader


class Shared(Waits):
    """What components have in common besides pins."""

    memories: Any = None


class MemoryPorts(Ports):
    """The ports of one port of a memory."""

    def name_of(self, name: str) -> str:
        """The names of streams and players begin with that of the port."""
        assert self.index is not None
        return f"{(*READ_PORTS, *WRITE_PORTS)[self.index]}_{name}"


class CoreAgent(InterfaceAgent):
    """One core."""

    drivers: ClassVar = {"cmd": drivers.CmdDriver}
    monitors = (monitors.CoreMonitor,)


class UnitAgent(InterfaceAgent):
    """Clears, and what belongs to no core."""

    drivers: ClassVar = {"clr": drivers.ClrDriver}
    monitors = (monitors.UnitMonitor,)


class ReadAgent(InterfaceAgent):
    """A read port of a memory."""

    drivers: ClassVar = {"mem": drivers.ReadDriver}


class WriteAgent(InterfaceAgent):
    """A write port of a memory."""

    drivers: ClassVar = {"mem": drivers.WriteDriver}


class MemoryAgent(InterfaceAgent):
    """The memories themselves."""

    profile: str

    def build_phase(self) -> None:
        """Create them."""
        super().build_phase()
        memories = Memories("memories", self, self.ports, self.profile)
        self.ports.shared.memories = self.responder = memories
        self.watching.append(memories)


class Env(BlockEnv):
    """An agent for each core and each port of a memory, and two more."""

    block = "flag_pipe"

    def make_agents(self) -> list[InterfaceAgent]:
        """Thirteen of them."""
        shared = Shared(len(HOLDING.sources), reader(self.dut.busy_o))
        alone = self.ports(shared=shared)
        memory = MemoryAgent("memory", self, alone)
        memory.profile = self.profile
        return [
            *(CoreAgent(c, self, self.ports(n, "core", shared)) for n, c in enumerate(CORES)),
            *(
                (ReadAgent if port in READ_PORTS else WriteAgent)(
                    port, self, MemoryPorts(self.dut, load_block(self.block), k)
                )
                for k, port in enumerate((*READ_PORTS, *WRITE_PORTS))
            ),
            UnitAgent("unit", self, alone),
            memory,
        ]
