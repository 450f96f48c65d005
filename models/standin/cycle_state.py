# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model takes, gives and keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.isa.boundary.standin import BOUNDARY, LANES, THREADS
from tilepath.isa.constants import CFG_WORDS, THD_WORDS
from tilepath.models.inputs import KernelInputs
from tilepath.models.records import Records, record
from tilepath.models.standin.account import Account, with_room
from tilepath.models.standin.fields import settings_of
from tilepath.models.standin.files import Files
from tilepath.models.standin.plan import COUNTERS, DST_ROWS, OPCODES, PLAN, ROWS, SRC_ROWS, Sampled

CHUNK: Final = 2048  # cycles in which anything happens per pass: bounds the output buffers
OUTPUTS: Final = {
    "ready": 0,
    "busy": 0,
    "matrix": 0,
    "matrix_write": 0,
    "matrix_bank": 0,
    "hist_clear": 0,
    "rwc": THREADS,
    "fault": 0,
}
TIMING: Final = record(
    next_row=(np.int64, len(BOUNDARY.inputs)),
    taken_before=(np.int64, len(BOUNDARY.inputs)),
    active=np.int64,  # something has happened in this cycle, which may show in the next one
    # the instruction that is inside, or was last
    inside=np.int64,
    sampled=np.int64,
    step=np.int64,  # of its cycles, without those with pause
    thread=np.int64,
    word=np.int64,
    by=np.int64,  # origin
    issued=np.int64,  # cycle
    plan=PLAN,
    rows=ROWS,
    read=(np.int64, 3),  # number of the row of each file that was read in the cycle before; -1
    # levels that come in
    owner=(np.int64, (2, 2)),
    implied=(np.int64, (2, 2)),
    stale=np.int64,
    unpack_bank=(np.int64, 2),
    pause=np.int64,
    # cycle of the last write to Config, and to ThreadConfig by SETC16
    cfg_written=np.int64,
    own_written=(np.int64, THREADS),
    # of this cycle
    unpack_zero=np.int64,
    pack_lanes=np.int64,
    pack_wide=np.int64,
    pack_row=(np.int64, LANES),
    # what shows
    rwc=(np.int64, (THREADS, COUNTERS)),
    matrix_bank=(np.int64, 2),
    shown_rwc=(np.int64, (THREADS, COUNTERS)),
    shown_bank=np.int64,
    shown_ready=np.int64,
    shown_busy=np.int64,
)


class Model(NamedTuple):
    """Everything. The files are what was written, for ``state``: nothing here reads them."""

    timing: Records
    sampled: Sampled
    files: Files
    account: Account


class Rows(NamedTuple):
    """Input records of a block of cycles."""

    issue: Records
    cfg: Records
    setc16: tuple[Records, ...]
    store: Records
    owner: Records
    implied: Records
    stale: Records
    unpack_bank: Records
    pause: Records
    unpack_zero: Records
    pack_read: Records
    answer_a: Records
    answer_b: Records
    answer_d: Records
    load: Records


class Outputs(NamedTuple):
    """Room for the records of each output, and their numbers; first index: the copy."""

    written: Records
    ready: Records
    busy: Records
    matrix: Records
    matrix_write: Records
    matrix_bank: Records
    hist_clear: Records
    rwc: Records
    fault: Records


_INPUTS: Final = KernelInputs(BOUNDARY)


def new_model(profile: str) -> Model:
    """Make a model after reset. Raises ``ValueError`` for an unknown profile."""
    timings = np.zeros(1, TIMING)
    timing: Any = timings[0]
    timing.plan.settings = settings_of(profile)[0]
    timing.read[:] = -1
    timing.by = timing.cfg_written = -1
    timing.own_written[:] = -1
    timing.active = 1  # ``ready`` shows in cycle 0
    sampled = Sampled(
        np.zeros((2, CFG_WORDS), np.uint32),
        np.zeros((THREADS, THD_WORDS), np.uint16),
        timing.rwc,
        timing.owner,
        timing.implied,
        timing.matrix_bank,
        timing.unpack_bank,
    )
    files = Files(
        np.zeros((2, SRC_ROWS, 16), np.uint32),
        np.zeros((2, SRC_ROWS, 16), np.uint32),
        np.zeros((DST_ROWS, 16), np.uint16),
        np.ones(DST_ROWS, np.uint8),
    )
    return Model(timings, sampled, files, with_room(0))


def as_rows(given: Mapping[str, Records], start: int, until: int) -> Rows:
    """All inputs. Raises ``ValueError`` for what is wrong with them."""
    rows = _INPUTS.checked(given, start, until)
    issues = rows["issue"]
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"issue: there is no thread {THREADS}")
    ours = np.isin(issues["word"] >> 24, OPCODES)
    if not ours.all():
        word = int(issues["word"][~ours][0])
        raise ValueError(f"issue: {word:08X} is no instruction of the matrix unit")
    return Rows(
        setc16=tuple(rows[f"t{thread}.setc16"] for thread in range(THREADS)),
        **{name: rows[name] for name in Rows._fields if name in rows},
    )
