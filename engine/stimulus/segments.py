# SPDX-License-Identifier: Apache-2.0
"""Pieces of programs, made together and put in an order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbered(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return whose each thing is, of pieces with ``counts`` things, and its number there."""
    whose = np.repeat(np.arange(len(counts)), counts)
    return whose, np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)


def reordered(sizes: NDArray[Any], order: NDArray[Any]) -> NDArray[Any]:
    """Return where things of pieces are that lie one behind the other, pieces in ``order``."""
    starts = (sizes.cumsum() - sizes)[order]
    whose, number = numbered(sizes[order])
    found: NDArray[Any] = starts[whose] + number
    return found
