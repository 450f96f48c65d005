# SPDX-License-Identifier: Apache-2.0
"""One walk without time: what an instruction reads, makes of it and writes, packer by packer.

The walk (``state.WALK``) says so in order: steps with the rows of Dst or the line of L1 that they
read, their elements, compression's micro-operations, and the lines that go to L1. A model of time
needs no more than its counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.dst_rows import storage_row
from tilepath.models.format_codes import FP8, FP16
from tilepath.models.pack import compress, lines, row_to_datums
from tilepath.models.pack.accumulate import add_word
from tilepath.models.pack.faults import RunFlag
from tilepath.models.pack.fields import wide
from tilepath.models.pack.formats import Container
from tilepath.models.pack.late import keeps, late
from tilepath.models.pack.sample import lane_count
from tilepath.models.pack.state import COLUMNS, KINDS, LANES, LINE_WORDS, Kind, Source

L1Lines = npt.NDArray[np.uint32]


class Memory(NamedTuple):
    """Dst, its valid bits, and L1 as lines of four words."""

    dst: row_to_datums.Dst
    valid: row_to_datums.Valid
    l1: L1Lines


@part
def begin(walk: Record) -> None:
    """Forget the instruction before."""
    walk.step_count = walk.op_count = walk.line_count = 0
    walk.faults = walk.run_faults = 0
    walk.writes = 0
    walk.row_count = walk.edge_count = walk.group_count = 0


@part
def take_addresses(mode: Record, packer: Record, lines_of: Record) -> None:
    """Streams that need a new address take it; ``lines_of``: the plan (P33, P38)."""
    for kind in range(KINDS):
        stream = packer.streams[kind]
        unused = (kind == Kind.RSI and not mode.compresses) or (
            kind == Kind.EXPONENT and not mode.to & 2
        )
        if stream.needs_new and not unused:
            stream.needs_new = 0
            stream.line = lines_of.lines[kind]
            stream.start = lines_of.lines[kind]
            stream.section = lines_of.sections[kind]
            if kind == Kind.RSI:
                packer.section_entries = 0


@part
def _next_step(walk: Record, plan: Record, number: int) -> Record:
    """A step more, which reads nothing yet."""
    step: Record = walk.steps[walk.step_count]
    walk.step_count += 1
    walk.value_count = 0
    step.packer = number
    step.source = plan.source
    step.lanes = plan.lanes
    step.first_op = walk.op_count
    return step


@part
def read_dst(
    state: Record, memory: Memory, number: int, done: int, step: Record, walk: Record
) -> int:
    """A row of each lane; returns the datums of a lane."""
    mode, plan = state.modes[number], state.plans[number]
    datum = plan.datum + done
    column = datum & 15
    count: int = min(plan.count - done, COLUMNS - column)
    step.column, step.count = column, count
    if count > 0:
        if state.packers[number].behind and mode.masked:
            walk.run_faults |= RunFlag.EDGE_POSITION
        state.packers[number].behind = 0
    order = wide(0)  # a constant of Python would be a type of its own: fetch_row compiled twice
    for lane in range(LANES):
        if (plan.lanes >> lane) & 1:
            row = ((datum >> 4) + lane * plan.lane_rows) & 0x3FF
            place = storage_row(state.access, mode.wide, row)
            step.rows[lane] = place
            row_to_datums.fetch_row(
                mode, state, number, (memory.dst, memory.valid),
                place, column, count, order, walk,
            )  # fmt: skip
            order += 1
    if state.parameters.tpg_by_intf and count > 0 and done + count == plan.count:
        row_to_datums.next_row(mode, state.packers[number], order)
    return count


@part
def read_zeros(plan: Record, lanes: int, done: int, step: Record, walk: Record) -> int:
    """Up to 16 zeros a lane."""
    count: int = min(plan.count - done, COLUMNS * lanes)
    for k in range(count):
        walk.values[k] = 0
    step.count = count
    walk.value_count = count
    return count


@part
def read_l1(mode: Record, plan: Record, l1: L1Lines, done: int, step: Record, walk: Record) -> int:
    """The datums of a line (P16)."""
    byte = (plan.source_byte + done * plan.datum_bytes) & 0x1FFFFF
    line, column = byte >> 4, byte & 15
    count: int = min(plan.count - done, (16 - column) // plan.datum_bytes)
    step.line, step.column, step.count = line, column, count
    inside = line < l1.shape[0]
    if not inside:
        walk.run_faults |= RunFlag.SOURCE_RANGE
    for k in range(count):
        at = column + k * plan.datum_bytes
        word = wide(l1[line, at >> 2]) if inside else 0
        word = (word >> (8 * (at & 3))) & ((1 << (8 * plan.datum_bytes)) - 1)
        walk.values[k] = contained(mode, plan.datum_bytes, word)
    walk.value_count = count
    return count


@part
def contained(mode: Record, size: int, bits: int) -> int:
    """A datum of L1 in its container: BFP has the exponent 0, FP8 is the upper byte of FP16."""
    if size > 1 or not mode.late_container <= Container.FP16:
        return bits
    if mode.late_container == Container.BF16:
        return (bits & 0x80) << 8 | bits & 0x7F
    if mode.late_inner == FP8:
        return bits << 8
    return (bits & 0x80) << 8 | (bits & 0x7F) << 3


@part
def give(state: Record, number: int, step: Record, closes: bool, walk: Record) -> None:
    """The datums of a step become elements, compressed ones and lines."""
    mode, packer = state.modes[number], state.packers[number]
    target, container, inner = mode.target, mode.late_container, mode.late_inner
    low_bits, count = mode.low_bits, walk.value_count
    step.kept = count
    if mode.compresses:
        for k in range(count):
            value, last = wide(walk.values[k]), closes and k == count - 1
            element = late(target, container, inner, value, low_bits)
            compress.compress(mode, packer, number, value, element, last, walk)
        return
    values = walk.values
    if not keeps(target, container):
        for k in range(count):
            values[k] = late(target, container, inner, wide(values[k]), low_bits)
    k = 0
    while k < count:
        if packer.element_count == 0 and count - k >= mode.unit:
            lines.put_unit(mode, packer, number, values[k:], walk)
            k += mode.unit
            continue
        # as many as there is room for in a unit
        end = min(count, k + max(mode.unit - packer.element_count, 1))
        place = packer.element_count - k
        for n in range(k, end):
            packer.elements[place + n] = values[n]
        packer.element_count, k = place + end, end
        if packer.element_count >= mode.unit:
            lines.pop_unit(mode, packer, number, walk)


@compiled
def end(
    mode: Record, plan: Record, packer: Record, number: int, keeps_position: int, walk: Record
) -> None:
    """What an instruction does behind its last datum."""
    if mode.compresses:
        if plan.closes_row:
            compress.end_row(mode, packer, number, walk)
        if plan.last:
            compress.end_tile(mode, packer, number, walk)
            packer.row_count = 0
    if plan.last:
        lines.close(mode, packer, number, walk)
        packer.behind |= packer.y != 0
        if not keeps_position:
            packer.x = packer.y = packer.z = 0


@compiled
def run_step(state: Record, memory: Memory, number: int, walk: Record) -> bool:
    """The next step of a packer; whether it is the instruction's last."""
    mode, plan, packer = state.modes[number], state.plans[number], state.packers[number]
    lanes = LANES // state.parameters.packers
    step = _next_step(walk, plan, number)
    if plan.source == Source.DST:
        plan.done += read_dst(state, memory, number, plan.done, step, walk)
    elif plan.source == Source.L1:
        plan.done += read_l1(mode, plan, memory.l1, plan.done, step, walk)
    else:
        plan.done += read_zeros(plan, lanes, plan.done, step, walk)
    fetched = walk.value_count
    row_to_datums.downsample(mode, plan.read, walk)
    plan.read += fetched
    is_end = plan.done >= plan.count
    give(state, number, step, is_end and plan.closes_row != 0, walk)
    if is_end:
        end(mode, plan, packer, number, state.parameters.tile_position_kept, walk)
    step.op_count = walk.op_count - step.first_op
    return is_end  # type: ignore[no-any-return]


@compiled
def run(state: Record, memory: Memory, number: int, walk: Record) -> None:
    """All steps of a packer: at least one, which may read nothing."""
    mode, plan = state.modes[number], state.plans[number]
    is_end = False
    while not is_end:
        first = plan.done
        is_end = run_step(state, memory, number, walk)
        if plan.source == Source.DST:
            count = (plan.done - first) * lane_count(plan.lanes)
            row_to_datums.count_exponents(mode, state, number, walk.exponents, count)


@compiled
def write_lines(state: Record, l1: L1Lines, walk: Record) -> None:
    """The lines go to L1, one after the other; beyond its end they are lost (P34, P40)."""
    quirk, newer = state.parameters.fp16_acc_quirk, state.parameters.bh_fields
    for k in range(walk.line_count):
        line = walk.lines[k]
        if newer and line.accumulate and state.modes[line.packer].to == FP16:
            walk.run_faults |= RunFlag.FP16_ACCUMULATE
        if line.line >= l1.shape[0]:
            walk.run_faults |= RunFlag.L1_RANGE
            continue
        for n in range(LINE_WORDS):
            word = wide(line.words[n])
            if line.accumulate:
                to = state.modes[line.packer].to
                line.old[n] = l1[line.line, n]
                word = add_word(to, wide(l1[line.line, n]), word, quirk)
                line.sums[n] = word
            l1[line.line, n] = word
