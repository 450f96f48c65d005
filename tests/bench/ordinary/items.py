# SPDX-License-Identifier: Apache-2.0
"""What every block's bench sends and sees: events of monitors, and sequences of items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyuvm import uvm_sequence, uvm_sequence_item

from tilepath.tb.kernel.description.player import Items


@dataclass(slots=True)
class Event:
    """What a monitor saw: in which stream, in which cycle, and the values of the fields."""

    stream: str
    cycle: int
    values: tuple[int, ...] = ()


class LevelItem(uvm_sequence_item):
    """A level of an input for a number of cycles."""

    def __init__(self, name: str, cycles: int, value: int) -> None:
        super().__init__(name)
        self.cycles = max(1, cycles)
        self.value = value


class ItemSequence(uvm_sequence):
    """Sends one sequence item for each row of the arrays of a test's stimulus."""

    def __init__(self, name: str, kind: type[uvm_sequence_item], source: Iterable[Items]) -> None:
        super().__init__(name)
        self._kind = kind
        self._source = source

    async def body(self) -> None:
        """Called by ``start``."""
        for items in self._source:
            for row in items.tolist():
                item = self._kind("item", *row)
                await self.start_item(item)
                await self.finish_item(item)
