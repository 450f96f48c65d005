# SPDX-License-Identifier: Apache-2.0
"""Transactions of the unpackers; ``tb/unpack/items.py`` says how they are coded in an item."""

from __future__ import annotations

from pyuvm import uvm_sequence_item

from tilepath.tb.kernel.description.player import GAP_MASK


def _joined(words: tuple[int, ...]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


class HeldItem(uvm_sequence_item):
    """What begins ``gap`` cycles after the item before, and not before what it waits for."""

    def __init__(self, name: str, control: int, after: int, and_after: int) -> None:
        super().__init__(name)
        self.gap = control & GAP_MASK
        self.idle = control >> 17 & 0x3F
        self.after = after
        self.and_after = and_after


class IssueItem(HeldItem):
    """An instruction word of a thread."""

    def __init__(self, name: str, control: int, after: int, and_after: int, word: int) -> None:
        super().__init__(name, control, after, and_after)
        self.word = word


class CfgItem(HeldItem):
    """A configuration write."""

    def __init__(
        self, name: str, control: int, after: int, and_after: int, place: int, *data: int
    ) -> None:
        super().__init__(name, control, after, and_after)
        self.index = place & 255
        self.banks = place >> 8 & 3
        self.wide = place >> 10 & 1
        self.data = _joined(data)


class Setc16Item(HeldItem):
    """A write of a thread's own configuration."""

    def __init__(self, name: str, control: int, after: int, and_after: int, write: int) -> None:
        super().__init__(name, control, after, and_after)
        self.value = write & 0xFFFF
        self.index = write >> 16 & 127


class MatrixItem(HeldItem):
    """A command of the Matrix Unit."""

    def __init__(self, name: str, control: int, after: int, and_after: int, command: int) -> None:
        super().__init__(name, control, after, and_after)
        self.op = command & 3
        self.file = command >> 2 & 3
        self.bank = command >> 4 & 1
        self.row = command >> 5 & 1023
        self.wait = command >> 15 & 1
        self.toggle = command >> 16 & 1
        self.follow = command >> 17 & 1


class L1Item(HeldItem):
    """A write of four lines of L1."""

    def __init__(
        self, name: str, control: int, after: int, and_after: int, line: int, *data: int
    ) -> None:
        super().__init__(name, control, after, and_after)
        self.line = line
        self.data = _joined(data)


class BaseItem(uvm_sequence_item):
    """The two bases of SETREG for a number of cycles."""

    def __init__(self, name: str, cycles: int, base0: int, base1: int) -> None:
        super().__init__(name)
        self.cycles = max(1, cycles)
        self.base0 = base0
        self.base1 = base1
