# SPDX-License-Identifier: Apache-2.0
"""Transactions of the control block; ``tb/control/items.py`` says how they are coded in an item."""

from __future__ import annotations

from pyuvm import uvm_sequence_item

from tilepath.tb.kernel.description.player import GAP_MASK


class HeldItem(uvm_sequence_item):
    """What begins ``gap`` cycles after the item before, and not before what ``after`` names."""

    def __init__(self, name: str, control: int, after: int) -> None:
        super().__init__(name)
        self.gap = control & GAP_MASK
        self.after = after


class IssueItem(HeldItem):
    """An instruction word of a thread."""

    def __init__(self, name: str, control: int, word: int, after: int) -> None:
        super().__init__(name, control, after)
        self.word = word


class RiscItem(HeldItem):
    """A configuration access of the cores."""

    def __init__(self, name: str, control: int, access: int, data: int, after: int) -> None:
        super().__init__(name, control, after)
        self.address = access & 1023
        self.write = access >> 31
        self.data = data


class SemItem(HeldItem):
    """A semaphore access of the cores."""

    def __init__(self, name: str, control: int, access: int, after: int) -> None:
        super().__init__(name, control, after)
        self.index = access & 7
        self.get = access >> 4 & 1
        self.write = access >> 8 & 1


class StreamItem(HeldItem):
    """A write of a stream register."""

    def __init__(self, name: str, control: int, where: int, data: int, after: int) -> None:
        super().__init__(name, control, after)
        self.register = where & 1023
        self.stream = where >> 10 & 63
        self.data = data
