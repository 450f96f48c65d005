# SPDX-License-Identifier: Apache-2.0
"""Vector clocks: what each actor knows of the others, and accesses that nothing orders.

An actor here is a unit with the words of one thread, as nothing orders words of two threads in it;
a core, its stores under way, a gate, the config pipeline and the reads of L1 ahead, likewise.

An access is after another one if its actor's clock has reached the epoch of that one. Waits join
clocks: with that of the event that they cannot be over without, however late the run has them end.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa import constants as C
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import wide
from tilepath.models.fields import get
from tilepath.models.machine.state import BANK

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
    config=(np.int64, (2, C.CFG_WORDS)),
    thread_config=(np.int64, (THREADS, C.THD_WORDS)),
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


# --- clocks

Clock = npt.NDArray[np.int64]
_BITS: Final = 5  # of an actor in a stamp
ALL_BITS: Final = 0xFFFFFFFF


@compiled
def join(into: Clock, of: Clock) -> None:
    """What ``of`` knows, ``into`` knows, too."""
    for n in range(CLOCKS):
        into[n] = max(into[n], of[n])


@part
def copy(into: Clock, of: Clock) -> None:
    """``into`` knows what ``of`` does, and nothing else."""
    for n in range(CLOCKS):
        into[n] = of[n]


@part
def begin(tracks: Record, actor: int, ident: int) -> None:
    """An actor does the next thing."""
    tracks.clocks[actor, actor] += 1
    tracks.idents[actor] = ident


# --- accesses


@part
def _meet(tracks: Record, place: int, stamp: int, first: int, actor: int, second: int) -> None:
    """Two accesses that nothing orders are told, once."""
    told = tracks.told[(31 * first + second) & (FOUND_ROOM - 1)]
    if told[0] == first and told[1] == second:
        return
    told[0], told[1] = first, second
    if tracks.found_count < FOUND_ROOM:
        row = tracks.found[tracks.found_count]
        row[0], row[1], row[2], row[3], row[4] = place, stamp & 31, first, actor, second
    tracks.found_count += 1


@part
def _is_before(stamp: int, clock: Clock, actor: int) -> bool:
    return (stamp & 31) == actor or clock[stamp & 31] >= stamp >> _BITS


@compiled
def touch_by(
    tracks: Record,
    cell: Record,
    place: int,
    actor: int,
    clock: Clock,
    ident: int,
    writes: bool,
    mask: int,
) -> None:
    """An actor that knows ``clock`` reads or writes a place, of configuration these bits."""
    stamps, idents = cell.stamps, cell.idents
    own, at = tracks.clocks[actor, actor] << _BITS | actor, 0
    for n in range(CELL_SLOTS):
        if n > 0 and stamps[n] == 0:
            at = at if at else n
            continue
        meets = place >= GPR or (tracks.masks[place, n] & mask) != 0
        if not _is_before(stamps[n], clock, actor):
            if stamps[n] and meets and (writes or n == 0):
                _meet(tracks, place, stamps[n], idents[n], actor, ident)
        elif n > 0 and not (writes or (place < GPR and not meets)):
            at = n
        if n > 0 and writes and meets:
            stamps[n] = 0
    if writes:
        at = 0
    elif at == 0:
        at = 1
    stamps[at], idents[at] = own, ident
    if place < GPR:
        tracks.masks[place, at] = mask


@part
def touch(
    tracks: Record, cells: Records, place: int, actor: int, writes: bool, mask: int = ALL_BITS
) -> None:
    """An actor reads or writes a place; of L1 there may be none."""
    if place < len(cells):
        clock, ident = tracks.clocks[actor], tracks.idents[actor]
        touch_by(tracks, cells[place], place, actor, clock, ident, writes, mask)


# --- events that are counted: of an object two kinds, of which one makes a value higher


@compiled
def happen(tracks: Record, number: int, lowers: int, actor: int, by: int, epoch: int) -> None:
    """A value becomes higher, or lower; who knows ``epoch`` of ``by`` knows of it."""
    events = tracks.events[number, lowers]
    slot = events.happened % RING
    clock = events.clocks[slot]
    if events.happened:
        copy(clock, events.clocks[(events.happened - 1) % RING])
    join(clock, tracks.clocks[actor])
    events.actors[slot], events.epochs[slot] = by, epoch
    events.happened += 1


@part
def _known(events: Record, clock: Clock) -> int:
    """How many of the events are before a clock."""
    number: int = events.happened
    oldest = max(number - RING, 0)
    while number > oldest:
        slot = (number - 1) % RING
        if clock[events.actors[slot]] >= events.epochs[slot]:
            break
        number -= 1
    return number


@part
def occur(tracks: Record, number: int, lowers: int, actor: int) -> None:
    """The same, for who knows the actor now."""
    happen(tracks, number, lowers, actor, actor, tracks.clocks[actor, actor])


@compiled
def learn(tracks: Record, number: int, lowers: int, clock: Clock) -> None:
    """Who knows of events knows what they did."""
    events = tracks.events[number, lowers]
    count = _known(events, clock)
    if count > max(events.happened - RING, 0):
        join(clock, events.clocks[(count - 1) % RING])


@compiled
def wait_for(tracks: Record, number: int, is_low: int, value: int, clock: Clock) -> None:
    """Who has seen a value of ``value`` or more, or less, knows of the event which that takes."""
    others, start = tracks.events[number, 1 - is_low], tracks.start[number]
    count = _known(others, clock)
    count += start - value if is_low else value - start
    events = tracks.events[number, is_low]
    count = min(count, events.happened)
    if count > max(events.happened - RING, 0):
        join(clock, events.clocks[(count - 1) % RING])


# --- configuration and semaphores, whoever writes them, and the config pipeline


@part
def learn_late(tracks: Record, clock: Clock, known: Clock) -> None:
    """Writes of the config pipeline whose words are known are done."""
    for thread in range(THREADS):
        if known[GATES + thread] >= tracks.late[thread]:
            done = tracks.clocks[LATE + thread, LATE + thread]
            clock[LATE + thread] = max(clock[LATE + thread], done)


@part
def store(
    its: Record, tracks: Record, cells: Records, actor: int, thread: int, bank: int, index: int
) -> None:
    """A word of Config, of a bank or both (2); of bank 3 ThreadConfig."""
    state = its.control[0]
    if bank == 3:
        new, was = wide(state.thread_config[thread, index]), tracks.thread_config[thread]
        place = THREAD_CONFIG + C.THD_WORDS * thread + index
        _write(tracks, cells, place, actor, was, index, new)
        return
    for at in range(2):
        if at == bank or bank == 2 or index >= C.CFG_GLOBAL_BASE:
            _write_config(tracks, cells, actor, at, index, wide(state.config[at, index]))


@part
def _write_config(
    tracks: Record, cells: Records, actor: int, bank: int, index: int, new: int
) -> None:
    place = index if index >= C.CFG_GLOBAL_BASE else BANK * bank + index
    _write(tracks, cells, place, actor, tracks.config[bank], index, new)


@compiled
def _write(
    tracks: Record, cells: Records, place: int, actor: int, was: Clock, index: int, new: int
) -> None:
    """Bits of a word of configuration are others; if none is, that is no write."""
    changed = was[index] ^ new
    if changed:
        touch(tracks, cells, place, actor, True, changed)
    was[index] = new


@part
def change(its: Record, tracks: Record, cells: Records, actor: int, kind: int, word: int) -> None:
    """SEMINIT, SEMPOST, SEMGET."""
    for number in range(BANKS):
        if (get(word, F.SEM_MASK) >> number) & 1 == 0:
            continue
        semaphore, was = its.control[0].semaphores[number], tracks.semaphores[number]
        value, maximum = wide(semaphore.value), wide(semaphore.maximum)
        touch(tracks, cells, SEMAPHORE + number, actor, kind == Kind.SEMINIT and was[0] != value)
        if kind == Kind.SEMINIT:
            if was[1] not in (0, maximum):  # below none nothing goes on
                touch(tracks, cells, MAXIMUM + number, actor, True)
            tracks.start[number] = value
            for lowers in range(2):
                tracks.events[number, lowers].happened = 0
        elif was[0] != value:
            occur(tracks, number, 1 if kind == Kind.SEMGET else 0, actor)
        was[0], was[1] = value, maximum


@compiled
def end_late(tracks: Record, cells: Records) -> None:
    """Units see what was in the config pipeline."""
    for n in range(tracks.late_count):
        for bank in range(2):
            actor, index = LATE + tracks.late_thread, tracks.late_first + n
            _write_config(tracks, cells, actor, bank, index, tracks.late_words[bank, n])
    tracks.late_count = 0
