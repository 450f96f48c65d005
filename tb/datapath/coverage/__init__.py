# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of what exists only where blocks are joined; the blocks' own is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

Ints = NDArray[np.int64]

THREADS: Final = 3
KINDS: Final = ("none", "STALLWAIT", "SEMWAIT")
_STALLWAIT: Final = 1
# What STALLWAITs of kernels wait for: thread, and bit of its conditions (C17)
STALLS: Final = {
    "t0 srcb_unpack": (0, 6),
    "t0 risc_config": (0, 10),
    "t1 math": (1, 4),
    "t2 thcon": (2, 0),
    "t2 pack": (2, 3),
}
CLIENTS: Final = ("u0", "u1", "pack", "u0 u1", "u0 pack", "u1 pack", "u0 u1 pack")
_CLIENTS: Final = (1, 2, 4, 3, 5, 6, 7)  # a bit each
DST: Final = ("packers read", "Matrix Unit writes", "both")

GROUP = PointGroup()
GROUP.add("latches.t0_x_t1", KINDS, KINDS)
GROUP.add("latches.t0_x_t2", KINDS, KINDS)
GROUP.add("latches.t1_x_t2", KINDS, KINDS)
GROUP.add("stallwait.condition", tuple(STALLS))
GROUP.add("l1.clients", CLIENTS)
GROUP.add("dst.at_once", DST)


def _together(streams: Mapping[str, Records], *users: Iterable[str]) -> Ints:
    """Of each cycle in which any user has an event, those that have, a bit each."""
    every = [
        np.unique(np.concatenate([streams[name]["cycle"] for name in names])) for names in users
    ]
    cycles = np.unique(np.concatenate(every))
    bits = np.zeros(len(cycles), np.int64)
    for place, own in enumerate(every):
        bits = bits | np.isin(cycles, own).astype(np.int64) << place
    return bits


class DatapathCoverage(CoverageModel):
    """Coverage of ``datapath``."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(GROUP)
        super().__init__("datapath", profile, self._tally)
        self._last = [0] * THREADS

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count a block of cycles."""
        hit = self._tally.hit
        kinds = self._latches(streams)
        for one, other in ((0, 1), (0, 2), (1, 2)):
            known = (kinds[one] < len(KINDS)) & (kinds[other] < len(KINDS))
            hit(f"latches.t{one}_x_t{other}", kinds[one], kinds[other], where=known)
        for number, (thread, bit) in enumerate(STALLS.values()):
            latch = streams[f"t{thread}.latch"]
            waits = (latch["kind"] == _STALLWAIT) & (latch["what"] >> bit & 1 == 1)
            hit("stallwait.condition", number, where=waits)
        writes = [name for name in streams if name.endswith(".pack_write")]
        clients = _together(streams, ["u0.unpack_read"], ["u1.unpack_read"], writes)
        for place, bits in enumerate(_CLIENTS):
            hit("l1.clients", place, where=clients == bits)
        rows = [name for name in streams if name.endswith(".pack_row")]
        written = streams["standin_matrix_write"]
        own = {**streams, "standin_matrix_write": written[written["target"] == 2]}
        for place in range(len(DST)):
            at_once = _together(own, rows, ["standin_matrix_write"]) == place + 1
            hit("dst.at_once", place, where=at_once)

    def _latches(self, streams: Mapping[str, Records]) -> list[Ints]:
        """The kinds of all threads' latches, in each cycle in which any of them changes."""
        names = [f"t{thread}.latch" for thread in range(THREADS)]
        cycles = np.unique(np.concatenate([streams[name]["cycle"] for name in names]))
        found: list[Ints] = []
        for thread, name in enumerate(names):
            values = np.concatenate(([self._last[thread]], streams[name]["kind"].astype(np.int64)))
            found.append(values[np.searchsorted(streams[name]["cycle"], cycles, side="right")])
            self._last[thread] = int(values[-1])
        return found
