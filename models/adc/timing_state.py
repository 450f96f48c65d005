# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model takes, gives and keeps: commands, output records, its state."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.isa.boundary.adc import BOUNDARY, LEVELS, SETS, TARGETS
from tilepath.models.adc.untimed_state import SHAPE
from tilepath.models.inputs import Rows
from tilepath.models.records import Records, record

INPUTS: Final = BOUNDARY.inputs  # a stream's number is its place here, as in an origin
UNPACK: Final = BOUNDARY.number("unpack")
PACK: Final = BOUNDARY.number("pack")
FLOP: Final = BOUNDARY.number("flop")
ISSUE: Final = BOUNDARY.number("t0.issue")  # of thread 0; those of threads 1 and 2 follow


def _as_records(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout, whose elements have their fields as attributes."""
    return np.dtype((np.record, dtype))


# A command of each input stream: ``cycle`` and the fields, all int64
_COMMAND: Final = {
    name: record(**dict.fromkeys(BOUNDARY.table[name].dtype.names or (), np.int64))
    for name in INPUTS
}
_LEVEL: Final = _as_records(LEVELS[0].expected_dtype)
_FAULT: Final = _as_records(BOUNDARY.stream("fault").expected_dtype)
_UNIT_FAULT: Final = _as_records(BOUNDARY.stream("unit_fault").expected_dtype)
_CONFLICT: Final = _as_records(BOUNDARY.stream("conflict").expected_dtype)

_RECORDED: Final = {name: BOUNDARY.table[name].expected_dtype for name in BOUNDARY.outputs}


class Commands(NamedTuple):
    """The commands of a block of cycles: a stream each, cycles increasing."""

    unpack: Records
    pack: Records
    flop: Records
    issue: tuple[Records, ...]  # of each thread


class Outputs(NamedTuple):
    """Room for the records of the output streams; last index: records of a stream."""

    levels: Records  # (sets, targets, records)
    fault: Records  # (threads, records)
    unit_fault: Records
    conflict: Records


TIMING: Final = record(
    cycle=np.int64,  # the cycle at hand; between calls the last one that had a command
    cycles_left=np.int64,  # cycles with commands that there is still room for
    # Per input stream: its next row, and the commands taken in blocks before this one
    next_row=(np.int64, len(INPUTS)),
    taken_before=(np.int64, len(INPUTS)),
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
    # Number of records in ``Outputs``
    level_count=(np.int64, SHAPE[:2]),
    fault_count=(np.int64, SETS),
    unit_fault_count=np.int64,
    conflict_count=np.int64,
)
OUTPUT_COUNTS: Final = ("level_count", "fault_count", "unit_fault_count", "conflict_count")


def new_timing() -> Records:
    """State before cycle 0: one ``TIMING``."""
    timings = np.zeros(1, TIMING)
    timings[0].touched_in[:] = -1
    return timings


def as_commands(rows: list[Rows]) -> Commands:
    """The rows of each of ``INPUTS`` by name of their fields; nothing is copied.

    A row is the cycle first, then the fields in the boundary's order, as ``checked_rows`` lays it
    out. ``_COMMAND`` is the same.
    """
    streams = [
        some.reshape(-1).view(_COMMAND[name]) for name, some in zip(INPUTS, rows, strict=True)
    ]
    return Commands(streams[UNPACK], streams[PACK], streams[FLOP], tuple(streams[ISSUE:]))


def new_outputs(most: int) -> Outputs:
    """Room for ``most`` records a stream. The system provides what is written to, no more."""

    def room(dtype: np.dtype[Any], *instances: int) -> Records:
        return np.empty((*instances, most), dtype)

    return Outputs(
        levels=room(_LEVEL, SETS, len(TARGETS)),
        fault=room(_FAULT, SETS),
        unit_fault=room(_UNIT_FAULT),
        conflict=room(_CONFLICT),
    )


def records_written(outputs: Outputs, timings: Records) -> dict[str, Records]:
    """The records that are in ``outputs``, by name of their stream."""
    counts = timings["unit_fault_count"][0], timings["conflict_count"][0]
    found = {
        "unit_fault": outputs.unit_fault[: counts[0]],
        "conflict": outputs.conflict[: counts[1]],
    }
    for thread, count in enumerate(timings["fault_count"][0].tolist()):
        found[f"t{thread}.fault"] = outputs.fault[thread, :count]
    for of_set, counts_of_set in enumerate(timings["level_count"][0].tolist()):
        for target, count in enumerate(counts_of_set):
            found[f"t{of_set}.{TARGETS[target]}"] = outputs.levels[of_set, target, :count]
    return {name: found[name].view(dtype) for name, dtype in _RECORDED.items()}
