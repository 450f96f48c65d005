# SPDX-License-Identifier: Apache-2.0
"""What is under way while units have queues: one record beside the machine's own; the units."""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.adc.untimed_state import SHAPE
from tilepath.models.machine.loop import do_item
from tilepath.models.machine.state import L1, Code
from tilepath.models.machine.step import calculate_matrix, memory_of, tell_pack, tell_unpack
from tilepath.models.pack.instruction_walk import L1Lines
from tilepath.models.pack.untimed import gather, scatter
from tilepath.models.unpack.plan import PLAN, Kind
from tilepath.models.unpack.untimed_words import execute_plan, is_early


class Actor(enum.IntEnum):
    """Who can go on, by the names that a schedule has for them."""

    U0 = 0  # unpackers: from L1 as it was read into registers
    U1 = 1
    P = 2  # packers
    M = 3  # the Matrix Unit
    S0 = 4  # stores under way, of each core
    S1 = 5
    S2 = 6
    C = 7  # the config pipeline
    R0 = 8  # unpackers: L1 is read
    R1 = 9
    K0 = 10  # cores
    K1 = 11
    K2 = 12
    G0 = 13  # wait gates
    G1 = 14
    G2 = 15


ACTORS: Final = len(Actor)
UNITS: Final = 4  # actors whose words STALLWAIT can wait for
CONDITIONS: Final = np.array(
    [
        constants.STALL_COND_UNPACK0,
        constants.STALL_COND_UNPACK1,
        constants.STALL_COND_PACK,
        constants.STALL_COND_MATH,
    ]
)
"""The bits of these conditions of STALLWAIT, by unit as ``Actor`` numbers them."""
RINGS: Final = 10  # actors with a queue; of C it has no words
ROWS: Final = 512  # orders of actors that Python draws at once
UNPACKING_ROOM: Final = 16  # words of an unpacker, ``QUEUED`` of docs/unpack.md
PACKING_ROOM: Final = 12
MATRIX_ROOM: Final = 6  # by the letter; here it has one
STORES_ROOM: Final = 16
LINES_ROOM: Final = 4096  # of L1, as they were before they were written
NOT_YET: Final = -1

# A word of an unpacker, as it was sampled
UNPACKING: Final = record(
    plan=PLAN,
    read_faults=np.int64,
    write_faults=np.int64,
    read_at=np.int64,  # lines that were kept when L1 was read; ``NOT_YET``
)
# A word of the packers, and what it samples
PACKING: Final = record(
    word=np.int64,
    thread=np.int64,
    config=(np.uint32, (2, constants.CFG_WORDS)),
    thread_config=(np.uint16, (THREADS, constants.THD_WORDS)),
    live=(np.uint32, SHAPE),
)
MATRIX_WORD: Final = record(word=np.int64, thread=np.int64)
RING: Final = record(head=np.int64, tail=np.int64)  # words that left it, that came
# A write of the config pipeline that units do not see yet
LATE: Final = record(
    first=np.int64,  # word of Config
    count=np.int64,  # 0: there is none
    written=(np.uint32, (2, 4)),
    thread=np.int64,
    marks=(np.int64, THREADS),  # words that each thread had issued
)
QUEUES: Final = record(
    letter=np.int64,  # as the documents allow it; else what this RTL can do
    rings=(RING, RINGS),
    unpacking=(UNPACKING, (2, UNPACKING_ROOM)),
    packing=(PACKING, PACKING_ROOM),
    matrix=(MATRIX_WORD, MATRIX_ROOM),
    stores=(np.int64, (THREADS, STORES_ROOM, 4)),  # items
    late=LATE,
    under_way=(np.int64, (UNITS, THREADS)),
    issued=(np.int64, THREADS),
    marked=np.int64,  # words of unpackers that have read L1 and are still under way
    kept=np.int64,  # lines of L1 that were written since the first of them was read
    kept_lines=(np.int64, LINES_ROOM),
    kept_words=(np.uint32, (LINES_ROOM, 4)),
    # the schedule: actors, the first that can go on does, for so many steps
    orders=(np.uint8, (ROWS, ACTORS)),
    spans=(np.int64, ROWS),
    row=np.int64,
    rows=np.int64,  # 1: for ever
    left=np.int64,
    actor=np.int64,  # who has gone on
)


# --- units: each goes on with its first word, when it is chosen


@part
def count(queues: Record, actor: int) -> int:
    """Words in an actor's queue."""
    ring = queues.rings[actor]
    return ring.tail - ring.head  # type: ignore[no-any-return]


@part
def come(queues: Record, actor: int, thread: int) -> int:
    """A word of a unit issues; returns its number."""
    ring = queues.rings[actor]
    ring.tail += 1
    queues.under_way[actor, thread] += 1
    return ring.tail - 1  # type: ignore[no-any-return]


@part
def _leave(queues: Record, actor: int, thread: int) -> None:
    """The first word of a unit has taken effect."""
    queues.rings[actor].head += 1
    queues.under_way[actor, thread] -= 1


# --- L1 as it was when an unpacker read it


@part
def keep(queues: Record, l1: L1Lines, line: int) -> None:
    """A line of L1 is about to be written."""
    if queues.marked == 0 or line >= l1.shape[0]:
        return
    if queues.kept == LINES_ROOM:  # they read later, which they may as well
        for unit in range(2):
            for number in range(queues.rings[unit].head, queues.rings[unit].tail):
                queues.unpacking[unit, number % UNPACKING_ROOM].read_at = NOT_YET
        queues.kept = queues.marked = 0
        return
    queues.kept_lines[queues.kept] = line
    for n in range(4):
        queues.kept_words[queues.kept, n] = l1[line, n]
    queues.kept += 1


@part
def _swap(queues: Record, l1: L1Lines, number: int) -> None:
    line = queues.kept_lines[number]
    for n in range(4):
        now = l1[line, n]
        l1[line, n] = queues.kept_words[number, n]
        queues.kept_words[number, n] = now


# --- whose turn it may be


@part
def unpack(its: Record, l1: L1, queues: Record, unit: int) -> int:
    """An unpacker goes on with its first word, if the bank is there."""
    ring = queues.rings[unit]
    if ring.head == ring.tail:
        return Code.STILL
    state, one = its.unpack[0], queues.unpacking[unit, ring.head % UNPACKING_ROOM]
    plan = one.plan
    if is_early(state, plan, l1):
        return Code.STILL
    state.result.read_faults, state.result.write_faults = one.read_faults, one.write_faults
    lines, first = memory_of(its, l1).l1, queues.kept
    if one.read_at != NOT_YET:
        first = one.read_at
        queues.marked -= 1
    for number in range(queues.kept - 1, first - 1, -1):
        _swap(queues, lines, number)
    told = execute_plan(state, plan, l1)
    for number in range(first, queues.kept):
        _swap(queues, lines, number)
    if queues.marked == 0:
        queues.kept = 0
    its.work += plan.source.count
    if told:
        tell_unpack(its, plan, plan.thread, plan.word)
    _leave(queues, unit, plan.thread)
    return Code.MOVED


@part
def read_l1(queues: Record, unit: int) -> int:
    """An unpacker reads the L1 of its next word, before or while it waits for a bank."""
    ring, of = queues.rings[Actor.R0 + unit], queues.rings[unit]
    ring.head = max(ring.head, of.head)
    while ring.head < of.tail:
        one = queues.unpacking[unit, ring.head % UNPACKING_ROOM]
        ring.head += 1
        if one.plan.kind == Kind.REGULAR:
            one.read_at = queues.kept
            queues.marked += 1
            return Code.MOVED
    return Code.STILL


@part
def pack(its: Record, l1: L1, queues: Record) -> int:
    """The packers go on with their first word."""
    ring = queues.rings[Actor.P]
    if ring.head == ring.tail:
        return Code.STILL
    one, memory = queues.packing[ring.head % PACKING_ROOM], memory_of(its, l1)
    thread, word, walk = one.thread, one.word, its.walk[0]
    if queues.letter:
        sample_config(its, one)
    gather(its.pack[0], walk, one.config, one.thread_config, one.live, memory, thread, word)
    for number in range(walk.line_count):
        keep(queues, memory.l1, walk.lines[number].line)
    tell_pack(its, scatter(its.pack[0], walk, memory), thread, word)
    _leave(queues, Actor.P, thread)
    return Code.MOVED


@part
def sample_config(its: Record, one: Record) -> None:
    """A word of the packers samples the configuration."""
    state = its.control[0]
    for index in range(constants.CFG_WORDS):
        one.config[0, index] = state.config[0, index]
        one.config[1, index] = state.config[1, index]
    for index in range(constants.THD_WORDS):
        for thread in range(THREADS):
            one.thread_config[thread, index] = state.thread_config[thread, index]


@part
def calculate(its: Record, queues: Record) -> int:
    """The Matrix Unit goes on with its first word."""
    ring = queues.rings[Actor.M]
    if ring.head == ring.tail:
        return Code.STILL
    one = queues.matrix[ring.head % MATRIX_ROOM]
    calculate_matrix(its, one.thread, one.word)
    _leave(queues, Actor.M, one.thread)
    return Code.MOVED


@part
def configure(its: Record, late: Record) -> int:
    """Units see the write that is in the config pipeline."""
    if late.count == 0:
        return Code.STILL
    for bank in range(2):
        for n in range(late.count):
            its.control[0].config[bank, late.first + n] = late.written[bank, n]
    late.count = 0
    return Code.MOVED


@part
def store(its: Record, l1: L1, queues: Record, own: Record, core: int) -> int:
    """A core's store arrives."""
    ring = queues.rings[Actor.S0 + core]
    if ring.head == ring.tail:
        return Code.STILL
    configure(its, queues.late)
    do_item(its, l1, own, queues.stores[core, ring.head % STORES_ROOM], core)
    own.at -= 1  # the core has gone on before
    ring.head += 1
    return Code.MOVED
