# SPDX-License-Identifier: Apache-2.0
"""Fetch stage and L1: beats, tokens, requests, answers (section 4)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack.timing_state import (
    BEATS,
    FRONT,
    NEVER,
    NONE,
    REQUEST,
    Work,
    entry_at,
    instruction_at,
    queued_at,
)


@part
def lines_wanted(unit: Record, cycle: int) -> int:
    """Lines for which an unpacker decides in this cycle, if it has all to itself; or 0."""
    if unit.fetching == NONE or cycle < unit.works_from:
        return 0
    instruction = instruction_at(unit, unit.fetching)
    if instruction.work != Work.BEATS:
        return 0
    most = 0 if instruction.bounded else BEATS - 1
    return instruction.want if unit.used <= most else 0


@part
def grant(want: int, other: int) -> int:
    """Lines that an unpacker gets which wants ``want``, while the other one wants ``other``."""
    return want if other <= 1 or want == 1 else want // 2


@part
def _put(unit: Record, is_token: bool) -> Record:
    """An entry more, in use from the next cycle on."""
    entry = entry_at(unit, unit.tail)
    unit.tail += 1
    unit.added = 1
    entry.instruction = unit.fetching
    entry.is_token = is_token
    return entry


@part
def decide_beat(unit: Record, cycle: int, is_last: bool) -> None:
    """A beat has been decided for; ``is_last``: it has the instruction's last datum."""
    entry = _put(unit, False)
    entry.requested = cycle + REQUEST
    entry.first_step = NEVER
    unit.last_request = cycle + REQUEST
    if is_last:
        unit.fetching = NONE


@part
def does_token(unit: Record, cycle: int) -> bool:
    """Puts a token into the buffer if there is to be one and room."""
    if unit.fetching == NONE or cycle < unit.works_from or unit.used >= BEATS:
        return False
    if instruction_at(unit, unit.fetching).work != Work.TOKEN:
        return False
    entry = _put(unit, True)
    entry.requested = NEVER
    entry.first_step = cycle + REQUEST + FRONT
    unit.fetching = NONE
    return True


@part
def is_outstanding(unit: Record, cycle: int) -> bool:
    """Whether a request of the unpacker is outstanding."""
    if unit.last_request > cycle or unit.last_answer >= cycle:
        return True
    if unit.rsi_due == unit.sampled:
        return False
    due = instruction_at(unit, queued_at(unit, unit.rsi_due))
    return bool(due.compressed and due.planned < cycle)


@part
def does_effect(unit: Record, cycle: int) -> int:
    """The OverlayClear or SETREG that has its effect in this cycle, or NONE; a Nop is over too."""
    if unit.fetching == NONE or cycle < unit.works_from:
        return NONE
    number = unit.fetching
    work = instruction_at(unit, number).work
    if work == Work.NOTHING or (work == Work.EFFECT and not is_outstanding(unit, cycle)):
        unit.fetching = NONE
        return number  # type: ignore[no-any-return]
    return NONE


@part
def beat_at_port(unit: Record, cycle: int) -> int:
    """Number of the entry whose request is at the port in this cycle, or NONE."""
    while unit.at_port < unit.tail:
        entry = entry_at(unit, unit.at_port)
        if entry.is_token == 0:
            if entry.requested != cycle:
                return NONE
            number: int = unit.at_port
            unit.at_port += 1
            return number
        unit.at_port += 1
    return NONE


@part
def answer(unit: Record, latency: int, cycle: int) -> int:
    """Cycle in which the request of this cycle is answered."""
    answered: int = max(cycle + max(latency, 1), unit.last_answer + 1)
    unit.last_answer = answered
    return answered


@part
def beat_answered(entry: Record, answered: int) -> None:
    """The lines of a beat come in cycle ``answered``."""
    entry.first_step = answered + FRONT


@part
def settle(unit: Record, cycle: int) -> None:
    """The end of a cycle: entries in use."""
    freed = 1 if unit.freed == cycle else 0
    unit.used += unit.added - freed
    unit.added = 0
