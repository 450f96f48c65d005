# SPDX-License-Identifier: Apache-2.0
"""What the walk through a run sees, and what it knows of a core and of a ring."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS
from tilepath.isa.boundary.flag_pipe import PAIRS as PAIR_COUNT
from tilepath.tb.kernel.description.stream import Records

IDLE, PRE, WAIT, XFER = range(4)


@dataclass
class Core:
    """What is known of a core."""

    offered: deque[Any] = field(default_factory=deque)
    now: Any = None  # the command at work
    state: int = IDLE
    pair: int = 0
    since: int = 0  # of the state
    pair_state: int = 0
    waited: int = 0


@dataclass
class Pipe:
    """A ring of a pair."""

    pushed: int = 0
    popped: int = 0
    freed: int = 0
    produce: tuple[int, int] | None = None  # last acceptance, and its WAIT
    consume: tuple[int, int] | None = None
    period: int = 0  # of the producer


Event = tuple[int, int, int, Any]
"""Cycle and place within it, in one number; cycle; number of the copy; record."""

STREAMS: Final[tuple[tuple[str, int, tuple[str, ...]], ...]] = (
    ("flags", 1, (*BANKS, "flying")),
    ("end{}.endpoint", ENDPOINTS, ()),
    ("core{}.core", len(CORES), ("state",)),
    ("pair{}.status", PAIR_COUNT, ()),
    ("core{}.cmd", len(CORES), ()),
    ("clr", 1, ()),
    ("core{}.rsp", len(CORES), ("op", "err")),
    ("pair{}.pair_fault", PAIR_COUNT, ()),
)
"""Streams of the walk, with their copies, in the order in which they count within a cycle.

Of the frequent ones the fields that are looked at: their records are tuples of these, not mappings.
"""


def events(streams: Mapping[str, Records]) -> Iterator[Event]:
    """The records of a block of cycles, stream after stream."""
    order = 0
    for pattern, copies, wanted in STREAMS:
        for number in range(copies):
            records = streams[pattern.format(number)]
            cycles = records["cycle"].tolist()
            names = wanted or records.dtype.names or ()
            rows: Iterator[Any] = zip(*(records[name].tolist() for name in names), strict=True)
            if not wanted:
                rows = (dict(zip(names, row, strict=True)) for row in rows)
            for cycle, row in zip(cycles, rows, strict=True):
                yield cycle << 5 | order, cycle, number, row
            order += 1
