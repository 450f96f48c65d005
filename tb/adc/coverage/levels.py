# SPDX-License-Identifier: Apache-2.0
"""The counters' values, from the level streams."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.models.jit import part
from tilepath.tb.adc.coverage.layout import COUNTERS, I64, N_PLACES, TARGETS, i64
from tilepath.tb.adc.streams import STREAMS
from tilepath.tb.kernel.coverage.recorded import Recorded, Rows

_LEVEL: Final = Recorded(next(stream for stream in STREAMS if stream.name == TARGETS[0]))


def _part(name: str, checkpoint: bool) -> tuple[int, int, int]:
    """Where a counter's live value or checkpoint is in a row: word, lowest bit, mask."""
    if name[0] == "x":
        return _LEVEL.column(f"{name}_cr" if checkpoint else name), 0, 0xFFFF_FFFF
    return _LEVEL.column(name), 16 if checkpoint else 0, 0xFFFF


_PARTS: Final = np.array([_part(name, cr) for cr in (False, True) for name in COUNTERS])
N_PARTS: Final = len(_PARTS)
"""Live values by the counter's number, then checkpoints."""


def after_reset() -> I64:
    """[place, part]: all values are 0."""
    return np.zeros((N_PLACES, N_PARTS), np.int64)


@part
def part_of(row: Rows, part: int) -> int:
    """One live value or checkpoint of a record."""
    return i64(row[_PARTS[part, 0]]) >> i64(_PARTS[part, 1]) & i64(_PARTS[part, 2])
