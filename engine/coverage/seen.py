# SPDX-License-Identifier: Apache-2.0
"""Coverage of what was recorded: points over streams, the least being that each had something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tilepath.engine.coverage.bins import PointGroup
from tilepath.engine.coverage.model import CoverageModel, Tally
from tilepath.engine.description.stream import Records

Points = Mapping[str, tuple[Sequence[str], Callable[[Mapping[str, Records]], Any]]]
"""Point → the names of its bins, and what gives the numbers of those that some records hit."""


class StreamPoints(CoverageModel):
    """Points that records of a block's streams tell, block of cycles by block of cycles."""

    def __init__(self, block: str, profile: str, points: Points) -> None:
        self._points = points
        group = PointGroup()
        for name, (bins, _) in points.items():
            group.add(name, tuple(bins))
        self._tally = Tally(group)
        super().__init__(block, profile, self._tally)

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count records."""
        for name, (_, hits) in self._points.items():
            self._tally.hit(name, hits(streams))


def streams_seen(names: Sequence[str]) -> Points:
    """A bin for each stream: it has had an event, or another value."""

    def hits(streams: Mapping[str, Records]) -> Any:
        return np.repeat(np.arange(len(names)), [len(streams[name]) for name in names])

    return {"stream": (names, hits)}
