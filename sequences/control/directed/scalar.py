# SPDX-License-Identifier: Apache-2.0
"""The scalar unit: who comes next, sums and products, halves of the registers."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.pieces import Piece, Pieces, number
from tilepath.tb.control.streams import THREADS

WORDS: Final = (
    w.DMANOP,
    w.setdmareg(2 * 30, 0x1234),
    w.adddmareg(31, 1, 2),
    w.adddmareg(32, 1, 9),
    w.muldmareg(33, 1, 2),
    w.muldmareg(34, 1, 9),
    w.reg2flop(3, 40),
    w.reg2flop(4, w.flop_of(1, 2, 3), target=2),
)
"""One instruction of each kind and duration."""

_HALVES: Final = (0, 1, 2, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)
"""Low halves of factors."""


def row(pieces: Pieces) -> None:
    """Every instruction straight behind every one, of the same thread and of the others."""
    setting(pieces)
    for count, (first, second) in enumerate(product(WORDS, WORDS)):
        thread = count % THREADS
        pieces.add(Piece().issue(thread, first, second, first, at=0), drain=4)
        for other in (1, 2):
            piece = Piece().issue(thread, first, at=0)
            pieces.add(piece.issue((thread + other) % THREADS, second, first, at=1), drain=4)


def additions(pieces: Pieces) -> None:
    """Result that is an operand, or neither; immediates; sums that do not fit."""
    setting(pieces)
    for thread, (a, b) in product(range(THREADS), ((4, 6), (4, 9), (4, 4))):
        for result in (a, b, 7, 63):
            piece = Piece().issue(thread, *w.setgpr(4, 0xFFFF_FFF0 + thread))
            piece.issue(thread, w.adddmareg(result, a, b), w.wrcfg(result, 100))
            piece.issue(thread, w.adddmareg(result, result, b), w.wrcfg(result, 101))
            pieces.add(piece, drain=4)
        for immediate in (0, 1, 32, 63):
            piece = Piece().issue(thread, w.adddmareg(a, a, immediate, imm=1))
            pieces.add(piece.issue(thread, w.wrcfg(a, 102)), drain=4)
    for thread, gpr in product(range(THREADS), (0, 1, 31, 32, 63)):
        piece = Piece()
        for half in (0, 1):
            piece.issue(thread, w.setdmareg(2 * gpr + half, number(gpr + half) & 0xFFFF))
            piece.issue(thread, w.wrcfg(gpr, 103 + half))
        pieces.add(piece, drain=4)


def products(pieces: Pieces) -> None:
    """Factors at the ends of 16 bits, with and without something above; results that are one.

    Both forms, operands of one group of four and of two.
    """
    setting(pieces)
    for count, (a, b) in enumerate(product(_HALVES, _HALVES)):
        thread, near = count % THREADS, (4, 6) if count & 1 else (4, 9)
        above = (0, 0x8001 << 16, 0xFFFF << 16)[count // THREADS % 3]
        piece = Piece().issue(thread, *w.setgpr(near[0], above | a), *w.setgpr(near[1], above | b))
        piece.issue(thread, w.muldmareg(7, *near), w.wrcfg(7, 100))
        pieces.add(piece.issue(thread, w.muldmareg(63, near[1], near[0])), drain=4)
    for count, (a, immediate) in enumerate(product(_HALVES, (0, 1, 2, 31, 32, 62, 63))):
        thread = count % THREADS
        piece = Piece().issue(thread, *w.setgpr(5, number(count) & 0xFFFF_0000 | a))
        piece.issue(thread, w.muldmareg(8, 5, immediate, imm=1), w.wrcfg(8, 101))
        pieces.add(piece, drain=4)
    for thread, (a, b) in product(range(THREADS), ((4, 6), (4, 9), (4, 4))):
        piece = Piece().issue(thread, *w.setgpr(4, 0x1234_FFFB), *w.setgpr(b, 0x8765_0003 + b))
        for result in (a, b):
            piece.issue(thread, w.muldmareg(result, a, b), w.wrcfg(result, 102))
        piece.issue(thread, w.muldmareg(a, a, 3, imm=1), w.wrcfg(a, 103))
        pieces.add(piece, drain=4)
