# SPDX-License-Identifier: Apache-2.0
"""The unpackers' address counters as a program sees them: for stimulus that must know them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.models.jit import kernel, part
from tilepath.models.records import Record, Records, record
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.words import set_words

__all__ = ["FENCE", "Counters", "set_words"]

THREADS: Final = 3
COUNTERS: Final = 8
STATE: Final = record(
    tops=(np.int64, COUNTERS),
    live=(np.int64, (THREADS, 2, COUNTERS)),
    kept=(np.int64, (THREADS, 2, COUNTERS)),
)
SETADC: Final = w.OPCODES["setadc"]
SETADCXX: Final = w.OPCODES["setadcxx"]
SETADCXY: Final = w.OPCODES["setadcxy"]
SETADCZW: Final = w.OPCODES["setadczw"]
INCADCXY: Final = w.OPCODES["incadcxy"]
INCADCZW: Final = w.OPCODES["incadczw"]
_ADDRCRXY: Final = w.OPCODES["addrcrxy"]
_ADDRCRZW: Final = w.OPCODES["addrcrzw"]


@part
def _packed(counters: Record, own: int, unpacker: int, op: int, word: int) -> None:
    first = 0 if op in (SETADCXY, INCADCXY, _ADDRCRXY) else 2
    for place in range(4):
        number = first + (place & 1) + 4 * (place >> 1)
        live, kept = counters.live[own, unpacker], counters.kept[own, unpacker]
        value, top = word >> 6 + 3 * place & 7, counters.tops[number]
        if op in (INCADCXY, INCADCZW):
            live[number] = live[number] + value & top
        elif word >> place & 1:
            base = kept[number] if op in (_ADDRCRXY, _ADDRCRZW) else 0
            live[number] = kept[number] = base + value & top


@part
def issue(counters: Record, thread: int, word: int) -> None:
    """A word that ``thread`` issues to the counters; others change nothing."""
    op = word >> 24
    packed = op in (SETADCXY, SETADCZW, INCADCXY, INCADCZW, _ADDRCRXY, _ADDRCRZW)
    if not packed and op not in (SETADC, SETADCXX):
        return
    override = word >> 18 & 3 if packed else word >> 16 & 3 if op == SETADC else 0
    own = override - 1 if override else thread
    for unpacker in range(2):
        if not word >> 21 + unpacker & 1:
            continue
        live, kept = counters.live[own, unpacker], counters.kept[own, unpacker]
        if packed:
            _packed(counters, own, unpacker, op, word)
        elif op == SETADC:
            number = word >> 18 & 7
            live[number] = kept[number] = word & 0x3FFFF & counters.tops[number]
        else:
            live[0] = kept[0] = word & 1023
            live[4] = kept[4] = word >> 10 & 1023


@part
def update(counters: Record, unpacker: int, thread: int, word: int) -> None:
    """The increments of an UNPACR: Y0, Z0, Y1, Z1 (A11)."""
    live = counters.live[thread, unpacker]
    for number, low in ((1, 17), (2, 15), (5, 21), (6, 19)):
        live[number] = live[number] + (word >> low & 3) & counters.tops[number]


@kernel
def _issue(states: Records, thread: int, word: int) -> None:
    issue(states[0], thread, word)


@kernel
def _update(states: Records, unpacker: int, thread: int, word: int) -> None:
    update(states[0], unpacker, thread, word)


class Counters:
    """Three sets of two unpackers' eight counters: number 4 · channel + dimension, X Y Z W."""

    def __init__(self, zw_width: int) -> None:
        self.tops = tuple((1 << width) - 1 for width in (18, 13, zw_width, zw_width) * 2)
        self.states: Records = np.zeros(1, STATE)
        self.states["tops"][0] = self.tops

    @property
    def live(self) -> NDArray[np.int64]:
        """A copy of all values: thread × unpacker × counter."""
        found: NDArray[np.int64] = self.states["live"][0].copy()
        return found

    def update(self, unpacker: int, threads: Iterable[int], inc: tuple[int, int, int, int]) -> None:
        """The increments of an UNPACR: Y0, Z0, Y1, Z1 (A11)."""
        y0, z0, y1, z1 = inc
        for thread in threads:
            _update(self.states, unpacker, thread, y0 << 17 | z0 << 15 | y1 << 21 | z1 << 19)

    def issue(self, thread: int, word: int) -> None:
        """A word that ``thread`` issues to the counters; others change nothing."""
        _issue(self.states, thread, word)


FENCE: Final = w.packed_word("incadcxy", 4, (0, 0, 0, 0))
"""A word that changes nothing: it can issue when the address phase of what came before is over."""
