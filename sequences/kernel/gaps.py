# SPDX-License-Identifier: Apache-2.0
"""Random gaps between items, drawn from tables because that is cheap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

GAP_TABLE: Final = 256


def gap_tables(
    names: Sequence[str], rng: np.random.Generator, longest: tuple[int, int]
) -> NDArray[np.uint32]:
    """A table of gaps for each name (n by 256): ``none``, ``sparse``, ``frequent``, ``long``.

    Long gaps are of ``longest[0]`` to ``longest[1]`` - 1 cycles, and rare.
    """
    tables = np.zeros((len(names), GAP_TABLE), np.uint32)
    for table, name in zip(tables, names, strict=True):
        if name == "sparse":
            table[:26] = rng.integers(1, 9, 26)
        elif name == "frequent":
            table[:150] = rng.integers(1, 6, 150)
        elif name == "long":
            table[:8] = rng.integers(*longest, 8)
    return tables
