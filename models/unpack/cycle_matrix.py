# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit does at its port to SrcA, SrcB and Dst (section 2)."""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.compiled_io import Rows, has, origin, raise_unit_fault, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.unpack import to_registers
from tilepath.models.unpack.cycle_state import Model
from tilepath.models.unpack.faults import UnitFlag
from tilepath.models.unpack.settings import wide

NOTHING: Final = -1
_ONES: Final = 0x7FFFF
_ZEROED: Final = 16  # rows of mode ROWS


class Target(enum.IntEnum):
    """What ``matrix_write`` writes."""

    SRC_A = 0
    SRC_B = 1
    DST = 2


class Zero(enum.IntEnum):
    """The record says of which rows the valid bits are set."""

    ROW = 0
    ROWS = 1
    HALF = 2
    ALL = 3


@part
def _set_access(model: Model, access: int) -> None:
    """The map of Dst's rows (P52) that the Matrix Unit names: in every profile."""
    model.join[0].access.swizzle = access & 1
    model.join[0].access.remap = access >> 1


@part
def _read_src(model: Model, file: int, bank: int, row: int) -> None:
    registers = model.values[0].registers
    for column in range(to_registers.COLUMNS):
        model.join[0].read_data[file, column] = registers.src[file, bank, row, column]


@part
def _read_dst(model: Model, command: Record) -> None:
    join, registers = model.join[0], model.values[0].registers
    _set_access(model, wide(command.access))
    place = storage_row(join.access, wide(command.wide), wide(command.row))
    join.read_valid = np.int64(registers.valid[place])
    for column in range(to_registers.COLUMNS):
        value = wide(registers.dst[place, column])
        if command.wide:
            value = value << 16 | wide(registers.dst[place + LOW_HALF, column])
        join.read_data[Target.DST, column] = value


@part
def begin(model: Model, rows: Rows, cycle: int) -> int:
    """The command of this cycle: rows as registered, which are out in the next one; its row."""
    join = model.join[0]
    join.is_clearing = 0
    if not has(rows.matrix, cycle):
        return NOTHING
    command = take(rows.matrix)
    by = origin(rows.matrix)
    join.reading, join.read_by = command.read, by
    banks = wide(command.banks)
    if command.read & 1:
        _read_src(model, Target.SRC_A, banks & 1, wide(command.row_a))
        if model.values[0].registers.stale[banks & 1]:
            raise_unit_fault(join, UnitFlag.STALE, by)
    if command.read & 2:
        _read_src(model, Target.SRC_B, banks >> 1, wide(command.row_b))
    if command.read & 4:
        _read_dst(model, command)
    join.is_clearing = command.clear != 0
    return rows.matrix.position[0].row - 1  # type: ignore[no-any-return]


@part
def _zero(model: Model, command: Record) -> None:
    """ZEROACC: of a 32-bit row the valid bit of its high halves."""
    valid = model.values[0].registers.valid
    row, mode = wide(command.row), command.zero_mode
    if mode == Zero.ROW or mode == Zero.ROWS:
        _set_access(model, wide(command.access))
        count = 1 if mode == Zero.ROW else _ZEROED
        for at in range(row // count * count, row // count * count + count):
            valid[storage_row(model.join[0].access, wide(command.wide), at)] = command.undo
        return
    half = to_registers.DST_ROWS // 2
    for place in range(to_registers.DST_ROWS):
        if mode == Zero.ALL or place // half == row // half:
            valid[place] = command.undo


@part
def end(model: Model, command: Record, by: int) -> None:
    """What shows from the next cycle on, unless what is written in this one wins: see ``cycle``."""
    timing, registers = model.timing[0], model.values[0].registers
    fresh = wide(command.clear)  # banks of which nothing is unpredictable any more
    for file in range(2):
        if (command.release >> file) & 1:
            bank = (wide(command.banks) >> file) & 1
            timing.units[file].owner[bank] = 0
            timing.owner_by = by
            fresh |= 1 << (2 * file + bank)
    for bank in range(2):
        if (fresh >> bank) & registers.stale[bank]:
            registers.stale[bank] = 0
            timing.stale_by = by
    if command.zero:
        _zero(model, command)


@part
def clear(model: Model, command: Record) -> None:
    """ZEROSRC, which wins over all that is written at the end of this cycle."""
    for place in range(4):
        if (command.clear >> place) & 1:
            value = _ONES if place < 2 and command.neg_inf else 0
            to_registers.clear_bank(model.values[0].registers, place >> 1, place & 1, value)


@part
def write(model: Model, rows: Rows, cycle: int) -> int:
    """A row at the end of this cycle.

    Returns which rows of SrcA or SrcB no unpacker can write then: (2 · file + bank) << 4 | row
    modulo 16, or ``NOTHING``.
    """
    join, registers = model.join[0], model.values[0].registers
    if not has(rows.matrix_write, cycle):
        return NOTHING
    given = take(rows.matrix_write)
    target, bank, row = wide(given.target), wide(given.bank), wide(given.row)
    if target == Target.DST:
        _set_access(model, wide(given.access))
        for column in range(to_registers.COLUMNS):
            value = wide(given.data_[column])
            to_registers.write_dst(registers, join.access, wide(given.wide), row, column, value)
        return NOTHING
    if target > Target.DST:
        return NOTHING
    for column in range(to_registers.COLUMNS):
        registers.src[target, bank, row & 63, column] = wide(given.data_[column]) & _ONES
    return (2 * target + bank) << 4 | row & 15
