# SPDX-License-Identifier: Apache-2.0
"""Numbers that look random and are always the same ones, for data that programs name by number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


def noise(number: int, count: int, salt: int) -> NDArray[np.uint64]:
    """``count`` words of 64 bits that depend on ``number`` (24 bits) and ``salt`` (8 bits)."""
    x = np.arange(count, dtype=np.uint64) + np.uint64(number << 32 | salt << 56)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x


class Noise:
    """Draws of ``count`` numbers at a time, each with a salt of its own."""

    def __init__(self, number: int, count: int) -> None:
        self._number = number
        self._count = count
        self._salt = 0

    def words(self) -> NDArray[np.uint64]:
        """64 bits each."""
        self._salt += 1
        return noise(self._number, self._count, self._salt)

    def share(self) -> F64:
        """0 <= x < 1."""
        return (self.words() >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, limit: int) -> I64:
        """0 <= n < ``limit``."""
        return (self.words() % np.uint64(limit)).astype(np.int64)

    def between(self, low: int, high: int) -> I64:
        """``low`` <= n < ``high``."""
        return low + self.below(high - low)
