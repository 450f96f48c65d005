# SPDX-License-Identifier: Apache-2.0
"""Records of the timing model: instructions, beats and steps as counts, and when things happen.

Whatever is known in advance is dated: most fields are cycles. Instructions and entries are numbered
from 0 on; each is in its ring at that number, modulo the ring. Any number of instructions without
an entry pass one that waits in the beat buffer (section 4), so numbers of instructions whose place
in the ring is still taken are left out.
"""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record

# Section 1 of the contract
PLAN: Final = 8  # from the sampling cycle to the first in which an instruction is planned
REQUEST: Final = 2  # from the decision for a request to the request at L1's port
PLACE: Final = 7  # from the answer with the RSI entries to the first load
FRONT: Final = 6  # from an answer to the first step of its beat
WRITE: Final = 6  # from a step to the change of the registers
QUEUED: Final = 16  # instructions of an unpacker between sampling and load
BEATS: Final = 40  # entries of a beat buffer

THREADS: Final = 3
UNPACKERS: Final = 2
NONE: Final = -1
NEVER: Final = 1 << 62
LONG_AGO: Final = -1 << 32
# Powers of two above what can be under way
QUEUE_RING: Final = 32
INSTRUCTION_RING: Final = 128
ENTRY_RING: Final = 64
EVENT_RING: Final = 16


class Work(enum.IntEnum):
    """What an instruction is to the fetch stage."""

    BEATS = 0
    TOKEN = 1
    NOTHING = 2
    EFFECT = 3  # OverlayClear, SETREG


class Awaits(enum.IntEnum):
    """The bank that a token waits for."""

    NO_BANK = 0
    OWN_BANK = 1  # that of its instruction
    MATRIX_BANK = 2  # that of the Matrix Unit's pointer


# A word between its issue and the last cycle of its address phase, or the cycle it is sampled in
ISSUED: Final = record(
    here=np.int64,
    sampled=np.int64,  # cycle; NEVER while the other unpacker's phase goes on
    last=np.int64,  # cycle of the phase; NEVER before the sampling cycle
    thread=np.int64,
    word=np.int64,
    origin=np.int64,
)
INSTRUCTION: Final = record(
    here=np.int64,  # it is not over
    thread=np.int64,
    origin=np.int64,
    work=np.int64,
    planned=np.int64,  # the first cycle in which it is planned
    loadable=np.int64,  # the first in which it can be loaded; NEVER while RSI entries are to come
    compressed=np.int64,
    bounded=np.int64,
    want=np.int64,  # lines
    flips=np.int64,
    bank=np.int64,
    format=np.int64,  # that comes with the bank
    awaits=np.int64,
    follows=np.int64,  # Kind of the instruction behind it; NONE: there is none yet
)
# Of the beat buffer
ENTRY: Final = record(
    instruction=np.int64,
    is_token=np.int64,
    requested=np.int64,  # cycle of the request at the port
    first_step=np.int64,  # the first cycle for it; NEVER while the answer is to come
)
# What shows or takes effect WRITE cycles after a step or token; at most one a cycle
EFFECT: Final = record(
    cycle=np.int64,
    instruction=np.int64,
    step=np.int64,  # its number; NONE: a token
    is_second=np.int64,  # the second part of it
    ends=np.int64,  # the instruction is over
    faults=np.int64,
)
FLIP: Final = record(shows=np.int64, bank=np.int64, format=np.int64, origin=np.int64)
UNIT: Final = record(
    unpacr=ISSUED,
    nop=ISSUED,
    # how many have been sampled, loaded, and gone by with their RSI request or without one
    sampled=np.int64,
    loaded=np.int64,
    rsi_due=np.int64,
    queue=(np.int64, QUEUE_RING),  # numbers of instructions, in the order of sampling
    next_number=np.int64,  # of the instruction to be sampled next
    instructions=(INSTRUCTION, INSTRUCTION_RING),
    # fetch stage
    fetching=np.int64,  # number of an instruction, or NONE
    works_from=np.int64,
    finishes=np.int64,  # cycle in which a bounded output does
    # beat buffer: numbers of entries: the oldest, the next, the next at the port
    head=np.int64,
    tail=np.int64,
    at_port=np.int64,
    entries=(ENTRY, ENTRY_RING),
    used=np.int64,
    added=np.int64,  # in this cycle
    freed=np.int64,  # cycle after which an entry is in use no more
    last_request=np.int64,  # cycle at the port
    last_answer=np.int64,
    # write stage
    steps=np.int64,  # number of the next
    step_from=np.int64,  # the first cycle for it
    # what the next step is, if ``has_step``
    has_step=np.int64,
    parts=np.int64,
    writes=np.int64,
    ends_beat=np.int64,
    ends=np.int64,
    step_faults=np.int64,
    # banks
    owner=(np.int64, 2),  # 1: the Matrix Unit
    implied=(np.int64, 2),  # the format that came with each
    flipped=(np.int64, 2),  # last cycle of what flipped it last
    flips=(FLIP, EVENT_RING),
    flips_shown=np.int64,
    flips_made=np.int64,
    effects=(EFFECT, EVENT_RING),
    effects_done=np.int64,
    effects_made=np.int64,
)
TIMING: Final = record(
    units=(UNIT, UNPACKERS),
    turn=np.int64,
    busy=(np.int64, (THREADS, UNPACKERS)),  # instructions
    changed_by=np.int64,  # origin of the last issue, load or end of an instruction
    owner_by=np.int64,
    stale_by=np.int64,
    pause_by=np.int64,
    # levels
    matrix_bank=np.int64,
    latency=np.int64,
)


def reset(timing: Record) -> None:
    """Put the state after reset in place; all else is 0."""
    timing.changed_by = timing.owner_by = timing.stale_by = timing.pause_by = NONE
    for unit in timing.units:
        unit.unpacr.sampled = unit.unpacr.last = unit.nop.sampled = NEVER
        unit.fetching = NONE
        unit.finishes = unit.freed = unit.last_request = unit.last_answer = LONG_AGO
        unit.flipped[:] = LONG_AGO


@part
def instruction_at(unit: Record, number: int) -> Record:
    """An instruction by its number."""
    found: Record = unit.instructions[number & (INSTRUCTION_RING - 1)]
    return found


@part
def queued_at(unit: Record, place: int) -> int:
    """Number of an instruction by its place in the order of sampling."""
    number: int = unit.queue[place & (QUEUE_RING - 1)]
    return number


@part
def entry_at(unit: Record, number: int) -> Record:
    """An entry of the beat buffer by its number."""
    found: Record = unit.entries[number & (ENTRY_RING - 1)]
    return found


@part
def is_unpackers(unit: Record, bank: int, cycle: int) -> bool:
    """Whether a bank is the Unpackers' in a cycle (section 4)."""
    is_flipping = unit.flipped[bank] < cycle <= unit.flipped[bank] + WRITE + 1
    return unit.owner[bank] == 0 and not is_flipping
