# SPDX-License-Identifier: Apache-2.0
"""Timing: the L1 port of a packer (section 9)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack.state import LOW17
from tilepath.models.pack.timing_state import (
    ACCUMULATIONS,
    ADD,
    sum_at,
    sums_in_flight,
)

_SLOTS = 8
_HALF = 4  # lines of 32-bit datums that the adder takes in a cycle


@part
def head(queue: Record) -> Record:
    """The first entry of a line queue."""
    found: Record = queue.entries[queue.head & 31]
    return found


@part
def has_entry(queue: Record, cycle: int) -> bool:
    """Whether there is an entry."""
    if queue.head == queue.tail:
        return False
    return head(queue).ready <= cycle  # type: ignore[no-any-return]


@part
def has_sum(packer: Record, cycle: int) -> bool:
    """Whether an accumulation is ready to be written back."""
    if sums_in_flight(packer) == 0:
        return False
    return sum_at(packer, packer.first_sum).ready <= cycle  # type: ignore[no-any-return]


@part
def overlap(one: Record, other: Record) -> bool:
    """Whether two runs of lines have a line in common."""
    behind = (one.line - other.line) & LOW17
    before = (other.line - one.line) & LOW17
    return behind < other.count or before < one.count  # type: ignore[no-any-return]


@part
def may_go(packer: Record, entry: Record) -> bool:
    """Whether the accumulations in flight let a data entry go."""
    flying = sums_in_flight(packer)
    if not packer.path.accumulates:
        return flying == 0
    if flying >= ACCUMULATIONS:
        return False
    for number in range(packer.first_sum, packer.sums_end):
        if overlap(entry, sum_at(packer, number)):
            return False
    return True


@part
def choose(packer: Record, cycle: int) -> None:
    """What the packer does at its port in a cycle in which L1 is ready."""
    port, path = packer.port, packer.path
    port.written_back = port.side = port.data_lines = 0
    entry = head(packer.data_lines)
    data = has_entry(packer.data_lines, cycle) and may_go(packer, entry)
    if has_sum(packer, cycle):
        port.written_back = sum_at(packer, packer.first_sum).count
        data = data and packer.lanes > 1 and path.accumulates
    elif has_entry(packer.side_lines, cycle):
        port.side = head(packer.side_lines).kind
        data = data and packer.lanes > 1 and (path.accumulates or entry.count < _SLOTS)
    if data:
        port.data_lines = entry.count
        port.is_read = path.accumulates


@part
def add(packer: Record, entry: Record, cycle: int, latency: int) -> None:
    """A data entry is read to be accumulated: when the sum can be written back."""
    packer.last_answer = max(cycle + latency, packer.last_answer + 1)
    taken = max(packer.last_answer, packer.last_addition + packer.addition_cycles)
    packer.last_addition = taken
    packer.addition_cycles = 2 if packer.path.is_slow and entry.count > _HALF else 1
    new = sum_at(packer, packer.sums_end)
    packer.sums_end += 1
    new.ready = taken + ADD + packer.addition_cycles - 1
    new.line = entry.line
    new.count = entry.count
    new.origin = entry.origin


@part
def use(packer: Record, cycle: int, latency: int) -> None:
    """What was chosen is accepted."""
    port = packer.port
    if port.written_back:
        port.sum_origin = sum_at(packer, packer.first_sum).origin
        packer.first_sum += 1
    if port.side:
        port.side_origin = head(packer.side_lines).origin
        packer.side_lines.head += 1
        packer.lines_in_flight -= 1
    if port.data_lines:
        entry = head(packer.data_lines)
        port.line = entry.line
        port.data_origin = entry.origin
        if port.is_read:
            add(packer, entry, cycle, latency)
        packer.data_lines.head += 1
        packer.lines_in_flight -= 1
