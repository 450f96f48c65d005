# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the control block.

An item of ``issue``, ``risc`` or ``risc_sem`` is done when the DUT has taken or done it, one of
``stream`` in the cycle in which it writes: one of the 64 x 1024 stream registers of the bench,
whose value shows from the next cycle on.

Each of these items may be held back by what it waits for, its ``after``, when its gap is over:
nothing is offered, and for ``stream`` nothing written, before the first cycle in which this is
true, as registered (what happened in earlier cycles). By ``source``:

- 0: nothing, at once (whatever the count);
- 1, 2, 3: at least ``count`` words of thread 0, 1, 2 have issued since reset;
- 4, 5: at least ``count`` accesses at ``risc``, ``risc_sem`` were done since reset;
- 6, 7: ``semaphore`` has a value below, above ``limit`` (what a core does that polls it).

The counters stop at 65535. A condition need not last: an item that is offered stays offered.

``conditions``: bits of each thread's ``busy`` that are forced to 1 (10 and 12 are ignored),
``hold``, ``stream_busy``, units whose ``ready`` is forced to 0. ``work``: for how many cycles a
word keeps each unit busy, as it is in the cycle in which the unit takes the word. A unit is not
ready while it is busy, and busy for the thread whose word it has.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import Field, names
from tilepath.engine.description.player import Player, Waits, plays
from tilepath.engine.description.recorded import Recorded
from tilepath.isa.boundary import control
from tilepath.isa.boundary.control import BOUNDARY, STREAMS, THREADS, UNITS, VIEWERS

__all__ = ["STREAMS", "THREADS", "UNITS"]

FAULTS: Final = names(control.FAULTS)
VIEWS: Final = VIEWERS

AFTER: Final = Field(
    "after", 26, bits=(("count", 16), ("source", 3), ("semaphore", 3), ("limit", 4))
)
_AFTER: Final = tuple(Field(f"after_{name}", width) for name, width in AFTER.bits)
_SOURCES: Final = (*(f"t{thread}.issue" for thread in range(THREADS)), "risc", "risc_sem")
BELOW, ABOVE = 6, 7  # sources, too
_WAITS: Final = Waits(
    {"after": "after"},
    AFTER,
    {name: n for n, name in enumerate(_SOURCES, 1)},
    more={
        BELOW: "semaphore {semaphore} is below {limit}",
        ABOVE: "semaphore {semaphore} is above {limit}",
    },
)


def _held(stream: str, name: str = "", essential: bool = True) -> Player:
    """The player of an input stream whose items can wait for something."""
    recorded = BOUNDARY.stream(stream)
    return plays(recorded, name, behind=_AFTER, essential=essential, waits=_WAITS)


ISSUE: Final = _held("offer", "issue")
RISC: Final = _held("risc")
RISC_SEM: Final = _held("risc_sem")
STREAM: Final = _held("stream_write", "stream", essential=False)
CONDITIONS: Final = Player(
    "conditions",
    "level",
    (
        *(Field(f"busy{thread}", 13) for thread in range(THREADS)),
        Field("hold", THREADS),
        Field("stream_busy"),
        Field("stall", len(UNITS)),
    ),
    essential=False,
    records=(
        Recorded("hold", named={"value": "hold"}),
        Recorded("stream_busy", named={"value": "stream_busy"}),
    ),
    unrecorded="`busy` and `unit_ready` record these together with what the units do",
)
WORK: Final = Player(
    "work",
    "level",
    tuple(Field(unit, 5) for unit in UNITS),
    essential=False,
    unrecorded="what a unit does with it shows in `busy` and `unit_ready`",
)

PLAYERS: Final = (ISSUE, RISC, RISC_SEM, STREAM, CONDITIONS, WORK)
