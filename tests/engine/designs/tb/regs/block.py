# SPDX-License-Identifier: Apache-2.0
"""Registers on a bus: a strobe without ready, an answer, levels both ways."""

from __future__ import annotations

import numpy as np

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import record
from tilepath.engine.description.cycle_model import CompiledCycleModel
from tilepath.engine.description.naming import ports, proposed
from tilepath.engine.description.stream import Records
from tilepath.engine.description.wired_block import wired_block

CONTROL, SEEN, WRITES, SCRATCH = range(4)
WIRING = proposed(
    "regs",
    ports(
        "clk_i rst_ni bus_req_i bus_write_i bus_addr_i:3 bus_data_i:32 events_i:4",
        "rsp_valid_o rsp_data_o:32 control_o:8",
    ),
)


@compiled
def access(state: Records, given: Records, made: Records) -> None:
    """As the table in front of the RTL has it; what is read is what stood there."""
    held = state[0].register
    for now, out in zip(given, made):  # noqa: B905
        out.control = held[CONTROL]
        out.rsp, out.rsp_data = state[0].answers, state[0].answer
        state[0].answers = now.bus and not now.bus_write
        state[0].answer = held[now.bus_addr]
        if now.bus and now.bus_write:
            held[WRITES] = held[WRITES] + 1 & 0xFFFF
            if now.bus_addr == SEEN:
                held[SEEN] &= ~now.bus_data
            elif now.bus_addr == CONTROL:
                held[CONTROL] = now.bus_data & 0xFF
            elif now.bus_addr == SCRATCH:
                held[SCRATCH] = now.bus_data
        held[SEEN] |= now.events


class Registers(CompiledCycleModel):
    """What is read is what stood there in the cycle of the request."""

    boundary = WIRING.boundary()
    held = record(register=(np.int64, 8), answers=np.int64, answer=np.int64)
    loop = staticmethod(access)


# every register, read and written
WAYS = [f"{way} {n}" for way in ("read", "write") for n in range(8)]
POINTS = {"access": (WAYS, lambda streams: 8 * streams["bus"]["write"] + streams["bus"]["addr"])}
BLOCK = wired_block(WIRING, Registers, POINTS)
