# SPDX-License-Identifier: Apache-2.0
"""Records as rows of 32-bit words, and what is asked of all of them: compiled, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.description.stream import Records

Rows = NDArray[np.uint32]

# int64 of a word: compiled code would take a difference of two words for a word
_wide: Final = cast("Callable[[np.uint32], int]", np.int64)


def rows_of(records: Records) -> Rows:
    """Records (n, whose fields are all words) as n rows of words, read-only.

    One layout for all is one compiled loop, whoever the records come from.
    """
    words = records.dtype.itemsize // 4
    whole = np.ascontiguousarray(records).view(np.uint32).reshape(len(records), words)
    whole.flags.writeable = False
    return whole


@compiled
def rising(rows: Rows, start: int, end: int) -> int:
    """How many of the first rows have cycles that rise within ``start`` ≤ c < ``end``."""
    least, count = start, len(rows)
    for place in range(count):
        cycle = _wide(rows[place, 0])
        if cycle < least or cycle >= end:
            return place
        least = cycle + 1
    return count


@compiled
def same(one: Rows, other: Rows, words: int) -> int:
    """How many of the first rows have equal words, of the first ``words`` of each row."""
    common = min(len(one), len(other))
    for place in range(common):
        for word in range(words):
            if one[place, word] != other[place, word]:
                return place
    return common
