# SPDX-License-Identifier: Apache-2.0
"""What holds the instructions in the unpackers, in words: for a run that stands still."""

from __future__ import annotations

from typing import Any

from tilepath import isa
from tilepath.models.unpack.cycle_state import Model, plan_at
from tilepath.models.unpack.timing_fetch import is_outstanding
from tilepath.models.unpack.timing_state import (
    BEATS,
    NEVER,
    NONE,
    QUEUED,
    UNPACKERS,
    Awaits,
    Work,
    entry_at,
    instruction_at,
    is_unpackers,
    queued_at,
)

_SOURCES = ("SrcA", "SrcB")


def _word(model: Model, number: int, instruction: int) -> str:
    plan: Any = plan_at(model.values[0].units[number], instruction)
    return f"{isa.named_word(int(plan.word))} of thread {int(plan.thread)}"


def _address(issued: Any, cycle: int) -> str:
    what = f"{isa.named_word(int(issued.word))} of thread {int(issued.thread)}"
    if issued.sampled > cycle:
        return f"{what}: waits for its address phase"
    if issued.last == NEVER:
        return f"{what}: is being sampled"
    return f"{what}: in its address phase until cycle {int(issued.last)}"


def _head(model: Model, number: int, cycle: int) -> str:
    """The entry at the head of the buffer."""
    unit: Any = model.timing[0].units[number]
    entry = entry_at(unit, unit.head)
    instruction = instruction_at(unit, entry.instruction)
    what = _word(model, number, entry.instruction)
    if entry.first_step == NEVER:
        return f"{what}: its request has not been answered"
    if entry.first_step > cycle:
        return f"{what}: its first step can be in cycle {int(entry.first_step)}"
    bank, waits = int(instruction.bank), bool(unit.has_step and unit.writes)
    if entry.is_token:
        waits = instruction.awaits != Awaits.NO_BANK
        if instruction.awaits == Awaits.MATRIX_BANK:
            bank = int(model.timing[0].matrix_bank) >> number & 1
    if waits and not is_unpackers(unit, bank, cycle):
        its = "which is the Matrix Unit's" if unit.owner[bank] else "which is being handed over"
        return f"{what}: write stage waits for {_SOURCES[number]} bank {bank}, {its}"
    return f"{what}: in the write stage"


def _fetch(model: Model, number: int, cycle: int) -> str:
    unit: Any = model.timing[0].units[number]
    what, used = _word(model, number, unit.fetching), int(unit.used)
    instruction = instruction_at(unit, unit.fetching)
    if unit.works_from > cycle:
        return f"{what}: just loaded"
    if instruction.work == Work.EFFECT and is_outstanding(unit, cycle):
        return f"{what}: fetch stage waits until L1 has answered all requests"
    if instruction.bounded and used:
        return f"{what}: fetch stage waits until no entry of the buffer is in use, of {used}"
    if used >= BEATS:
        return f"{what}: fetch stage waits for room, all {used} entries of the buffer are in use"
    return f"{what}: in the fetch stage"


def _queued(model: Model, number: int, place: int, cycle: int) -> str:
    unit: Any = model.timing[0].units[number]
    queued = queued_at(unit, unit.loaded + place)
    loadable = int(instruction_at(unit, queued).loadable)
    what = f"{_word(model, number, queued)}: place {place} of the queue"
    if loadable == NEVER:
        return f"{what}, its RSI entries have not come"
    if loadable > cycle:
        return f"{what}, can be loaded in cycle {loadable}"
    return what if place else f"{what}, waits for the fetch stage"


def describe(model: Model, cycle: int) -> list[str]:
    """Lines for each unpacker at the start of a cycle, oldest instruction first."""
    lines = []
    for number in range(UNPACKERS):
        unit: Any = model.timing[0].units[number]
        if unit.head != unit.tail:
            lines.append(f"unpacker {number}: {_head(model, number, cycle)}")
        if unit.fetching != NONE:
            lines.append(f"unpacker {number}: {_fetch(model, number, cycle)}")
        for place in range(int(unit.sampled - unit.loaded)):
            lines.append(f"unpacker {number}: {_queued(model, number, place, cycle)}")
        if unit.sampled - unit.loaded >= QUEUED:
            lines.append(f"unpacker {number}: takes no word, its queue is full")
        if unit.unpacr.here:
            lines.append(f"unpacker {number}: {_address(unit.unpacr, cycle)}")
    return lines
