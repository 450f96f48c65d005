# SPDX-License-Identifier: Apache-2.0
"""Agents and environment; each block says which it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pyuvm import uvm_agent, uvm_component, uvm_env, uvm_sequencer

from tilepath.engine.description.registry import load_block
from tilepath.tests.bench.ordinary.drivers import ItemDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.responder import Responder
from tilepath.tests.bench.ordinary.scoreboard import Scoreboard

Drivers = Mapping[str, Callable[..., ItemDriver]]
Monitors = Mapping[type[PortMonitor], Sequence[str]]


class InterfaceAgent(uvm_agent):
    """Drivers, each with a sequencer, and monitors of one interface.

    ``drivers``: name of a player → its driver. ``monitors``: class → streams.
    ``responder``: what answers the DUT, if anything; others find it in ``ports.shared`` under the
    agent's name.
    """

    def __init__(
        self,
        name: str,
        parent: uvm_component,
        ports: Ports,
        drivers: Drivers,
        monitors: Monitors,
        responder: Callable[..., Responder] | None,
    ) -> None:
        super().__init__(name, parent)
        self.ports = ports
        self._drivers = drivers
        self._monitors = monitors
        self._responder = responder

    def build_phase(self) -> None:
        """Create the components."""
        super().build_phase()
        self.driving = {
            player: (
                kind(f"{player}_driver", self, self.ports, player),
                uvm_sequencer(f"{player}_sequencer", self),
            )
            for player, kind in self._drivers.items()
        }
        self.watching: list[PortMonitor | Responder] = [
            kind(kind.__name__, self, self.ports, streams)
            for kind, streams in self._monitors.items()
        ]
        if self._responder is not None:
            self.answering = self._responder("responder", self, self.ports)
            self.watching.append(self.answering)
            setattr(self.ports.shared, self.get_name(), self.answering)

    def connect_phase(self) -> None:
        """Connect drivers to sequencers."""
        for driver, sequencer in self.driving.values():
            driver.seq_item_port.connect(sequencer.seq_item_export)

    def idle(self) -> None:
        """Drive all inputs to rest."""
        for driver, _ in self.driving.values():
            driver.idle()
        if self._responder is not None:
            self.answering.idle()


class BlockEnv(uvm_env):
    """All agents of ``block``, and the scoreboard.

    ``names``: as :class:`Ports` says. ``shared``: what components have in common besides pins.
    """

    block: ClassVar[str]
    names: ClassVar[Mapping[str, str | Sequence[str]]] = {}
    shared: Any = None

    def __init__(self, name: str, parent: uvm_component, dut: Any, profile: str) -> None:
        super().__init__(name, parent)
        self.dut = dut
        self.profile = profile

    def make_agents(self) -> None:
        """Call :meth:`agent` for each; called in the build phase."""
        raise NotImplementedError

    def agent(
        self,
        name: str,
        drivers: Drivers | None = None,
        monitors: Monitors | None = None,
        *,
        index: int | None = None,
        prefix: str = "",
        responder: Callable[..., Responder] | None = None,
    ) -> None:
        """One more, of the ports that these make a :class:`Ports`."""
        ports = Ports(self.dut, load_block(self.block), self.names, self.shared, index, prefix)
        agent = InterfaceAgent(name, self, ports, drivers or {}, monitors or {}, responder)
        self.agents.append(agent)

    def build_phase(self) -> None:
        """Create the components."""
        self.agents: list[InterfaceAgent] = []
        self.make_agents()
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
