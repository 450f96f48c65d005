# SPDX-License-Identifier: Apache-2.0
"""What the points share: labels of axes, columns of bins, and points that kernels count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.models.jit import part
from tilepath.tb.kernel.coverage.bins import Axis, Exclude, PointGroup

Column = NDArray[Any]
I64 = NDArray[np.int64]

NO_YES: Final = ("no", "yes")
THREADS: Final = ("t0", "t1", "t2")
FORMATS: Final = (
    "fp32", "fp16", "bfp8a", "bfp4a", "tf32", "bf16", "bfp8", "bfp4", "int32", "int16", "fp8",
    "bfp2a", "-12", "-13", "int8", "bfp2",
)  # fmt: skip
"""By code."""
BFP: Final = (2, 3, 11, 6, 7, 15)
"""Codes with a shared exponent, those of five bits first."""


class Walked(NamedTuple):
    """A point that a kernel counts; its number in ``places`` is that in its list."""

    name: str
    axes: tuple[Axis, ...]
    exclude: tuple[Exclude, ...] = ()


class Counting(NamedTuple):
    """Places of the first bins of kernels' points, and all counts."""

    places: I64
    counts: I64


def declare(group: PointGroup, points: Iterable[Walked]) -> list[int]:
    """Declare points; returns the places of their first bins."""
    return [group.add(point.name, *point.axes, exclude=point.exclude) for point in points]


@part
def hit(counting: Counting, point: int, place: int) -> None:
    """Count a bin of a kernel's point."""
    counting.counts[counting.places[point] + place] += 1


def names(prefix: str, n: int) -> Axis:
    """Labels ``prefix0`` to ``prefix<n - 1>``."""
    return tuple(f"{prefix}{k}" for k in range(n))


def labels(values: Sequence[int]) -> Axis:
    """A label for each value, and ``other`` for the rest."""
    return (*map(str, values), "other")


def place(column: Column, values: Sequence[int]) -> I64:
    """Where each element is in ``values``; ``len(values)`` for any other."""
    found = np.full(len(column), len(values), np.int64)
    for number, value in enumerate(values):
        found[column == value] = number
    return found


def ranges(column: Column, firsts: Sequence[int]) -> I64:
    """Number of the range that each element is in; ``firsts``: of all ranges but the lowest."""
    return np.searchsorted(np.asarray(firsts), column, side="right").astype(np.int64)
