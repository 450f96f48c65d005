# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the packers, and the players' items.

- ``issue`` (one a thread): an instruction word. Opcode 41 and 4A go to the packers: the threads
  take turns, and the packers must be ready. All others go to the address counters.
- ``cfg``: a write of one word, or with ``wide`` of four; the lowest is first in ``data``.
- ``flop``: REG2FLOP's writes of words 64 to 179; one waits for a cycle in which ``cfg`` writes none
  of these. ``store``: a core's stores to ThreadConfig.
- ``dst_write``: ``count`` rows of storage from ``row`` on; done when the last of them is written.
- ``dst_read``: the Matrix Unit gets a row of storage, and with ``wide`` (bit 3 of ``row`` is 0) the
  one 8 behind it; packers give way. It waits for nothing but its gap.
- ``l1_write``: four lines from ``line`` on, 16 words, lowest address first. The memory is 0 in the
  beginning; lines beyond it are not written.
- ``hist``: reads or clears the exponent histograms; ``offset``: sets l1_dest_addr_offset (P35).

An item is done in the cycle in which it is issued, written or commanded, which is also when it is
recorded. The next one can follow in the next cycle. What an item can wait for:
``engine/description/waiting.py``; ``idle`` is as in ``busy``, bit 4t + p, and the sources are in
the order of ``HOLDING``.

Level players: ``setreg_base``; ``l1_latency``: 1 … 31 cycles, ``LATENCY`` before and behind;
``l1_ready``: a bit a packer, all ready before and behind.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.description.boundary import Field, fitting
from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.recorded import Columns, Recorded
from tilepath.engine.description.waiting import Holding
from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY, PACKERS, RUN, STREAMS, THREADS
from tilepath.tb.unpack.streams import L1_LATENCY, LATENCY

__all__ = ["HOLDING", "ITEM_PLAYERS", "LATENCY", "PLAYERS", "STREAMS", "THREADS"]

ALL_READY: Final = (1 << PACKERS) - 1
ALL_IDLE: Final = (1 << THREADS * PACKERS) - 1
CHUNK: Final = 4  # lines of an ``l1_write``
OPCODES: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)

_THREADED: Final = ("issue", "setc16")
_KINDS: Final = (
    "issue", "cfg", "setc16", "dst_write", "dst_zero", "l1_write", "hist", "offset", "flop",
    "store",
)  # fmt: skip
ITEM_PLAYERS: Final = tuple(
    name
    for kind in _KINDS
    for name in ([f"t{t}.{kind}" for t in range(THREADS)] if kind in _THREADED else [kind])
)
HOLDING: Final = Holding(
    THREADS * PACKERS,
    ITEM_PLAYERS,
    {f"p{p}": sum(1 << PACKERS * t + p for t in range(THREADS)) for p in range(PACKERS)},
)


def _packers(columns: Columns) -> NDArray[np.bool_]:
    return np.isin(columns["word"] >> 24, OPCODES)


def _counters(columns: Columns) -> NDArray[np.bool_]:
    return ~_packers(columns)


_HELD: Final[dict[str, Player]] = {
    "issue": HOLDING.player(
        "issue",
        Field("word", 32),
        copies=THREADS,
        records=(
            Recorded("issue", when=_packers, copy="thread"),
            Recorded("counter", when=_counters),
        ),
    ),
    **{name: HOLDING.plays(BOUNDARY.stream(name)) for name in _KINDS[1:]},
}
DST_READ: Final = plays(BOUNDARY.stream("dst_read"), essential=False)
SETREG_BASE: Final = plays(BOUNDARY.stream("setreg_base"), essential=False)
L1_READY: Final = plays(BOUNDARY.stream("l1_ready"), essential=False, rest={"value": ALL_READY})
PLAYERS: Final = (*_HELD.values(), DST_READ, SETREG_BASE, L1_LATENCY, L1_READY)
items: Final = HOLDING.items_of(_HELD)


def levels(player: Player, cycles: ArrayLike, **values: ArrayLike) -> Items:
    """Items of a level player: ``values`` for so many cycles (1 or more)."""
    if player is L1_LATENCY:
        values["latency"] = fitting("latency", values["latency"], 1, 31)
    return player.pack(cycles=cycles, **values)


RUN_WORDS: Final = RUN * 8
