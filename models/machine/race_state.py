# SPDX-License-Identifier: Apache-2.0
"""Clocks of all that goes on by itself, and who touched each place last: one record, and cells.

An actor here is a unit with the words of one thread, as nothing orders words of two threads in it;
a core, its stores under way, a gate, the config pipeline and the reads of L1 ahead, likewise.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS

# Actors: units come first, with a thread 3 * unit + thread; of the others the first of each kind
STORES: Final = 12
LATE: Final = 15
READS: Final = 18  # of L1 by the two unpackers, as units
CORES: Final = 24
GATES: Final = 27
CLOCKS: Final = 30

# Places: words of Config as keys of ``hazards`` come first; of the others the first of each kind
THREAD_CONFIG: Final = 512
GPR: Final = 768
SEMAPHORE: Final = 960
MAXIMUM: Final = 968  # of a semaphore
POINTER: Final = 976  # the Matrix Unit's banks
OWNER: Final = 980  # of a bank: 2 * file + bank
SRC: Final = 1024  # 64 rows a bank
DST: Final = 1280  # rows of storage
L1_LINE: Final = 2304

RING: Final = 16  # of the last events of a kind
MARKS: Final = 64
SLOTS: Final = 16  # words in a unit, stores under way
CELL_SLOTS: Final = 4  # the last write, and the last reads that nothing orders
FOUND_ROOM: Final = 4096
# Objects that are waited for: semaphores; banks, as ``OWNER``; words of actors that are done, all
# and those behind which the Matrix Unit takes no others
BANKS: Final = 8
DONE: Final = 12
OBJECTS: Final = 24


class Found(NamedTuple):
    """Two accesses of a place that nothing orders, in the order of the run: actors and idents."""

    place: int
    first_actor: int
    first: int
    second_actor: int
    second: int


# Who touched a place: epoch * 32 + actor, 0: nobody; and with what
CELL: Final = record(stamps=(np.int64, CELL_SLOTS), idents=(np.int64, CELL_SLOTS))
# Posts or gets of a semaphore; a bank that is handed over or given back
EVENTS: Final = record(
    happened=np.int64,
    actors=(np.int64, RING),
    epochs=(np.int64, RING),
    clocks=(np.int64, (RING, CLOCKS)),
)
TRACKS: Final = record(
    clocks=(np.int64, (CLOCKS, CLOCKS)),
    idents=(np.int64, CLOCKS),  # of what each does: 8 * number + thread, of a core's item + 4
    # cores: items done, words pushed; marks: from which word on a clock of the core counts
    at=(np.int64, THREADS),
    pushed=(np.int64, THREADS),
    changed=(np.int64, THREADS),
    mark_head=(np.int64, THREADS),
    mark_tail=(np.int64, THREADS),
    marks=(np.int64, (THREADS, MARKS)),
    mark_sent=(np.int64, (THREADS, MARKS)),
    mark_clocks=(np.int64, (THREADS, MARKS, CLOCKS)),
    sent=(np.int64, THREADS),  # stores
    sent_idents=(np.int64, (THREADS, SLOTS)),
    sent_clocks=(np.int64, (THREADS, SLOTS, CLOCKS)),
    # gates: stores in front of the word at hand; the latch, and what is known when it is over
    gate_sent=(np.int64, THREADS),
    latch_sent=(np.int64, THREADS),
    latch_idents=(np.int64, THREADS),
    pending=(np.int64, (THREADS, CLOCKS)),
    holds=(np.int64, THREADS),
    before=(np.int64, (THREADS, THREADS)),  # of gates, when the word before issued
    # config pipeline: epoch of the last write of a thread, and that which is in it
    late=(np.int64, THREADS),
    late_thread=np.int64,
    late_first=np.int64,
    late_count=np.int64,
    late_words=(np.int64, (2, 4)),
    # units: what was known when a word issued
    given=(np.int64, (4, SLOTS, CLOCKS)),
    given_idents=(np.int64, (4, SLOTS)),
    events=(EVENTS, (OBJECTS, 2)),
    start=(np.int64, DONE),  # values that events are counted from
    mutexes=(np.int64, (4, CLOCKS)),
    streams=(np.int64, CLOCKS),
    # as they were, so that a write of the same value is none
    config=(np.int64, (2, constants.CFG_WORDS)),
    thread_config=(np.int64, (THREADS, constants.THD_WORDS)),
    semaphores=(np.int64, (8, 2)),
    masks=(np.int64, (GPR, CELL_SLOTS)),  # bits of configuration, of cells
    # pairs that nothing orders: place, actor and ident of the first, of the second
    found=(np.int64, (FOUND_ROOM, 5)),
    found_count=np.int64,
    told=(np.int64, (FOUND_ROOM, 2)),
)


class Tracks:
    """One ``TRACKS``, and a cell for each place; without L1 none: nothing is followed."""

    def __init__(self, l1_bytes: int = 0) -> None:
        """Nobody has touched anything."""
        self.record: Any = np.zeros(1, TRACKS)
        self.cells: Records = np.zeros(L1_LINE + l1_bytes // 16 if l1_bytes else 0, CELL)

    def begin(self, machine: Any) -> None:
        """A run of a machine begins."""
        one = self.record[0]
        one.config[:], one.thread_config[:] = machine.config, machine.thread_config
        one.semaphores[:] = machine.semaphores
        one.start[:BANKS] = machine.semaphores[:, 0]

    @property
    def found(self) -> list[Found]:
        """What was found in the run."""
        one = self.record[0]
        return [Found(*row) for row in one.found[: one.found_count].tolist()]


NOTHING: Final = Tracks()
"""Follows nothing."""
