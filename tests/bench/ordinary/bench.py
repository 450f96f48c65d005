# SPDX-License-Identifier: Apache-2.0
"""Agents, environment, scoreboard, and the test: reset, play the stimulus, check, tell the time."""

from __future__ import annotations

import gc
import importlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import cocotb
import numpy as np
import pyuvm
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from pyuvm import (
    uvm_agent,
    uvm_component,
    uvm_env,
    uvm_scoreboard,
    uvm_sequencer,
    uvm_test,
    uvm_tlm_analysis_fifo,
)

from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest, write_json
from tilepath.tests.bench.ordinary.drivers import ItemDriver
from tilepath.tests.bench.ordinary.ports import ItemSequence, PortMonitor, Ports, Responder, numbers

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


# -- the scoreboard: what monitors saw, and the golden model, word by word and cycle by cycle


Rows = list[tuple[int, ...]]


class Scoreboard(uvm_scoreboard):
    """Takes events out of one FIFO a monitor, and checks all those of a span of cycles at once."""

    def __init__(self, name: str, parent: uvm_component, block: str, profile: str) -> None:
        super().__init__(name, parent)
        described = load_block(block)
        self._model = described.model(profile)
        self._streams = described.stream_table
        self._columns = {
            name: ("cycle", *(field.name for field in stream.fields))
            for name, stream in described.stream_table.items()
        }
        self._wide = {
            name: [field for field in stream.fields if field.words > 1]
            for name, stream in described.stream_table.items()
        }
        directions = {name: s.direction for name, s in described.stream_table.items()}
        self._inputs = [name for name, direction in directions.items() if direction == "input"]
        self._outputs = [name for name, direction in directions.items() if direction == "output"]
        self._rows_seen: dict[str, Rows] = {name: [] for name in self._columns}
        self._fifos: list[uvm_tlm_analysis_fifo] = []
        self.seen = dict.fromkeys(self._columns, 0)

    @property
    def compared(self) -> int:
        """Number of output events compared so far."""
        return sum(self.seen[name] for name in self._outputs)

    def subscribe(self, monitor: Any) -> None:
        """Connect a FIFO of its own to what has an analysis port; in the connect phase."""
        fifo = uvm_tlm_analysis_fifo(f"fifo_{len(self._fifos)}", self)
        monitor.ap.connect(fifo.analysis_export)
        self._fifos.append(fifo)

    def check(self, until: int) -> None:
        """Compare all events before cycle ``until``; ``AssertionError`` for one that differs."""
        for fifo in self._fifos:
            there, event = fifo.try_get()
            while there:
                self._rows_seen[event.stream].append((event.cycle, *event.values))
                there, event = fifo.try_get()
        expected = self._model.step({name: self._records(name) for name in self._inputs}, until)
        for name in self._outputs:
            wanted = self._rows(name, expected[name])
            if wanted != self._rows_seen[name]:
                raise AssertionError(_difference(name, wanted, self._rows_seen[name]))
        for name, rows in self._rows_seen.items():
            self.seen[name] += len(rows)
            rows.clear()

    def check_phase(self) -> None:
        """A scoreboard that compared nothing fails."""
        assert self.compared > 0, "the scoreboard compared no event"

    def _records(self, name: str) -> np.ndarray:
        """Records for the model; a value of more than 32 bits becomes an array of words."""
        rows, wide = self._rows_seen[name], self._wide[name]
        if not wide:
            return np.array(rows, [(column, "<u4") for column in self._columns[name]])
        records = np.zeros(len(rows), self._streams[name].dtype)
        for column, values in zip(self._columns[name], zip(*rows, strict=True), strict=False):
            records[column] = (
                values if records[column].ndim == 1 else _words(values, records[column])
            )
        return records

    def _rows(self, name: str, records: np.ndarray) -> Rows:
        """The model's records as the monitors would have seen them."""
        columns = self._columns[name]
        if not self._wide[name]:
            rows: Rows = records[list(columns)].tolist()
            return rows
        return list(zip(*(numbers(records[column]) for column in columns), strict=True))


def _words(values: tuple[int, ...], like: np.ndarray) -> np.ndarray:
    """Each value in words of 32 bits, lowest first, as many as a row of ``like`` has."""
    raw = b"".join(value.to_bytes(4 * like.shape[1], "little") for value in values)
    return np.frombuffer(raw, "<u4").reshape(like.shape)


def _difference(name: str, wanted: Rows, seen: Rows) -> str:
    for index, (want, got) in enumerate(zip(wanted, seen, strict=False)):
        if want != got:
            return f"{name}, event {index}: expected (cycle, values) {want}, saw {got}"
    return f"{name}: expected {len(wanted)} events, saw {len(seen)}"


# -- the test


@pyuvm.test()
class OrdinaryBench(uvm_test):
    """Plays a test of ``sequences.<block>`` pin by pin, cycle by cycle."""

    def build_phase(self) -> None:
        """Create the environment of the block."""
        self.folder = Path(os.environ[REQUEST_VARIABLE]).parent
        self.request = RunRequest.from_json(self.folder / "request.json")
        module = importlib.import_module(f"tilepath.tests.bench.ordinary.{self.request.block}.env")
        self.env = module.Env("env", self, cocotb.top, self.request.profile)

    async def run_phase(self) -> None:
        """Run the wanted number of cycles."""
        self.raise_objection()
        dut, request = cocotb.top, self.request
        length = request.cycles_per_block(True)
        Clock(dut.clk_i, 10, "ns").start()
        dut.rst_ni.value = 0
        self.env.idle()
        self._start_sequences()
        await ClockCycles(dut.clk_i, 4)
        gc.freeze()
        dut.rst_ni.value = 1
        ends: list[int] = [0]
        cpu_ends: list[float] = []
        while ends[-1] < request.endless_cycles:
            await ClockCycles(dut.clk_i, length)
            await FallingEdge(dut.clk_i)  # by now all monitors have seen the cycle
            ends.append(ends[-1] + length)
            self.env.scoreboard.check(ends[-1])
            cpu_ends.append(time.process_time())
        outcome = {
            "events": self.env.scoreboard.compared,
            "streams": self.env.scoreboard.seen,
            "ends": ends[1:],
            "cpu_ends": cpu_ends,
        }
        write_json(self.folder / "outcome.json", outcome)
        self.drop_objection()

    def _start_sequences(self) -> None:
        request = self.request
        stimulus = tests_of(request.block)[request.test].stimulus(request.context)
        players, sequencers = load_block(request.block).player_table, self.env.sequencers()
        for player, source in stimulus.items():
            if player not in sequencers:
                raise ValueError(f"this bench has no driver for the player {player}")
            sequence = ItemSequence(player, players[player], source)
            cocotb.start_soon(sequence.start(sequencers[player]))
