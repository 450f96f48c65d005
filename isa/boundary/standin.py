# SPDX-License-Identifier: Apache-2.0
"""The math stand-in's boundary; docs/standin.md section 6 says when each stream records."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import Boundary, Field, StateArray, Stream
from tilepath.isa.boundary import matrix, unpack
from tilepath.isa.boundary.faults import faults, vector
from tilepath.isa.boundary.matrix import bits

THREADS: Final = 3
LANES: Final = 4  # of the packers' reads

FAULTS: Final = faults("standin", "fault")

_THREAD: Final = Field("thread", 2)
_WORD: Final = Field("word", 32)


def _level(name: str, width: int, *names: str) -> Stream:
    return Stream(name, "input", "level", (Field("value", width, bits=bits(*names)),))


INPUTS: Final = (
    Stream("issue", "input", fields=(_THREAD, _WORD)),
    unpack.CFG,
    unpack.SETC16,
    unpack.STORE,
    _level("owner", 4, *(f"{bank} Matrix Unit" for bank in matrix.BANKS)),
    Stream(
        "implied",
        "input",
        "level",
        (Field("value", 16, bits=tuple((bank, 4) for bank in matrix.BANKS)),),
    ),
    _level("stale", 2, *matrix.BANKS[:2]),
    _level("unpack_bank", 2, "SrcA 1", "SrcB 1"),
    _level("pause", 1),
    Stream("unpack_zero", "input", fields=(Field("files", 2, bits=bits(*matrix.FILES)),)),
    Stream(
        "pack_read",
        "input",
        fields=(Field("lanes", LANES), Field("wide"), Field("row", 10, count=LANES)),
    ),
    *matrix.answers("input"),
    Stream(
        "load",
        "input",
        fields=(
            matrix.TARGET,
            Field("bank"),
            Field("row", 10),
            Field("row_valid"),
            matrix.DATA,
        ),
    ),
)
OUTPUTS: Final = (
    Stream("ready", "output", "level", (Field("value"),)),
    Stream("busy", "output", "level", (Field("value", 3, bits=bits("t0", "t1", "t2")),)),
    *matrix.commands("output"),
    Stream("matrix_bank", "output", "level", (Field("value", 2, bits=bits("SrcA 1", "SrcB 1")),)),
    Stream("hist_clear", "output"),
    Stream("rwc", "output", "level", tuple(Field(*field) for field in matrix.RWC), THREADS),
    Stream(
        "fault",
        "output",
        fields=(
            _THREAD,
            _WORD,
            vector(FAULTS),
        ),
    ),
)
STREAMS: Final = INPUTS + OUTPUTS
STATE: Final = (
    StateArray("src_a", "u4", (2, 64, 16)),  # banks, rows, columns
    StateArray("src_b", "u4", (2, 64, 16)),
    StateArray("dst", "u2", (1024, 16)),  # rows of storage
    StateArray("dst_valid", "u1", (1024,)),
    StateArray("rwc", "u4", (THREADS, len(matrix.RWC))),
    StateArray("matrix_bank", "u1", (2,)),
)
BOUNDARY: Final = Boundary("standin", STREAMS, FAULTS, STATE)
