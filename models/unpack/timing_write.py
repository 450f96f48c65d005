# SPDX-License-Identifier: Apache-2.0
"""Write stage: steps and tokens, banks and flips (section 4).

Of a step it knows what ``expect`` is told.
"""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack.faults import WriteFlag
from tilepath.models.unpack.timing_state import (
    EVENT_RING,
    NONE,
    WRITE,
    Awaits,
    entry_at,
    instruction_at,
    is_unpackers,
)


@part
def entry_at_head(unit: Record, cycle: int) -> int:
    """Number of the entry that can make a step in this cycle, or NONE."""
    if unit.head == unit.tail or unit.step_from > cycle:
        return NONE
    if entry_at(unit, unit.head).first_step > cycle:
        return NONE
    return unit.head  # type: ignore[no-any-return]


@part
def expect(unit: Record, step: Record) -> None:
    """What the next step is: of how many parts, whether it writes and what it ends."""
    unit.has_step = 1
    unit.parts, unit.writes = step.parts, step.writes
    unit.ends_beat, unit.ends = step.ends_beat, step.ends
    unit.step_faults = step.faults


@part
def effect_at(unit: Record, number: int) -> Record:
    """An effect by its number."""
    found: Record = unit.effects[number & (EVENT_RING - 1)]
    return found


@part
def _new_effect(unit: Record, cycle: int, instruction: int) -> Record:
    effect = effect_at(unit, unit.effects_made)
    unit.effects_made += 1
    effect.cycle = cycle
    effect.instruction = instruction
    effect.step = NONE
    effect.is_second = effect.ends = effect.faults = 0
    return effect


@part
def _flip(unit: Record, instruction: Record, cycle: int) -> int:
    """The bank is handed over with what goes in ``cycle``; faults of that."""
    bank = instruction.bank
    faults = 0 if is_unpackers(unit, bank, cycle) else WriteFlag.FLIP_OWNER
    unit.flipped[bank] = cycle
    flip = unit.flips[unit.flips_made & (EVENT_RING - 1)]
    unit.flips_made += 1
    flip.shows = cycle + WRITE + 2
    flip.bank, flip.format = bank, instruction.format
    flip.origin = instruction.origin
    return faults


@part
def _free_entry(unit: Record, cycle: int) -> None:
    """The head's last step ends in ``cycle``."""
    unit.head += 1
    unit.freed = cycle


@part
def make_step(unit: Record, cycle: int) -> bool:
    """The expected step goes in this cycle, unless it must wait for its bank."""
    number = entry_at(unit, unit.head).instruction
    instruction = instruction_at(unit, number)
    if unit.writes and not is_unpackers(unit, instruction.bank, cycle):
        return False
    last = cycle + unit.parts - 1
    effect = _new_effect(unit, cycle + WRITE, number)
    effect.step = unit.steps
    effect.faults = unit.step_faults
    if unit.parts == 2:
        effect = _new_effect(unit, last + WRITE, number)
        effect.step = unit.steps
        effect.is_second = 1
    unit.steps += 1
    unit.step_from = last + 1
    unit.has_step = 0
    if unit.ends_beat:
        _free_entry(unit, last)
    if unit.ends:
        effect.ends = 1
        if instruction.flips:
            effect.faults |= _flip(unit, instruction, last)
        if instruction.bounded:
            unit.finishes = last
    return True


@part
def make_token(unit: Record, matrix_bank: int, cycle: int) -> int:
    """The head is a token and goes in this cycle: number of its effect, or NONE if it waits."""
    number = entry_at(unit, unit.head).instruction
    instruction = instruction_at(unit, number)
    if instruction.awaits != Awaits.NO_BANK:
        is_own = instruction.awaits == Awaits.OWN_BANK
        bank = instruction.bank if is_own else matrix_bank
        if not is_unpackers(unit, bank, cycle):
            return NONE
    effect = _new_effect(unit, cycle + WRITE, number)
    effect.ends = 1
    if instruction.flips:
        effect.faults |= _flip(unit, instruction, cycle)
    unit.step_from = cycle + 1
    _free_entry(unit, cycle)
    return unit.effects_made - 1  # type: ignore[no-any-return]


@part
def finish_bounded(unit: Record, cycle: int) -> None:
    """A bounded output finishes in the last cycle of its last step."""
    if unit.finishes == cycle:
        unit.fetching = NONE


@part
def show_flips(timing: Record, unit: Record, cycle: int) -> None:
    """Banks that are the Matrix Unit's from this cycle on."""
    while unit.flips_shown < unit.flips_made:
        flip = unit.flips[unit.flips_shown & (EVENT_RING - 1)]
        if flip.shows != cycle:
            return
        unit.owner[flip.bank] = 1
        unit.implied[flip.bank] = flip.format
        timing.owner_by = flip.origin
        unit.flips_shown += 1


def owners_after(unit: Record, cycle: int) -> list[int]:
    """Owners of both banks when ``cycle`` begins, of which nothing is told yet."""
    owner = [int(bank) for bank in unit.owner]
    for number in range(int(unit.flips_shown), int(unit.flips_made)):
        flip = unit.flips[number & (EVENT_RING - 1)]
        if flip.shows == cycle:
            owner[flip.bank] = 1
    return owner


@part
def effect_due(unit: Record, cycle: int) -> bool:
    """Whether a step or token takes effect in this cycle."""
    if unit.effects_done == unit.effects_made:
        return False
    return effect_at(unit, unit.effects_done).cycle == cycle  # type: ignore[no-any-return]


@part
def next_effect(unit: Record) -> Record:
    """The effect that is due."""
    effect = effect_at(unit, unit.effects_done)
    unit.effects_done += 1
    return effect


@part
def is_flipping(unit: Record) -> bool:
    """Whether a flip is under way."""
    return unit.flips_shown != unit.flips_made  # type: ignore[no-any-return]
