# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: declared bins, counts per bin, and a merge that is a sum.

A block's :class:`CoverageModel` declares every point and bin before the first sample, so that a
bin that was never hit is seen as such. Files are JSON: ``{"block", "profile", "runs", "points":
{point: {bin: count}}}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.stream import Records


class CoverageModel:
    """Base of a block's coverage model: declare points in ``__init__``, count in ``sample``."""

    def __init__(self, block: str, profile: str) -> None:
        self.block = block
        self.profile = profile
        self._bins: dict[str, tuple[str, ...]] = {}
        self._counts: dict[str, NDArray[np.int64]] = {}

    def point(self, name: str, bins: Iterable[str]) -> None:
        """Declare coverpoint ``name``; ``ValueError`` for a name or a bin given twice."""
        listed = tuple(bins)
        if name in self._bins or len(set(listed)) != len(listed) or not listed:
            raise ValueError(f"coverpoint {name}: declared twice, or with no or repeated bins")
        self._bins[name] = listed
        self._counts[name] = np.zeros(len(listed), np.int64)

    def cross(self, name: str, *axes: Iterable[str], exclude: Iterable[str] = ()) -> None:
        """Declare the cross of ``axes``; its bins are ``a*b*…``; excluded ones do not exist."""
        bins = [""]
        for axis in axes:
            labels = tuple(axis)
            bins = [f"{b}*{label}" if b else label for b in bins for label in labels]
        excluded = set(exclude)
        if unknown := excluded - set(bins):
            raise ValueError(f"cross {name}: cannot exclude unknown bins {sorted(unknown)}")
        self.point(name, [b for b in bins if b not in excluded])

    def bins(self, name: str) -> tuple[str, ...]:
        """The bins of a point, in the order of their indices."""
        return self._bins[name]

    def hit(self, name: str, bin_name: str, count: int = 1) -> None:
        """Count one bin by name; ``KeyError`` for an undeclared point, ``ValueError`` for a bin."""
        self._counts[name][self._bins[name].index(bin_name)] += count

    def hit_indices(self, name: str, indices: NDArray[np.integer]) -> None:
        """Count bins by index; negative indices are samples that belong to no bin."""
        valid = indices[indices >= 0]
        self._counts[name] += np.bincount(valid, minlength=len(self._bins[name]))

    def sample(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``; called block after block."""
        raise NotImplementedError

    def add_counts(self, name: str, counts: NDArray[np.int64]) -> None:
        """Add a vector of counts, one for each bin in order; ``ValueError`` for a wrong length."""
        if len(counts) != len(self._bins[name]):
            raise ValueError(f"coverpoint {name} has {len(self._bins[name])} bins")
        self._counts[name] += counts

    def exclusions(self) -> list[tuple[str, str, str]]:
        """Every excluded bin, as (point, bin, reason); none by default."""
        return []

    def contradicted(self) -> list[tuple[str, str, str]]:
        """Bins excluded as impossible and hit nevertheless; a run with any does not pass."""
        return []

    def finish(self) -> None:
        """Called once after the last block; nothing by default."""

    def report(self) -> CoverageReport:
        """The counts so far."""
        points = {
            name: {b: int(n) for b, n in zip(bins, self._counts[name], strict=True)}
            for name, bins in self._bins.items()
        }
        return CoverageReport(self.block, self.profile, 1, points)


class CoverageReport:
    """Counts of one run, or of many merged."""

    def __init__(
        self, block: str, profile: str, runs: int, points: dict[str, dict[str, int]]
    ) -> None:
        self.block = block
        self.profile = profile
        self.runs = runs
        self.points = points

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

    def table_rows(self) -> list[tuple[str, int, int, str]]:
        """Per point: name, bins hit, bins declared, names of the bins not hit."""
        rows = []
        for point, bins in self.points.items():
            missing = [b for b, n in bins.items() if not n]
            rows.append((point, len(bins) - len(missing), len(bins), ", ".join(missing)))
        return rows

    def merged(self, other: CoverageReport) -> CoverageReport:
        """Sum of both; ``ValueError`` when they do not declare the same points and bins."""
        same = (self.block, self.profile) == (other.block, other.profile) and {
            p: list(b) for p, b in self.points.items()
        } == {p: list(b) for p, b in other.points.items()}
        if not same:
            raise ValueError(
                f"coverage of {self.block}/{self.profile} and {other.block}/{other.profile} "
                "declare different bins"
            )
        points = {
            p: {b: n + other.points[p][b] for b, n in bins.items()}
            for p, bins in self.points.items()
        }
        return CoverageReport(self.block, self.profile, self.runs + other.runs, points)

    def write_json(self, path: Path) -> None:
        """Write atomically."""
        text = json.dumps(
            {
                "block": self.block,
                "profile": self.profile,
                "runs": self.runs,
                "points": self.points,
            },
            indent=1,
        )
        part = path.with_suffix(".part")
        part.write_text(text + "\n")
        part.replace(path)

    @classmethod
    def read_json(cls, path: Path) -> CoverageReport:
        """Read a file; ``ValueError`` naming it when it is not a coverage file."""
        try:
            data = json.loads(path.read_text())
            points = {
                str(point): {str(name): int(count) for name, count in bins.items()}
                for point, bins in data["points"].items()
            }
            return cls(data["block"], data["profile"], data["runs"], points)
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
