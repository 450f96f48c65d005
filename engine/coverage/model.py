# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of a block: its points, and how it counts a range of cycles.

A block's model declares all its points and says in ``count`` how they are counted. What every block
needs is here: that ranges follow each other, that records lie in their range, exclusions with their
reasons, bins that were hit against their exclusion, and the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tilepath.engine.coverage.bins import Coverpoint, Exclude, PointGroup
from tilepath.engine.coverage.expression import I64
from tilepath.engine.coverage.plan import CoveragePlan
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.description.stream import Records


class Tally:
    """Counts of the bins of a group, in one model."""

    def __init__(self, group: PointGroup) -> None:
        self.group = group
        self._counts: I64 | None = None

    @property
    def counts(self) -> I64:
        """One count a bin, in the group's order; the group must be complete."""
        if self._counts is None:
            self._counts = np.zeros(self.group.size, np.int64)
        return self._counts

    def of(self, point: Coverpoint) -> I64:
        """The counts of one point."""
        return self.counts[point.base : point.base + point.size]

    def hit(self, name: str, *columns: Any, where: Any = None) -> None:
        """Count a sample for each row of ``columns``, one column an axis; rows not ``where`` not.

        A number stands for a column of it; where all are numbers, ``where`` says how many rows
        there are. ``KeyError`` for an unknown point, ``ValueError`` for a row that is in no bin.
        """
        point = self.group.named[name]
        rows: Any = slice(None) if where is None else np.flatnonzero(where)
        lengths = [len(c) for c in columns if not isinstance(c, int)]
        n = max(lengths) if where is None else len(rows)
        if n == 0:
            return
        chosen = tuple(
            np.full(n, c, np.int64) if isinstance(c, int) else np.asarray(c)[rows].astype(np.int64)
            for c in columns
        )
        bins = np.ravel_multi_index(chosen, tuple(map(len, point.axes)))
        self.of(point)[:] += np.bincount(bins, minlength=point.size)


class CoverageModel:
    """Base of a block's coverage model; a block writes ``count``.

    ``tallies``: of the groups whose points are the model's. ``axes``: point → names of its axes,
    between blanks, where the point's own name does not tell them (``Coverpoint.axis_names``).
    ``ValueError`` for a point that is declared twice, and for another number of names than axes.
    """

    def __init__(
        self, block: str, profile: str, *tallies: Tally, axes: Mapping[str, str] | None = None
    ) -> None:
        self.block = block
        self.profile = profile
        self._declared: dict[str, tuple[Coverpoint, Tally]] = {}
        for tally in tallies:
            for point in tally.group.points:
                if point.name in self._declared:
                    raise ValueError(f"coverpoint {point.name}: declared twice")
                self._declared[point.name] = point, tally
        self._excluded = {
            name: point.excluded(profile) for name, (point, _) in self._declared.items()
        }
        self._axes = dict(self._axis_names(axes or {}))
        self._next = 0
        self.outside: tuple[str, ...] = ()

    def with_plans(self, _plans: Sequence[CoveragePlan]) -> CoverageModel:
        """A model that counts the points of ``_plans``, too, which are a user's; ``ValueError``."""
        raise ValueError(f"coverage of {self.block} is no table: it takes no PLAN")

    def _axis_names(self, given: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each cross, and the names of its axes."""
        for name, (point, _) in self._declared.items():
            names = tuple(given[name].split()) if name in given else point.axis_names
            if names and len(names) != len(point.axes):
                raise ValueError(f"coverpoint {name}: {len(point.axes)} axes, not {names}")
            if len(point.axes) > 1:
                yield name, names

    def follow(self, model: object) -> None:
        """Called once before the first block with the golden model that the run is held against.

        By default nothing: what the recorded streams show is enough.
        """

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``, of which there is at least one."""
        raise NotImplementedError

    def sample(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``; called block after block.

        Ranges must follow each other from cycle 0; ``ValueError`` when they do not, or when a
        record is outside its range. How the run is cut into ranges does not change any count.
        """
        if start != self._next or end < start:
            raise ValueError(f"coverage: cycles {start} to {end} do not follow {self._next}")
        for name, records in streams.items():
            cycles = records["cycle"]
            if len(cycles) and not start <= cycles[0] <= cycles[-1] < end:
                raise ValueError(f"coverage: {name} has a record outside cycles {start} to {end}")
        self._next = end
        if end > start:
            self.count(streams, start, end)

    def finish(self) -> None:
        """Called once after the last block; nothing by default."""

    def exclusions(self) -> list[tuple[str, str, str]]:
        """Every excluded bin, as (point, bin, reason)."""
        return [(point, name, rule.reason) for point, _, name, rule in self._rules()]

    def contradicted(self) -> list[tuple[str, str, str]]:
        """Bins excluded as impossible and hit nevertheless, as (point, bin, reason).

        A run with any does not pass: the DUT, the coverage model or the reason is wrong.
        """
        return [
            (point, name, rule.reason)
            for point, count, name, rule in self._rules()
            if count and not rule.profiles
        ]

    def _rules(self) -> Iterator[tuple[str, int, str, Exclude]]:
        """Every excluded bin: its point, count and name, and the rule that excludes it."""
        for point, excluded in self._excluded.items():
            declared, tally = self._declared[point]
            counts = tally.of(declared)
            for index, (name, rule) in excluded.items():
                yield point, int(counts[index]), name, rule

    def report(self) -> CoverageReport:
        """The counts so far, of all bins that are not excluded."""
        points = {}
        for name, (point, tally) in self._declared.items():
            excluded, counts = self._excluded[name], tally.of(point).tolist()
            points[name] = {
                label: counts[index]
                for index, label in enumerate(point.bins())
                if index not in excluded
            }
        return CoverageReport(self.block, self.profile, 1, points, self._axes, self.outside)
