# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the unpackers: banks that were named; unpackers that finished."""

from __future__ import annotations

import numpy as np

from tilepath.engine.description.balances import Balances, PartlyRecorded

BALANCES = Balances(
    # with `follow` the bench's pointers say which banks
    partly=(
        PartlyRecorded(
            "matrix",
            "matrix",
            lambda columns: {"banks": columns["banks"]},
            lambda columns: {"banks": np.where(columns["follow"], np.uint32(0), np.uint32(3))},
        ),
    ),
    rest=(("busy", "value", 0x3F), ("hold", "value", 0b111)),
)
