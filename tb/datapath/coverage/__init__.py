# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of what exists only where blocks are joined; the blocks' own is theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

THREADS: Final = 3
LATCHES: Final = ("none", "STALLWAIT", "SEMWAIT")
THREAD: Final = ("t0", "t1", "t2")
PAIRS: Final = ("t0 and t1", "t0 and t2", "t1 and t2")
_PAIRS: Final = ((0, 1), (0, 2), (1, 2))

GROUP = PointGroup()
GROUP.add("threads that wait", PAIRS, LATCHES, LATCHES)


class DatapathCoverage(CoverageModel):
    """Coverage of ``datapath``."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(GROUP)
        axes = {"threads that wait": "threads first second"}
        super().__init__("datapath", profile, self._tally, axes=axes)
        self._last = [0] * THREADS

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count a block of cycles."""
        names = [f"t{thread}.latch" for thread in range(THREADS)]
        cycles = np.unique(np.concatenate([streams[name]["cycle"] for name in names]))
        kinds = []
        for thread, name in enumerate(names):
            records = streams[name]
            values = np.concatenate(([self._last[thread]], records["kind"].astype(np.int64)))
            kinds.append(values[np.searchsorted(records["cycle"], cycles, side="right")])
            self._last[thread] = int(values[-1])
        for number, (one, other) in enumerate(_PAIRS):
            known = (kinds[one] < 3) & (kinds[other] < 3)
            self._tally.hit("threads that wait", number, kinds[one], kinds[other], where=known)
