# SPDX-License-Identifier: Apache-2.0
"""Monitors of the flag pipe: one for each core, and one for pairs, flags and memories' levels."""

from __future__ import annotations

from typing import ClassVar, Final

from tilepath.isa.boundary.flag_pipe import ENDPOINTS, PAIRS, READ_PORTS, WRITE_PORTS
from tilepath.tests.bench.ordinary.flag_pipe.drivers import CmdDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor, Sample

# stream → port and element
_ELEMENTS: Final = {
    **{f"end{e}.endpoint": ("endpoint_o", e) for e in range(ENDPOINTS)},
    **{f"pair{p}.status": ("status_o", p) for p in range(PAIRS)},
    **{f"{port}_mem": ("level_o", k) for k, port in enumerate((*READ_PORTS, *WRITE_PORTS))},
}


class CoreMonitor(PortMonitor):
    """Commands of one core, in the first cycle of their offer, and what comes of them."""

    events: ClassVar = {"rsp": ("rsp_valid_o", "rsp_o"), "fault": ("fault_valid_o", "fault_o")}
    levels: ClassVar = {"core": ("core_o",)}

    def build_phase(self) -> None:
        """Look up what makes a command."""
        super().build_phase()
        self._valid, self._ready = map(self.ports.reader, (CmdDriver.valid, CmdDriver.ready))
        self._command = self.sampler("cmd", *CmdDriver.fields.values())
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

    events: ClassVar = {"clr": ("clr_valid_i", "clr_pairs_i")}
    levels: ClassVar = {"flags": ("flags_o",)}

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
