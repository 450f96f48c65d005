# SPDX-License-Identifier: Apache-2.0
"""Dst as other units change it, where the packers are joined with them (docs/datapath.md)."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Rows, has, raise_unit_fault, take
from tilepath.engine.compiled.jit import part
from tilepath.models.pack.cycle_inputs import DST_BUSY
from tilepath.models.pack.cycle_state import Model
from tilepath.models.pack.state import COLUMNS
from tilepath.models.pack.timing_rows import is_read


@part
def change_dst(model: Model, rows: Rows, cycle: int) -> None:
    """Changes at the end of this cycle; rows that packers get in it as well are a fault."""
    join, memory = model.join[0], model.memory
    while has(rows.dst_changes, cycle):
        change = take(rows.dst_changes)
        for column in range(COLUMNS):
            if (change.mask >> column) & 1:
                memory.dst[change.row, column] = change.numbers[column]
        if change.valid >= 0:
            memory.valid[change.row] = change.valid
        if change.mask and is_read(model.timing[0], change.row):
            raise_unit_fault(join, DST_BUSY, -1)
