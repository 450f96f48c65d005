# SPDX-License-Identifier: Apache-2.0
"""The unpackers' address counters as a program sees them: for stimulus that must know them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.words import set_words

__all__ = ["FENCE", "Counters", "set_words"]

THREADS: Final = 3
COUNTERS: Final = 8
Sets = list[list[list[int]]]  # counters by thread and unpacker
_OP: Final = {code: op for op, code in w.OPCODES.items()}


class Counters:
    """Three sets of two unpackers' eight counters: number 4 · channel + dimension, X Y Z W."""

    def __init__(self, zw_width: int) -> None:
        self.tops = tuple((1 << width) - 1 for width in (18, 13, zw_width, zw_width) * 2)
        self._live: Sets = [[[0] * COUNTERS for _ in range(2)] for _ in range(THREADS)]
        self._kept: Sets = [[[0] * COUNTERS for _ in range(2)] for _ in range(THREADS)]

    @property
    def live(self) -> NDArray[np.int64]:
        """A copy of all values: thread × unpacker × counter."""
        return np.array(self._live, np.int64)

    def of(self, thread: int, unpacker: int) -> list[int]:
        """The live values of a set."""
        return self._live[thread][unpacker]

    @contextmanager
    def tried(self, unpacker: int, thread: int, adc: int, values: list[int]) -> Iterator[None]:
        """Inside, X, Y and X1 of set ``adc`` and the others of ``thread`` have ``values``."""
        theirs, own = self._live[adc][unpacker], self._live[thread][unpacker]
        before = theirs.copy(), own.copy()
        own[2], own[3], own[5:] = values[2], values[3], values[5:]
        theirs[0], theirs[1], theirs[4] = values[0], values[1], values[4]
        yield
        theirs[:], own[:] = before

    def update(self, unpacker: int, threads: Iterable[int], inc: tuple[int, int, int, int]) -> None:
        """The increments of an UNPACR: Y0, Z0, Y1, Z1 (A11)."""
        for thread in threads:
            live = self._live[thread][unpacker]
            for number, amount in zip((1, 2, 5, 6), inc, strict=True):
                live[number] = live[number] + amount & self.tops[number]

    def issue(self, thread: int, word: int) -> None:
        """A word that ``thread`` issues to the counters; others change nothing."""
        op = _OP.get(word >> 24)
        if op is None:
            return
        for unpacker in (0, 1):
            if word >> 21 + unpacker & 1:
                self._one(op, thread, unpacker, word)

    def _one(self, op: str, thread: int, unpacker: int, word: int) -> None:
        override = 0
        if op == "setadc":
            override = word >> 16 & 3
        elif op != "setadcxx":
            override = word >> 18 & 3
        own = override - 1 if override else thread
        live, kept = self._live[own][unpacker], self._kept[own][unpacker]
        if op == "setadc":
            number = word >> 18 & 7
            live[number] = kept[number] = word & 0x3FFFF & self.tops[number]
        elif op == "setadcxx":
            live[0] = kept[0] = word & 1023
            live[4] = kept[4] = word >> 10 & 1023
        else:
            self._packed(op, live, kept, word)

    def _packed(self, op: str, live: list[int], kept: list[int], word: int) -> None:
        numbers = (0, 1, 4, 5) if op.endswith("xy") else (2, 3, 6, 7)
        for place, number in enumerate(numbers):
            value = word >> 6 + 3 * place & 7
            if op.startswith("incadc"):
                live[number] = live[number] + value & self.tops[number]
            elif word >> place & 1:
                base = kept[number] if op.startswith("addrcr") else 0
                live[number] = kept[number] = base + value & self.tops[number]


FENCE: Final = w.packed_word("incadcxy", 4, (0, 0, 0, 0))
"""A word that changes nothing: it can issue when the address phase of what came before is over."""
