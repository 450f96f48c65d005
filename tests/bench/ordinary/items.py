# SPDX-License-Identifier: Apache-2.0
"""Transactions of the ordinary bench, and the sequences that send them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyuvm import uvm_sequence, uvm_sequence_item

from tb.frontend.items import INDEX_SHIFT, MOPCFG, PUSH, SYNC, SYNC_BACKGROUND
from tb.kernel.player import GAP_MASK, Items


@dataclass(slots=True)
class Event:
    """What a monitor saw: in which stream, in which cycle, and the values of the fields."""

    stream: str
    cycle: int
    values: tuple[int, ...] = ()


class CoreItem(uvm_sequence_item):
    """What a core does at once, ``gap`` cycles after the item before: push, MopCfg, mop_sync."""

    def __init__(self, name: str, control: int, word: int, data: int) -> None:
        super().__init__(name)
        if control & SYNC_BACKGROUND:
            raise ValueError("this bench knows no mop_sync in the background")
        self.gap = control & GAP_MASK
        self.push = bool(control & PUSH)
        self.word = word
        self.mopcfg = bool(control & MOPCFG)
        self.index = (control >> INDEX_SHIFT) & 15
        self.data = data
        self.sync = bool(control & SYNC)


class ReadyItem(uvm_sequence_item):
    """A level of ``issue_ready`` for a number of cycles."""

    def __init__(self, name: str, cycles: int, ready: int) -> None:
        super().__init__(name)
        self.cycles = max(1, cycles)
        self.ready = ready


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
