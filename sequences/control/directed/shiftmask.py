# SPDX-License-Identifier: Apache-2.0
"""CFGSHIFTMASK: published vectors, and all modes at the corners of width and rotation (C1-C5)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

SCRATCH_VALUE: Final = 0x1234_5678
CONFIG_VALUE: Final = 0xDEAD_BEEF
VECTORS: Final = (
    (7, 4, 0),
    (7, 4, 1),
    (31, 0, 0),
    (31, 0, 1),
    (0, 1, 0),
    (31, 31, 1),
    (17, 20, 0),
    (17, 20, 1),
)
"""(mask width - 1, rotation, mode) of the specification's table, one row each, eight results."""
_WORD: Final = 100
_LLK: Final = 0xB8BF_834C


def _vectors(pieces: Pieces) -> None:
    """The 64 vectors on every thread, in both banks, and the word that LLK's tilize uses."""
    piece = Piece().issue(0, *w.setgpr(0, SCRATCH_VALUE), *w.setgpr(1, CONFIG_VALUE))
    piece.issue(1, *w.setgpr(1, CONFIG_VALUE), at=20)
    piece.issue(2, *w.setgpr(1, CONFIG_VALUE), at=30)
    piece.issue(0, *(w.wrcfg(0, index) for index in w.SCRATCH))
    pieces.add(piece)
    for thread in range(THREADS):
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, thread & 1))
        for (width, rotate, mode), alu in product(VECTORS, range(8)):
            piece.issue(thread, w.wrcfg(1, _WORD))
            piece.issue(thread, w.shiftmask(_WORD, alu, mode, width, rotate, 3 - thread))
            piece.issue(thread, w.NOP, w.look(thread, _WORD))
        pieces.add(piece)
    for thread in range(THREADS):
        piece = Piece().issue(thread, *w.setgpr(2, 0x40), *w.setgpr(3, 0xFFFF_FFF0))
        piece.issue(thread, w.wrcfg(2, w.SCRATCH[thread]), w.wrcfg(3, 76), _LLK)
        piece.issue(thread, w.NOP, w.look(0, 76))
        pieces.add(piece)


def _next(scratch: int) -> int:
    """Another scratch word."""
    return w.SCRATCH[(scratch - w.SCRATCH[0] + 1) % 3]


_WIDTHS: Final = (0, 1, 15, 30, 31)
_ROTATIONS: Final = (0, 1, 16, 31)


def _matrix(pieces: Pieces) -> None:
    """Everything by everything; a fresh value in front of each, three threads side by side."""
    setting(pieces)
    pieces.add(Piece().issue(1, w.setc16(w.STATE_ID, 1)))
    piece = Piece()
    corners = product(range(8), range(2), _WIDTHS, _ROTATIONS)
    for count, (corner, select, kind) in enumerate(product(corners, range(4), range(4)), 1):
        thread = count % THREADS
        alu, mode, width, rotate = corner
        source = w.SCRATCH[select if select < 3 else thread]
        target = (100 + thread, source, _next(source), 223)[kind]
        piece.issue(thread, w.wrcfg(count & 15, target))
        piece.issue(thread, w.shiftmask(target, alu, mode, width, rotate, select))
        if count % 240 == 0:
            pieces.add(piece)
            piece = Piece()
    pieces.add(piece)


_ALL_WIDTHS: Final = (0, 1, 8, 15, 20, 30, 31)
_ALL_ROTATIONS: Final = (0, 1, 5, 16, 25, 31)


def _targets(pieces: Pieces) -> None:
    """Every combination of scratch word and target for every operation, one thread at a time.

    Widths and rotations go round, so that each pair of these comes as well.
    """
    setting(pieces)
    count = 0
    for thread, alu in product(range(THREADS), range(8)):
        piece = Piece()
        for mode, select, kind in product(range(2), range(4), range(5)):
            source = w.SCRATCH[select if select < 3 else thread]
            target = (100, source, _next(source), 223, 186)[kind]
            piece.issue(thread, w.wrcfg(number(kind + alu) & 15, target))
            piece.issue(thread, w.wrcfg(number(alu + select) & 15, source))
            width, rotate = _ALL_WIDTHS[count % 7], _ALL_ROTATIONS[count // 7 % 6]
            piece.issue(thread, w.shiftmask(target, alu, mode, width, rotate, select))
            count += 1
        pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "shiftmask",
        "the 64 vectors; operation by mode by width by rotation by scratch word by target",
        (
            _vectors,
            _targets,
            _matrix,
        ),
        {"config_write": 12000},
    ),
)
