# SPDX-License-Identifier: Apache-2.0
"""Timing: from issue to departure, and who is busy (sections 4 and 10)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.pack import PACKERS, THREADS
from tilepath.models.pack.timing_state import (
    ADDRESS,
    LINE,
    PLANS,
    UNDER_WAY,
    instruction,
    issue_at,
    set_path,
    sums_in_flight,
    under_way,
)


@part
def is_ready(timing: Record) -> bool:
    """Sampling stage and plan queue have room."""
    held: int = timing.issued - timing.departed
    return held < PLANS


@part
def issue(timing: Record, cycle: int, thread: int, word: int, packers: int, origin: int) -> None:
    """A word is issued for these packers; it is sampled in the next cycle."""
    new = issue_at(timing, timing.issued)
    timing.issued += 1
    new.cycle = cycle
    new.thread = thread
    new.word = word
    new.origin = origin
    new.packers = packers
    new.faults = new.writes = 0
    timing.busy |= packers << (PACKERS * thread)


@part
def has_drained(packer: Record, cycle: int) -> bool:
    """What a change of the mode waits for, in one packer.

    What has entered the line pipeline leaves it six cycles later, if no line came of it, too.
    """
    return (
        packer.steps_taken == packer.steps_made
        and packer.first_instruction == packer.instructions_end
        and not packer.closes
        and packer.elements < packer.path.unit
        and packer.lines_in_flight == 0
        and packer.worked + LINE <= cycle
        and sums_in_flight(packer) == 0
    )


@part
def drained(timing: Record, cycle: int) -> int:
    """Bit mask of the packers that have drained, as registered."""
    mask = 0
    for number in range(timing.packer_count):
        if has_drained(timing.packers[number], cycle):
            mask |= 1 << number
    return mask


@part
def waited_for(timing: Record) -> int:
    """Bit mask of the packers of instructions in sampling stage and plan queue."""
    mask = 0
    for number in range(timing.departed, timing.issued):
        mask |= issue_at(timing, number).packers
    return mask


@part
def become_quiet(timing: Record, empty: int) -> None:
    """Packers that are quiet are not busy from the next cycle on; ``empty``: have drained."""
    quiet = empty & ~waited_for(timing)
    for thread in range(THREADS):
        timing.busy &= ~(quiet << (PACKERS * thread))


@part
def departs(timing: Record, cycle: int, empty: int) -> bool:
    """Whether the head of the plan queue departs; ``empty``: packers that have drained."""
    if timing.departed == timing.issued:
        return False
    head = issue_at(timing, timing.departed)
    if cycle < head.cycle + 2:
        return False
    if head.is_load:
        return True
    all_empty: bool = empty == (1 << timing.packer_count) - 1
    if not head.is_pacr:
        return all_empty
    for number in range(timing.packer_count):
        if (head.packers >> number) & 1 and under_way(timing.packers[number]) >= UNDER_WAY:
            return False
    return head.mode == timing.mode or all_empty


@part
def depart(timing: Record, cycle: int) -> Record:
    """The head of the plan queue departs; its effect is eight cycles later."""
    head = issue_at(timing, timing.departed)
    timing.departed += 1
    head.effect = cycle + ADDRESS
    if head.is_pacr:
        timing.mode = head.mode
    return head


@part
def enqueue(packer: Record, head: Record, source: int, is_empty: bool, closes: int) -> None:
    """What has departed goes into the queue of a packer, where it is seen with its effect."""
    new = instruction(packer, packer.instructions_end)
    packer.instructions_end += 1
    new.effect = head.effect
    new.origin = head.origin
    new.is_pacr = head.is_pacr
    new.source = source
    new.is_empty = is_empty
    new.closes = closes


@part
def change_path(packer: Record, to: int, wide: int, compress: int, accumulates: int) -> None:
    """The mode changes: with another TO or compress a partial line of groups is discarded."""
    if to != packer.path.to or compress != packer.path.compresses:
        packer.groups = 0
    set_path(packer, to, wide, compress, accumulates)


@part
def has_effect(timing: Record, cycle: int) -> bool:
    """Whether an instruction has its effect in this cycle."""
    if timing.effective == timing.departed:
        return False
    return issue_at(timing, timing.effective).effect == cycle  # type: ignore[no-any-return]
