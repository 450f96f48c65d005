# SPDX-License-Identifier: Apache-2.0
"""What the points share: labels of axes, and columns of bins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.coverage.bins import Axis

Column = NDArray[Any]
I64 = NDArray[np.int64]

NO_YES: Final = ("no", "yes")
UNPACKERS: Final = ("u0", "u1")
THREADS: Final = ("t0", "t1", "t2")
FILES: Final = ("srca", "srcb", "dst")


def numbers(n: int) -> Axis:
    """Labels ``0`` to ``n - 1``."""
    return tuple(map(str, range(n)))


def labels(values: tuple[int, ...]) -> Axis:
    """A label for each value, and ``other`` for the rest."""
    return (*map(str, values), "other")


def place(column: Column, values: tuple[int, ...]) -> I64:
    """Where each element is in ``values``; ``len(values)`` for any other."""
    found = np.full(len(column), len(values), np.int64)
    for number, value in enumerate(values):
        found[column == value] = number
    return found


def many(column: Column) -> I64:
    """0, 1, 2 for 0, 1 and more."""
    return np.clip(np.asarray(column, np.int64), 0, 2)
