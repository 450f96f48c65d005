# SPDX-License-Identifier: Apache-2.0
"""The least that a bench covers: each stream has had an event, or another value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.engine.coverage.bins import PointGroup
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.tally import Tally
from tilepath.engine.description.stream import Records, Stream, stream_table


class StreamsSeen(CoverageModel):
    """A bin for each stream of a block."""

    def __init__(self, block: str, profile: str, streams: tuple[Stream, ...]) -> None:
        self._names = tuple(stream_table(streams))
        points = PointGroup()
        points.add("stream", self._names)
        self._tally = Tally(points)
        super().__init__(block, profile, self._tally)

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count records."""
        for place, name in enumerate(self._names):
            self._tally.hit("stream", np.full(len(streams[name]), place))
