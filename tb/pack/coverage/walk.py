# SPDX-License-Identifier: Apache-2.0
"""From what an instruction has done to rows of the tables and to bins of datums.

Follows the golden model's walk once more, datum by datum, to see the value in each stage.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.pack import THREADS
from tilepath.isa.constants import CFG_WORDS, OP_PACR
from tilepath.models.adc.untimed_state import PACKERS as TARGET
from tilepath.models.jit import kernel, part
from tilepath.models.pack import addresses, sample, setreg, stages
from tilepath.models.pack import fields as F
from tilepath.models.pack.early import early, narrow
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.late import late
from tilepath.models.pack.state import (
    BLOCK,
    COLUMNS,
    KINDS,
    LANES,
    LINE_WORDS,
    MODE,
    PACKER,
    PACKERS,
    Kind,
    Op,
    Source,
)
from tilepath.models.pack.walk import Memory
from tilepath.models.records import Record, Records, record
from tilepath.tb.pack.coverage import datums, elements
from tilepath.tb.pack.coverage.points import I64, Counting, hit

_NO_CELL: Final = 16
OWN: Final = record(
    instructions=np.int64,  # rows in use
    parts=np.int64,
    steps=np.int64,
    lines=np.int64,
    packers=(PACKER, PACKERS),  # as before the instruction
    groups=(elements.GROUP_SEEN, PACKERS),
    modes=(MODE, PACKERS),  # likewise
    values=(np.int64, LANES * COLUMNS),  # of a step
    value_count=np.int64,
)


class Seen(NamedTuple):
    """What is written: ``OWN``, the two tables, steps and lines to come, bins."""

    own: Records
    instructions: Records
    parts: Records
    steps: I64  # cycle of issue, packer, mask of lanes, rows (4), 32 bits, first of instruction
    lines: I64  # cycle of issue, packer, kind, line, accumulates
    of_datums: Counting
    of_elements: Counting
    before: NDArray[np.uint32]  # the packers' counters


class Settings(NamedTuple):
    """What instructions sample."""

    config: F.Config
    thread_config: F.ThreadConfig
    live: addresses.Counters
    checkpoint: addresses.Counters


@kernel
def see_row(
    counting: Counting, own: Record, mode: Record, packer: Record, memory: Memory, row: int,
    step: Record, of_control: int, edge_mode: int, by_lane: int, lane: int,
) -> None:  # fmt: skip
    """A row of Dst through all stages up to the threshold; values go to ``own.values``.

    ``by_lane``: the tile position does not move here; ``lane`` counts the enabled ones.
    """
    cell = datums.CELL[mode.inner, of_control]
    unsigned = mode.inner == 14 and of_control & 2 != 0
    mask = 0xFFFF
    if mode.edges:
        mask = see_mask(counting, mode, packer, step, lane if by_lane else 0)
    hit(counting, datums.P_INVALID, 2 * (memory.valid[row] == 0) + mode.ignores_valid)
    for k in range(step.column, step.column + step.count):
        storage = stages.read_storage(mode, memory.dst, memory.valid, row, k)
        if cell >= 0:
            datums.see_early(counting, mode, cell, storage)
        value = early(mode.conversion, storage, mode.shift)
        if not mask >> k & 1:
            datums.see_masked(counting, mode, edge_mode)
            value = mode.masked_value
        datums.see_relu(counting, mode, value, unsigned)
        if mode.relu:
            value = stages.relu(mode, value)
        if mode.narrows:
            hit(counting, datums.P_NARROW, datums.narrowing_class(value >> 23 & 0xFF))
            value = narrow(value)
        if mode.threshold:
            datums.see_threshold(counting, mode, value)
            value = stages.keep_above_threshold(mode, value)
        own.values[own.value_count] = value
        own.value_count += 1
        if not by_lane:
            stages.next_position(mode, packer)
            if mode.edges and packer.x == 0 and k + 1 < step.column + step.count:
                mask = see_mask(counting, mode, packer, step, 0)


@kernel
def see_mask(counting: Counting, mode: Record, packer: Record, step: Record, rows: int) -> int:
    """The edge mask of a row of the tile, ``rows`` further than its position, counted."""
    y, z = packer.y, packer.z
    if mode.transposed:
        z += rows
    else:
        y += rows
    row_set = mode.row_set
    if mode.face_enable:
        row_set = mode.face_mapping >> (2 * (z + mode.z_offset & 15)) & 3
    section = mode.row_mappings[row_set] >> (2 * (y & 15)) & 3
    hit(counting, datums.P_SET, (4 * mode.face_enable + row_set) * 4 + section)
    mask: int = mode.masks[section]
    columns = ((1 << step.count) - 1) << step.column & 0xFFFF
    passes = 0 if mask & columns == 0 else 2 if mask & columns == columns else 1
    hit(counting, datums.P_COLUMN, 3 * (step.column != 0) + passes)
    return mask


@kernel
def see_elements(
    seen: Seen, mode: Record, passed: Record, step: Record, row: Record, number: int, read: int
) -> None:
    """What is left of a step behind downsampling, and the micro-operations of compression."""
    own = seen.own[0]
    counting, group = seen.of_elements, own.groups[number]
    op = step.first_op
    for k in range(own.value_count):
        if not mode.downsample >> (read + k & 15) & 1:
            continue
        value = own.values[k]
        row.kept += 1
        element = late(mode.target, mode.late_container, mode.late_inner, value, mode.low_bits)
        if step.source == Source.DST:
            datums.see_late(seen.of_datums, mode, value)
        if mode.compresses:
            elements.see_datum(counting, mode, group, value)
            while passed.ops[op] == Op.C or passed.ops[op] == Op.R:
                op += 1
            op += 1
            if passed.ops[op - 1] == Op.K:
                continue
            row.augmented += 1
            group.tile += 1
        push(seen, mode, group, element, row)
    while op < step.first_op + step.op_count:
        if passed.ops[op] == Op.Z:
            push(seen, mode, group, 0, row)
        op += 1


@part
def push(seen: Seen, mode: Record, group: Record, element: int, row: Record) -> None:
    """An element into the gather."""
    if mode.bfp:
        first = row.pushed == 0 or group.held == 0
        elements.push(seen.of_elements, mode, group, element, first)
    row.pushed += 1
    row.group_parts = max(row.group_parts, group.parts)


@kernel
def see_steps(
    seen: Seen, state: Record, passed: Record, memory: Memory, row: Record, number: int,
    settings: Settings, bank: int, cycle: int,
) -> None:  # fmt: skip
    """All steps of a packer."""
    own = seen.own[0]
    mode, before = state.modes[number], own.packers[number]
    control = F.wide(settings.config[bank, F.READ_32B.word]) & 15
    if passed.faults & Flag.EARLY:
        control = _NO_CELL
    by_lane = state.parameters.tpg_by_intf
    edge_mode = F.read(settings.config, bank, F.EDGE_MODE)
    read, is_first = 0, True
    for k in range(passed.step_count):
        step = passed.steps[k]
        if step.packer != number:
            continue
        own.value_count = 0
        if step.source == Source.DST and step.count > 0:
            note_step(seen, mode, step, number, cycle, is_first)
            place = 0
            for lane in range(LANES):
                if step.lanes >> lane & 1:
                    see_row(
                        seen.of_datums, own, mode, before, memory, step.rows[lane], step,
                        control, edge_mode, by_lane, place,
                    )  # fmt: skip
                    place += 1
            if by_lane and passed.steps[k].count:
                stages.next_row(mode, before, place)
        else:
            for place in range(step.count):
                own.values[place] = 0
            own.value_count = step.count
        fetched = own.value_count
        see_elements(seen, mode, passed, step, row, number, read)
        read += fetched
        is_first = False


@part
def note_step(seen: Seen, mode: Record, step: Record, number: int, cycle: int, first: bool) -> None:
    """A step whose grants are to come."""
    own = seen.own[0]
    to_come = seen.steps[own.steps]
    own.steps += 1
    to_come[0], to_come[1], to_come[2] = cycle, number, step.lanes
    for lane in range(LANES):
        to_come[3 + lane] = step.rows[lane]
    to_come[7], to_come[8] = mode.wide, first


@kernel
def see_lines(seen: Seen, state: Record, passed: Record, l1: Any, cycle: int) -> None:
    """Lines that are written, and sums."""
    own = seen.own[0]
    for k in range(passed.line_count):
        line = passed.lines[k]
        to_come = seen.lines[own.lines]
        own.lines += 1
        to_come[0], to_come[1], to_come[2], to_come[3] = cycle, line.packer, line.kind, line.line
        to_come[4] = line.accumulate
        if not line.accumulate or line.line >= l1.shape[0]:
            continue
        mode = state.modes[line.packer]
        for n in range(LINE_WORDS):
            old, new, total = F.wide(line.old[n]), F.wide(line.words[n]), F.wide(line.sums[n])
            if mode.bits == 32:
                elements.see_sum(seen.of_elements, mode.to, old, new, total)
            else:
                for half in range(0, 32, 16):
                    elements.see_sum(
                        seen.of_elements, mode.to, old >> half & 0xFFFF, new >> half & 0xFFFF,
                        total >> half & 0xFFFF,
                    )  # fmt: skip


@part
def close(seen: Seen, mode: Record, before: Record, row: Record, number: int, ends: int) -> None:
    """What is padded at the end of a tile; the group begun."""
    group = seen.own[0].groups[number]
    total: int = before.element_count + row.pushed
    rest = total % mode.unit if ends else 0
    units = total // mode.unit + (rest > 0)
    row.units = units
    if not ends:
        return
    partial = 1 if rest else 0
    if mode.bfp:
        if group.held:
            elements.see_group(seen.of_elements, mode.to, group, group.held)
            group.held = group.parts = 0
        if (before.streams[Kind.DATA].filled + units * 16 * mode.bits) & 127:
            partial |= 2
        if (before.streams[Kind.EXPONENT].filled + units * 8) & 127:
            partial |= 4
    row.partial = partial


@part
def begin_part(seen: Seen, mode: Record, old: Record, before: Record, number: int) -> None:
    """What a change of TO or compression takes away, and the group begun before."""
    group = seen.own[0].groups[number]
    if old.to != mode.to or old.compresses != mode.compresses:
        before.streams[Kind.DATA].filled = 0
        before.element_count %= mode.unit
        group.tile = group.row = group.row_zeros = group.zeros = group.chain = 0
    group.held = before.element_count if mode.bfp else 0
    for k in range(group.held):
        group.elements[k] = before.elements[k]
    if group.held == 0:
        group.parts = 0


@part
def see_part(
    seen: Seen, state: Record, passed: Record, memory: Memory, settings: Settings, number: int,
    is_pacr: bool, bank: int, cycle: int,
) -> None:  # fmt: skip
    """One packer's share of an instruction."""
    own = seen.own[0]
    row, mode = seen.parts[own.parts], state.modes[number]
    own.parts += 1
    before, group, plan = own.packers[number], own.groups[number], state.plans[number]
    row.instruction = own.instructions
    row.packer = number
    row.kept = row.pushed = row.augmented = row.partial = row.entries = 0
    row.group_parts = row.lines = 0
    row.before = before
    row.after = state.packers[number]
    row.plan = plan
    begin_part(seen, mode, own.modes[number], before, number)
    group.chain += 1
    if is_pacr:
        see_steps(seen, state, passed, memory, row, number, settings, bank, cycle)
    elif mode.compresses and before.block_count:
        for _ in range(before.block_count, BLOCK):
            push(seen, mode, group, 0, row)
    row.chain = group.chain
    close(seen, mode, before, row, number, plan.last)
    if mode.compresses:
        close_rows(seen, mode, passed, before, row, number, plan)
    if plan.closes_row:
        group.chain = 0
    for k in range(passed.line_count):
        row.lines += passed.lines[k].packer == number


@part
def close_rows(
    seen: Seen, mode: Record, passed: Record, before: Record, row: Record, number: int,
    plan: Record,
) -> None:  # fmt: skip
    """The end of a compressed row, and of a tile of them."""
    group = seen.own[0].groups[number]
    entries = 0
    for k in range(passed.step_count):
        step = passed.steps[k]
        for op in range(step.first_op, step.first_op + step.op_count):
            if step.packer == number:
                entries += passed.ops[op] == Op.R
    if plan.closes_row and group.row:
        if passed.step_count == 0:
            entries += 1
        elements.end_row(seen.of_elements, mode, group)
    if plan.last:
        elements.end_tile(seen.of_elements, group)
        entries += before.streams[Kind.RSI].filled // 16
        row.entries = entries
        if entries & 7:
            row.partial |= 8


@kernel
def note(
    seen: Seen, states: Records, walks: Records, settings: Settings, memory: Memory, thread: int,
    word: int, cycle: int,
) -> None:  # fmt: skip
    """An instruction that the golden model has just executed."""
    state, passed, own = states[0], walks[0], seen.own[0]
    parameters, is_pacr = state.parameters, word >> 24 == OP_PACR
    bank = F.wide(settings.thread_config[thread, F.STATE_ID]) & 1
    row = seen.instructions[own.instructions]
    row.cycle, row.thread, row.word, row.bank = cycle, thread, word, bank
    row.of_set = addresses.counter_set(thread, word)
    row.faults, row.writes, row.address = passed.faults, passed.writes, passed.address
    mode = F.get(word, F.ADDR_MODE)
    row.addr_mod = F.wide(settings.thread_config[thread, F.ADDR_MOD + mode])
    row.acc_stats = 0
    for t in range(THREADS):
        row.acc_stats |= (F.wide(settings.thread_config[t, F.ACC_STATS]) & 1) << t
        for channel in range(2):
            for k in range(4):
                row.live[t, channel, k] = seen.before[t, channel, k]
                row.after[t, channel, k] = settings.live[t, TARGET, channel, k]
                row.checkpoint[t, channel, k] = settings.checkpoint[t, TARGET, channel, k]
    for k in range(CFG_WORDS):
        row.config[k] = settings.config[bank, k]
        row.other[k] = settings.config[1 - bank, k]
    for number in range(PACKERS):
        row.offsets[number] = state.offsets[number]
    if is_pacr:
        row.packers = sample.packers_of(parameters, sample.mask_of(parameters, word))
    else:
        row.packers = 0 if setreg.is_load(parameters, word) else setreg.packers_of(parameters, word)
    row.begun = 0
    for number in range(PACKERS):
        row.modes[number] = state.modes[number]
        before = own.packers[number]
        row.begun |= (before.element_count > 0) | (before.block_count > 0) << 4
        for kind in range(KINDS):
            row.begun |= (before.streams[kind].filled > 0) << (1 + kind)
        if row.packers >> number & 1 and number < parameters.packers:
            see_part(seen, state, passed, memory, settings, number, is_pacr, bank, cycle)
    see_lines(seen, state, passed, memory.l1, cycle)
    own.instructions += 1
    for number in range(PACKERS):
        own.packers[number] = state.packers[number]
        own.modes[number] = state.modes[number]
