# SPDX-License-Identifier: Apache-2.0
"""What every block's bench sends and sees: sequence items of players, and events of monitors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from pyuvm import uvm_sequence, uvm_sequence_item

from tilepath.engine.description.player import Items, Player


@dataclass(slots=True)
class Event:
    """What a monitor saw: in which stream, in which cycle, and the values of the fields."""

    stream: str
    cycle: int
    values: tuple[int, ...] = ()


class Item(uvm_sequence_item):
    """A transaction whose attributes are the fields of a player, and ``gap`` or ``cycles``."""

    def __init__(self, name: str, fields: dict[str, int]) -> None:
        super().__init__(name)
        vars(self).update(fields)


class ItemSequence(uvm_sequence):
    """Sends one :class:`Item` for each row of the arrays of a test's stimulus."""

    def __init__(self, name: str, player: Player, source: Iterable[Items]) -> None:
        super().__init__(name)
        self._player = player
        self._source = source

    async def body(self) -> None:
        """Called by ``start``."""
        for items in self._source:
            columns = self._player.unpack(items)
            for values in zip(*map(numbers, columns.values()), strict=True):
                item = Item("item", dict(zip(columns, values, strict=True)))
                await self.start_item(item)
                await self.finish_item(item)


def numbers(column: NDArray[Any]) -> list[int]:
    """The values of a field, one each row; several words, lowest first, make one number."""
    if column.ndim == 1:
        values: list[int] = column.tolist()
        return values
    return [int.from_bytes(row.tobytes(), "little") for row in column.astype("<u4")]
