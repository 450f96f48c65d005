# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the control block; docs/control.md section 9 says when each records."""

from __future__ import annotations

from tilepath.tb.control.items import ISSUE_WORDS, RISC_SEM_WORDS, RISC_WORDS, STREAM_WORDS
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Field, Stream

THREADS = 3
UNITS = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
VIEWS = UNITS[:3]
FAULTS = (
    "illegal",
    "unsupported",
    "cfg_oob",
    "state_reset",
    "sem_cond",
    "mutex_index",
    "mutex_owner",
    "flop_target",
    "flop_size",
)

_WORD = Field("word", 32)
_DATA = Field("data", 32)
_THREAD = Field("thread", 2)
# One configuration word, or with `quad` four from an index that is a multiple of four on.
_TARGET = (Field("index", 8), Field("quad"), *(Field(f"data{i}", 32) for i in range(4)))

STREAMS = (
    Stream("offer", "input", fields=(_WORD,), copies=THREADS),
    Stream("risc", "input", fields=(Field("write"), Field("address", 10), _DATA)),
    Stream("risc_sem", "input", fields=(Field("write"), Field("index", 3), Field("get"))),
    Stream("busy", "input", "level", (Field("value", 13),)),
    Stream("unit_ready", "input", "level", (Field("value", 6),)),
    Stream("stream_busy", "input", "level", (Field("value"),)),
    Stream("stream_write", "input", fields=(Field("stream", 6), Field("register", 10), _DATA)),
    Stream("issue", "output", fields=(_WORD,), copies=THREADS),
    Stream(
        "latch",
        "output",
        "level",
        (
            Field("valid"),
            Field("kind", 2),
            Field("block", 9),
            Field("what", 13),
            Field("target", 20),
        ),
        THREADS,
    ),
    Stream("fault", "output", fields=tuple(Field(f) for f in FAULTS), copies=THREADS),
    Stream("setc16", "output", fields=(Field("index", 8), Field("data", 16)), copies=THREADS),
    Stream("rdcfg", "output", fields=(Field("gpr", 6), _DATA), copies=THREADS),
    Stream("gpr", "output", fields=(Field("gpr", 6), Field("halves", 2), _DATA), copies=THREADS),
    Stream("adc", "output", fields=(_WORD,), copies=THREADS),
    *(Stream(unit, "output", fields=(_THREAD, _WORD)) for unit in UNITS),
    Stream("config_write", "output", fields=(Field("source", 2), Field("banks", 2), *_TARGET)),
    Stream("flop_write", "output", fields=(_THREAD, Field("bank"), *_TARGET)),
    Stream(
        "flop_adc",
        "output",
        fields=(
            _THREAD,
            Field("select", 2),
            Field("channel"),
            Field("counter", 2),
            Field("checkpoint"),
            Field("value", 18),
        ),
    ),
    Stream("risc_done", "output", fields=(_DATA,)),
    Stream("risc_thread_write", "output", fields=(_THREAD, Field("index", 7), Field("data", 16))),
    Stream("risc_sem_done", "output", fields=(Field("data", 4),)),
    Stream("risc_fault", "output", fields=(Field("cfg_oob"), Field("state_reset"))),
    Stream("semaphores", "output", "level", (Field("value", 32), Field("max", 32))),
    Stream("mutexes", "output", "level", (Field("value", 12),)),
    Stream("config_pipe", "output", "level", (Field("stages", 7),)),
    Stream("scalar", "output", "level", (Field("busy"), _THREAD)),
    Stream("sticky", "output", "level", (Field("cfg_oob"),)),
    *(Stream(f"view_{u}", "output", fields=(_THREAD, Field("index", 9), _DATA)) for u in VIEWS),
)

PLAYERS = (
    Player("issue", words=ISSUE_WORDS, copies=THREADS),
    Player("risc", words=RISC_WORDS),
    Player("risc_sem", words=RISC_SEM_WORDS),
    Player("stream", words=STREAM_WORDS, essential=False),
    Player("conditions", kind="level", words=2, essential=False),
    Player("work", kind="level", words=2, essential=False),
)
