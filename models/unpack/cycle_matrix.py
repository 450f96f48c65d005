# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit does: reads, releases, zeroing (section 2)."""

from __future__ import annotations

import enum

import numpy as np

from tilepath.models.cycle_inputs import has, origin, raise_unit_fault
from tilepath.models.jit import part
from tilepath.models.records import Record
from tilepath.models.unpack import cycle_inputs, slots
from tilepath.models.unpack.cycle_records import Rows
from tilepath.models.unpack.cycle_state import Model
from tilepath.models.unpack.faults import UnitFlag

_HALF = slots.DST_ROWS // 2


class Op(enum.IntEnum):
    """What ``matrix`` says."""

    READ = 0
    RELEASE = 1
    ZERO = 2


class File(enum.IntEnum):
    """Of registers."""

    SRC_A = 0
    SRC_B = 1
    DST = 2


@part
def _read(model: Model, command: Record, by: int) -> None:
    """A row as registered in this cycle; it is out in the next one."""
    join, registers = model.join[0], model.values[0].registers
    file, bank, row = np.int64(command.file), np.int64(command.bank), np.int64(command.row)
    join.is_reading, join.read_by, join.read_valid = 1, by, 0
    if file == File.DST:
        join.read_valid = np.int64(registers.valid[row])
    for column in range(slots.COLUMNS):
        if file == File.DST:
            join.read_data[column] = registers.dst[row, column]
        else:
            join.read_data[column] = registers.src[file, bank, row & 63, column]
    if file == File.SRC_A and registers.stale[bank]:
        raise_unit_fault(join, UnitFlag.STALE, by)


@part
def begin(model: Model, rows: Rows, cycle: int) -> int:
    """The command of this cycle: a read, or a race of zeroing; its row, or -1."""
    join = model.join[0]
    join.is_zeroing = 0
    if not has(join, cycle_inputs.MATRIX, rows.matrix, cycle):
        return -1
    command = cycle_inputs.take(join, cycle_inputs.MATRIX, rows.matrix)
    if command.op == Op.READ and command.file <= File.DST:
        _read(model, command, origin(join, cycle_inputs.MATRIX))
    join.is_zeroing = command.op == Op.ZERO and command.file < File.DST
    return join.next_row[cycle_inputs.MATRIX] - 1  # type: ignore[no-any-return]


@part
def end(model: Model, command: Record, by: int) -> None:
    """What shows from the next cycle on, unless what is written in this one wins: see ``cycle``."""
    timing, registers = model.timing[0], model.values[0].registers
    file, bank = np.int64(command.file), np.int64(command.bank)
    if command.op == Op.RELEASE and file < File.DST:
        timing.units[file].owner[bank] = 0
        timing.owner_by = by
        if file == File.SRC_A:
            registers.stale[bank] = 0
    elif command.op == Op.ZERO and file == File.DST:  # P58
        zeroes_all = command.row & 1 != 0
        first = 0 if zeroes_all else _HALF * bank
        for row in range(first, slots.DST_ROWS if zeroes_all else first + _HALF):
            registers.valid[row] = 0
