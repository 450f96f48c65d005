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
from tilepath.models.machine import race_state as S

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
