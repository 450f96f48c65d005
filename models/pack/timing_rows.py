# SPDX-License-Identifier: Apache-2.0
"""Timing: row requests (section 6)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack.state import Source
from tilepath.models.pack.timing_state import (
    BANKS,
    ROW,
    ROWS,
    instruction,
    rows_in_flight,
    step,
    under_way,
)

_LANES = 4


@part
def begins_step(timing: Record, number: int, cycle: int) -> bool:
    """Whether this is the first cycle of the requests of the packer's next step."""
    packer = timing.packers[number]
    if packer.requests or under_way(packer) == 0 or rows_in_flight(packer) >= ROWS:
        return False
    head = instruction(packer, packer.first_instruction)
    if cycle < head.effect:
        return False
    if number == 0 and (head.source == Source.ZEROS or head.is_empty):
        return timing.last_source_answer < cycle  # type: ignore[no-any-return]
    return True


@part
def begin_step(packer: Record) -> Record:
    """The step that asks for its rows from now on; whoever knows it fills it."""
    packer.requests = 1
    packer.granted = 0
    new = step(packer, packer.steps_made)
    head = instruction(packer, packer.first_instruction)
    new.origin = head.origin
    new.closes = head.closes
    new.lanes = new.elements = new.op_count = 0
    new.data_line = -1
    new.is_last = 1
    return new


@part
def bank(row: int) -> int:
    """The bank of a row of storage."""
    return (row ^ row >> 4) & (BANKS - 1)


@part
def is_free(timing: Record, taken: int, row: int) -> bool:
    """Whether no lane was granted another row of the bank; ``taken``: banks, a bit each."""
    return not (taken >> bank(row)) & 1 or timing.bank_rows[bank(row)] == row


@part
def take_banks(timing: Record, row: int, wide: int) -> int:
    """Note the row, or two, that are read in this cycle; returns their banks, a bit each."""
    timing.bank_rows[bank(row)] = row
    banks = 1 << bank(row)
    if wide:
        timing.bank_rows[bank(row + 8)] = row + 8
        banks |= 1 << bank(row + 8)
    return banks


@part
def grant_rows(timing: Record) -> int:
    """The lanes that are granted their row in this cycle, a bit each; 0 is served first."""
    taken = timing.matrix_banks
    timing.packer_banks = 0
    lanes = 0
    for lane in range(_LANES):
        number = lane if timing.packer_count > 1 else 0
        own = 1 if timing.packer_count > 1 else 1 << lane
        packer = timing.packers[number]
        asks = step(packer, packer.steps_made)
        if packer.requests and asks.lanes & own & ~packer.granted:
            row = asks.rows[0 if timing.packer_count > 1 else lane]
            wide = packer.path.wide
            if is_free(timing, taken, row) and not (wide and not is_free(timing, taken, row + 8)):
                packer.granted |= own
                lanes |= 1 << lane
                timing.packer_banks |= take_banks(timing, row, wide)
                taken |= timing.packer_banks
    timing.matrix_banks = 0
    return lanes


@part
def is_read(timing: Record, row: int) -> bool:
    """Whether a packer is granted a row of storage in this cycle."""
    asked = (timing.packer_banks >> bank(row)) & 1
    return asked != 0 and timing.bank_rows[bank(row)] == row  # type: ignore[no-any-return]


@part
def request_source(timing: Record, cycle: int, latency: int) -> int:
    """A line is read as source; returns the cycle of its answer."""
    answered: int = max(cycle + latency, timing.last_source_answer + 1)
    timing.last_source_answer = answered
    return answered


@part
def is_made(packer: Record) -> bool:
    """Whether all that the step asked for is granted."""
    if not packer.requests:
        return False
    return packer.granted == step(packer, packer.steps_made).lanes  # type: ignore[no-any-return]


@part
def make_step(packer: Record, answered: int) -> None:
    """The step is in the row pipeline; ``answered``: this cycle, or that of the line's answer."""
    made = step(packer, packer.steps_made)
    made.ready = answered + ROW
    packer.steps_made += 1
    packer.requests = 0
    packer.first_instruction += made.is_last
