# SPDX-License-Identifier: Apache-2.0
"""One walk over the cycles of a block: what counts commands with what they meet and find."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.models.jit import kernel, part
from tilepath.tb.adc.coverage import commands, conflicts, counters, levels
from tilepath.tb.adc.coverage.commands import Commands
from tilepath.tb.adc.coverage.counters import Memory
from tilepath.tb.adc.coverage.layout import FIRST_THREAD, I64, N_PLACES, THREADS, WRITERS, i64
from tilepath.tb.kernel.coverage.recorded import Rows

_W: Final = len(WRITERS)


class Inputs(NamedTuple):
    """Records of a block; ``levels`` as rows, by place."""

    issue: tuple[Any, ...]
    unpack: Any
    pack: Any
    flop: Any
    conflict: Any
    levels: tuple[Rows, ...]


class State(NamedTuple):
    """What is carried from cycle to cycle.

    ``now``: the commands of the cycle. ``memory``: what touched the counters. ``values``: what they
    are, as in ``levels``. ``tops``: the largest values, by dimension. ``next``: how many records
    were seen of the writers, then of the places, then of ``conflict``. ``once`` and ``twice``:
    counters that one command of the cycle touches, and several, one bit each, by place.
    """

    now: Commands
    memory: Memory
    values: I64
    tops: I64
    next: I64
    once: I64
    twice: I64

    @classmethod
    def after_reset(cls, tops: I64) -> State:
        """Before the first cycle."""
        return cls(
            Commands.none(),
            Memory.after_reset(),
            levels.after_reset(),
            tops,
            np.zeros(_W + N_PLACES + 1, np.int64),
            np.zeros(N_PLACES, np.int64),
            np.zeros(N_PLACES, np.int64),
        )


@part
def _take_levels(inputs: Inputs, place: int, until: int, state: State, by_counter: I64) -> None:
    """Bring the values of a place up to those that commands of cycle ``until`` find."""
    rows, at = inputs.levels[place], state.next[_W + place]
    while at < len(rows) and rows[at, 0] <= until:
        counters.count_values(rows[at], state.values[place], place, state.tops, by_counter)
        at += 1
    state.next[_W + place] = at


@part
def _take_commands(inputs: Inputs, cycle: int, state: State) -> int:
    """Commands of this cycle; their writers, one bit each."""
    now, at = state.now, state.next
    now.kind[:] = -1
    if at[0] < len(inputs.unpack) and inputs.unpack[at[0]].cycle == cycle:
        commands.of_unpack(inputs.unpack[at[0]], now)
        at[0] += 1
    if at[1] < len(inputs.pack) and inputs.pack[at[1]].cycle == cycle:
        commands.of_pack(inputs.pack[at[1]], now)
        at[1] += 1
    if at[2] < len(inputs.flop) and inputs.flop[at[2]].cycle == cycle:
        commands.of_flop(inputs.flop[at[2]], now)
        at[2] += 1
    for thread in range(len(THREADS)):
        issue, n = inputs.issue[thread], at[FIRST_THREAD + thread]
        if n < len(issue) and issue[n].cycle == cycle:
            commands.of_word(i64(issue[n].word), thread, now)
            at[FIRST_THREAD + thread] += 1
    writers = 0
    for w in range(_W):
        writers |= (1 if now.kind[w] >= 0 else 0) << w
    return writers


@part
def share(now: Commands, once: I64, twice: I64) -> None:
    """Find the counters that one command of the cycle touches, and several: bits by place."""
    once[:] = 0
    twice[:] = 0
    for w in range(_W):
        if now.kind[w] >= 0:
            places = conflicts.product(now.sets[w], now.targets[w])
            for place in range(N_PLACES):
                if places >> place & 1:
                    twice[place] |= once[place] & now.touched[w]
                    once[place] |= now.touched[w]


@part
def _meet(where: int, state: State, by_cycle: I64) -> None:
    """Count the counters in conflict."""
    for place in range(N_PLACES):
        if where >> place & 1 and state.twice[place]:
            for number in range(8):
                if state.twice[place] >> number & 1:
                    conflicts.count_meeting(place, number, state.now, by_cycle)


@part
def _touch(inputs: Inputs, w: int, cycle: int, alone: bool, state: State, by_counter: I64) -> None:
    """Count the command of a writer at each counter that it touches.

    ``alone``: it is the only one in this cycle, and ``state.twice`` does not count.
    """
    now = state.now
    places = conflicts.product(now.sets[w], now.targets[w])
    for place in range(N_PLACES):
        if not places >> place & 1:
            continue
        _take_levels(inputs, place, cycle, state, by_counter)
        values = state.values[place]
        shared = 0 if alone else state.twice[place]
        for number in range(8):
            if now.touched[w] >> number & 1:
                counter = 8 * place + number
                counters.count_order(counter, w, cycle, now, state.memory, by_counter)
                if not shared >> number & 1:
                    counters.count_sums(counter, w, now, values, state.tops, by_counter)


@kernel
def walk(
    inputs: Inputs, start: int, end: int, state: State, by_counter: I64, by_cycle: I64
) -> None:
    """Count commands, conflicts and values in cycles ``start`` ≤ c < ``end``."""
    now = state.now
    state.next[:] = 0
    for cycle in range(start, end):
        at = state.next[_W + N_PLACES]
        where = 0
        if at < len(inputs.conflict) and inputs.conflict[at].cycle == cycle:
            where = i64(inputs.conflict[at].where)
            conflicts.count_flags(where, by_cycle)
            state.next[_W + N_PLACES] += 1
        writers = _take_commands(inputs, cycle, state)
        if writers == 0:
            continue
        conflicts.count_busy(writers, by_cycle)
        alone = writers & (writers - 1) == 0
        if not alone:
            conflicts.count_pairs(writers, now, where, by_cycle)
            share(now, state.once, state.twice)
            _meet(where, state, by_cycle)
        for w in range(_W):
            if writers >> w & 1 and now.touched[w]:
                _touch(inputs, w, cycle, alone, state, by_counter)
    for place in range(N_PLACES):
        _take_levels(inputs, place, end, state, by_counter)
