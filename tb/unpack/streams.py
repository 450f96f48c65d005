# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the unpackers.

- ``issue`` (one a thread): an instruction word. Opcode 42 and 43 go to the unpacker that bit 23
  names: the threads take turns, and it must be ready. All others go to the address counters.
  Either must wait while the thread is held.
- ``cfg``: a write of one word, or with ``wide`` of four; the lowest is first in ``data``.
- ``flop``: REG2FLOP's writes of words 64 to 179; one waits for a cycle in which ``cfg`` writes none
  of these. ``store``: a core's stores to ThreadConfig.
- ``matrix``: with ``wait`` (a bit for SrcA, SrcB) the item waits until the bank of that file in
  ``banks`` is the Matrix Unit's. With ``toggle`` (likewise) the bench's pointer of that file,
  ``matrix_bank``, changes at the end of the cycle of the command. With ``follow`` the banks are
  those that these pointers name. One with ``zero`` waits for a cycle without ``pause``.
- ``matrix_write``: with ``wait`` the item waits until its bank of SrcA or SrcB is the Matrix
  Unit's; one for Dst waits for a cycle without ``pause``.
- ``l1_write``: ``line``, a multiple of 4, and 16 words of data, lowest address first. The memory
  is 0 in the beginning; lines beyond it are not written.

An item is done in the cycle in which it is issued, written or commanded, which is also when it is
recorded. The next one can follow in the next cycle.

What an item can wait for: ``engine/description/waiting.py``. Sources: 1, 2, 3: ``issue`` of
thread 0, 1, 2; 4: ``cfg``; 5, 6, 7: ``setc16``; 8: ``matrix``; 9: ``matrix_write``;
10: ``l1_write``; 11: ``flop``; 12: ``store``; 13: all of these together.
``idle`` is as in ``busy``: bit 2t + u.

Level players: ``setreg_base``, and ``l1_latency``: 1 … 31 cycles; ``LATENCY`` before and behind.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.boundary import Field
from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.recorded import Columns, Recorded
from tilepath.engine.description.waiting import Holding
from tilepath.isa import constants
from tilepath.isa.boundary.unpack import BOUNDARY, SLOTS, STREAMS, THREADS, UNPACKERS, WRITES

__all__ = ["HOLDING", "PLAYERS", "SLOTS", "STREAMS", "THREADS", "UNPACKERS", "WRITES"]

LATENCY: Final = 4  # of L1 in cycles, while ``l1_latency`` plays nothing

HOLDING: Final = Holding(
    THREADS * UNPACKERS,
    (
        *(f"t{thread}.issue" for thread in range(THREADS)),
        "cfg",
        *(f"t{thread}.setc16" for thread in range(THREADS)),
        "matrix",
        "matrix_write",
        "l1_write",
        "flop",
        "store",
    ),
    {f"u{u}": sum(1 << 2 * t + u for t in range(THREADS)) for u in range(UNPACKERS)},
)


def _for(unpacker: int | None) -> Recorded:
    """Who records a word of ``issue``: an unpacker, or with None the address counters."""

    def theirs(columns: Columns) -> NDArray[np.bool_]:
        word = columns["word"]
        unit = np.isin(word >> 24, (constants.OP_UNPACR, constants.OP_UNPACR_NOP))
        return ~unit if unpacker is None else unit & (word >> 23 & 1 == unpacker)

    if unpacker is None:
        return Recorded("counter", when=theirs)
    return Recorded(f"u{unpacker}.issue", when=theirs, copy="thread")


ISSUE: Final = HOLDING.player(
    "issue",
    Field("word", 32),
    copies=THREADS,
    records=(_for(0), _for(1), _for(None)),
)
CFG: Final = HOLDING.plays(BOUNDARY.stream("cfg"))
SETC16: Final = HOLDING.plays(BOUNDARY.stream("setc16"))
FLOP, STORE = (HOLDING.plays(BOUNDARY.stream(name)) for name in ("flop", "store"))
MATRIX: Final = HOLDING.player(
    "matrix",
    *BOUNDARY.stream("matrix").fields,
    Field("wait", 2),
    Field("toggle", 2),
    Field("follow"),
    # the banks may be those of the bench's pointers
    records=(Recorded("matrix", but=("banks",)),),
)
MATRIX_WRITE: Final = HOLDING.player(
    "matrix_write",
    *BOUNDARY.stream("matrix_write").fields,
    Field("wait"),
    records=(Recorded("matrix_write"),),
)
L1_WRITE: Final = HOLDING.plays(BOUNDARY.stream("l1_write"))
SETREG_BASE: Final = plays(BOUNDARY.stream("setreg_base"), essential=False)
L1_LATENCY: Final = Player(
    "l1_latency",
    "level",
    (Field("latency", 5),),
    essential=False,
    rest={"latency": LATENCY},
    records=(Recorded("l1_latency", named={"cycles": "latency"}),),
)

PLAYERS: Final = (
    *(ISSUE, CFG, FLOP, SETC16, STORE, MATRIX, MATRIX_WRITE, L1_WRITE, SETREG_BASE, L1_LATENCY),
)
