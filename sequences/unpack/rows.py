# SPDX-License-Identifier: Apache-2.0
"""Items of a script before they are arrays: fields, gap, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack import items


@dataclass
class Barrier:
    """How many items must be done before a phase; it can still grow until items are taken."""

    count: int = 0
    idle: int = 0


NONE: Final = Barrier()
"""At once."""


@dataclass(frozen=True)
class Row:
    """Fields of an item and its conditions."""

    fields: tuple[Any, ...]
    gap: int
    idle: int
    barrier: Barrier
    and_after: int

    @property
    def after(self) -> int:
        """The condition that stands for the barrier."""
        return int(items.after_all(self.barrier.count)) if self.barrier.count else 0


def to_items(player: str, rows: list[Row]) -> Items:
    """The items of ``player``, in order; ``ValueError`` for a value that does not fit."""
    order = [
        {"gaps": [r.gap for r in rows], "idle": [r.idle | r.barrier.idle for r in rows]},
        {"after": [r.after for r in rows], "and_after": [r.and_after for r in rows]},
    ]
    heads: dict[str, ArrayLike] = {**order[0], **order[1]}
    kind = player.rpartition(".")[2]
    if kind == "cfg":
        return _configs(rows, heads)
    columns = list(zip(*(r.fields for r in rows), strict=True))
    if kind == "issue":
        return items.issue(columns[0], **heads)
    if kind == "setc16":
        return items.setc16(columns[0], columns[1], **heads)
    if kind == "matrix":
        return items.matrix(*columns, **heads)
    return items.l1_write(columns[0], np.array(columns[1], np.int64), **heads)


def _configs(rows: list[Row], heads: Mapping[str, ArrayLike]) -> Items:
    """Writes of one word and of four, in order."""
    banks, index, wide, data = (list(c) for c in zip(*(r.fields for r in rows), strict=True))
    values = np.array(data, np.int64)
    made = items.cfg_wide(banks, index, values, **heads)
    one = items.cfg(banks, index, values[:, 0], **heads)
    return np.where(np.array(wide)[:, None] == 1, made, one)
