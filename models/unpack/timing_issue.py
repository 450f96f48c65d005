# SPDX-License-Identifier: Apache-2.0
"""Issue, address phases and the queue (section 3), and the load (section 4)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack.timing_state import (
    NEVER,
    NONE,
    PLACE,
    PLAN,
    QUEUE_RING,
    QUEUED,
    REQUEST,
    UNPACKERS,
    instruction_at,
    queued_at,
)


@part
def is_closed(timing: Record) -> bool:
    """Whether an address phase goes on or an UNPACR waits for one: nothing may be issued."""
    return bool(timing.units[0].unpacr.here or timing.units[1].unpacr.here)


@part
def is_ready(timing: Record, unit: Record, cycle: int) -> bool:
    """``ready`` of an unpacker."""
    is_sampling = unit.nop.here != 0 and unit.nop.sampled == cycle
    queued = unit.sampled - unit.loaded + (1 if is_sampling else 0)
    return queued < QUEUED and not is_closed(timing)


@part
def holds(timing: Record) -> int:
    """``hold`` of the three threads."""
    held = 0
    for number in range(UNPACKERS):
        unpacr = timing.units[number].unpacr
        if unpacr.here:
            held |= 1 << unpacr.thread
    return held


@part
def issue(issued: Record, thread: int, word: int, origin: int) -> None:
    """A word issues; when it is sampled is still to be said."""
    issued.here = 1
    issued.thread, issued.word, issued.origin = thread, word, origin


@part
def begin_phase(timing: Record, cycle: int) -> None:
    """Give the address unit to one of the UNPACRs that issued in ``cycle``, if any."""
    unpacr0, unpacr1 = timing.units[0].unpacr, timing.units[1].unpacr
    if unpacr0.here and unpacr1.here:
        first = timing.turn
        timing.turn = 1 - first
    else:
        first = 0 if unpacr0.here else 1
    unpacr = timing.units[first].unpacr
    if unpacr.here:
        unpacr.sampled = cycle + 1


@part
def follow_sample(timing: Record, number: int, cycle: int, long_phase: bool) -> None:
    """An UNPACR has been sampled in ``cycle``: when its phase ends, and the other's begins."""
    unpacr, other = timing.units[number].unpacr, timing.units[1 - number].unpacr
    unpacr.last = cycle + 2 if long_phase else cycle
    if other.here:
        other.sampled = unpacr.last + 2


@part
def end_phase(unit: Record) -> None:
    """End a phase, behind its last cycle."""
    unit.unpacr.here = 0
    unit.unpacr.sampled = unit.unpacr.last = NEVER


@part
def enqueue(unit: Record, issued: Record, kind: int, cycle: int) -> Record:
    """The instruction sampled in ``cycle``, queued from the next one on."""
    if unit.sampled:
        instruction_at(unit, queued_at(unit, unit.sampled - 1)).follows = kind
    instruction = instruction_at(unit, unit.next_number)
    unit.queue[unit.sampled & (QUEUE_RING - 1)] = unit.next_number
    unit.sampled += 1
    instruction.here = 1
    while instruction_at(unit, unit.next_number).here:
        unit.next_number += 1
    instruction.follows = NONE
    instruction.thread, instruction.origin = issued.thread, issued.origin
    instruction.planned = instruction.loadable = cycle + PLAN
    instruction.compressed = instruction.bounded = 0
    instruction.flips = instruction.awaits = 0
    return instruction


@part
def await_rsi(instruction: Record) -> None:
    """A compressed instruction cannot be loaded before its RSI entries have come."""
    instruction.compressed = 1
    instruction.loadable = NEVER


@part
def rsi_at_port(unit: Record, cycle: int) -> int:
    """The instruction whose RSI request is at the port in this cycle, or NONE.

    It is decided as soon as the instruction is planned: that of the compressed one before it is
    decided earlier, since that was sampled earlier.
    """
    while unit.rsi_due < unit.sampled:
        number = queued_at(unit, unit.rsi_due)
        instruction = instruction_at(unit, number)
        if instruction.compressed:
            if instruction.planned + REQUEST != cycle:
                return NONE
            unit.rsi_due += 1
            return number
        unit.rsi_due += 1
    return NONE


@part
def rsi_answered(instruction: Record, answer: int) -> None:
    """The RSI entries come in cycle ``answer``."""
    instruction.loadable = answer + PLACE


@part
def load(unit: Record, cycle: int) -> int:
    """The instruction that moves to the fetch stage in this cycle, or NONE."""
    if unit.fetching != NONE or unit.loaded == unit.sampled:
        return NONE
    number = queued_at(unit, unit.loaded)
    if instruction_at(unit, number).loadable > cycle:
        return NONE
    unit.loaded += 1
    unit.fetching = number
    unit.works_from = cycle + 1
    return number
