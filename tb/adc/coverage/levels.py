# SPDX-License-Identifier: Apache-2.0
"""The counters of one set and target over a block, from its level stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.stream import Records

I64 = NDArray[np.int64]
CR: Final = 8
"""Column of a counter's checkpoint: its number + ``CR``."""


@dataclass
class Levels:
    """Values by change: row 0 is what was before the block, at cycle -1 of it.

    ``values``: n by 16, live values by number of the counter, then checkpoints.
    """

    cycles: I64
    values: I64

    @classmethod
    def of(cls, records: Records, start: int, before: I64) -> Levels:
        """The levels of a block that begins at cycle ``start``; ``before``: 16 values."""
        values = np.empty((len(records) + 1, 16), np.int64)
        values[0] = before
        rows = values[1:]
        for channel in (0, 1):
            first = 4 * channel
            rows[:, first] = records[f"x{channel}"]
            rows[:, first + CR] = records[f"x{channel}_cr"]
            for k, name in enumerate("yzw", start=1):
                both = records[f"{name}{channel}"]
                rows[:, first + k] = both & 0xFFFF
                rows[:, first + k + CR] = both >> 16
        cycles = np.empty(len(records) + 1, np.int64)
        cycles[0] = -1
        cycles[1:] = records["cycle"].astype(np.int64) - start
        return cls(cycles, values)

    def at(self, cycles: I64, counters: I64) -> tuple[I64, I64]:
        """Live values and checkpoints that commands of these cycles of the block find."""
        rows = np.searchsorted(self.cycles, cycles, side="right") - 1
        return self.values[rows, counters], self.values[rows, counters + CR]
