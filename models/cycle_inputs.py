# SPDX-License-Identifier: Apache-2.0
"""How a cycle-exact model goes through the records of its inputs.

Its record ``join`` has ``next_row`` and ``taken_before``: of each input, by its number as in an
origin, the row that comes next, and how many records were taken before these rows.
"""

from __future__ import annotations

import numpy as np

from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.models.jit import part
from tilepath.models.records import Record, Records


@part
def has(join: Record, stream: int, records: Records, cycle: int) -> bool:
    """Whether an input has a record in this cycle."""
    row = join.next_row[stream]
    return row < records.shape[0] and records[row].cycle == cycle  # type: ignore[no-any-return]


@part
def take(join: Record, stream: int, records: Records) -> Record:
    """The next record of an input."""
    found: Record = records[join.next_row[stream]]
    join.next_row[stream] += 1
    return found


@part
def origin(join: Record, stream: int) -> int:
    """Return the origin of the record last taken."""
    index = join.taken_before[stream] + join.next_row[stream] - 1
    return index * ORIGIN_STREAMS + stream  # type: ignore[no-any-return]


@part
def sooner(join: Record, stream: int, records: Records, cycle: int) -> int:
    """``cycle``, or that of the next record of an input where it is less."""
    row = join.next_row[stream]
    if row < records.shape[0]:
        return min(cycle, np.int64(records[row].cycle))  # type: ignore[return-value]
    return cycle


@part
def raise_unit_fault(join: Record, flag: int, by: int) -> None:
    """A flag of ``unit_fault``."""
    join.unit_faults |= flag
    join.unit_fault_by = by
