# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the address counters; docs/adc.md section 4 says when each records."""

from __future__ import annotations

from tilepath.tb.adc.items import WORDS
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Field, Stream

SETS = 3
TARGETS = ("unpacker0", "unpacker1", "packers")

# Y, Z and W have live value and checkpoint in one word: [15:0] live, [31:16] checkpoint.
_COUNTERS = tuple(
    Field(f"{name}{channel}{suffix}", width)
    for channel in (0, 1)
    for name, suffix, width in (
        ("x", "", 18),
        ("x", "_cr", 18),
        ("y", "", 32),
        ("z", "", 32),
        ("w", "", 32),
    )
)

STREAMS = (
    Stream("issue", "input", fields=(Field("word", 32),), copies=SETS),
    Stream(
        "unpack",
        "input",
        fields=(
            Field("unpacker"),
            Field("thread", 2),
            Field("adc", 2),
            Field("y0", 2),
            Field("z0", 2),
            Field("y1", 2),
            Field("z1", 2),
        ),
    ),
    Stream("pack", "input", fields=(Field("sets", 3), Field("addr_mod", 16))),
    Stream(
        "flop",
        "input",
        fields=(
            Field("thread", 2),
            Field("select", 2),
            Field("channel"),
            Field("counter", 2),
            Field("checkpoint"),
            Field("value", 18),
        ),
    ),
    *(Stream(target, "output", "level", _COUNTERS, SETS) for target in TARGETS),
    Stream(
        "fault",
        "output",
        fields=(Field("illegal"), Field("x_override"), Field("empty")),
        copies=SETS,
    ),
    Stream(
        "unit_fault",
        "output",
        fields=(Field("unpack_thread"), Field("flop_thread"), Field("flop_select")),
    ),
    Stream("conflict", "output", fields=(Field("where", 9),)),
)

PLAYERS = (
    Player("issue", words=WORDS, copies=SETS),
    Player("unpack", words=WORDS),
    Player("pack", words=WORDS),
    Player("flop", words=WORDS),
)
