# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the front end, from the recorded streams alone.

Source: frontend-config section 7; the points are declared next to the kernels that count them:
``template`` and ``mop`` (MOP expander), ``replay``, ``queues`` (everything else). ``timeline``
turns the streams of a thread into one column of values per cycle first. The three threads count
into the same bins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.frontend.coverage import mop, queues, replay, template
from tilepath.tb.frontend.coverage.axes import AXES
from tilepath.tb.frontend.coverage.columns import Columns, ThreadMemory
from tilepath.tb.frontend.streams import STREAMS, THREADS
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.recorded import Recorded, Rows
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

__all__ = ["FrontendCoverage"]

_GROUPS: tuple[PointGroup, ...] = (template.GROUP, mop.GROUP, replay.GROUP, queues.GROUP)
_STREAMS: Final = {stream.name: Recorded(stream) for stream in STREAMS if stream.copies}


class FrontendCoverage(CoverageModel):
    """Coverage model of the block ``frontend``.

    ``profile`` decides which bins are excluded, and what a REPLAY count of 0 stands for (F15);
    ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        self._tallies = [Tally(group) for group in _GROUPS]
        super().__init__("frontend", profile, *self._tallies, axes=AXES)
        count0 = profiles.get(profile).replay_count0
        self._threads = [ThreadMemory.after_reset(count0) for _ in range(THREADS)]
        self._columns = Columns(0)
        self._seen = np.zeros(queues.SEEN, np.int64)

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count a block of cycles, thread after thread."""
        if self._columns.capacity < end - start:
            self._columns = Columns(end - start)
        columns = self._columns.first(end - start)
        for thread in range(THREADS):
            rows = {
                name: stream.rows(streams[f"t{thread}.{name}"]) for name, stream in _STREAMS.items()
            }
            self._count_thread(self._threads[thread], columns, rows, start)
        queues.count_seen(self._seen, self._tallies[-1].counts)

    def _count_thread(
        self, memory: ThreadMemory, c: Columns, rows: Mapping[str, Rows], start: int
    ) -> None:
        """One thread's block: rebuild its columns, then let each kernel count."""
        by_template, by_mop, by_replay, by_queues = (tally.counts for tally in self._tallies)
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
            c.qstatus, memory.queues, self._seen, by_queues,
        )  # fmt: skip
        queues.count_changes(
            rows["qstatus"], rows["sticky"], rows["mopcfg"], c.mop, start, memory.queues, by_queues
        )
