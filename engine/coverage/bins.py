# SPDX-License-Identifier: Apache-2.0
"""Coverpoints as the kernels see them: places in one flat array of counts.

A point is the full product of its axes, first axis slowest, so that a kernel computes the place of
a bin without a table. Excluded bins have a place too: a bin that is called impossible and is hit
nevertheless shows that its reason is wrong (``CoverageModel.contradicted``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import prod

Axis = tuple[str, ...]


@dataclass(frozen=True)
class Exclude:
    """Bins that do not count, and why: of each axis a label, several, or any (``None``).

    Without ``profiles`` the bins are impossible under the cycle contract. With ``profiles`` they
    are outside the constraints of these profiles only: a directed test may still hit them.
    """

    where: tuple[str | Axis | None, ...]
    reason: str
    profiles: Axis = ()

    def each(self) -> Iterator[Exclude]:
        """Yield the same rule with one label of each axis, or any."""
        for where in product(*(one if isinstance(one, tuple) else (one,) for one in self.where)):
            yield replace(self, where=where)

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
    def axis_names(self) -> Axis:
        """Names of the axes as the point's own name tells them; none where it does not.

        ``order.first_x_second`` has the axes ``first`` and ``second``.
        """
        names = tuple(self.name.partition(".")[2].split("_x_"))
        return names if len(names) == len(self.axes) else ()

    @property
    def size(self) -> int:
        """Number of bins, excluded ones included."""
        return prod(len(axis) for axis in self.axes)

    def bins(self) -> Iterator[str]:
        """The names of all bins, by index."""
        return map("*".join, product(*self.axes))

    def excluded(self, profile: str) -> dict[int, tuple[str, Exclude]]:
        """Index of each bin excluded in ``profile`` → its name and the first rule that says so."""
        found: dict[int, tuple[str, Exclude]] = {}
        for rule in self.excludes:
            if not rule.profiles or profile in rule.profiles:
                parts = zip(rule.where, self.axes, strict=True)
                for labels in product(*((w,) if isinstance(w, str) else axis for w, axis in parts)):
                    index = 0
                    for label, axis in zip(labels, self.axes, strict=True):
                        index = index * len(axis) + axis.index(label)
                    found.setdefault(index, ("*".join(labels), rule))
        return dict(sorted(found.items()))


@dataclass
class PointGroup:
    """Points whose counts are in one array of ``size`` counts, as a kernel sees them."""

    points: list[Coverpoint] = field(default_factory=list)
    named: dict[str, Coverpoint] = field(default_factory=dict)
    size: int = 0

    def add(self, name: str, *axes: Axis, exclude: tuple[Exclude, ...] = ()) -> int:
        """Declare a point, the full cross of ``axes``; returns the place of its first bin.

        ``ValueError`` for a name given twice, an axis without or with repeated labels, and a rule
        that excludes nothing.
        """
        if name in self.named or not axes or any(len(set(a)) != len(a) or not a for a in axes):
            raise ValueError(f"coverpoint {name}: declared twice, or with no or repeated bins")
        point = Coverpoint(name, axes, tuple(chain(*(rule.each() for rule in exclude))), self.size)
        labels = set(product(*axes))
        for rule in point.excludes:
            if not any(rule.matches(bin_labels) for bin_labels in labels):
                raise ValueError(f"coverpoint {name}: {rule.where} excludes nothing")
        self.points.append(point)
        self.named[name] = point
        self.size += point.size
        return point.base
