# SPDX-License-Identifier: Apache-2.0
"""Timing: what is under way in the packers, as counts and cycles; no data.

The rules of the contract (docs/pack.md) are in ``timing_issue`` (sections 4 and 10),
``timing_rows`` (6), ``timing_gather`` (7 and 8) and ``timing_port`` (9). Each works on one cycle;
*as registered* means as at its begin, so within a cycle a stage is gone through before the one
behind it, whose counts it reads.

Rings are counted since reset: ``entries[number & mask]``, from the number that left next to the
number that came last.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.boundary.pack import LANES, PACKERS
from tilepath.models.format_codes import FP32, INT32

NEVER: Final = 1 << 62
LATE_START: Final = -1000  # before any cycle

# Cycles (section 3)
ADDRESS: Final = 8
ROW: Final = 12
HISTOGRAM: Final = 10
LINE: Final = 6
ADD: Final = 6
# What there is room for
PLANS: Final = 3
UNDER_WAY: Final = 12
ROWS: Final = 16
BANKS: Final = 16  # of Dst
LINES: Final = 12
ACCUMULATIONS: Final = 16
GATHER: Final = 32  # elements a lane
EXPONENTS: Final = 16  # of a line
ROW_STARTS: Final = 8  # of a line
MOST_OPS: Final = 192  # of a step

# --- section 4

# An instruction, from its issue to its effect
ISSUE: Final = record(
    cycle=np.int64,  # of its issue
    thread=np.int64,
    word=np.int64,
    origin=np.int64,
    packers=np.int64,  # bit mask
    mode=np.int64,  # number of its mode: another one where the mode is another
    is_pacr=np.int64,
    is_load=np.int64,  # SETREG that loads the staged value
    effect=np.int64,  # cycle d
    faults=np.int64,
    writes=np.int64,  # SETREG: event setreg
    address=np.int64,
    written=np.int64,
)
ISSUE_RING: Final = 16  # three that wait, and those that depart in eight cycles
UNDER_WAY_RING: Final = 16

# --- sections 5 and 6

# An instruction in the queue of a packer
INSTRUCTION: Final = record(
    effect=np.int64,
    origin=np.int64,
    source=np.int64,
    is_pacr=np.int64,
    is_empty=np.int64,  # its only step has no datums
    closes=np.int64,  # Last, Flush, SETREG
)
STEP: Final = record(
    lanes=np.int64,  # bit mask: those that read Dst
    rows=(np.int64, LANES),  # of storage
    elements=np.int64,  # after downsampling
    ops=(np.uint8, MOST_OPS),  # compression's micro-operations
    op_count=np.int64,
    data_line=np.int64,  # the stream's new address; -1: it has one
    is_last=np.int64,  # of its instruction
    closes=np.int64,  # and that ends the tile
    ready=np.int64,  # the gather can take it from this cycle on
    origin=np.int64,
)
STEP_RING: Final = 32

# --- sections 7 to 9

# Of the mode of a packer, what time depends on
PATH: Final = record(
    to=np.int64,
    wide=np.int64,  # a row of Dst is two of storage
    unit=np.int64,
    most=np.int64,  # units a pop
    groups=np.int64,  # units of a line
    exponents=np.int64,  # BFP
    compresses=np.int64,
    accumulates=np.int64,
    is_slow=np.int64,  # accumulates 32-bit datums
)
# Of a packer's line queues; of side lines ``line`` is not known
ENTRY: Final = record(
    ready=np.int64,  # there from this cycle on
    kind=np.int64,
    line=np.int64,
    count=np.int64,
    origin=np.int64,
)
QUEUE: Final = record(head=np.int64, tail=np.int64, entries=(ENTRY, 32))
ACCUMULATION: Final = record(
    ready=np.int64,  # can be written back from this cycle on
    line=np.int64,
    count=np.int64,
    origin=np.int64,
)
# What a packer does at its L1 port in a cycle: numbers of lines
PORT: Final = record(
    written_back=np.int64,
    side=np.int64,  # kind of the line; 0: none
    data_lines=np.int64,
    is_read=np.int64,  # the data entry is read, not written
    line=np.int64,  # of the data entry
    data_origin=np.int64,
    side_origin=np.int64,
    sum_origin=np.int64,
)
PACKER: Final = record(
    path=PATH,
    lanes=np.int64,
    # row requests
    first_instruction=np.int64,
    instructions_end=np.int64,
    instructions=(INSTRUCTION, UNDER_WAY_RING),
    requests=np.int64,  # the step at ``steps_made`` has asked for its rows
    granted=np.int64,  # bit mask of lanes
    steps_taken=np.int64,
    steps_made=np.int64,
    steps=(STEP, STEP_RING),
    # gather
    elements=np.int64,
    closes=np.int64,
    next_op=np.int64,  # of the step at the head
    data_line=np.int64,
    origin=np.int64,  # of what was pushed last
    # partial lines: groups, exponents, row starts
    groups=np.int64,
    exponents=np.int64,
    row_starts=np.int64,
    lines_in_flight=np.int64,
    worked=np.int64,  # cycle that put something into the line pipeline last
    data_lines=QUEUE,
    side_lines=QUEUE,
    # L1 port
    last_answer=np.int64,
    last_addition=np.int64,  # cycle in which the adder took the last one
    addition_cycles=np.int64,  # that it needs for that
    first_sum=np.int64,
    sums_end=np.int64,
    sums=(ACCUMULATION, 16),
    port=PORT,
)
TIMING: Final = record(
    cycle=np.int64,
    packer_count=np.int64,
    # ``departed`` to ``issued`` are in the sampling stage and the plan queue, those from
    # ``effective`` on have had no effect yet
    issued=np.int64,
    departed=np.int64,
    effective=np.int64,
    issues=(ISSUE, ISSUE_RING),
    mode=np.int64,  # number
    # in this cycle: banks, a bit each, that the Matrix Unit and packers read, and the storage rows
    matrix_banks=np.int64,
    packer_banks=np.int64,
    bank_rows=(np.int64, BANKS),
    last_source_answer=np.int64,
    busy=np.int64,  # bit 4 · thread + packer
    packers=(PACKER, PACKERS),
)


@part
def reset(timing: Record, packer_count: int) -> None:
    """Put the state after reset in place; everything else is 0."""
    timing.packer_count = packer_count
    timing.last_source_answer = LATE_START
    for number in range(PACKERS):
        packer = timing.packers[number]
        packer.lanes = LANES // packer_count
        packer.last_answer = LATE_START
        packer.worked = LATE_START
        packer.last_addition = LATE_START
        set_path(packer, 0, 0, 0, 0)


@part
def set_path(packer: Record, to: int, wide: int, compress: int, accumulates: int) -> None:
    """What follows from the mode; the low bits of TO tell how long a datum is (P28, P36)."""
    path = packer.path
    path.to = to
    path.wide = wide
    path.compresses = compress
    path.accumulates = accumulates
    path.is_slow = to in (FP32, INT32)
    shape = to & 3
    path.unit = 4 if shape == 0 else (8 if shape == 1 else 16)
    path.most = 1 if packer.lanes == 1 else (8 if path.unit < 16 else 4)
    path.exponents = shape == 3 or to == 2 or to == 6
    path.groups = 1
    if shape == 3:
        path.groups = 4 if to & 8 else 2


@part
def under_way(packer: Record) -> int:
    """Instructions that have departed and are not through with their row requests."""
    count: int = packer.instructions_end - packer.first_instruction
    return count


@part
def instruction(packer: Record, number: int) -> Record:
    """An instruction of the packer's queue."""
    found: Record = packer.instructions[number & (UNDER_WAY_RING - 1)]
    return found


@part
def rows_in_flight(packer: Record) -> int:
    """Steps that are made and that the gather has not taken."""
    count: int = packer.steps_made - packer.steps_taken
    return count


@part
def step(packer: Record, number: int) -> Record:
    """A step; the one at ``steps_made`` is being made."""
    found: Record = packer.steps[number & (STEP_RING - 1)]
    return found


@part
def sums_in_flight(packer: Record) -> int:
    """Accumulations that are read and not written back."""
    count: int = packer.sums_end - packer.first_sum
    return count


@part
def sum_at(packer: Record, number: int) -> Record:
    """An accumulation."""
    found: Record = packer.sums[number & (ACCUMULATIONS - 1)]
    return found


@part
def issue_at(timing: Record, number: int) -> Record:
    """An instruction that was issued."""
    found: Record = timing.issues[number & (ISSUE_RING - 1)]
    return found
