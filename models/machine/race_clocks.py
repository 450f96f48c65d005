# SPDX-License-Identifier: Apache-2.0
"""Vector clocks: what each actor knows of the others, and accesses that nothing orders.

An access is after another one if its actor's clock has reached the epoch of that one. Waits join
clocks: with that of the event that they cannot be over without, however late the run has them end.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as C
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import wide
from tilepath.models.fields import get
from tilepath.models.machine import race_state as S
from tilepath.models.machine.state import BANK

Clock = npt.NDArray[np.int64]
_BITS: Final = 5  # of an actor in a stamp
ALL_BITS: Final = 0xFFFFFFFF


@compiled
def join(into: Clock, of: Clock) -> None:
    """What ``of`` knows, ``into`` knows, too."""
    for n in range(S.CLOCKS):
        into[n] = max(into[n], of[n])


@part
def copy(into: Clock, of: Clock) -> None:
    """``into`` knows what ``of`` does, and nothing else."""
    for n in range(S.CLOCKS):
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
    told = tracks.told[(31 * first + second) & (S.FOUND_ROOM - 1)]
    if told[0] == first and told[1] == second:
        return
    told[0], told[1] = first, second
    if tracks.found_count < S.FOUND_ROOM:
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
    for n in range(S.CELL_SLOTS):
        if n > 0 and stamps[n] == 0:
            at = at if at else n
            continue
        meets = place >= S.GPR or (tracks.masks[place, n] & mask) != 0
        if not _is_before(stamps[n], clock, actor):
            if stamps[n] and meets and (writes or n == 0):
                _meet(tracks, place, stamps[n], idents[n], actor, ident)
        elif n > 0 and not (writes or (place < S.GPR and not meets)):
            at = n
        if n > 0 and writes and meets:
            stamps[n] = 0
    if writes:
        at = 0
    elif at == 0:
        at = 1
    stamps[at], idents[at] = own, ident
    if place < S.GPR:
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
    slot = events.happened % S.RING
    clock = events.clocks[slot]
    if events.happened:
        copy(clock, events.clocks[(events.happened - 1) % S.RING])
    join(clock, tracks.clocks[actor])
    events.actors[slot], events.epochs[slot] = by, epoch
    events.happened += 1


@part
def _known(events: Record, clock: Clock) -> int:
    """How many of the events are before a clock."""
    number: int = events.happened
    oldest = max(number - S.RING, 0)
    while number > oldest:
        slot = (number - 1) % S.RING
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
    if count > max(events.happened - S.RING, 0):
        join(clock, events.clocks[(count - 1) % S.RING])


@compiled
def wait_for(tracks: Record, number: int, is_low: int, value: int, clock: Clock) -> None:
    """Who has seen a value of ``value`` or more, or less, knows of the event which that takes."""
    others, start = tracks.events[number, 1 - is_low], tracks.start[number]
    count = _known(others, clock)
    count += start - value if is_low else value - start
    events = tracks.events[number, is_low]
    count = min(count, events.happened)
    if count > max(events.happened - S.RING, 0):
        join(clock, events.clocks[(count - 1) % S.RING])


# --- configuration and semaphores, whoever writes them, and the config pipeline


@part
def learn_late(tracks: Record, clock: Clock, known: Clock) -> None:
    """Writes of the config pipeline whose words are known are done."""
    for thread in range(THREADS):
        if known[S.GATES + thread] >= tracks.late[thread]:
            done = tracks.clocks[S.LATE + thread, S.LATE + thread]
            clock[S.LATE + thread] = max(clock[S.LATE + thread], done)


@part
def store(
    its: Record, tracks: Record, cells: Records, actor: int, thread: int, bank: int, index: int
) -> None:
    """A word of Config, of a bank or both (2); of bank 3 ThreadConfig."""
    state = its.control[0]
    if bank == 3:
        new, was = wide(state.thread_config[thread, index]), tracks.thread_config[thread]
        place = S.THREAD_CONFIG + C.THD_WORDS * thread + index
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
    for number in range(S.BANKS):
        if (get(word, F.SEM_MASK) >> number) & 1 == 0:
            continue
        semaphore, was = its.control[0].semaphores[number], tracks.semaphores[number]
        value, maximum = wide(semaphore.value), wide(semaphore.maximum)
        touch(tracks, cells, S.SEMAPHORE + number, actor, kind == Kind.SEMINIT and was[0] != value)
        if kind == Kind.SEMINIT:
            if was[1] not in (0, maximum):  # below none nothing goes on
                touch(tracks, cells, S.MAXIMUM + number, actor, True)
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
            actor, index = S.LATE + tracks.late_thread, tracks.late_first + n
            _write_config(tracks, cells, actor, bank, index, tracks.late_words[bank, n])
    tracks.late_count = 0
