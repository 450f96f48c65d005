# SPDX-License-Identifier: Apache-2.0
"""Timing: what is known of one thread, with the cycle in which each thing happened.

Words are counted since reset. Cycles are numbers; ``NEVER`` is later than any, -1 before the first.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record, zeros
from tilepath.isa import constants, tables
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.isa.profiles import Profile
from tilepath.models.frontend.account import MEMORY
from tilepath.models.frontend.untimed_mop import MOP_EXPANDER
from tilepath.models.frontend.untimed_replay import REPLAY_EXPANDER

NEVER: Final = 1 << 62

# --- queues

_ENTRIES: Final = 64  # a power of two above the depth of any queue

ENTRY: Final = record(
    word=np.uint32,
    origin=np.int64,
    source=np.uint8,  # in M: an ``account.Source``
    arrived=np.int64,  # cycle in which it was written
    departed=np.int64,  # cycle in which it was popped
)
# A queue remembers more words than it holds: when the next may be written depends on when the
# word ``depth`` before it left.
QUEUE: Final = record(
    depth=np.int64,
    arrivals=np.int64,
    departures=np.int64,
    entries=(ENTRY, _ENTRIES),
)


@part
def entry(queue: Record, number: int) -> Record:
    """Word ``number`` of the queue, counted since reset."""
    found: Record = queue.entries[number & (_ENTRIES - 1)]
    return found


@part
def is_empty(queue: Record) -> bool:
    """Whether every word that was written has left."""
    empty: bool = queue.departures == queue.arrivals
    return empty


@part
def head(queue: Record) -> Record:
    """The word that leaves next; there must be one."""
    return entry(queue, queue.departures)


@part
def first_room(queue: Record) -> int:
    """First cycle in which the next word may be written; ``NEVER`` while that is not known.

    The queue was not full at the start of the cycle: a pop in the same cycle does not help (F19,
    F20).
    """
    if queue.arrivals - queue.departures >= queue.depth:
        return NEVER
    before: int = entry(queue, queue.arrivals - queue.depth).departed
    return before + 1


@part
def write(queue: Record, cycle: int, word: int, origin: int) -> None:
    """``word`` is written in ``cycle``."""
    new = entry(queue, queue.arrivals)
    new.word = word
    new.origin = origin
    new.arrived = cycle
    queue.arrivals += 1


@part
def pop(queue: Record, cycle: int) -> None:
    """The head leaves in ``cycle``."""
    head(queue).departed = cycle
    queue.departures += 1


# --- MOP expander


class Phase(IntEnum):
    """What the MOP expander is at."""

    EMPTY = 0  # the next word has not been looked for
    HEAD = 1  # holds the head of the FIFO
    EXPANDING = 2  # emits the words of a MOP


class MopState(IntEnum):
    """Registered state; numbers as in the stream ``status``."""

    IDLE = 0
    EXP = 1
    TRANS = 2


EXPANDER: Final = record(
    back_to_back=np.bool_,  # ``mop_b2b_free`` of the profile (F11)
    phase=np.int64,  # Phase
    # The word at the head of the FIFO, or the MOP that expands
    word=np.uint32,
    origin=np.int64,
    cycle=np.int64,  # earliest cycle in which something can happen with it
    # First cycles in which a MOP, and another word, can be taken from the FIFO
    free_for_mop=np.int64,
    free=np.int64,
    race_from=np.int64,  # first cycle in which a MopCfg write races with the expansion (F7)
    last_mop=np.int64,  # origin of the MOP ingested last
    state=np.int64,  # MopState, as recorded last
    idle_from=np.int64,  # cycle in which TRANS becomes IDLE if no MOP comes first; 0: not in TRANS
)

# When MOPs are in the FIFO or expanding: what mop_sync waits for (F21) and qstatus shows (F22).
# Spans of MOPs that overlap or touch are joined to one.
MOP_SPAN: Final = record(
    last=np.int64,  # last cycle of the MOP seen last; NEVER until that is known
    is_open=np.bool_,  # the end of the span is still to be told
    seen=np.int64,  # words of the FIFO below this number have been looked at
)

# --- thread

# A level whose last change has not been written yet: another in the same cycle would replace it.
LEVEL: Final = record(held=np.bool_, cycle=np.int64, value=np.int64, origin=np.int64)

# Next row of each input stream
CURSORS: Final = record(
    push=np.int64, mopcfg=np.int64, sync=np.int64, brisc=np.int64, ready=np.int64
)

OPCODE: Final = record(
    illegal=np.bool_,  # must not reach a unit (F17)
    occupancy=np.int64,  # what a queued word adds to the occupancy counters (F22)
)

THREAD: Final = record(
    opcodes=(OPCODE, 256),
    # What is expanded and recorded is the untimed part's business.
    mop=MOP_EXPANDER,
    replay=REPLAY_EXPANDER,
    fifo=QUEUE,
    m=QUEUE,
    r=QUEUE,
    expander=EXPANDER,
    mop_span=MOP_SPAN,
    last_brisc=np.int64,  # cycles of the last BRISC word, acknowledge, action of the replay
    last_sync_ack=np.int64,  # expander and issue
    last_replay=np.int64,
    last_issue=np.int64,
    replay_origin=np.int64,  # origin of the REPLAY that plays or records
    mop_state=LEVEL,
    replay_state=LEVEL,
    next=CURSORS,
    briscs=np.int64,  # words taken from BRISC
    memory=MEMORY,  # of the account
    # Numbers of the two streams in an origin
    push_number=np.int64,
    brisc_number=np.int64,
)

# --- occupancy

# Ten counters of six bits in an int64: REPLAYs that count for bit 0 of qstatus, then the classes of
# bits 2 to 10; above them one bit for the span of MOPs (bit 1).
COUNTER_BITS: Final = 6
COUNTERS: Final = 10
REPLAY_COUNT: Final = 1
MOP_SPAN_COUNT: Final = 1 << (COUNTER_BITS * COUNTERS)
# Block-class bit (B0 to B8) behind each of qstatus bits 2 to 10 (F22)
_CLASS_OF_BIT: Final = (5, 4, 3, 2, 7, 1, 0, 8, 6)


def _occupancy(blocks: int) -> int:
    """Increment of the counters for a word of these block classes (a mask of bits B0 to B8)."""
    return sum(
        ((blocks >> block) & 1) << (COUNTER_BITS * (place + 1))
        for place, block in enumerate(_CLASS_OF_BIT)
    )


@cache
def _reset_thread(profile: Profile) -> Records:
    """A thread of this profile after reset, to be copied."""
    depths = (profile.fifo_depth, profile.m_depth, profile.r_depth)
    if min(depths) < 1 or sum(depths) + 1 >= 1 << COUNTER_BITS:
        raise ValueError(f"queue depths {depths}: want each at least 1 and at most 62 in total")
    if not 1 <= profile.replay_count0 <= 64:
        raise ValueError(f"replay_count0 {profile.replay_count0}: want 1 to 64")
    threads = zeros(THREAD)
    thread = threads[0]
    for queue, depth in zip((thread.fifo, thread.m, thread.r), depths, strict=True):
        queue.depth = depth
        queue.entries["arrived"] = queue.entries["departed"] = -1
    thread.replay.count_of_zero = profile.replay_count0
    thread.expander.back_to_back = profile.mop_b2b_free
    thread.expander.last_mop = thread.replay_origin = NOT_KNOWN
    thread.expander.race_from = NEVER
    # Nothing has happened before cycle 0.
    thread.last_brisc = thread.last_sync_ack = thread.last_replay = thread.last_issue = -1
    thread.mop_span.last = -1
    thread.opcodes["illegal"] = tables.must_not_issue()
    thread.opcodes["occupancy"] = [_occupancy(blocks) for blocks in tables.queue_class()]
    own = (constants.OP_MOP, constants.OP_MOP_CFG, constants.OP_REPLAY, constants.OP_NOP)
    if thread.opcodes["occupancy"][list(own)].any():
        raise ValueError("the tables of isa/ give a front-end instruction a block class")
    return threads


def new_thread(profile: Profile, push_number: int, brisc_number: int) -> Records:
    """One thread after reset, an array of one record; the numbers are those in an origin.

    Raises ``ValueError`` when a depth of the profile is beyond what queues and counters hold.
    """
    threads = _reset_thread(profile).copy()
    threads[0].push_number = push_number
    threads[0].brisc_number = brisc_number
    return threads
