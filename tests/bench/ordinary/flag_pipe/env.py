# SPDX-License-Identifier: Apache-2.0
"""The flag pipe's ordinary bench."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final

from tilepath.isa.boundary.flag_pipe import (
    COMMAND,
    COMPUTE,
    CORES,
    ENDPOINTS,
    PAIRS,
    READ_PORTS,
    WRITE_PORTS,
)
from tilepath.tb.flag_pipe.streams import HOLDING
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, Waits
from tilepath.tests.bench.ordinary.flag_pipe.surroundings import Memories
from tilepath.tests.bench.ordinary.monitors import PortMonitor, Sample
from tilepath.tests.bench.ordinary.ports import reader

_MEMORY_PORTS: Final = (*READ_PORTS, *WRITE_PORTS)
# stream → port and element
_ELEMENTS: Final = {
    **{f"end{e}.endpoint": ("endpoint_o", e) for e in range(ENDPOINTS)},
    **{f"pair{p}.status": ("status_o", p) for p in range(PAIRS)},
    **{f"{port}_mem": ("level_o", k) for k, port in enumerate(_MEMORY_PORTS)},
}


class CmdDriver(HeldDriver):
    """Commands of one core."""

    def end(self, item: Any) -> None:
        """With its command the core looks at its memory, and fills a tile."""
        super().end(item)
        self.shared.memories.work(self.ports.index, item)


class CoreMonitor(PortMonitor):
    """Commands of one core, in the first cycle of their offer, and what comes of them."""

    def build_phase(self) -> None:
        """Look up what makes a command."""
        super().build_phase()
        self._valid, self._ready = map(self.ports.reader, ("cmd_valid_i", "cmd_ready_o"))
        self._command = self.sampler("cmd")
        self._offered = False

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        super().sample(cycle)
        if self._valid():
            if not self._offered:
                self.event(self.name_of("cmd"), cycle, *self._command())
            self._offered = not self._ready()


class UnitMonitor(PortMonitor):
    """What belongs to no core."""

    def build_phase(self) -> None:
        """Look up the levels that are elements of a port."""
        super().build_phase()
        for stream, (port, element) in _ELEMENTS.items():
            handle = getattr(self.ports.dut, port)[element]
            self._levels.append((stream, Sample(self.ports.stream(stream), [handle])))
            self._last.append((0,))
        self._sticky = dict.fromkeys(_ELEMENTS, (0, 0, 0, 0))

    def event(self, stream: str, cycle: int, *values: int) -> None:
        """A sticky bit of a pair that comes up is a fault, too."""
        super().event(stream, cycle, *values)
        if stream.endswith(".status"):
            set_set, mismatch, busy, _ = values
            sticky = (set_set & 1, set_set >> 1, mismatch, busy)
            before, self._sticky[stream] = self._sticky[stream], sticky
            risen = [new & ~old for new, old in zip(sticky, before, strict=True)]
            if any(risen):
                super().event(stream.replace("status", "pair_fault"), cycle, *risen)


class Env(BlockEnv):
    """An agent for each core and each port of a memory, and two more."""

    block = "flag_pipe"
    names: ClassVar = {
        "cmd": ("cmd_valid_i", *(f"{field.name}_i" for field in (*COMMAND, *COMPUTE))),
        **{f"{port}_mem": ("", "ready_i", "latency_i") for port in READ_PORTS},
        **{f"{port}_mem": ("", "ready_i") for port in WRITE_PORTS},
    }

    def make_agents(self) -> None:
        """Thirteen of them."""
        self.shared = Waits(HOLDING.sources, reader(self.dut.busy_o))
        cmd = partial(CmdDriver, ready="cmd_ready_o")
        for n, core in enumerate(CORES):
            streams = ("rsp", "fault", "core")
            self.agent(core, {"cmd": cmd}, {CoreMonitor: streams}, index=n, prefix="core")
        for k, port in enumerate(_MEMORY_PORTS):
            undriven = ("latency_i",) if port in WRITE_PORTS else ()
            self.agent(port, {f"{port}_mem": LevelDriver}, index=k, undriven=undriven)
        self.agent("unit", {"clr": HeldDriver}, {UnitMonitor: ("clr", "flags")})
        self.agent("memories", responder=partial(Memories, profile=self.profile))
