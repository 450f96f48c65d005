# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model keeps beside time (``timing_state``): values, and what joins them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.compiled_io import Outputs
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa.boundary.unpack import THREADS, UNPACKERS
from tilepath.models.adc import untimed_state as adc
from tilepath.models.dst_rows import ACCESS
from tilepath.models.unpack import l1_walk, to_registers
from tilepath.models.unpack.plan import PLAN, POINTERS
from tilepath.models.unpack.settings import CFG_WORDS, SETTINGS, THD_WORDS, settings_of
from tilepath.models.unpack.timing_state import ENTRY_RING, INSTRUCTION_RING, TIMING, reset

STEP_RING: Final = 16  # a power of two above WRITE + 2

# The values of an unpacker
UNIT_VALUES: Final = record(
    plans=(PLAN, INSTRUCTION_RING),  # by number, as the instructions of ``timing_state``
    cursor=l1_walk.CURSOR,  # of the instruction in the fetch stage
    beats=(l1_walk.BEAT, ENTRY_RING),  # by number of the entry
    writer=to_registers.WRITER,
    writing=np.int64,  # number of the instruction that ``writer`` is in
    writing_entry=np.int64,  # and of its beat
    steps=(to_registers.STEP, STEP_RING),  # by number
)
VALUES: Final = record(
    settings=SETTINGS,
    pointers=(POINTERS, UNPACKERS),
    registers=to_registers.REGISTERS,
    units=(UNIT_VALUES, UNPACKERS),
)
LEVELS: Final = record(
    ready=np.int64,
    hold=np.int64,
    owner=np.int64,
    busy=np.int64,
    pause=np.int64,
    stale=np.int64,
    implied=np.int64,
    pointers=(POINTERS, UNPACKERS),
)
JOIN: Final = record(
    shown=LEVELS,
    active=np.int64,  # something has happened in this cycle, which may show in the next one
    pointers_by=(np.int64, UNPACKERS),
    setreg_base=(np.int64, 2),
    # rows that the Matrix Unit reads, until the next cycle
    reading=np.int64,  # a bit for SrcA, SrcB, Dst
    read_by=np.int64,
    read_valid=np.int64,
    read_data=(np.uint32, (3, to_registers.COLUMNS)),
    access=ACCESS,  # of the row at hand
    # of this cycle
    is_clearing=np.int64,  # the Matrix Unit clears a bank
    faults=(np.int64, UNPACKERS),
    fault_thread=(np.int64, UNPACKERS),
    fault_by=(np.int64, UNPACKERS),
    unit_faults=np.int64,
    unit_fault_by=np.int64,
)


class Model(NamedTuple):
    """Everything: arrays of one record, then the memories."""

    timing: Records
    values: Records
    join: Records
    counters: Records
    config: Records
    thread_config: Records
    l1: l1_walk.Words


def new_model(profile: str) -> Model:
    """Make a model after reset. Raises ``ValueError`` for an unknown profile."""
    timings, values, joins = np.zeros(1, TIMING), np.zeros(1, VALUES), np.zeros(1, JOIN)
    settings: Any = settings_of(profile)[0]
    reset(timings[0])
    first: Any = values[0]
    first.settings = settings
    first.registers.valid[:] = 1  # P58
    for unit in first.units:
        unit.writing = unit.writing_entry = -1
    joins[0].pointers_by[:] = -1
    return Model(
        timings,
        values,
        joins,
        adc.new_state(profile),
        np.zeros((2, CFG_WORDS), np.uint32),
        np.zeros((THREADS, THD_WORDS), np.uint16),
        l1_walk.new_l1(int(settings.l1_bytes)),
    )


@part
def plan_at(unit: Record, number: int) -> Record:
    """Plan of an instruction by its number."""
    found: Record = unit.plans[number & (INSTRUCTION_RING - 1)]
    return found


@part
def beat_at(unit: Record, number: int) -> Record:
    """Beat of an entry by its number."""
    found: Record = unit.beats[number & (ENTRY_RING - 1)]
    return found


@part
def step_at(unit: Record, number: int) -> Record:
    """Step by its number."""
    found: Record = unit.steps[number & (STEP_RING - 1)]
    return found


@part
def keeps(out: Outputs) -> bool:
    """Whether there is an account (``cycle_account``)."""
    return len(out.account) != 0
