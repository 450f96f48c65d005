# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model keeps, and the numbers of its inputs."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc.untimed_state import SHAPE

# Numbers of inputs, as in an origin
UNPACK: Final = BOUNDARY.number("unpack")
PACK: Final = BOUNDARY.number("pack")
FLOP: Final = BOUNDARY.number("flop")
ISSUE: Final = BOUNDARY.number("t0.issue")  # of thread 0; those of threads 1 and 2 follow


TIMING: Final = record(
    cycle=np.int64,  # the cycle at hand; between calls the last one that had a command
    cycles_left=np.int64,  # cycles with commands that there is still room for
    touched_in=(np.int64, SHAPE),  # cycle in which a command last touched each counter; -1: never
    # Per set and target: whether a command touched it in ``cycle``; origin of the last that did
    target_touched=(np.uint8, SHAPE[:2]),
    target_touched_by=(np.int64, SHAPE[:2]),
    any_touched=np.uint8,
    # Counters as the levels have shown them last
    shown_live=(np.uint32, SHAPE),
    shown_checkpoint=(np.uint32, SHAPE),
    # Flags of ``cycle``, and the origin of the last command that raised one
    unit_faults=np.int64,
    unit_fault_by=np.int64,
    conflicts=np.int64,
    conflict_by=np.int64,
)


def new_timing() -> Records:
    """State before cycle 0: one ``TIMING``."""
    timings = np.zeros(1, TIMING)
    timings[0].cycle = -1
    timings[0].touched_in[:] = -1
    return timings
