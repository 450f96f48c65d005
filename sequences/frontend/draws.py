# SPDX-License-Identifier: Apache-2.0
"""Cheap random draws: a NumPy generator read in blocks, and tables for weighted choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import numpy as np

_BLOCK: Final = 4096
TABLE: Final = 256

T = TypeVar("T")


def weighted(weights: Mapping[T, float], size: int = TABLE) -> list[T]:
    """About ``size`` keys, each in proportion to its weight and at least once if that is > 0."""
    total = sum(weights.values())
    table: list[T] = []
    for key, weight in weights.items():
        if weight > 0:
            table += [key] * max(1, round(weight * size / total))
    return table


class Source:
    """Scalar draws from ``rng``.

    A call to a NumPy generator costs microseconds; here one call fetches thousands of numbers.
    The sequence of draws depends on the generator alone.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._next: Callable[[], float] = iter(()).__next__

    def unit(self) -> float:
        """A number in [0, 1)."""
        try:
            return self._next()
        except StopIteration:
            self._next = iter(self._rng.random(_BLOCK).tolist()).__next__
            return self._next()

    def below(self, bound: int) -> int:
        """An integer in [0, ``bound``); ``bound`` at most 2**32."""
        return int(self.unit() * bound)

    def between(self, low: int, high: int) -> int:
        """An integer in [``low``, ``high``]."""
        return low + int(self.unit() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """True in ``share`` of the calls."""
        return self.unit() < share

    def pick(self, table: list[T]) -> T:
        """An entry of ``table``, all equally likely."""
        return table[int(self.unit() * len(table))]

    def run(self, mean: float, limit: int) -> int:
        """A geometric-like length of at least 1, about ``mean`` on average, at most ``limit``."""
        length = 1
        more = 1 - 1 / mean
        while length < limit and self.unit() < more:
            length += 1
        return length
