# SPDX-License-Identifier: Apache-2.0
"""Timing: streams put together from several sources: qstatus over the threads, status, faults."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.compiled_io import put, put_level
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.frontend.timing_output import BLOCK_CYCLES
from tilepath.models.frontend.timing_state import COUNTER_BITS, COUNTERS, NEVER

# Bit 0 of each occupancy counter, and the five bits below its highest
_ONES: Final = sum(1 << (COUNTER_BITS * place) for place in range(COUNTERS))
_BELOW: Final = 31 * _ONES

# What qstatus shows, and the levels it is made of
LEVELS: Final = record(
    counters=(np.int64, THREADS),  # occupancy counters of the threads
    sfpu_cc=np.int64,
    # Change of ``sfpu_cc`` in qstatus of each cycle of the block and of the two behind it
    sfpu_cc_changes=(np.int64, BLOCK_CYCLES + 2),
    shown=(np.int64, THREADS),  # qstatus as recorded last
)
# States that the stream ``status`` showed last
STATUS: Final = record(mop_state=np.uint32, replay_state=np.uint32)


@part
def _bits(counters: int) -> int:
    """Bits 0 to 10 of qstatus for one thread's occupancy counters: which are not zero."""
    # A counter is not zero when its highest bit is set, or adding 31 to the rest sets it.
    some = ((((counters & _BELOW) + _BELOW) | counters) >> 5) & _ONES
    bits = (some & 1) | ((counters >> 59) & 2)
    for place in range(1, COUNTERS):
        bits |= ((some >> (COUNTER_BITS * place)) & 1) << (place + 1)
    return bits


@part
def _show(levels: Record, output: Record, cycle: int, thread: int, value: int) -> None:
    """Record qstatus of one thread, if it changed. No single word is the origin."""
    if value != levels.shown[thread]:
        levels.shown[thread] = value
        put_level(output.qstatus, cycle, value, NOT_KNOWN)


@compiled
def qstatus(all_levels: Records, outputs: Records, until: int) -> None:
    """Records of ``qstatus`` (F22) up to cycle ``until - 1``, for the three threads."""
    levels = all_levels[0]
    first = outputs[0].first
    changes0, changes1 = outputs[0].occupancy, outputs[1].occupancy
    changes2, sfpu_cc_changes = outputs[2].occupancy, levels.sfpu_cc_changes
    for place in range(until - first):
        if (changes0[place] | changes1[place] | changes2[place] | sfpu_cc_changes[place]) == 0:
            continue
        levels.counters[0] += changes0[place]
        levels.counters[1] += changes1[place]
        levels.counters[2] += changes2[place]
        levels.sfpu_cc += sfpu_cc_changes[place]
        bits0 = _bits(levels.counters[0])
        bits1 = _bits(levels.counters[1])
        bits2 = _bits(levels.counters[2])
        common = ((bits0 | bits1 | bits2) << 13) | (levels.sfpu_cc << 11) | (levels.sfpu_cc << 24)
        _show(levels, outputs[0], first + place, 0, common | bits0)
        _show(levels, outputs[1], first + place, 1, common | bits1)
        _show(levels, outputs[2], first + place, 2, common | bits2)


@compiled
def status(shown: Records, outputs: Records) -> None:
    """Merge the changes of both states in one output: each is in the order of cycles.

    When both change in one cycle, the record names the MOP.
    """
    states, output = shown[0], outputs[0]
    mops, replays, merged = output.mop_state, output.replay_state, output.status
    mop, replay = 0, 0
    while mop < mops.count or replay < replays.count:
        mop_cycle = mops.rows[mop].cycle if mop < mops.count else NEVER
        replay_cycle = replays.rows[replay].cycle if replay < replays.count else NEVER
        row = put(merged, min(mop_cycle, replay_cycle), NOT_KNOWN)
        if replay_cycle <= mop_cycle:
            states.replay_state = replays.rows[replay].value
            row.origin = replays.rows[replay].origin
            replay += 1
        if mop_cycle <= replay_cycle:
            states.mop_state = mops.rows[mop].value
            row.origin = mops.rows[mop].origin
            mop += 1
        row.mop_state = states.mop_state
        row.replay_state = states.replay_state


@part
def _pulse_cycle(pulses: Record, number: int) -> int:
    """Cycle of a pulse; ``NEVER`` behind the last."""
    return pulses.rows[number].cycle if number < pulses.count else NEVER


@compiled
def faults(outputs: Records) -> None:
    """Merge the pulses of the three faults in one output: each is in the order of cycles.

    The record of several in one cycle names the illegal word, else the lost one, else the MOP.
    """
    output = outputs[0]
    merged = output.fault
    illegal, collision, race = 0, 0, 0
    while True:
        illegal_cycle = _pulse_cycle(output.illegal, illegal)
        collision_cycle = _pulse_cycle(output.collision, collision)
        race_cycle = _pulse_cycle(output.mopcfg_race, race)
        cycle = min(illegal_cycle, collision_cycle, race_cycle)
        if cycle == NEVER:
            return
        row = put(merged, cycle, NOT_KNOWN)
        row.illegal = illegal_cycle == cycle
        row.collision = collision_cycle == cycle
        row.mopcfg_race = race_cycle == cycle
        if race_cycle == cycle:
            row.origin = output.mopcfg_race.rows[race].origin
            race += 1
        if collision_cycle == cycle:
            row.origin = output.collision.rows[collision].origin
            collision += 1
        if illegal_cycle == cycle:
            row.origin = output.illegal.rows[illegal].origin
            illegal += 1
