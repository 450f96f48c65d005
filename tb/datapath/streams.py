# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the joined design.

- ``core`` (one a thread): items in order, each of which begins when the one before it is done and
  its gap is over: ``push`` of ``value``; ``mop``: MopCfg ``index`` := ``value``, behind mop_sync;
  ``store``: configuration word ``index`` := ``value``, ``stream``: stream register ``index`` (1024
  of each of 64 streams) := ``value``; ``poll`` until semaphore ``index`` is
  ``>=``, ``<`` or ``=`` ``value``; ``post`` and ``get`` of semaphore ``index``; ``sync``: until
  nothing of the thread has been under way for some time.
- ``l1_write``: four lines of L1 from ``line`` on, before anything reads them.
- ``l1_latency``: 1 to 31 cycles, ``LATENCY`` before and behind; ``pack_l1_ready``: a bit a packer
  whose lines L1 takes, all of them before and behind; ``stream_busy``: contention for STREAMWRCFG.

What items of the first two can wait for: ``engine/description/waiting.py``. ``idle``: threads of
which something is under way; sources: the cores, and ``l1_write``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import plays
from tilepath.engine.description.recorded import Recorded
from tilepath.engine.description.waiting import Holding
from tilepath.isa import tables
from tilepath.isa.boundary.datapath import BOUNDARY, ITEM, OPS, STREAMS, THREADS
from tilepath.isa.boundary.pack import PACKERS
from tilepath.models.machine import addresses, items
from tilepath.tb.unpack.streams import L1_LATENCY, LATENCY

__all__ = ["L1_LATENCY", "LATENCY", "STREAMS"]

OWN_KERNELS: Final = "TILEPATH_KERNELS"
"""Environment variable: kernel files, as in a PATH, that are tests as well."""

STORES: Final = {  # operation: byte address of what it stores to, as the cores see it, and words
    "store": (addresses.CONFIG, 3 * tables.CFG_WORDS + 3 * tables.THD_WORDS),
    "stream": (addresses.STREAMS, 64 * 1024),
}
LINE_BYTES: Final = 16
CHUNK: Final = 4  # lines of an ``l1_write``
ALL_IDLE: Final = (1 << THREADS) - 1
ALL_READY: Final = (1 << PACKERS) - 1

HOLDING: Final = Holding(
    THREADS,
    (*(f"t{thread}.core" for thread in range(THREADS)), "l1_write"),
    {f"t{thread}": 1 << thread for thread in range(THREADS)},
)
CORE: Final = HOLDING.player("core", *ITEM, copies=THREADS, records=(Recorded("item"),))
L1_WRITE: Final = HOLDING.plays(BOUNDARY.stream("l1_write"))
L1_READY: Final = plays(
    BOUNDARY.stream("pack_l1_ready"), essential=False, rest={"value": ALL_READY}
)
STREAM_BUSY: Final = plays(BOUNDARY.stream("stream_busy"), essential=False)
PLAYERS: Final = (CORE, L1_WRITE, L1_LATENCY, L1_READY, STREAM_BUSY)
_OP: Final = {name: number for number, name in enumerate(OPS)}


def core_items(program: Iterable[items.Item], **waits: Any) -> Items:
    """Items of a core; ``waits``: gaps, idle, after, and_after.

    ``ValueError`` for a store to anything else than ``STORES``, and for what does not fit.
    """
    rows = np.array([row for item in program for row in _rows(item)], np.int64).reshape(-1, 3)
    return HOLDING.pack(CORE, waits, op=rows[:, 0], index=rows[:, 1], value=rows[:, 2])


def _rows(item: items.Item) -> list[tuple[int, int, int]]:
    """Operation, index and value of what a core does."""
    match item:
        case items.Push():
            return [(_OP["push"], 0, word) for word in item.words]
        case items.MopCfg():
            return [(_OP["mop"], item.index, item.value)]
        case items.Store():
            for name, (base, words) in STORES.items():
                word, odd = divmod(item.address - base, 4)
                if not odd and 0 <= word < words:
                    return [(_OP[name], word, item.value)]
            raise ValueError(f"{item}: on the RTL cores store to configuration and streams only")
        case items.Poll():
            return [(_OP[f"poll {item.relation}"], item.semaphore, item.value)]
        case items.Post():
            return [(_OP["post"], item.semaphore, 0)]
        case items.Get():
            return [(_OP["get"], item.semaphore, 0)]
    return [(_OP["sync"], 0, 0)]


def item_of(op: int, index: int, value: int) -> items.Item:
    """The inverse, of one record."""
    name = OPS[op]
    if name.startswith("poll"):
        return items.Poll(index, name.removeprefix("poll "), value)
    if name in STORES:
        return items.Store(STORES[name][0] + 4 * index, value)
    made: dict[str, items.Item] = {
        "push": items.Push((value,)),
        "mop": items.MopCfg(index % 16, value),
        "post": items.Post(index % 8),
        "get": items.Get(index % 8),
    }
    return made.get(name, items.Sync())


def l1_items(l1: ArrayLike, **waits: Any) -> Items:
    """Writes of what is not 0 in ``l1`` (bytes, from address 0 on), and of what is first in it.

    ``waits`` as above.
    """
    chunks = np.asarray(l1, np.uint8).reshape(-1, CHUNK * LINE_BYTES)
    used = np.union1d(0, np.flatnonzero(chunks.any(axis=1)))
    data = chunks[used].view("<u4")
    return HOLDING.pack(L1_WRITE, waits, line=CHUNK * used, data=data)
