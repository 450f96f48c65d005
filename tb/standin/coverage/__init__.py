# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the math stand-in, from the recorded streams alone (docs/standin.md).

``table`` makes a row of each instruction, with what it sampled; ``formats``, ``words``,
``counters``, ``values`` and ``timing`` count their points from these and from the rows that were
read and written.
"""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.isa import profiles
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.standin.coverage import counters, formats, timing, values, words
from tilepath.tb.standin.coverage.table import Collector
from tilepath.tb.unpack.coverage import second_writes

__all__ = ["StandinCoverage"]

# Names of the axes of points that their own names do not tell.
_AXES = {
    "sum.cancels_x_accumulates_x_kind": "op accumulates kind",
    "phase.counter_x_base": "counter base",
    "move.movb2d_classes": "class_a class_b",
    "address.dst_sum_wraps": "op wraps",
    "address.src_sum_wraps": "op wraps",
}


class StandinCoverage(CoverageModel):
    """Coverage model of the block ``standin``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        self._implied = profiles.get(profile).implied_fmt
        points = PointGroup()
        formats.declare(points, profile)
        words.declare(points, profile)
        for topic in (counters, values, timing):
            topic.declare(points)
        second_writes.declare_stores(points)
        self._points = Tally(points)
        super().__init__("standin", profile, self._points, axes=_AXES)
        self._collector = Collector(profile)
        self._timing = timing.Timing(self._points)

    def count(self, streams: Mapping[str, Records], _start: int, end: int) -> None:
        """Count the instructions that end in a block of cycles."""
        second_writes.count_stores(self._points, streams)
        table = self._collector.add(streams, end)
        if not len(table):
            return
        fmt = formats.formats(table, self._implied)
        formats.count(self._points, table, fmt)
        words.count(self._points, table, fmt)
        counters.count(self._points, table, fmt)
        values.count(self._points, table, fmt)
        self._timing.count(table)
