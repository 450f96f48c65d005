# SPDX-License-Identifier: Apache-2.0
"""The flag pipe's boundary; docs/flag_pipe.md section 6 says when each stream records."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import (
    Boundary,
    Field,
    Kind,
    StateArray,
    Stream,
    faults,
    flags,
)

CORES: Final = ("AIC", "AIV0", "AIV1")
PAIRS: Final = 2
PIPES: Final = 4
"""Of a pair: pipe q has flags 2·q and 2·q + 1 of public code (T34)."""
ENDPOINTS: Final = 4 * PIPES
BANKS: Final = ("cv0", "vc0", "cv1", "vc1")
READ_PORTS: Final = ("l1_rd", "ub0_rd", "ub1_rd", "gm_rd")
WRITE_PORTS: Final = ("l1_wr", "ub0_wr", "ub1_wr", "gm_wr")
SHARED_PORTS: Final = ("l1_wr", "gm_rd", "gm_wr")
MEMORIES: Final = ("l1", "ub0", "ub1", "gm")
BEAT_BITS: Final = 256
"""Of recorded beats: bits above a narrower beat are 0."""

SPLITS: Final = ("none", "up_down", "left_right")
"""Halves of a pipe's tiles, one for each vector (T37)."""
OPS: Final = ("INIT", "TPUSH", "TPOP", "TFREE")
STATES: Final = ("IDLE", "PRE", "WAIT", "XFER", "DONE")

FAULTS: Final = faults("flag_pipe", "fault")
PAIR_FAULTS: Final = faults("flag_pipe", "pair_fault")

_ADDR: Final = Field("addr", 32)
_DATA: Final = Field("data", BEAT_BITS)
_CORE: Final = Field("core", 2, values=CORES)
_OP: Final = Field("op", 3, values=OPS)
_ERR: Final = ("OK", *(fault.name.upper() for fault in FAULTS))

COMMAND: Final = (
    _OP,
    Field("peer"),
    Field("pipe", 2),
    Field("dir_mask", 8),
    Field("period", 2),
    Field("split", 2, values=SPLITS),
    Field("row", 5),
    Field("slot_size", 32),
    Field("gm_base", 32),
    Field("c2v_buf", 32),
    Field("v2c_buf", 32),
    Field("tile_addr", 32),
)
"""What the DUT gets of a command."""
COMPUTE: Final = (
    Field("fill_beats", 16),
    Field("stamp", 32),
    Field("look_addr", 32),
    Field("look_beats", 16),
)
"""What the bench does to the core's SRAM when the command is accepted (section 5)."""


def _port(name: str) -> Stream:
    core = (_CORE,) if name in SHARED_PORTS else ()
    data = (_DATA,) if name in WRITE_PORTS else ()
    return Stream(name, "output", fields=(*core, _ADDR, *data))


def _core(name: str, fields: tuple[Field, ...], kind: Kind = "event") -> Stream:
    return Stream(name, "output", kind, fields, len(CORES), prefix="core")


INPUTS: Final = (
    Stream("cmd", "input", fields=(*COMMAND, *COMPUTE), copies=len(CORES), prefix="core"),
    Stream("clr", "input", fields=(Field("pairs", 2, bits=(("pair0", 1), ("pair1", 1))),)),
    *(
        Stream(f"{port}_mem", "input", "level", (Field("ready"), Field("latency", 5)))
        for port in READ_PORTS
    ),
    *(Stream(f"{port}_mem", "input", "level", (Field("ready"),)) for port in WRITE_PORTS),
)
STREAMS: Final = (
    *INPUTS,
    _core("core", (Field("state", 3, values=STATES), Field("peer"), Field("pipe", 2)), "level"),
    Stream(
        "endpoint",
        "output",
        "level",
        (
            Field("init"),
            Field("mask", 2, values=("none", "C2V", "V2C", "both")),
            Field("push_tag", 3),
            Field("pop_tag", 3),
            Field("free_tag", 3),
            Field("held", 4),
        ),
        ENDPOINTS,
        prefix="end",
    ),
    Stream(
        "flags",
        "output",
        "level",
        (
            *(Field(bank, 8) for bank in BANKS),
            Field("flying", 4, bits=tuple((bank, 1) for bank in BANKS)),
        ),
        PIPES,
        prefix="pipe",
    ),
    Stream(
        "status",
        "output",
        "level",
        (
            Field("set_set", 2, bits=(("cv", 1), ("vc", 1))),
            Field("cfg_mismatch"),
            Field("clr_busy"),
            Field("deadlock"),
        ),
        PAIRS,
        prefix="pair",
    ),
    _core("rsp", (_OP, Field("err", 4, values=_ERR), Field("tag", 3), _ADDR)),
    _core("fault", flags(FAULTS)),
    Stream("pair_fault", "output", fields=flags(PAIR_FAULTS), copies=PAIRS, prefix="pair"),
    *(_port(name) for name in (*READ_PORTS, *WRITE_PORTS)),
    _core("look", (Field("sum", 32), Field("mix", 32))),
)

ENDPOINT_STATE: Final = (
    *("init", "mask", "period", "split", "row", "slot_size", "gm_base", "c2v_buf", "v2c_buf"),
    *("push_tag", "pop_tag", "free_tag", "held"),
)
"""Columns of the state array ``endpoints``."""
STATE: Final = (
    StateArray("endpoints", "u4", (ENDPOINTS, len(ENDPOINT_STATE))),
    StateArray("flags", "u1", (PIPES * len(BANKS),)),
    # low and high word of the sum over a memory
    StateArray("memory", "u4", (len(MEMORIES), 2)),
)

BOUNDARY: Final = Boundary("flag_pipe", STREAMS, FAULTS + PAIR_FAULTS, STATE)
