# SPDX-License-Identifier: Apache-2.0
"""A program's items executed by the golden model without time, in an order that they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from tilepath.engine.description.player import Items, Player
from tilepath.models.machine import Machine

Row = dict[str, Any]


def _rows(player: Player, parts: Iterable[Items]) -> list[Row]:
    """The items of a player, each as its fields."""
    items = np.concatenate([np.zeros((0, player.words), np.uint32), *parts])
    fields = {field: values.tolist() for field, values in player.unpack(items).items()}
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]


class Play:
    """Plays items of all players that items can wait for; ``sources`` numbers them from 1 on.

    A block has a method for each kind of item that has to wait, or that its ``unit`` does not take:
    it gets thread and fields, and tells by ``False`` that the item has to wait.
    """

    unit: str  # of ``Machine``

    def __init__(
        self,
        players: Sequence[Player],
        sources: Sequence[str],
        stimulus: Mapping[str, Iterable[Items]],
        profile: str,
    ) -> None:
        self.machine = Machine(profile)
        self._sources = sources
        named = {name: player for player in players for name in player.instances}
        self._items = {name: _rows(named[name], stimulus.get(name, ())) for name in sources}
        self._done = dict.fromkeys(sources, 0)

    def run(self) -> Self:
        """Play everything; ``AssertionError`` if the players wait for one another."""
        order = sorted(self._items, key=lambda name: name.endswith(".issue"))
        while any(self._done[name] < len(rows) for name, rows in self._items.items()):
            assert any(self._step(name) for name in order), f"all wait: {self._done}"
        return self

    def _step(self, name: str) -> bool:
        """The next item of a player, if it may."""
        place = self._done[name]
        if place == len(self._items[name]):
            return False
        row = self._items[name][place]
        if not (self._holds(row, "after") and self._holds(row, "and")):
            return False
        play = getattr(self, f"_{name.rpartition('.')[2]}", None)
        if play is None:
            getattr(self.machine, self.unit).apply(name, row)
        elif play(int(name[1]) if "." in name else 0, row) is False:
            return False
        self._done[name] += 1
        return True

    def _holds(self, row: Row, way: str) -> bool:
        source, count = row[f"{way}_source"], row[f"{way}_count"]
        if source > len(self._sources):
            return bool(sum(self._done.values()) >= count)
        return bool(source == 0 or self._done[self._sources[source - 1]] >= count)
