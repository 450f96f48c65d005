# SPDX-License-Identifier: Apache-2.0
"""The front end's boundary; docs/frontend.md section 3 says when each stream records."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import (
    Boundary,
    Field,
    StateArray,
    Stream,
    faults,
    flags,
)

THREADS: Final = 3
WORD: Final = Field("word", 32)

FAULTS: Final = faults("frontend", "fault")

# Of a thread, and of all threads together (F22)
_BUSY: Final = (
    *("replay", "mop", "thcon", "xmov", "unpack", "pack", "cfg", "sync", "tdma", "sfpu", "math"),
)
_QSTATUS: Final = (
    *((unit, 1) for unit in _BUSY),
    ("sfpu_cc", 1),
    ("", 1),
    *((f"any_{unit}", 1) for unit in _BUSY),
    ("any_sfpu_cc", 1),
)

STREAMS: Final = (
    Stream("push", "input", fields=(WORD,), copies=THREADS),
    Stream("mopcfg", "input", fields=(Field("index", 4), Field("data", 32)), copies=THREADS),
    Stream("sync", "input", copies=THREADS),
    Stream("brisc", "input", fields=(WORD,), copies=THREADS),
    Stream("ready", "input", "level", (Field("ready"),), copies=THREADS),
    Stream("sfpu_cc", "input", "level", (Field("busy"),)),
    Stream("accept", "output", copies=THREADS),
    Stream("brisc_accept", "output", copies=THREADS),
    Stream("sync_ack", "output", copies=THREADS),
    Stream("ingest", "output", fields=(WORD,), copies=THREADS),
    Stream("mq", "output", fields=(WORD,), copies=THREADS),
    Stream("rq", "output", fields=(WORD,), copies=THREADS),
    Stream("issue", "output", fields=(WORD, Field("illegal")), copies=THREADS),
    Stream("fault", "output", fields=flags(FAULTS), copies=THREADS),
    Stream(
        "status",
        "output",
        "level",
        (
            Field("mop_state", 2, values=("IDLE", "EXP", "TRANS")),
            Field("replay_state", 2, values=("PASS", "PLAY", "REC")),
        ),
        THREADS,
    ),
    Stream("sticky", "output", "level", flags(FAULTS[1:]), THREADS),
    Stream("qstatus", "output", "level", (Field("value", 25, bits=_QSTATUS),), THREADS),
)

STATE: Final = (
    StateArray("mop_cfg", "u4", (9,), THREADS),
    StateArray("mask_hi", "u2", (), THREADS),
    StateArray("replay_buffer", "u4", (32,), THREADS),
)

BOUNDARY: Final = Boundary("frontend", STREAMS, FAULTS, STATE)
