# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the unpackers; docs/unpack.md section 9 says when each records."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.tb.adc.streams import STREAMS as _ADC
from tilepath.tb.adc.streams import TARGETS
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Field, Stream
from tilepath.tb.unpack import items

THREADS: Final = 3
UNPACKERS: Final = 2
SLOTS: Final = 32  # of a record of what is written
WRITES: Final = ("write", "write1", "write2", "write3")

# docs/unpack.md section 8, lowest bit first
FAULTS: Final = (
    "reserved_bit",
    "context_adc",
    "context_range",
    "format_code",
    "format_pair",
    "format_fp32",
    "format_src",
    "compressed_bfp2",
    "bfp_alias",
    "out_align",
    "x_window",
    "x_order",
    "blobs_index",
    "start_align",
    "y_range",
    "tilize_combo",
    "dst_modes",
    "dst_ovrd",
    "throttle",
    "nop_reserved",
    "nop_foreign",
    "transpose_srcb",
    "burst",
    "out_row",
    "out_low",
    "neginf_srcb",
    "not_last",
    "empty_flip",
)
READ_FAULTS: Final = ("datum", "exponent", "rsi", "delta", "start_align")
WRITE_FAULTS: Final = (
    "bfpa",
    "srca_row",
    "srcb_row",
    "flip_owner",
    "zerosrc_matrix",
    "zerosrc_race",
    "empty_flip",
)
UNIT_FAULTS: Final = ("unsigned0", "unsigned1", "stale")

_WORD = Field("word", 32)
_THREAD = Field("thread", 2)
_VALUE = Field("value")
_ADC_STREAMS = {stream.name: stream for stream in _ADC}


def _unit(name: str, *fields: Field) -> Stream:
    """An output event of each unpacker."""
    return Stream(name, "output", fields=fields, copies=UNPACKERS, prefix="u")


def _bits(names: tuple[str, ...]) -> tuple[Field, ...]:
    return tuple(Field(name) for name in names)


_INPUTS = (
    Stream("issue", "input", fields=(_THREAD, _WORD), copies=UNPACKERS, prefix="u"),
    Stream("counter", "input", fields=(_WORD,), copies=THREADS),
    Stream(
        "cfg",
        "input",
        fields=(Field("banks", 2), Field("index", 8), Field("wide"), Field("data", 128)),
    ),
    Stream("setc16", "input", fields=(Field("index", 7), Field("value", 16)), copies=THREADS),
    Stream(
        "matrix",
        "input",
        fields=(Field("op", 2), Field("file", 2), Field("bank"), Field("row", 10)),
    ),
    Stream("matrix_bank", "input", "level", (replace(_VALUE, width=2),)),
    Stream("setreg_base", "input", "level", (Field("base0", 20), Field("base1", 20))),
    Stream("l1_write", "input", fields=(Field("line", 28), Field("data", 512))),
    Stream("l1_latency", "input", "level", (Field("cycles", 5),)),
)

# Data of slot k is in word k: 19 bits or, in a 32-bit Dst, 32.
_WRITE_FIELDS = (
    Field("dst"),
    Field("wide"),
    Field("bank"),
    Field("transpose"),
    Field("address", 14),
    Field("mask", SLOTS),
    Field("data", 32 * SLOTS),
)

_OUTPUTS = (
    Stream("ready", "output", "level", (replace(_VALUE, width=2),)),
    Stream("hold", "output", "level", (replace(_VALUE, width=3),)),
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
    Stream("owner", "output", "level", (replace(_VALUE, width=4),)),
    Stream("busy", "output", "level", (replace(_VALUE, width=6),)),
    _unit(
        "read",
        Field("count", 3),
        *(Field(f"line{number}", 28) for number in range(4)),
        Field("has_exponent"),
        Field("exponent", 28),
        Field("has_delta"),
        Field("delta", 28),
    ),
    *(_unit(name, *_WRITE_FIELDS) for name in WRITES),
    _unit("clear", Field("banks", 2), Field("value", 19)),
    _unit("overlay", Field("stream", 6), Field("count", 11)),
    _unit("setreg", Field("address", 32), Field("data", 32)),
    _unit("fault", _THREAD, Field("flags", len(FAULTS))),
    _unit("read_fault", *_bits(READ_FAULTS)),
    _unit("write_fault", *_bits(WRITE_FAULTS)),
    Stream("unit_fault", "output", fields=_bits(UNIT_FAULTS)),
    # 16 words, column 0 first
    Stream("matrix_read", "output", fields=(Field("data", 512), Field("row_valid"))),
    *(_ADC_STREAMS[target] for target in TARGETS[:UNPACKERS]),
    replace(_ADC_STREAMS["fault"], name="counter_fault"),
    replace(_ADC_STREAMS["conflict"], name="counter_conflict"),
)

STREAMS = _INPUTS + _OUTPUTS

PLAYERS = (
    Player("issue", words=items.ISSUE_WORDS, copies=THREADS),
    Player("cfg", words=items.CFG_WORDS),
    Player("setc16", words=items.SETC16_WORDS, copies=THREADS),
    Player("matrix", words=items.MATRIX_WORDS),
    Player("l1_write", words=items.L1_WRITE_WORDS),
    Player("setreg_base", kind="level", words=items.SETREG_BASE_WORDS, essential=False),
    Player("l1_latency", kind="level", words=items.L1_LATENCY_WORDS, essential=False),
)
