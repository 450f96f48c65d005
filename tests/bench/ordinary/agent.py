# SPDX-License-Identifier: Apache-2.0
"""Agents and environment that each block fills in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pyuvm import uvm_agent, uvm_component, uvm_env, uvm_sequencer

from tilepath.tb.kernel.description.registry import load_block
from tilepath.tests.bench.ordinary.drivers import ItemDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.scoreboard import Scoreboard


class InterfaceAgent(uvm_agent):
    """Drivers, each with a sequencer, and monitors of one interface.

    ``drivers``: name of a player → its driver. ``monitors``: their classes. ``undriven``: input
    ports that no driver has; they stay 0. ``responder``: what answers the DUT, if anything.
    """

    drivers: ClassVar[Mapping[str, type[ItemDriver]]] = {}
    monitors: ClassVar[tuple[type[PortMonitor], ...]] = ()
    undriven: ClassVar[tuple[str, ...]] = ()
    responder: Any = None

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent)
        self.ports = ports

    def build_phase(self) -> None:
        """Create the components."""
        super().build_phase()
        self.driving = {
            player: (
                kind(f"{player}_driver", self, self.ports),
                uvm_sequencer(f"{player}_sequencer", self),
            )
            for player, kind in self.drivers.items()
        }
        self.watching: list[Any] = [kind(kind.__name__, self, self.ports) for kind in self.monitors]

    def connect_phase(self) -> None:
        """Connect drivers to sequencers."""
        for driver, sequencer in self.driving.values():
            driver.seq_item_port.connect(sequencer.seq_item_export)

    def idle(self) -> None:
        """Drive all inputs to rest."""
        for driver, _ in self.driving.values():
            driver.idle()
        if self.responder is not None:
            self.responder.idle()
        for port in self.undriven:
            self.ports[port].value = 0


class BlockEnv(uvm_env):
    """All agents of ``block``, and the scoreboard."""

    block: ClassVar[str]

    def __init__(self, name: str, parent: uvm_component, dut: Any, profile: str) -> None:
        super().__init__(name, parent)
        self.dut = dut
        self.profile = profile

    def make_agents(self) -> list[InterfaceAgent]:
        """The agents; called in the build phase."""
        raise NotImplementedError

    def ports(self, index: int | None = None, prefix: str = "t", shared: Any = None) -> Ports:
        """The ports of an interface, as :class:`Ports` says."""
        return Ports(self.dut, load_block(self.block), index, prefix, shared)

    def build_phase(self) -> None:
        """Create the components."""
        self.agents = self.make_agents()
        self.scoreboard = Scoreboard("scoreboard", self, self.block, self.profile)

    def connect_phase(self) -> None:
        """Connect all monitors to the scoreboard."""
        for agent in self.agents:
            for monitor in agent.watching:
                self.scoreboard.subscribe(monitor)

    def idle(self) -> None:
        """Drive all inputs to rest."""
        for agent in self.agents:
            agent.idle()

    def sequencers(self) -> dict[str, uvm_sequencer]:
        """Player instance → the sequencer of its driver."""
        return {
            agent.ports.name_of(player): sequencer
            for agent in self.agents
            for player, (_, sequencer) in agent.driving.items()
        }
