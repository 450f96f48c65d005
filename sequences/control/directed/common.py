# SPDX-License-Identifier: Apache-2.0
"""What the directed tests of configuration share: one word for each instruction, and a setting."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.control import words as w
from tilepath.sequences.control.pieces import Piece, Pieces, number, set_gprs, set_streams
from tilepath.tb.control.streams import THREADS

CONFIG_KINDS: Final = ("streamwrcfg", "wrcfg", "shiftmask", "rmwcib", "rdcfg")
GPRS: Final = range(16)
"""GPRs that :func:`setting` gives values to; RDCFG writes the sixteen above."""
REGISTERS: Final = range(100, 104)
"""Stream registers that :func:`setting` gives values to."""


def stream_of(thread: int, select: int) -> int:
    """The stream that ``select`` stands for in the setting."""
    return 1 + 4 * thread + select


def config_word(kind: str, index: int, count: int) -> int:
    """An instruction of ``kind`` to word ``index``; ``count`` varies operands that do not matter.

    WRCFG has a twin ``wrcfg128``.
    """
    if kind == "streamwrcfg":
        return w.streamwrcfg(count & 3, REGISTERS[count >> 2 & 3], index)
    if kind == "wrcfg":
        return w.wrcfg(count & 15, index)
    if kind == "wrcfg128":
        return w.wrcfg(count & 15, index, is128=1)
    if kind == "shiftmask":
        return w.shiftmask(
            index, alu=(3, 2, 7)[count % 3], rotate=count & 7, scratch=count >> 1 & 3
        )
    if kind == "rmwcib":
        return w.rmwcib(count & 3, index, count * 37 & 0xFF, 0xFF if count & 4 else 0x3C)
    if kind == "rdcfg":
        return w.rdcfg(16 + (count & 15), index)
    raise ValueError(f"there is no kind {kind!r}")


def setting(pieces: Pieces) -> None:
    """Values: GPRs, streams and their selectors, scratch, words 96 … 111 in both banks.

    Whatever came before, all threads then use bank 0, and the HI words of STREAMWAIT are 0.
    """
    set_gprs(pieces, GPRS)
    set_streams(pieces, range(1, 1 + 4 * THREADS), REGISTERS)
    piece = Piece(length=120)
    for thread in range(THREADS):
        for select, index in enumerate(w.BANK_SEL):
            piece.issue(thread, w.setc16(index, stream_of(thread, select)))
        piece.issue(thread, *(w.setc16(index, 0) for index in (w.STATE_ID, w.PHASE_HI, w.COUNT_HI)))
    for gpr, index in enumerate(w.SCRATCH):
        piece.issue(0, w.wrcfg(gpr, index))
    for bank in (1, 0):
        piece.issue(0, w.setc16(w.STATE_ID, bank))
        piece.issue(0, *(w.wrcfg(4 * (i + bank) & 15, 96 + 4 * i, True) for i in range(4)))
    pieces.add(piece)


def watch(piece: Piece, thread: int, index: int, cycles: int, unit: int = 0, at: int = 0) -> None:
    """``thread`` samples word ``index`` (9 bits) in ``cycles`` cycles in a row: one word each."""
    piece.issue(thread, *(w.look(unit, index, n) for n in range(cycles)), at=at)


__all__ = [
    "CONFIG_KINDS",
    "GPRS",
    "REGISTERS",
    "config_word",
    "number",
    "setting",
    "stream_of",
    "watch",
]
