# SPDX-License-Identifier: Apache-2.0
"""Coverpoints as the kernels see them: places in one flat array of counts.

A point is the full product of its axes, first axis slowest, so that a kernel computes the place of
a bin without a table. Excluded bins have a place too: a bin that is called impossible and is hit
nevertheless shows that its reason is wrong (``CoverageModel.contradicted``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod

Axis = tuple[str, ...]


@dataclass(frozen=True)
class Exclude:
    """Bins that do not count, given by one label of each axis (``None``: any), and why.

    Without ``profiles`` the bins are impossible under the cycle contract. With ``profiles`` they
    are outside the constraints of these profiles only: a directed test may still hit them.
    """

    where: tuple[str | None, ...]
    reason: str
    profiles: Axis = ()

    def matches(self, labels: Axis) -> bool:
        """Whether the bin with these labels is meant."""
        return all(w is None or w == label for w, label in zip(self.where, labels, strict=True))


@dataclass(frozen=True)
class Coverpoint:
    """A point, the places of its bins (``base`` to ``base + size - 1``), and its exclusions."""

    name: str
    axes: tuple[Axis, ...]
    excludes: tuple[Exclude, ...]
    base: int

    @property
    def size(self) -> int:
        """Number of bins, excluded ones included."""
        return prod(len(axis) for axis in self.axes)

    def excluded(self, profile: str) -> dict[int, tuple[str, Exclude]]:
        """Index of each bin excluded in ``profile`` → its name and the first rule that says so."""
        found: dict[int, tuple[str, Exclude]] = {}
        for index, labels in enumerate(product(*self.axes)):
            for rule in self.excludes:
                if (not rule.profiles or profile in rule.profiles) and rule.matches(labels):
                    found[index] = ("*".join(labels), rule)
                    break
        return found


@dataclass
class PointGroup:
    """The points counted by one kernel, in one array of ``size`` counts."""

    points: list[Coverpoint] = field(default_factory=list)
    size: int = 0

    def add(self, name: str, *axes: Axis, exclude: tuple[Exclude, ...] = ()) -> int:
        """Declare a point; returns the place of its first bin."""
        point = Coverpoint(name, axes, exclude, self.size)
        labels = set(product(*axes))
        for rule in exclude:
            if not any(rule.matches(bin_labels) for bin_labels in labels):
                raise ValueError(f"coverpoint {name}: {rule.where} excludes nothing")
        self.points.append(point)
        self.size += point.size
        return point.base
