# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact model joins time with values by, and what its loop takes and gives."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    BEAT_BITS,
    CORES,
    ENDPOINTS,
    PAIRS,
    PIPES,
    READ_PORTS,
    WRITE_PORTS,
)
from tilepath.models.flag_pipe.memory import Words
from tilepath.models.flag_pipe.timing_state import CREDIT

ROOM: Final = 1 << 14  # cycles in which anything happens, in a pass of the loop
LEVELS: Final = {  # of ports that are alike
    "reads": tuple(f"{port}_mem" for port in READ_PORTS),
    "writes": tuple(f"{port}_mem" for port in WRITE_PORTS),
}
GROUPS: Final = {  # beats likewise; and a stream that is called as arrays call something else
    "flags_": ("flags",),
    "own_rd": ("l1_rd", "ub0_rd", "ub1_rd"),
    "own_wr": ("ub0_wr", "ub1_wr"),
    "shared_wr": ("l1_wr", "gm_wr"),
}

# Beside time: what is needed to join it with values and with records
JOIN: Final = record(
    dirty=np.int64,  # whether levels may differ from what was recorded
    moving=np.int64,  # whether a core was in XFER in the last cycle
    visible=(np.int64, PIPES * len(BANKS)),  # flags before those that arrive
    # Levels as they were recorded last, each in one number
    cores=(np.int64, len(CORES)),
    endpoints=(np.int64, ENDPOINTS),
    banks=(np.int64, PIPES),
    status=(np.int64, PAIRS),
    beats=(np.uint32, (len(CORES), CREDIT, BEAT_BITS // 32)),  # read, and not written yet
)


class Model(NamedTuple):
    """Time, values, what joins them, and what is told of it all."""

    timing: Records  # one ``TIMING``
    words: Words
    join: Records  # one ``JOIN``
    account: Records  # one ``ACCOUNT``, or none
