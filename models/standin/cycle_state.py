# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model takes, gives and keeps."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.inputs import check_words
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.standin import LANES, THREADS
from tilepath.isa.constants import CFG_WORDS, THD_WORDS
from tilepath.models.standin.fields import settings_of
from tilepath.models.standin.files import Files
from tilepath.models.standin.plan import COUNTERS, DST_ROWS, OPCODES, PLAN, ROWS, SRC_ROWS, Sampled

TIMING: Final = record(
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
    account: Records  # one ``ACCOUNT``, or none


def new_model(profile: str, accounts: Records) -> Model:
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
    return Model(timings, sampled, files, accounts)


def check_issues(issues: Records) -> None:
    """``ValueError`` for words that are none of the Matrix Unit's."""
    ours = np.isin(issues["word"] >> 24, OPCODES)
    check_words("issue", issues, ours, "instruction of the matrix unit")
