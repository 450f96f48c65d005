# SPDX-License-Identifier: Apache-2.0
"""Transactions of the front end's bench."""

from __future__ import annotations

from pyuvm import uvm_sequence_item

from tilepath.tb.frontend.items import INDEX_SHIFT, MOPCFG, PUSH, SYNC, SYNC_BACKGROUND
from tilepath.tb.kernel.description.player import GAP_MASK


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
