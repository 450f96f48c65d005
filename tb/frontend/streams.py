# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the front end.

``core`` (one a thread; what a TRISC does, in program order): a push of ``word``, a MopCfg write,
a mop_sync, or several of them; all that one item asks for starts in the same cycle. The item is
done when the push is accepted and the mop_sync acknowledged; a mop_sync in the background is
requested and the item does not wait for it (a later mop_sync waits until it is acknowledged).

``brisc`` (one a thread): a word; a ``safe`` one only while FIFO and MOP expander are idle and M is
not full, so that no collision can happen (F18).
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import Field
from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.recorded import Recorded
from tilepath.isa.boundary.frontend import BOUNDARY, STREAMS, THREADS, WORD

__all__ = ["BRISC", "CORE", "GATE", "PLAYERS", "SFPU_CC", "STREAMS", "THREADS"]

CORE: Final = Player(
    "core",
    fields=(
        *(Field("push"), Field("mopcfg"), Field("sync"), Field("background"), Field("index", 4)),
        *(WORD, Field("data", 32)),
    ),
    head=("push", "mopcfg", "sync", "background", "index"),
    copies=THREADS,
    records=(
        Recorded("push", when="push"),
        Recorded("mopcfg", when="mopcfg"),
        Recorded("sync", when="sync"),
    ),
)
BRISC: Final = plays(BOUNDARY.stream("brisc"), before=(Field("safe"),), head=("safe",))
GATE: Final = plays(BOUNDARY.stream("ready"), "gate", essential=False, rest={"ready": 1})
SFPU_CC: Final = plays(BOUNDARY.stream("sfpu_cc"), essential=False)

PLAYERS: Final = (CORE, BRISC, GATE, SFPU_CC)
