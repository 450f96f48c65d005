# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its kernel reaches their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY, LANES, PACKERS, SLOTS, THREADS
from tilepath.models.inputs import KernelInputs, read_only
from tilepath.models.outputs import Room
from tilepath.models.records import Records, record

CHUNK: Final = 4096  # cycles in which anything happens per pass: bounds the output buffers
_OPCODES: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)

_INPUTS: Final = KernelInputs(BOUNDARY)
# Changes of the packers' counters in one set, by cycle
CHANGE: Final = record(cycle=np.int64, live=(np.uint32, (2, 4)))


class Rows(NamedTuple):
    """Input records of a block of cycles, in the order of the boundary; then the counters'."""

    issue: Records
    cfg: Records
    flop: Records
    setc16: tuple[Records, ...]  # of each thread
    store: Records
    dst_write: Records
    dst_zero: Records
    dst_read: Records
    hist: Records
    offset: Records
    setreg_base: Records
    l1_write: Records
    l1_latency: Records
    l1_ready: Records
    changes: tuple[Records, ...]  # of each set
    dst_changes: Records


def _check_words(issues: Records) -> None:
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"issue: there is no thread {THREADS}")
    ours = np.isin(issues["word"] >> 24, _OPCODES)
    if not ours.all():
        raise ValueError(f"issue: {int(issues['word'][~ours][0]):08X} is no word of the packers")


def checked(given: Mapping[str, Records], start: int, until: int) -> dict[str, Records]:
    """All inputs but the counters'. Raises ``ValueError`` for what is wrong with them."""
    rows = _INPUTS.checked(given, start, until)
    _check_words(rows["issue"])
    return rows


def as_rows(
    given: Mapping[str, Records],
    changes: tuple[Records, ...],
    dst_changes: Records,
) -> Rows:
    """The checked inputs, and changes of the counters and of Dst, as the kernel takes them."""
    return Rows(
        setc16=tuple(given[f"t{thread}.setc16"] for thread in range(THREADS)),
        changes=tuple(read_only(records) for records in changes),
        dst_changes=read_only(dst_changes),
        **{name: given[name] for name in Rows._fields if name in given},
    )


# --- outputs

OUTPUTS: Final = {  # of the kernel; the others are those of the counters
    "ready": 0,
    "busy": 0,
    "row": LANES,
    "write": SLOTS,
    "read": PACKERS,
    "source": 0,
    "setreg": 0,
    "hist_data": 0,
    "fault": 0,
    "run_fault": PACKERS,
    "unit_fault": 0,
}


class Outputs(NamedTuple):
    """Room for the records of each output, and their numbers; first index: the copy."""

    written: Records
    ready: Records
    busy: Records
    row: Records
    write: Records
    read: Records
    source: Records
    setreg: Records
    hist_data: Records
    fault: Records
    run_fault: Records
    unit_fault: Records


def new_room() -> Room:
    """Room for a pass."""
    return Room(BOUNDARY, OUTPUTS, CHUNK + 1)
