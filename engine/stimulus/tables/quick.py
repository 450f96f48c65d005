# SPDX-License-Identifier: Apache-2.0
"""What makes drawing from tables quick: numbers for many small blocks, columns when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_LONG: Final = 256
"""Numbers for each sum from which on comparing all with it is quicker than to search for each."""


class Quick(np.random.Generator):
    """Its whole numbers are others than a ``Generator`` has; of a few they cost a third."""

    def integers(  # type: ignore[override]  # fewer ways to be called
        self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        """Draw as a ``Generator``, ``int64`` only; numbers are no more than 2^32 apart."""
        low, high = (0, low) if high is None else (low, high)
        drawn = self.random(size)
        drawn *= high - low + endpoint
        return drawn.astype(np.int64) + low

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw as a ``Generator``."""
        waited = self.standard_exponential(size)
        waited /= -np.log(np.maximum(1 - p, 1e-300))
        return waited.astype(np.int64) + 1


class Picked(dict[str, NDArray[Any]]):
    """Some rows of columns, of each column when it is asked for."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], rows: NDArray[Any]) -> None:
        super().__init__()
        self._columns, self._rows = columns, rows

    def __missing__(self, name: str) -> NDArray[Any]:
        found: NDArray[Any] = self._columns[name][self._rows]
        self[name] = found
        return found


def places(sums: NDArray[Any], drawn: NDArray[Any]) -> NDArray[Any]:
    """Return how many of ``sums``, which rise to 1, each number in ``drawn`` is not below."""
    if len(drawn) < _LONG * len(sums) or len(sums) > np.iinfo(np.int8).max:
        return sums.searchsorted(drawn, "right")
    found, above = np.zeros(len(drawn), np.int8), np.empty(len(drawn), bool)
    for one in sums[:-1]:
        np.greater_equal(drawn, one, out=above)
        found += above.view(np.int8)
    return found.astype(np.int64)
