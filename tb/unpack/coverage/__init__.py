# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the unpackers, from the recorded streams alone.

Source: unpack-adc section 7; docs/unpack.md. ``history`` finds what each instruction sampled,
``derive`` what it means, ``reads`` follows it through its requests. The points are declared next to
what counts them: ``words``, ``geometry``, ``datums``, ``output``, ``matrix``, ``nops``, ``timing``,
``counters``, ``faults``, ``directed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage import (
    counters,
    datums,
    directed,
    faults,
    geometry,
    matrix,
    nops,
    output,
    reads,
    second_writes,
    timing,
    words,
    work,
)
from tilepath.tb.unpack.coverage.derive import Instructions, Regular
from tilepath.tb.unpack.coverage.history import History, rows
from tilepath.tb.unpack.coverage.layout import I64, NOP, UNPACR
from tilepath.tb.unpack.coverage.levels import Level

__all__ = ["UnpackCoverage"]

_POINTERS = ("bank", "row0", "row1", "row2", "context0", "context1", "context2", "acc")

# Names of the axes of points that their own names do not tell.
_AXES: Final = {
    "geometry.counter_not_0": "counter unpacker",
    "compressed.empty_row": "row why",
    "output.parts": "target parts",
    "counter.unpacr_set_inc_in_a_row": "unpacker counter",
}


class UnpackCoverage(CoverageModel):
    """Coverage model of the block ``unpack``.

    ``profile`` decides the row width, the encoding of UNPACR_NOP, the size of L1, and so on;
    ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        self._profile = profiles.get(profile)
        points = PointGroup()
        words.declare(points)
        walked = geometry.declare(points, self._profile)
        walked += timing.declare(points, self._profile)
        walked += datums.declare(points)
        output.declare(points, self._profile)
        matrix.declare(points)
        faults.declare(points, self._profile)
        directed.declare(points)
        second_writes.declare(points)
        self._points = Tally(points)
        self._around = words.Around()
        self._port = matrix.Port(self._points)
        self._nops = nops.Nops(self._points, self._profile)
        self._timing = timing.Timing(self._points)
        self._counters = counters.Counters(self._points, self._profile)
        super().__init__("unpack", profile, self._points, axes=_AXES)
        self._walked: I64 = np.array(walked, np.int64)
        self._history = History()
        self._pointers = (Level(_POINTERS), Level(_POINTERS))
        self._owner, self._busy = Level(("value",)), Level(("value",))
        self._matrix, self._latency = Level(("value",)), Level(("cycles",))
        self._levels = tuple(tuple(Level(counters.FIELDS) for _ in range(2)) for _ in range(3))
        self._l1 = np.zeros(self._profile.l1_bytes, np.uint8)
        self._walk = np.zeros(reads.MEMORY, np.int64)
        self._work = [np.zeros((0, work.N_WORK), np.int64) for _ in range(2)]

    def left(self) -> tuple[int, int]:
        """Instructions whose requests have not ended, steps not seen: none when all is idle."""
        return sum(map(len, self._work)), self._timing.left()

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count a block of cycles."""
        self._take_levels(streams)
        table = self._history.fill(streams, self._pointers, end)
        i = Instructions.of(table, self._levels)
        is_regular = (i["word"] >> 24 == UNPACR) & (i["word"] & 0x2002 == 0)
        r = Regular(i.where(is_regular), self._profile)
        mode = np.where(i["word"] >> 24 == NOP, nops.modes(i["word"], self._profile), -1)
        points = self._points
        words.count(points, i, r)
        self._around.count(points, i, streams, self._busy, end)
        geometry.count(points, r)
        output.count(points, r)
        output.count_rows(points, streams)
        self._port.count(streams)
        directed.count(points, i, r, self._profile)
        faults.count(points, streams)
        second_writes.count(points, streams)
        acc = self._pointers
        self._nops.count(i, mode, streams, self._owner, self._matrix, acc)
        self._counters.count(i, streams, self._levels, start, end)
        beats = self._follow(r, streams)
        self._timing.count_words(i, r)
        what = np.where(mode >= 0, mode + 2, np.where(is_regular, 1, -1))
        file = i["u"].copy()
        file[is_regular] = r.dest
        self._timing.count_steps(i, what, file, beats, streams, self._busy)

    def _take_levels(self, streams: Mapping[str, Records]) -> None:
        for u in range(2):
            self._pointers[u].take(streams[f"u{u}.pointers"])
            for s in range(3):
                self._levels[s][u].take(streams[f"t{s}.unpacker{u}"])
        for level, name in (
            (self._owner, "owner"),
            (self._busy, "busy"),
            (self._matrix, "matrix_bank"),
            (self._latency, "l1_latency"),
        ):
            level.take(streams[name])

    def _follow(self, r: Regular, streams: Mapping[str, Records]) -> I64:
        """Walk through the requests; returns the beats, as ``reads.follow`` leaves them."""
        rows_of_work = work.table(r)
        unit = r.u[r.compressed | (r.count > 0)]
        for u in range(2):
            self._work[u] = np.concatenate([self._work[u], rows_of_work[unit == u]])
        parts = []
        for u in range(2):
            part = np.insert(rows(streams[f"u{u}.read"], "count", "rsi_count"), 1, u, axis=1)
            parts.append(np.insert(part, 3, self._latency.at(part[:, 0]), axis=1))
        requests = np.concatenate(parts)
        requests = requests[np.lexsort((requests[:, 1], requests[:, 0]))]
        self._timing.count_requests(requests)
        written = streams["l1_write"]
        lines = np.stack([written["cycle"], written["line"]], 1).astype(np.int64)
        lines[:, 1] *= 16
        data = np.ascontiguousarray(written["data"]).view(np.uint8).reshape(-1, 64)
        beats = np.zeros((len(requests) + 1, 8), np.int64)
        reads.follow(
            self._work[0], self._work[1], requests, lines, data, self._l1, self._walk,
            self._walked, self._points.counts, beats,
        )  # fmt: skip
        for u in range(2):
            mine = self._walk[reads.PER_UNIT * u :]
            done = int(mine[reads.S_HEAD])
            self._work[u] = self._work[u][done:]
            mine[reads.S_HEAD] = 0
            mine[reads.S_RSI] = max(int(mine[reads.S_RSI]) - done, 0)
        return beats
