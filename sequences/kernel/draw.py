# SPDX-License-Identifier: Apache-2.0
"""Single draws from a generator that is handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draw:
    """Draws one value at a time."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def chance(self, share: float) -> bool:
        """True in ``share`` of all cases."""
        return bool(self.rng.random() < share)

    def flag(self, share: float = 0.5) -> int:
        """1 in ``share`` of all cases, else 0."""
        return int(self.rng.random() < share)

    def upto(self, top: int) -> int:
        """0 … ``top``."""
        return int(self.rng.integers(0, top + 1))

    def between(self, least: int, most: int) -> int:
        """``least`` … ``most``."""
        return int(self.rng.integers(least, most + 1))

    def one(self, of: Sequence[T]) -> T:
        """An element."""
        return of[int(self.rng.integers(0, len(of)))]

    def by(self, weights: Mapping[str, float]) -> str:
        """A name, by weight."""
        place = float(self.rng.random()) * sum(weights.values())
        for name, weight in weights.items():
            place -= weight
            if place < 0:
                return name
        return next(reversed(list(weights)))
