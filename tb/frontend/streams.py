# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the front end; docs/frontend.md section 3 says when each records."""

from __future__ import annotations

from tilepath.tb.frontend.items import CORE_WORDS
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Field, Stream

THREADS = 3
_WORD = Field("word", 32)

STREAMS = (
    Stream("push", "input", fields=(_WORD,), copies=THREADS),
    Stream("mopcfg", "input", fields=(Field("index", 4), Field("data", 32)), copies=THREADS),
    Stream("sync", "input", copies=THREADS),
    Stream("brisc", "input", fields=(_WORD,), copies=THREADS),
    Stream("ready", "input", "level", (Field("ready"),), copies=THREADS),
    Stream("sfpu_cc", "input", "level", (Field("busy"),)),
    Stream("accept", "output", copies=THREADS),
    Stream("brisc_accept", "output", copies=THREADS),
    Stream("sync_ack", "output", copies=THREADS),
    Stream("ingest", "output", fields=(_WORD,), copies=THREADS),
    Stream("mq", "output", fields=(_WORD,), copies=THREADS),
    Stream("rq", "output", fields=(_WORD,), copies=THREADS),
    Stream("issue", "output", fields=(_WORD, Field("illegal")), copies=THREADS),
    Stream(
        "fault",
        "output",
        fields=(Field("illegal"), Field("mopcfg_race"), Field("collision")),
        copies=THREADS,
    ),
    Stream("status", "output", "level", (Field("mop_state", 2), Field("replay_state", 2)), THREADS),
    Stream("sticky", "output", "level", (Field("mopcfg_race"), Field("collision")), THREADS),
    Stream("qstatus", "output", "level", (Field("value", 25),), THREADS),
)

PLAYERS = (
    Player("core", words=CORE_WORDS, copies=THREADS),
    Player("brisc", words=2, copies=THREADS),
    Player("gate", kind="level", words=2, essential=False, copies=THREADS),
    Player("sfpu_cc", kind="level", words=2, essential=False),
)
