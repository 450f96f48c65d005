# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the flag pipe.

- ``cmd`` (one a core): a command, and what the bench does to the core's SRAM when it is accepted
  (docs/flag_pipe.md section 5). Done when it is accepted.
- ``clr``: a strobe for the pairs of a bit mask; with none it changes nothing.
- ``<port>_mem``, eight levels: ``ready``, of read ports ``latency``; at rest ready, after 1 cycle.

What the items of ``cmd`` and ``clr`` can wait for: ``engine/description/waiting.py``. Bits of
``idle``: core n is not IDLE (bit n), a SET of pair p is on its way (bit 3 + p).
"""

from __future__ import annotations

from typing import Final

from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.waiting import Holding
from tilepath.isa.boundary.flag_pipe import BOUNDARY, CORES, PAIRS, READ_PORTS, STREAMS, WRITE_PORTS

__all__ = ["CLR", "CMD", "HOLDING", "MEMORY", "OWN_PROGRAMS", "PLAYERS", "STREAMS", "items"]

OWN_PROGRAMS: Final = "TILEPATH_PIPE_PROGRAMS"
"""Environment variable: program files, each of which is a test beside those of the sequences."""

COMMAND_PLAYERS: Final = tuple(f"core{n}.cmd" for n in range(len(CORES)))
_UNITS: Final = (*(f"core{n}" for n in range(len(CORES))), *(f"pair{n}" for n in range(PAIRS)))
HOLDING: Final = Holding(
    len(CORES) + PAIRS,
    (*COMMAND_PLAYERS, "clr"),
    {name: 1 << bit for bit, name in enumerate(_UNITS)},
)
CMD: Final = HOLDING.plays(BOUNDARY.stream("cmd"))
CLR: Final = HOLDING.plays(BOUNDARY.stream("clr"))
MEMORY: Final[dict[str, Player]] = {
    port: plays(
        BOUNDARY.stream(f"{port}_mem"),
        essential=False,
        rest={"ready": 1} | ({"latency": 1} if port in READ_PORTS else {}),
    )
    for port in (*READ_PORTS, *WRITE_PORTS)
}
PLAYERS: Final = (CMD, CLR, *MEMORY.values())


def items(player: str, waits: dict[str, ArrayLike], **fields: ArrayLike) -> Items:
    """Items of ``core<n>.cmd`` or ``clr``; ``waits``: gaps, idle, after, and_after.

    ``ValueError`` for what does not fit its field.
    """
    return HOLDING.pack(CLR if player == "clr" else CMD, waits, **fields)
