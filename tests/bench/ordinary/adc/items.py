# SPDX-License-Identifier: Apache-2.0
"""Commands of the address counters; ``tb/adc/items.py`` says how they are coded in an item."""

from __future__ import annotations

from pyuvm import uvm_sequence_item

from tilepath.tb.kernel.description.player import GAP_MASK


def _bits(word: int, low: int, width: int) -> int:
    return (word >> low) & ((1 << width) - 1)


class Command(uvm_sequence_item):
    """A command, ``gap`` cycles after the one before."""

    def __init__(self, name: str, control: int) -> None:
        super().__init__(name)
        self.gap = control & GAP_MASK


class IssueItem(Command):
    """An instruction word of a thread."""

    def __init__(self, name: str, control: int, word: int) -> None:
        super().__init__(name, control)
        self.word = word


class UnpackItem(Command):
    """What an unpacker adds to the counters of two sets."""

    def __init__(self, name: str, control: int, word: int) -> None:
        super().__init__(name, control)
        self.unpacker = _bits(word, 0, 1)
        self.thread = _bits(word, 1, 2)
        self.adc = _bits(word, 3, 2)
        self.y0 = _bits(word, 5, 2)
        self.z0 = _bits(word, 7, 2)
        self.y1 = _bits(word, 9, 2)
        self.z1 = _bits(word, 11, 2)


class PackItem(Command):
    """What the packers do to the counters of up to three sets."""

    def __init__(self, name: str, control: int, word: int) -> None:
        super().__init__(name, control)
        self.addr_mod = _bits(word, 0, 16)
        self.sets = _bits(word, 16, 3)


class FlopItem(Command):
    """REG2FLOP's write of one counter."""

    def __init__(self, name: str, control: int, word: int) -> None:
        super().__init__(name, control)
        self.value = _bits(word, 0, 18)
        self.checkpoint = _bits(word, 18, 1)
        self.counter = _bits(word, 19, 2)
        self.channel = _bits(word, 21, 1)
        self.select = _bits(word, 22, 2)
        self.thread = _bits(word, 24, 2)
