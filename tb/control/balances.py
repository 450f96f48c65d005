# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the control block: what was forced, and what became of offers."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.description.balances import Balances, PartlyRecorded
from tilepath.engine.description.recorded import Columns
from tilepath.isa.boundary.control import THREADS

_BENCH: Final = 0x1FFF & ~(1 << 10 | 1 << 12)  # the others are the block's own


def _forced(thread: int) -> PartlyRecorded:
    def value(columns: Columns) -> Columns:
        return {"value": columns[f"busy{thread}"] & np.uint32(_BENCH)}

    return PartlyRecorded("conditions", f"t{thread}.busy", value, value)


BALANCES = Balances(
    # units that work set further bits of `busy`, and clear further ones of `unit_ready`
    partly=(
        *map(_forced, range(THREADS)),
        PartlyRecorded(
            "conditions",
            "unit_ready",
            lambda columns: {"value": np.zeros_like(columns["stall"])},
            lambda columns: {"value": columns["stall"]},
        ),
    ),
    pairs=(("offer", "issue"), ("risc", "risc_done"), ("risc_sem", "risc_sem_done")),
    rest=(("config_pipe", "stages", 0x7F), ("scalar", "busy", 1)),
)
