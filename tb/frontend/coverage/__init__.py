# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the front end, from the recorded streams alone.

Source: frontend-config section 7; the points are declared next to the kernels that count them:
``template`` and ``mop`` (MOP expander), ``replay``, ``queues`` (everything else). ``timeline``
turns the streams of a thread into one column of values per cycle first. The three threads count
into the same bins.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.frontend.coverage import mop, queues, replay, template
from tilepath.tb.frontend.coverage.columns import Columns, Rows, ThreadMemory, rows_of
from tilepath.tb.frontend.coverage.timeline import I64
from tilepath.tb.frontend.streams import STREAMS, THREADS
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel, CoverageReport
from tilepath.tb.kernel.description.stream import Records

__all__ = ["FrontendCoverage"]

_GROUPS: tuple[PointGroup, ...] = (template.GROUP, mop.GROUP, replay.GROUP, queues.GROUP)
_NAMES = tuple(stream.name for stream in STREAMS if stream.copies)


class FrontendCoverage(CoverageModel):
    """Coverage model of the block ``frontend``.

    ``profile`` decides which bins are excluded, and what a REPLAY count of 0 stands for (F15);
    ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        super().__init__("frontend", profile)
        count0 = profiles.get(profile).replay_count0
        self._tallies = [np.zeros(group.size, np.int64) for group in _GROUPS]
        self._places: list[tuple[str, int, I64]] = []  # point, group, places of its bins
        self._impossible: list[tuple[str, str, str, int, int]] = []
        for number, group in enumerate(_GROUPS):
            self._declare(number, group)
        self._threads = [ThreadMemory.after_reset(count0) for _ in range(THREADS)]
        self._columns = Columns(0)
        self._streams = {stream.name: stream for stream in STREAMS}
        self._next = 0

    def _declare(self, number: int, group: PointGroup) -> None:
        for point in group.points:
            excluded = point.excluded(self.profile)
            self.cross(point.name, *point.axes, exclude=[name for name, _ in excluded.values()])
            places = [point.base + i for i in range(point.size) if i not in excluded]
            self._places.append((point.name, number, np.array(places, np.int64)))
            for index, (name, rule) in excluded.items():
                if not rule.profiles:
                    place = point.base + index
                    self._impossible.append((point.name, name, rule.reason, number, place))

    def exclusions(self) -> list[tuple[str, str, str]]:
        """Every excluded bin, as (point, bin, reason)."""
        return [
            (point.name, name, rule.reason)
            for group in _GROUPS
            for point in group.points
            for name, rule in point.excluded(self.profile).values()
        ]

    def contradicted(self) -> list[tuple[str, str, str]]:
        """Bins excluded as impossible and hit nevertheless, as (point, bin, reason).

        Anything here is an error: in the DUT, in this model, or in the reason.
        """
        return [
            (point, name, reason)
            for point, name, reason, group, place in self._impossible
            if self._tallies[group][place]
        ]

    def sample(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``.

        Ranges must follow each other from cycle 0; ``ValueError`` when they do not, or when a
        record is outside its range. How the run is cut into ranges does not change any count.
        """
        if start != self._next or end < start:
            raise ValueError(f"coverage: cycles {start} to {end} do not follow {self._next}")
        self._next = end
        if end == start:
            return
        if self._columns.capacity < end - start:
            self._columns = Columns(end - start)
        columns = self._columns.first(end - start)
        for thread in range(THREADS):
            rows = {
                name: rows_of(streams[f"t{thread}.{name}"], self._streams[name], start, end)
                for name in _NAMES
            }
            self._sample_thread(self._threads[thread], columns, rows, start)

    def _sample_thread(
        self, memory: ThreadMemory, c: Columns, rows: Mapping[str, Rows], start: int
    ) -> None:
        """One thread's block: rebuild its columns, then let each kernel count."""
        by_template, by_mop, by_replay, by_queues = self._tallies
        c.fill(memory.track, rows, start)
        mop.count_mop(
            c.ev, c.ingest, c.mq, c.mop, c.replay, c.m, c.r, c.head,
            rows["mopcfg"], memory.mop, by_mop, by_template,
        )  # fmt: skip
        replay.count_replay(
            c.ev, c.rq, c.mop, c.replay, c.m, c.r, c.popped, c.source, memory.replay, by_replay
        )
        queues.count_queues(
            c.ev, c.mq, c.issue, c.mop, c.replay, c.fifo, c.m, c.r, c.mops, c.accepted,
            c.qstatus, memory.queues, by_queues,
        )  # fmt: skip
        queues.count_changes(
            rows["qstatus"], rows["sticky"], rows["mopcfg"], c.mop, start, memory.queues, by_queues
        )

    def report(self) -> CoverageReport:
        """The counts so far."""
        for point, group, places in self._places:
            self.add_counts(point, self._tallies[group][places])
            self._tallies[group][places] = 0
        return super().report()
