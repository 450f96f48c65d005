# SPDX-License-Identifier: Apache-2.0
"""Registers on a bus: a strobe without ready, an answer, levels both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilepath.engine.coverage.bins import PointGroup
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.tally import Tally
from tilepath.engine.description.cycle_model import CycleModel
from tilepath.engine.description.naming import ports, proposed
from tilepath.engine.description.stream import Records
from tilepath.engine.description.wired_block import wired_block

CONTROL, SEEN, WRITES, SCRATCH = range(4)
MASKS = {CONTROL: 0xFF, SCRATCH: 0xFFFF_FFFF}
WIRING = proposed(
    "regs",
    ports(
        "clk_i rst_ni bus_req_i bus_write_i bus_addr_i:3 bus_data_i:32 events_i:4",
        "rsp_valid_o rsp_data_o:32 control_o:8",
    ),
)


class Registers(CycleModel):
    """What is read is what stood there in the cycle of the request."""

    boundary = WIRING.boundary()

    def __init__(self, profile: str = "") -> None:
        super().__init__(profile)
        self._held = dict.fromkeys(range(8), 0)
        self._answer: int | None = None

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """As the table in front of the RTL has it."""
        held = self._held
        out = {"rsp": self._answer, "control": held[CONTROL]}
        write, address, data = given["bus"] or (0, 0, 0)
        self._answer = held[address] if given["bus"] and not write else None
        if write:
            held[WRITES] = held[WRITES] + 1 & 0xFFFF
            if address == SEEN:
                held[SEEN] &= ~data
            if address in MASKS:
                held[address] = data & MASKS[address]
        held[SEEN] |= given["events"]
        return out


POINTS = PointGroup()
POINTS.add("access", tuple(f"{way} {n}" for way in ("read", "write") for n in range(8)))


class Coverage(CoverageModel):
    """Every register, read and written."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(POINTS)
        super().__init__("regs", profile, self._tally)

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count requests."""
        self._tally.hit("access", 8 * streams["bus"]["write"] + streams["bus"]["addr"])


BLOCK = wired_block(WIRING, Registers, Coverage)
