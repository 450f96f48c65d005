# SPDX-License-Identifier: Apache-2.0
"""The packers' boundary; docs/pack.md says when each stream records."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import (
    Boundary,
    Fault,
    Field,
    StateArray,
    Stream,
    flags,
)
from tilepath.isa.boundary import adc, unpack
from tilepath.isa.boundary.faults import faults, vector
from tilepath.isa.boundary.matrix import bits

THREADS: Final = 3
PACKERS: Final = 4
LANES: Final = 4
SLOTS: Final = 8  # lines that are written to L1 in a cycle
RUN: Final = 9  # rows of a write to Dst
LINE_WORDS: Final = 4  # of 32 bits
KINDS: Final = ("data", "exponent", "RSI")

FAULTS: Final = faults("pack", "fault")
RUN_FAULTS: Final = faults("pack", "run_fault")
UNIT_FAULTS: Final = faults("pack", "unit_fault")

_WORD: Final = Field("word", 32)
_THREAD: Final = Field("thread", 2)
_LINE: Final = Field("line", 17)

_PACKER_BITS: Final = bits(*(f"p{p}" for p in range(PACKERS)))
INPUTS: Final = (
    Stream("issue", "input", fields=(_THREAD, _WORD)),
    Stream("counter", "input", fields=(_WORD,), copies=THREADS),
    unpack.CFG,
    unpack.FLOP,
    unpack.SETC16,
    unpack.STORE,
    Stream(
        "dst_write",
        "input",
        fields=(
            Field("row", 10),
            Field("count", 4),
            Field("mask", 16, count=RUN),
            Field("data", 32, count=8 * RUN),  # row by row, column 0 lowest
        ),
    ),
    Stream("dst_zero", "input", fields=(Field("all"), Field("half"))),
    # the Matrix Unit gets a storage row, and with ``wide`` the one 8 behind it
    Stream("dst_read", "input", fields=(Field("row", 10), Field("wide"))),
    Stream(
        "hist",
        "input",
        fields=(Field("op", values=("read", "clear")), Field("mode", 4), Field("packer", 2)),
    ),
    Stream("offset", "input", fields=(Field("packers", 4, bits=_PACKER_BITS), Field("value", 16))),
    Stream(
        "setreg_base",
        "input",
        "level",
        (Field("base", 24), *(Field(f"scaler{n}", 9) for n in range(4))),
    ),
    Stream("l1_write", "input", fields=(_LINE, Field("data", 32, count=4 * LINE_WORDS))),
    unpack.L1_LATENCY,
    Stream("l1_ready", "input", "level", (Field("value", 4, bits=_PACKER_BITS),)),
)

_BUSY: Final = bits(*(f"t{t} in p{p}" for t in range(THREADS) for p in range(PACKERS)))
OUTPUTS: Final = (
    Stream("ready", "output", "level", (Field("value"),)),
    Stream("busy", "output", "level", (Field("value", 12, bits=_BUSY),)),
    # storage rows of Dst, as they are granted, with ``wide`` the one 8 behind as well
    Stream("row", "output", fields=(Field("row", 10), Field("wide")), copies=LANES, prefix="l"),
    Stream(
        "write",
        "output",
        fields=(_LINE, Field("kind", 2, values=KINDS), Field("data", 32, count=LINE_WORDS)),
        copies=SLOTS,
        prefix="w",
    ),
    Stream("read", "output", fields=(_LINE, Field("count", 4)), copies=PACKERS, prefix="p"),
    Stream("source", "output", fields=(_LINE,)),
    Stream("setreg", "output", fields=(Field("address", 32), Field("data", 32))),
    Stream("hist_data", "output", fields=(Field("data", 32, count=4),)),
    Stream("fault", "output", fields=(_THREAD, vector(FAULTS))),
    Stream("run_fault", "output", fields=flags(RUN_FAULTS), copies=PACKERS, prefix="p"),
    Stream("unit_fault", "output", fields=flags(UNIT_FAULTS)),
    adc.LEVELS[2],
    replace(adc.FAULT, name="counter_fault"),
    replace(adc.CONFLICT, name="counter_conflict"),
)

STREAMS: Final = INPUTS + OUTPUTS
STATE: Final = (
    StateArray("dst", "u2", (1024, 16)),  # rows of storage
    StateArray("dst_valid", "u1", (1024,)),
    StateArray("bins", "u1", (PACKERS, 32)),
    StateArray("maximum", "u1", (PACKERS,)),
    # low and high half of the sum over all 32-bit words of L1 of word x (2 x its number + 1) x
    # 9E3779B97F4A7C15h
    StateArray("l1_sum", "u4", (2,)),
)
COUNTER_FAULTS: Final = tuple(replace(fault, stream="counter_fault") for fault in adc.FAULTS)
ALL_FAULTS: Final[tuple[Fault, ...]] = (*FAULTS, *RUN_FAULTS, *UNIT_FAULTS, *COUNTER_FAULTS)
BOUNDARY: Final = Boundary("pack", STREAMS, ALL_FAULTS, STATE)
