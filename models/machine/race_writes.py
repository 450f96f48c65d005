# SPDX-License-Identifier: Apache-2.0
"""Races: configuration and semaphores, whoever writes them, and the config pipeline."""

from __future__ import annotations

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as C
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import wide
from tilepath.models.fields import get
from tilepath.models.machine import race_state as S
from tilepath.models.machine.race_clocks import Clock, occur, touch
from tilepath.models.machine.state import BANK


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
