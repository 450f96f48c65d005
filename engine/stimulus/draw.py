# SPDX-License-Identifier: Apache-2.0
"""Single draws from a generator that is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
T = TypeVar("T")

_WORD: Final = 1 << 32
_LOW: Final = _WORD - 1


def integers(rng: np.random.Generator, count: int, *tops: int) -> list[I64]:
    """Return for each of ``tops`` what ``rng.integers(0, top, count)`` gives, one by one in turn.

    One call for all, as for :class:`Draw`.
    """
    words = rng.integers(0, _WORD, len(tops) * count)
    found = []
    for k, top in enumerate(tops):
        column = words[k * count : (k + 1) * count]
        if top < _WORD:
            products = column * top
            rejected = (_WORD - top) % top
            if rejected and ((products & _LOW) < rejected).any():
                return _one_by_one(rng, words, count, tops)
            column = products >> 32
        found.append(column)
    return found


def _one_by_one(
    rng: np.random.Generator, words: I64, count: int, tops: tuple[int, ...]
) -> list[I64]:
    """Draw the same where words are rejected: others follow behind them."""
    given = iter(words.tolist())
    found = []
    for top in tops:
        column: list[int] = []
        while len(column) < count:
            word = next(given, None)
            product = (int(rng.integers(0, _WORD)) if word is None else word) * top
            if product & _LOW >= (_WORD - top) % top:
                column.append(product >> 32)
        found.append(np.array(column, np.int64))
    return found


class Draw:
    """Draws one value at a time.

    Integers are those of ``Generator.integers``, from the same 32-bit words of the bit generator,
    by the same method (Lemire's: the upper half of word · count, where few words are rejected): for
    one number, NumPy takes longer to look at the arguments than to draw. Draws of arrays from
    ``rng`` may come in between.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        words = rng.bit_generator.ctypes
        self._word: Callable[[], int] = partial(words.next_uint32, words.state)
        self._random = rng.random

    def below(self, count: int) -> int:
        """0 … ``count`` - 1; ``ValueError`` if there is none."""
        if not 1 < count <= _WORD:
            return int(self.rng.integers(0, count))
        product = self._word() * count
        if product & _LOW < count:
            rejected = (_WORD - count) % count
            while product & _LOW < rejected:
                product = self._word() * count
        return product >> 32

    def chance(self, share: float) -> bool:
        """True in ``share`` of all cases."""
        return self._random() < share

    def flag(self, share: float = 0.5) -> int:
        """1 in ``share`` of all cases, else 0."""
        return 1 if self._random() < share else 0

    def upto(self, top: int) -> int:
        """0 … ``top``."""
        return self.below(top + 1)

    def between(self, least: int, most: int) -> int:
        """``least`` … ``most``."""
        return least + self.below(most - least + 1)

    def one(self, of: Sequence[T]) -> T:
        """An element."""
        return of[self.below(len(of))]

    def by(self, weights: Mapping[str, float]) -> str:
        """A name, by weight."""
        place = self._random() * sum(weights.values())
        for name, weight in weights.items():
            place -= weight
            if place < 0:
                return name
        return next(reversed(list(weights)))
