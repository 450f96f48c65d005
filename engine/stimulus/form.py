# SPDX-License-Identifier: Apache-2.0
"""The form of a player's items as sequences see them: values by name, what fits, rows to arrays.

What an item waits for is one value for each condition that it has room for (``after``), whatever
fields hold it; a field of several words is a tuple.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.description.boundary import Field
from tilepath.engine.description.packing import END, GAP_MASK
from tilepath.engine.description.player import Items, Player

Row = tuple[Any, ...]


class Limit(NamedTuple):
    """What a value may be: ``least`` to ``most``, or one of ``names`` for 0, 1, …; how many."""

    least: int
    most: int
    words: int = 1
    names: tuple[str, ...] = ()


class Form:
    """Names, limits and order of the values of a player's items.

    ``own``: those that the player's description has, without gap, cycles, and what is waited for.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._ways = player.waits.ways if player.waits else {}
        self._condition = player.waits.condition if player.waits else Field("none")
        self._groups = [name for name, _ in self._condition.bits]
        hidden = {f"{prefix}_{group}" for prefix in self._ways.values() for group in self._groups}
        fields = [f for f in player.fields if f.name not in hidden]
        self.own: Final = tuple(f.name for f in fields if not (player.hold and f.name == "idle"))
        self.limits: Final[dict[str, Limit]] = {}
        if player.kind == "level":
            self.limits["cycles"] = Limit(1, END - 1)
        else:
            self.limits["gap"] = Limit(0, GAP_MASK)
        if player.go:
            self.limits["wait"] = Limit(0, 1)
        for f in fields:
            self.limits[f.name] = Limit(0, (1 << min(f.width, 32)) - 1, f.words, f.values)
        for way in self._ways:
            self.limits[way] = Limit(0, (1 << self._condition.width) - 1)
        self.names: Final = tuple(self.limits)
        self.place: Final = {name: place for place, name in enumerate(self.names)}

    def default(self, name: str) -> Any:
        """What a value is that nobody has set."""
        limit = self.limits[name]
        return limit.least if limit.words == 1 else (0,) * limit.words

    def checked(self, name: str, value: Any) -> Any:
        """``value`` as it is stored; ``ValueError`` if it does not fit."""
        limit = self.limits[name]
        if limit.words > 1:
            return self._words(name, limit, value)
        if isinstance(value, str) and value in limit.names:
            return limit.names.index(value)
        return _fitting(name, limit, value)

    def _words(self, name: str, limit: Limit, value: Any) -> Row:
        each = tuple(value) if isinstance(value, Sequence | np.ndarray) else (value,)
        if len(each) > limit.words:
            raise ValueError(f"{name}: at most {limit.words} values, not {len(each)}")
        fitting = tuple(_fitting(name, limit, one) for one in each)
        return fitting + (0,) * (limit.words - len(each))

    def pack(self, rows: Sequence[Row]) -> Items:
        """The items (n × words) of ``rows`` of values, in the order of ``names``."""
        columns = dict(zip(self.names, map(np.array, zip(*rows, strict=True)), strict=True))
        for way, prefix in self._ways.items():
            parts = self._condition.split(columns.pop(way))
            columns |= {f"{prefix}_{group}": part for group, part in parts.items()}
        return self.player.pack(**columns)

    def row(self, items: Items) -> Row:
        """The inverse of :meth:`pack` for one item."""
        values = {name: column[0] for name, column in self.player.unpack(items).items()}
        for way, prefix in self._ways.items():
            parts = {group: values[f"{prefix}_{group}"] for group in self._groups}
            values[way] = self._condition.value(**parts)
        return tuple(values[n] if self.limits[n].words > 1 else int(values[n]) for n in self.names)


def _fitting(name: str, limit: Limit, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        known = f", or one of {', '.join(limit.names)}" if limit.names else ""
        raise ValueError(f"{name}: a whole number{known}, not {value!r}") from None
    if not limit.least <= number <= limit.most:
        raise ValueError(f"{name}: {limit.least} to {limit.most}, not {number}")
    return number
