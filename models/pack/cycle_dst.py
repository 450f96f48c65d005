# SPDX-License-Identifier: Apache-2.0
"""Dst as other units change it, where the packers are joined with them (docs/datapath.md)."""

from __future__ import annotations

from tilepath.models.cycle_inputs import has, raise_unit_fault, take
from tilepath.models.dst_rows import LOW_HALF
from tilepath.models.jit import part
from tilepath.models.pack.cycle_inputs import DST_BUSY, DST_CHANGES, DST_READS
from tilepath.models.pack.cycle_records import Outputs, Rows
from tilepath.models.pack.cycle_state import Model
from tilepath.models.pack.state import COLUMNS, DST_ROWS, LANES
from tilepath.models.pack.timing_rows import occupy


@part
def _is_read(model: Model, out: Outputs, row: int, cycle: int) -> bool:
    """Whether the packers get a row of storage, or its low halves, in this cycle."""
    for lane in range(LANES):
        count = out.written[0].row[lane]
        if not count or out.row[lane, count - 1].cycle != cycle:
            continue
        read = out.row[lane, count - 1].row
        number = lane if model.timing[0].packer_count > 1 else 0
        wide = model.walking[0].modes[number].wide
        if row == read or (wide and row == (read + LOW_HALF) & (DST_ROWS - 1)):
            return True
    return False


@part
def read_dst(model: Model, rows: Rows, cycle: int) -> None:
    """The row that another unit reads in this cycle."""
    if has(model.join[0], DST_READS, rows.dst_reads, cycle):
        read = take(model.join[0], DST_READS, rows.dst_reads)
        occupy(model.timing[0], read.row, read.wide)


@part
def change_dst(model: Model, rows: Rows, out: Outputs, cycle: int, was_busy: bool) -> None:
    """Changes at the end of this cycle; rows that are read in it as well are a fault."""
    join, memory = model.join[0], model.memory
    while has(join, DST_CHANGES, rows.dst_changes, cycle):
        change = take(join, DST_CHANGES, rows.dst_changes)
        for column in range(COLUMNS):
            if (change.mask >> column) & 1:
                memory.dst[change.row, column] = change.numbers[column]
        if change.valid >= 0:
            memory.valid[change.row] = change.valid
        if change.mask and was_busy and _is_read(model, out, change.row, cycle):
            raise_unit_fault(join, DST_BUSY, -1)
