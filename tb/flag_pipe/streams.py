# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the flag pipe: each input is played as it is recorded.

- ``cmd`` (one a core): a command, and what the bench does to the core's SRAM when it is accepted
  (docs/flag_pipe.md section 5). Done when it is accepted.
- ``clr``: a strobe for the pairs of a bit mask; with none it changes nothing.
- ``<port>_mem``, eight levels: ``ready``, of read ports ``latency``; at rest ready, after 1 cycle.

What the items of events can wait for, those of ``cmd`` and ``clr`` among them:
``engine/description/waiting.py``. Bits of ``idle``: core n is not IDLE (bit n), a SET of pair p is
on its way (bit 3 + p).
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.waiting import Holding
from tilepath.isa.boundary.flag_pipe import BOUNDARY, CORES, INPUTS, PAIRS, STREAMS

__all__ = ["CMD", "HOLDING", "MEMORY", "OWN_PROGRAMS", "PLAYERS", "STREAMS", "items"]

OWN_PROGRAMS: Final = "TILEPATH_PIPE_PROGRAMS"
"""Environment variable: program files, each of which is a test beside those of the sequences."""

_UNITS: Final = (*(f"core{n}" for n in range(len(CORES))), *(f"pair{n}" for n in range(PAIRS)))
HOLDING: Final = Holding(
    len(CORES) + PAIRS,
    (*BOUNDARY.stream("cmd").instances, "clr"),
    {name: 1 << bit for bit, name in enumerate(_UNITS)},
)
_EVENTS: Final = {one.name: HOLDING.plays(one) for one in INPUTS if one.kind == "event"}
CMD: Final = _EVENTS["cmd"]
MEMORY: Final[dict[str, Player]] = {
    one.name.removesuffix("_mem"): plays(
        one, essential=False, rest={field.name: 1 for field in one.fields}
    )
    for one in INPUTS
    if one.kind == "level"
}
PLAYERS: Final = (*_EVENTS.values(), *MEMORY.values())
items: Final = HOLDING.items_of(_EVENTS)
