# SPDX-License-Identifier: Apache-2.0
"""Counts of one run or of many: merged by adding, and stored in files.

Files are JSON: ``{"block", "profile", "runs", "points": {point: {bin: count}}, "axes"}`` and
``readings`` of the profile; a bin of a cross is its labels with ``*`` in between, and ``axes``
(point → names) has the names that go with them. ``outside`` names points of a user's own plan. A
regression's file has ``growth``, too: run → point → bins that no run before it has hit; and
``ranking``, names of tests, first the one that hit most, then what added most to that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.readings import profile_of, readings_of
from tilepath.engine.host.files import read_text, write_whole


class CoverageReport:
    """Counts of one run, or of many merged."""

    def __init__(
        self,
        block: str,
        profile: str,
        runs: int,
        points: dict[str, dict[str, int]],
        axes: Mapping[str, tuple[str, ...]] | None = None,
        outside: Iterable[str] = (),
    ) -> None:
        self.block = block
        self.profile = profile
        self.runs = runs
        self.points = points
        self.axes = dict(axes or {})
        self.outside = tuple(outside)
        self.growth: dict[str, dict[str, list[str]]] = {}
        self.ranking: list[str] = []

    @property
    def total(self) -> int:
        """Number of declared bins."""
        return sum(len(bins) for bins in self.points.values())

    @property
    def hit(self) -> int:
        """Number of bins hit at least once."""
        return sum(1 for bins in self.points.values() for n in bins.values() if n)

    @property
    def percent(self) -> float:
        """Bins hit of bins declared, in percent."""
        return 100.0 * self.hit / self.total if self.total else 0.0

    def missing(self) -> list[tuple[str, str]]:
        """Every bin never hit, as (point, bin)."""
        return [(p, b) for p, bins in self.points.items() for b, n in bins.items() if not n]

    def described(self, point: str, name: str) -> str:
        """A bin of ``point`` as people read it: of a cross each label with the name of its axis."""
        axes, labels = self.axes.get(point, ()), name.split("*")
        if len(axes) != len(labels):
            return name
        return " ".join(f"{axis}={label}" for axis, label in zip(axes, labels, strict=True))

    def table_rows(self) -> list[tuple[str, int, int, str]]:
        """Per point: name, bins hit, bins declared, names of the bins not hit."""
        rows = []
        for point, bins in self.points.items():
            missing = [self.described(point, b) for b, n in bins.items() if not n]
            rows.append((point, len(bins) - len(missing), len(bins), ", ".join(missing)))
        return rows

    def merged(self, other: CoverageReport) -> CoverageReport:
        """Sum of both; ``ValueError`` when they do not declare the same points and bins.

        A point of a user's plan may be in one only.
        """
        free = {*self.outside, *other.outside} - (self.points.keys() & other.points.keys())
        same = (self.block, self.profile) == (other.block, other.profile) and {
            p: list(b) for p, b in self.points.items() if p not in free
        } == {p: list(b) for p, b in other.points.items() if p not in free}
        if not same:
            raise ValueError(
                f"coverage of {self.block}/{self.profile} and {other.block}/{other.profile} "
                "declare different bins"
            )
        points = {
            p: {b: n + other.points[p][b] for b, n in bins.items()} if p in other.points else bins
            for p, bins in self.points.items()
        }
        points |= {p: bins for p, bins in other.points.items() if p in free - self.points.keys()}
        outside = dict.fromkeys((*self.outside, *other.outside))
        axes = {**self.axes, **other.axes}
        runs = self.runs + other.runs
        return CoverageReport(self.block, self.profile, runs, points, axes, outside)

    def as_json(self) -> dict[str, Any]:
        """What a file has."""
        return {
            "block": self.block,
            "profile": self.profile,
            **readings_of(self.profile),
            "runs": self.runs,
            "points": self.points,
            "axes": self.axes,
            **({"outside": self.outside} if self.outside else {}),
            **({"growth": self.growth} if self.growth else {}),
            **({"ranking": self.ranking} if self.ranking else {}),
        }

    def write_json(self, path: Path) -> None:
        """Write atomically."""
        write_whole(path, f"{json.dumps(self.as_json(), indent=1)}\n".encode())

    @classmethod
    def read_json(cls, path: Path) -> CoverageReport:
        """Read a file; ``ValueError`` naming it when it is not a coverage file."""
        try:
            data = json.loads(read_text(path))
            points = {
                str(point): {str(name): int(count) for name, count in bins.items()}
                for point, bins in data["points"].items()
            }
            axes = {str(p): tuple(map(str, names)) for p, names in data["axes"].items()}
            outside = map(str, data.get("outside", ()))
            found = cls(data["block"], profile_of(data), data["runs"], points, axes, outside)
            found.ranking = list(map(str, data.get("ranking", ())))
            return found
        except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a coverage file: {error}") from None


def merge_files(paths: Iterable[Path]) -> CoverageReport:
    """The sum of all files; ``ValueError`` for none, an unreadable one, or different bins."""
    merged: CoverageReport | None = None
    for path in paths:
        report = CoverageReport.read_json(path)
        merged = report if merged is None else merged.merged(report)
    if merged is None:
        raise ValueError("no coverage files to merge")
    return merged


def grown(so_far: CoverageReport | None, run: str, found: CoverageReport) -> CoverageReport:
    """``so_far`` with what ``found``, which is of ``run``, adds to it; ``growth`` says what.

    ``ValueError`` as :meth:`CoverageReport.merged`.
    """
    merged = found if so_far is None else so_far.merged(found)
    before = {} if so_far is None else so_far.points
    new = {
        point: [name for name, n in bins.items() if n and not before.get(point, {}).get(name)]
        for point, bins in found.points.items()
    }
    merged.growth = {} if so_far is None else so_far.growth
    merged.growth[run] = {point: names for point, names in new.items() if names}
    return merged


def hits(found: CoverageReport, every: Mapping[str, Iterable[str]]) -> NDArray[np.bool_]:
    """Whether each bin of ``every`` point was hit; a user's point may not be there."""
    points = [found.points.get(point, dict.fromkeys(bins, 0)) for point, bins in every.items()]
    return np.array([n > 0 for bins in points for n in bins.values()])


def few(hit: NDArray[np.bool_], cycles: Sequence[int]) -> list[tuple[int, int]]:
    """Few rows (runs) that have every column (bin) that any has: their numbers, what each adds.

    The next one is always one that adds most, and of these the shortest: nearly the fewest.
    """
    left, found = hit.any(axis=0), []
    while left.any():
        adds = hit[:, left].sum(axis=1)
        best = max(range(len(hit)), key=lambda row: (adds[row], -cycles[row]))
        found.append((best, int(adds[best])))
        left &= ~hit[best]
    return found
