# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model keeps beside time (``timing_state``) and values (``state``)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Records, for_kernel, record, zeros
from tilepath.isa import constants, profiles
from tilepath.isa.boundary.pack import THREADS
from tilepath.models.adc.untimed_state import SHAPE
from tilepath.models.dst_rows import ACCESS
from tilepath.models.pack.cycle_mode import MODE_WORDS
from tilepath.models.pack.instruction_walk import Memory
from tilepath.models.pack.state import (
    COLUMNS,
    DST_ROWS,
    KINDS,
    LANES,
    LINE_WORDS,
    MODE,
    PACKERS,
    PLAN,
    WALK,
    new_state,
)
from tilepath.models.pack.timing_state import (
    ISSUE_RING,
    TIMING,
    UNDER_WAY_RING,
    reset,
)

LINE_RING: Final = 512  # a power of two above the lines between the rows and the L1 port
SUM_RING: Final = 16
_SLOTS: Final = 8

# What an instruction has sampled, until it departs
SAMPLE: Final = record(
    bank=np.int64,
    access=ACCESS,
    modes=(MODE, PACKERS),
    plans=(PLAN, PACKERS),
)
# Lines that are made and have not gone to L1, from ``head`` to ``tail``
HELD: Final = record(faults=np.int64, line=np.int64, words=(np.uint32, LINE_WORDS))
HELD_LINES: Final = record(head=np.int64, tail=np.int64, lines=(HELD, LINE_RING))
SUM: Final = record(lines=(HELD, _SLOTS))
# Exponents of a row that has been granted, until the histogram counts them
COUNTED: Final = record(
    due=np.int64,  # cycle at whose end it counts them
    packer=np.int64,
    count=np.int64,
    exponents=(np.uint8, COLUMNS),
)
# What was sampled last, in order of the instructions
JOIN: Final = record(
    mode_words=(np.int64, MODE_WORDS),
    words_of_new=(np.int64, MODE_WORDS),
    mode_number=np.int64,
    mode_kept=np.int64,  # number of the last one that is in ``samples``
    mode_walking=np.int64,  # number of what is in ``walking``
    config_writes=np.int64,
    config_seen=np.int64,  # these and what else chooses the mode, when it was sampled last
    samples=(SAMPLE, ISSUE_RING),
    plans=(PLAN, (PACKERS, UNDER_WAY_RING)),  # of the instructions under way
    begins=(np.int64, PACKERS),  # the next step is its instruction's first
    behind=(np.int64, PACKERS),  # ``edge_position`` is due when the step is made
    answered=(np.int64, PACKERS),  # when the step's line comes, or the cycle itself
    exponents=(np.uint8, (PACKERS, LANES * COLUMNS)),  # of the step that asks for its rows
    exponent_count=(np.int64, PACKERS),  # of each lane
    held=(HELD_LINES, (PACKERS, KINDS)),
    sums=(SUM, (PACKERS, SUM_RING)),
    counted=(COUNTED, (LANES, 16)),
    counted_head=(np.int64, LANES),
    counted_tail=(np.int64, LANES),
    # inputs
    l1_ready=np.int64,
    l1_latency=np.int64,
    # outputs
    shown_ready=np.int64,
    shown_busy=np.int64,
    changed_by=np.int64,  # origin of what ``ready`` and ``busy`` are about to show
    answers=np.int64,  # ``hist_data`` is due
    answer=(np.uint32, LINE_WORDS),
    answer_origin=np.int64,
    run_faults=(np.int64, PACKERS),
    run_fault_by=(np.int64, PACKERS),
    unit_faults=np.int64,
    unit_fault_by=np.int64,
    is_idle=np.int64,
)


class Model(NamedTuple):
    """Everything: arrays of one record, then the memories.

    ``sampling`` are the packers as the instructions find them that are sampled, ``walking`` as the
    steps find them that are made.
    """

    timing: Records
    join: Records
    sampling: Records
    walking: Records
    walk: Records
    config: Records
    thread_config: Records
    live: Records
    memory: Memory
    account: Records  # one ``ACCOUNT``, or none


def new_model(profile: str, accounts: Records) -> Model:
    """Make a model after reset. Raises ``ValueError`` for an unknown profile."""
    timings, joins = np.zeros(1, TIMING), np.zeros(1, JOIN)
    reset(timings[0], profiles.get(profile).packers)
    joins[0].begins[:] = 1
    joins[0].config_seen = joins[0].mode_kept = joins[0].mode_walking = -1
    lines = profiles.get(profile).l1_bytes // 16
    return Model(
        timings,
        joins,
        new_state(profile),
        new_state(profile),
        for_kernel(zeros(WALK)),
        np.zeros((2, constants.CFG_WORDS), np.uint32),
        np.zeros((THREADS, constants.THD_WORDS), np.uint16),
        np.zeros(SHAPE, np.uint32),
        Memory(
            np.zeros((DST_ROWS, COLUMNS), np.uint16),
            np.ones(DST_ROWS, np.uint8),
            np.zeros((lines, LINE_WORDS), np.uint32),
        ),
        accounts,
    )


@part
def as_int(value: Any) -> int:
    """A number of any width as one of 64 bits."""
    return np.int64(value)  # type: ignore[return-value]


@part
def copy_words(to: Records, given: Records) -> None:
    """Element by element; compiled slices would need to allocate memory."""
    for k in range(to.shape[0]):
        to[k] = given[k]
