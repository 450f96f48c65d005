# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the math stand-in: each input is played as it is recorded.

- ``issue``: a word of a thread; done in the cycle in which it issues.
- ``cfg``, ``setc16`` (one a thread): configuration. ``load``: a row of SrcA, SrcB or of Dst's
  storage, written from outside.
- ``store``: a core's store to ThreadConfig; it waits for nothing but its gap.
- ``unpack_zero``, ``pack_read``: done in the cycle in which they are presented; they wait for
  nothing.

What the first four can wait for: ``engine/description/waiting.py``. Sources: 1: ``issue``; 2:
``cfg``; 3, 4, 5: ``setc16``; 6: ``load``; 7: all of these together. ``idle``: a bit a thread.

Level players: ``owner`` (all banks are the Matrix Unit's before and behind), ``implied``,
``stale``, ``unpack_bank``, ``pause``. The answers of the memories come from the bench's own.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.waiting import Holding
from tilepath.isa.boundary.standin import BOUNDARY, THREADS
from tilepath.models.standin.plan import OPCODES as MATH
from tilepath.models.standin.plan import OPS as EXECUTED
from tilepath.models.standin.plan import Op

OPS: Final = EXECUTED[:-1]
"""What is executed."""
OPCODES: Final = frozenset(map(int, Op))
UNSUPPORTED: Final = tuple(opcode for opcode in MATH if opcode not in OPCODES)
"""Opcodes of class MATH that are not (M3)."""
ALL_BANKS: Final = 0xF
HOLDING: Final = Holding(
    THREADS,
    ("issue", "cfg", *(f"t{thread}.setc16" for thread in range(THREADS)), "load"),
    {f"t{thread}": 1 << thread for thread in range(THREADS)},
)
HELD: Final[dict[str, Player]] = {
    name: HOLDING.plays(BOUNDARY.stream(name)) for name in ("issue", "cfg", "setc16", "load")
}
EVENTS: Final[dict[str, Player]] = {
    name: plays(BOUNDARY.stream(name)) for name in ("unpack_zero", "pack_read")
}
STORE: Final = plays(BOUNDARY.stream("store"), essential=False)
_REST: Final[dict[str, dict[str, int]]] = {"owner": {"value": ALL_BANKS}}
LEVELS: Final[dict[str, Player]] = {
    name: plays(BOUNDARY.stream(name), essential=False, rest=_REST.get(name, {}))
    for name in ("owner", "implied", "stale", "unpack_bank", "pause")
}
PLAYERS: Final = (*HELD.values(), STORE, *EVENTS.values(), *LEVELS.values())
items: Final = HOLDING.items_of(HELD)
