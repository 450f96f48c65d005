# SPDX-License-Identifier: Apache-2.0
"""The control block's boundary; docs/control.md section 9 says when each stream records."""

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
UNITS: Final = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
VIEWERS: Final = UNITS[:3]  # units that read their configuration
MUTEXES: Final = (0, 2, 3, 4)
SEMAPHORES: Final = 8

FAULTS: Final = faults("control", "fault")
RISC_FAULTS: Final = faults("control", "risc_fault")
RISC_SEM_FAULTS: Final = faults("control", "risc_sem_fault")

WORD: Final = Field("word", 32)
DATA: Final = Field("data", 32)
THREAD: Final = Field("thread", 2)
BANKS: Final = Field("banks", 2, bits=(("bank0", 1), ("bank1", 1)))
# One configuration word, or with `quad` four from an index that is a multiple of four on
_TARGET: Final = (Field("index", 8), Field("quad"), *(Field(f"data{i}", 32) for i in range(4)))
_CONDITIONS: Final = (
    *("thcon", "unpack0", "unpack1", "pack", "math"),
    *("srca_unpack", "srcb_unpack", "srca_math", "srcb_math"),
    *("xmov", "risc_config", "sfpu", "config"),
)
_CLASSES: Final = ("tdma", "sync", "pack", "unpack", "xmov", "thcon", "math", "cfg", "sfpu")
_BUSY: Final = Field("value", 13, bits=tuple((name, 1) for name in _CONDITIONS))
_VIEW: Final = (THREAD, Field("index", 9), DATA)
_SEMAPHORES: Final = tuple((f"s{number}", 4) for number in range(SEMAPHORES))
_MUTEX_BITS: Final = tuple(
    group for mutex in MUTEXES for group in ((f"{mutex} held", 1), (f"{mutex} by t", 2))
)
FLOP: Final = (  # a write to a counter, as the address counters take it
    THREAD,
    Field("select", 2, values=("unpacker0", "unpacker1", "packers")),
    Field("channel"),
    Field("counter", 2, values=("X", "Y", "Z", "W")),
    Field("checkpoint"),
    Field("value", 18),
)

INPUTS: Final = (
    Stream("offer", "input", fields=(WORD,), copies=THREADS),
    Stream("risc", "input", fields=(Field("write"), Field("address", 10), DATA)),
    Stream("risc_sem", "input", fields=(Field("write"), Field("index", 3), Field("get"))),
    Stream("busy", "input", "level", (_BUSY,), copies=THREADS),
    Stream("hold", "input", "level", (Field("value", 3, tuple((f"t{t}", 1) for t in range(3))),)),
    Stream("unit_ready", "input", "level", (Field("value", 6, tuple((u, 1) for u in UNITS)),)),
    Stream("stream_busy", "input", "level", (Field("value"),)),
    Stream("stream_write", "input", fields=(Field("stream", 6), Field("register", 10), DATA)),
)

OUTPUTS: Final = (
    Stream("issue", "output", fields=(WORD,), copies=THREADS),
    Stream(
        "latch",
        "output",
        "level",
        (
            Field("valid"),
            Field("kind", 2, values=("none", "STALLWAIT", "SEMWAIT", "STREAMWAIT")),
            Field("block", 9, bits=tuple((name, 1) for name in _CLASSES)),
            Field("what", 13),
            Field("target", 20),
        ),
        THREADS,
    ),
    Stream("fault", "output", fields=flags(FAULTS), copies=THREADS),
    Stream("setc16", "output", fields=(Field("index", 8), Field("data", 16)), copies=THREADS),
    Stream("rdcfg", "output", fields=(Field("gpr", 6), DATA), copies=THREADS),
    Stream(
        "gpr",
        "output",
        fields=(Field("gpr", 6), Field("halves", 2, bits=(("low", 1), ("high", 1))), DATA),
        copies=THREADS,
    ),
    Stream("adc", "output", fields=(WORD,), copies=THREADS),
    *(Stream(unit, "output", fields=(THREAD, WORD), alike="unit") for unit in UNITS),
    Stream(
        "config_write",
        "output",
        fields=(Field("source", 2, values=("t0", "t1", "t2", "the cores")), BANKS, *_TARGET),
    ),
    Stream("flop_write", "output", fields=(THREAD, Field("bank"), *_TARGET)),
    Stream("flop_adc", "output", fields=FLOP),
    Stream("risc_done", "output", fields=(DATA,)),
    Stream("risc_thread_write", "output", fields=(THREAD, Field("index", 7), Field("data", 16))),
    Stream("risc_sem_done", "output", fields=(Field("data", 4),)),
    Stream("risc_fault", "output", fields=flags(RISC_FAULTS)),
    Stream("risc_sem_fault", "output", fields=flags(RISC_SEM_FAULTS)),
    Stream(
        "semaphores",
        "output",
        "level",
        (Field("value", 32, bits=_SEMAPHORES), Field("max", 32, bits=_SEMAPHORES)),
    ),
    Stream("mutexes", "output", "level", (Field("value", 12, bits=_MUTEX_BITS),)),
    Stream(
        "config_pipe",
        "output",
        "level",
        (
            Field(
                "stages",
                7,
                bits=(
                    *((name, 1) for name in ("-4", "-3", "-2", "-1", "0", "+1")),
                    ("cores in 0", 1),
                ),
            ),
        ),
    ),
    Stream("scalar", "output", "level", (Field("busy"), THREAD)),
    Stream("sticky", "output", "level", (Field("cfg_oob"),)),
    *(Stream(f"view_{u}", "output", fields=_VIEW, alike="view") for u in VIEWERS),
)

STREAMS: Final = INPUTS + OUTPUTS
STATE: Final = (
    StateArray("config", "u4", (2, 224)),
    StateArray("thread_config", "u2", (68,), THREADS),
    StateArray("gpr", "u4", (THREADS, 64)),
    StateArray("semaphores", "u1", (SEMAPHORES, 2)),  # value, maximum
    StateArray("mutexes", "i1", (len(MUTEXES),)),  # thread that holds it, or -1
)

BOUNDARY: Final = Boundary("control", STREAMS, FAULTS + RISC_FAULTS, STATE)
