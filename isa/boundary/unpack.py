# SPDX-License-Identifier: Apache-2.0
"""The unpackers' boundary; docs/unpack.md section 9 says when each stream records."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import Boundary, Fault, Field, StateArray, Stream, flags
from tilepath.isa.boundary import adc, matrix
from tilepath.isa.boundary.faults import faults, vector
from tilepath.isa.boundary.matrix import bits

THREADS: Final = 3
UNPACKERS: Final = 2
SLOTS: Final = 32  # of a record of what is written
WRITES: Final = ("write", "write1", "write2", "write3")
L1_WORDS: Final = 16  # of 32 bits, in what is written to L1 at once

# From ``transpose_srcb`` on they are warnings.
FAULTS: Final = faults("unpack", "fault")
READ_FAULTS: Final = faults("unpack", "read_fault")
WRITE_FAULTS: Final = faults("unpack", "write_fault")
UNIT_FAULTS: Final = faults("unpack", "unit_fault")
COUNTER_FAULTS: Final = tuple(replace(fault, stream="counter_fault") for fault in adc.FAULTS)

_WORD: Final = Field("word", 32)
_THREAD: Final = Field("thread", 2)


def _unit(name: str, *fields: Field) -> Stream:
    """An output event of each unpacker."""
    return Stream(name, "output", fields=fields, copies=UNPACKERS, prefix="u")


_WORDS: Final = (Field("index", 8), Field("wide"), Field("data", 32, count=4))
BANKS: Final = Field("banks", 2, bits=bits("bank0", "bank1"))
CFG: Final = Stream("cfg", "input", fields=(BANKS, *_WORDS))
# REG2FLOP's write, beside one of ``cfg``; a core's store to a thread's ThreadConfig
FLOP: Final = Stream(
    "flop",
    "input",
    fields=(Field("bank"), *_WORDS),
)
_HALF: Final = (Field("index", 7), Field("value", 16))
SETC16: Final = Stream("setc16", "input", fields=_HALF, copies=THREADS)
STORE: Final = Stream("store", "input", fields=(_THREAD, *_HALF))
L1_LATENCY: Final = Stream("l1_latency", "input", "level", (Field("cycles", 5),))

INPUTS: Final = (
    Stream("issue", "input", fields=(_THREAD, _WORD), copies=UNPACKERS, prefix="u"),
    Stream("counter", "input", fields=(_WORD,), copies=THREADS),
    CFG,
    FLOP,
    SETC16,
    STORE,
    *matrix.commands("input"),
    Stream("matrix_bank", "input", "level", (Field("value", 2, bits=bits("SrcA 1", "SrcB 1")),)),
    Stream("setreg_base", "input", "level", (Field("base0", 20), Field("base1", 20))),
    Stream("l1_write", "input", fields=(Field("line", 28), Field("data", 32, count=L1_WORDS))),
    L1_LATENCY,
)

# Data of a slot: 19 bits or, in a 32-bit Dst, 32
_WRITE_FIELDS: Final = (
    Field("dst"),
    Field("wide"),
    Field("bank"),
    Field("transpose"),
    Field("address", 14, bits=(("column", 4), ("row", 10))),
    Field("mask", SLOTS),
    Field("data", 32, count=SLOTS),
)
_BUSY: Final = bits(*(f"t{t} in u{u}" for t in range(THREADS) for u in range(UNPACKERS)))
_OWNER: Final = bits(*(f"{bank} Matrix Unit" for bank in matrix.BANKS))
_IMPLIED: Final = tuple((bank, 4) for bank in matrix.BANKS)

OUTPUTS: Final = (
    Stream("ready", "output", "level", (Field("value", 2, bits=bits("u0", "u1")),)),
    Stream("hold", "output", "level", (Field("value", 3, bits=bits("t0", "t1", "t2")),)),
    Stream(
        "pointers",
        "output",
        "level",
        (
            Field("bank"),
            *(Field(f"row{thread}", 6) for thread in range(THREADS)),
            *(Field(f"context{thread}", 3) for thread in range(THREADS)),
            Field("acc", 17),
        ),
        UNPACKERS,
        prefix="u",
    ),
    Stream("owner", "output", "level", (Field("value", 4, bits=_OWNER),)),
    Stream("busy", "output", "level", (Field("value", 6, bits=_BUSY),)),
    Stream("pause", "output", "level", (Field("value"),)),
    Stream("stale", "output", "level", (Field("value", 2, bits=bits(*matrix.BANKS[:2])),)),
    Stream("implied", "output", "level", (Field("value", 16, bits=_IMPLIED),)),
    _unit(
        "read",
        Field("count", 3),
        *(Field(f"line{number}", 28) for number in range(4)),
        Field("has_exponent"),
        Field("exponent", 28),
        Field("has_delta"),
        Field("delta", 28),
        Field("rsi_count", 2),
        *(Field(f"rsi{number}", 28) for number in range(2)),
    ),
    *(_unit(name, *_WRITE_FIELDS) for name in WRITES),
    _unit("clear", BANKS, Field("value", 19)),
    _unit("overlay", Field("stream", 6), Field("count", 11)),
    _unit("setreg", Field("address", 32), Field("data", 32)),
    _unit("fault", _THREAD, vector(FAULTS)),
    _unit("read_fault", *flags(READ_FAULTS)),
    _unit("write_fault", *flags(WRITE_FAULTS)),
    Stream("unit_fault", "output", fields=flags(UNIT_FAULTS)),
    *matrix.answers("output"),
    *adc.LEVELS[:UNPACKERS],
    replace(adc.FAULT, name="counter_fault"),
    replace(adc.CONFLICT, name="counter_conflict"),
)

STREAMS: Final = INPUTS + OUTPUTS
ALL_FAULTS: Final[tuple[Fault, ...]] = (
    *FAULTS,
    *READ_FAULTS,
    *WRITE_FAULTS,
    *UNIT_FAULTS,
    *COUNTER_FAULTS,
)
STATE: Final = (
    StateArray("src_a", "u4", (2, 64, 16)),  # banks, rows, columns
    StateArray("src_b", "u4", (2, 64, 16)),
    StateArray("dst", "u2", (1024, 16)),  # rows of storage
    StateArray("dst_valid", "u1", (1024,)),
    StateArray("src_owner", "u1", (2, 2)),  # files, banks
    # of each unpacker, and thread
    StateArray("src_bank", "u4", (UNPACKERS,)),
    StateArray("src_row", "u4", (UNPACKERS, THREADS)),
    StateArray("context_counter", "u4", (UNPACKERS, THREADS)),
    StateArray("setreg_acc", "u4", (UNPACKERS,)),
    # sets, unpackers, channels, counters X Y Z W
    StateArray("live", "u4", (3, UNPACKERS, 2, 4)),
    StateArray("checkpoint", "u4", (3, UNPACKERS, 2, 4)),
)
BOUNDARY: Final = Boundary("unpack", STREAMS, ALL_FAULTS, STATE)
