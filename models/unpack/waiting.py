# SPDX-License-Identifier: Apache-2.0
"""What holds the instructions in the unpackers, in words: for a run that stands still."""

from __future__ import annotations

from typing import Any

from tilepath import isa
from tilepath.models.unpack.cycle_state import Model, plan_at
from tilepath.models.unpack.timing_state import (
    NEVER,
    NONE,
    UNPACKERS,
    Awaits,
    entry_at,
    instruction_at,
    is_unpackers,
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
    bank = int(instruction.bank)
    if instruction.awaits == Awaits.MATRIX_BANK:
        bank = int(model.timing[0].matrix_bank) >> number & 1
    if not is_unpackers(unit, bank, cycle):
        its = f"{_SOURCES[number]} bank {bank}, which is the Matrix Unit's"
        return f"{what}: write stage waits for {its}"
    return f"{what}: in the write stage"


def _fetch(model: Model, number: int, cycle: int) -> str:
    unit: Any = model.timing[0].units[number]
    what = _word(model, number, unit.fetching)
    if unit.works_from > cycle:
        return f"{what}: just loaded"
    if unit.last_answer >= cycle:
        return f"{what}: fetch stage, L1 answers until cycle {int(unit.last_answer)}"
    return f"{what}: fetch stage, {int(unit.used)} entries of the buffer in use"


def describe(model: Model, cycle: int) -> list[str]:
    """Lines for each unpacker at the start of a cycle, oldest instruction first."""
    lines = []
    for number in range(UNPACKERS):
        unit: Any = model.timing[0].units[number]
        if unit.head != unit.tail:
            lines.append(f"unpacker {number}: {_head(model, number, cycle)}")
        if unit.fetching != NONE:
            lines.append(f"unpacker {number}: {_fetch(model, number, cycle)}")
        for place, queued in enumerate(range(int(unit.loaded), int(unit.sampled))):
            what = _word(model, number, queued)
            lines.append(f"unpacker {number}: {what}: place {place} of the queue")
        if unit.unpacr.here:
            lines.append(f"unpacker {number}: {_address(unit.unpacr, cycle)}")
    return lines
