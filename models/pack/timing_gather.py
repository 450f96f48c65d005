# SPDX-License-Identifier: Apache-2.0
"""Timing: gather, lines and closing (section 7), compression (section 8)."""

from __future__ import annotations

from typing import NamedTuple

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack.state import LOW17, Kind, Op
from tilepath.models.pack.timing_state import (
    EXPONENTS,
    GATHER,
    LINE,
    LINES,
    ROW_STARTS,
    rows_in_flight,
    step,
)


class Popped(NamedTuple):
    """What a packer's pop did: units and elements that left, and whether closing ends with it."""

    units: int
    elements: int
    closed: bool


@part
def put_entry(packer: Record, queue: Record, cycle: int, kind: int, count: int) -> None:
    """An entry more in a line queue, six cycles from now."""
    entry = queue.entries[queue.tail & 31]
    queue.tail += 1
    entry.ready = cycle + LINE
    entry.kind = kind
    entry.line = packer.data_line
    entry.count = count
    entry.origin = packer.origin
    packer.lines_in_flight += 1


@part
def put_data(packer: Record, cycle: int, count: int) -> None:
    """The data lines of a pop, or a line of counters, are an entry."""
    put_entry(packer, packer.data_lines, cycle, Kind.DATA, count)
    packer.data_line = (packer.data_line + count) & LOW17


@part
def put_side(packer: Record, cycle: int, kind: int) -> None:
    """A line of exponents or row starts is an entry by itself."""
    put_entry(packer, packer.side_lines, cycle, kind, 1)


@part
def units_to_pop(packer: Record, has_room: bool) -> int:
    """Units that leave the gather, by its count as registered."""
    path = packer.path
    if not has_room:
        return 0
    if packer.elements >= path.unit:
        most: int = min(packer.elements // path.unit, path.most)
        return most
    return 1 if packer.closes and packer.elements > 0 else 0


@part
def ends_closing(packer: Record, elements: int, exponents: int, has_room: bool) -> bool:
    """Whether closing ends.

    ``elements``: that leave in this cycle; ``exponents``: of these and of the partial line.
    """
    if not packer.closes or elements < packer.elements:
        return False
    if elements == 0 and packer.groups == packer.exponents == packer.row_starts == 0:
        return True
    return has_room and exponents <= EXPONENTS


@part
def pop(packer: Record, cycle: int, has_room: bool) -> Popped:
    """The pop of a cycle: its data lines, and what lines of exponents and row starts it fills."""
    path = packer.path
    has_rest = packer.groups + packer.exponents + packer.row_starts > 0
    units = units_to_pop(packer, has_room)
    elements = min(units * path.unit, packer.elements)
    exponents: int = packer.exponents + (units if path.exponents else 0)
    closed = ends_closing(packer, elements, exponents, has_room)
    if units > 0 or (closed and has_rest):
        packer.worked = cycle
    groups: int = packer.groups + units
    count = groups // path.groups
    rest = groups % path.groups
    packer.groups = 0 if closed else rest
    if closed and rest > 0:
        count += 1
    if count > 0:
        put_data(packer, cycle, count)
    packer.exponents = exponents
    if exponents >= EXPONENTS or (closed and exponents > 0):
        put_side(packer, cycle, Kind.EXPONENT)
        packer.exponents = max(exponents - EXPONENTS, 0)
    if closed and packer.row_starts > 0:
        put_side(packer, cycle, Kind.RSI)
        packer.row_starts = 0
    return Popped(units, elements, closed)


@part
def can_take(packer: Record, cycle: int) -> bool:
    """Whether there is a step that the gather can take."""
    if rows_in_flight(packer) == 0:
        return False
    return step(packer, packer.steps_taken).ready <= cycle  # type: ignore[no-any-return]


@part
def bring(packer: Record, head: Record) -> None:
    """A step brings the address that its instruction took, once, and the tile's end."""
    packer.origin = head.origin
    if head.data_line >= 0:
        packer.data_line = head.data_line
        head.data_line = -1  # its later micro-operations find the lines counted on


@part
def take(packer: Record, head: Record) -> None:
    """The step is gone; if it is the last of a tile, the packer closes from the next cycle on."""
    packer.steps_taken += 1
    packer.next_op = 0
    if head.closes and head.is_last:
        packer.closes = 1


@part
def push(packer: Record, popped: Popped) -> None:
    """The next step goes into the gather whole, if there is room."""
    head = step(packer, packer.steps_taken)
    if packer.elements - popped.elements + head.elements <= GATHER * packer.lanes:
        bring(packer, head)
        packer.elements += head.elements
        take(packer, head)


@part
def can_operate(packer: Record, op: int, popped: Popped, has_room: bool) -> bool:
    """When a micro-operation can be made (section 8)."""
    if op == Op.K:
        return True
    if op == Op.R:
        return has_room
    if op == Op.C:
        return has_room and packer.elements < packer.path.unit
    return packer.elements - popped.elements + 1 <= GATHER * packer.lanes  # type: ignore[no-any-return]


@part
def operate(packer: Record, cycle: int, popped: Popped, has_room: bool) -> None:
    """The next micro-operation of the step at the head, if it can be made."""
    head = step(packer, packer.steps_taken)
    if head.op_count > 0:
        op = head.ops[packer.next_op]
        if not can_operate(packer, op, popped, has_room):
            return
        bring(packer, head)
        packer.next_op += 1
        if op == Op.E or op == Op.Z:
            packer.elements += 1
        elif op == Op.C:
            packer.worked = cycle
            put_data(packer, cycle, 1)
        elif op == Op.R:
            packer.worked = cycle
            packer.row_starts += 1
            if packer.row_starts == ROW_STARTS:
                put_side(packer, cycle, Kind.RSI)
                packer.row_starts = 0
    else:
        bring(packer, head)
    if packer.next_op == head.op_count:
        take(packer, head)


@part
def gather(packer: Record, cycle: int) -> None:
    """A cycle of a packer's gather: pop, then push or a micro-operation."""
    has_room = packer.lines_in_flight < LINES
    closing = packer.closes != 0
    popped = pop(packer, cycle, has_room)
    if popped.closed:
        packer.closes = 0
    if can_take(packer, cycle):
        if packer.path.compresses:
            if not closing:
                operate(packer, cycle, popped, has_room)
        elif not closing or popped.closed:
            push(packer, popped)
    packer.elements -= popped.elements
