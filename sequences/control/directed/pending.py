# SPDX-License-Identifier: Apache-2.0
"""What the conditions 10 and 12, which the block makes itself, count and what not (C17)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import CONFIG_KINDS, config_word, setting
from tilepath.sequences.control.directed.waits import head
from tilepath.sequences.control.pieces import Piece, Pieces, number
from tilepath.tb.control.streams import THREADS

_AT: Final = 8
"""The cycle of the wait in every piece here."""


def pipe(pieces: Pieces) -> None:
    """STALLWAIT on the config pipeline: instructions of all threads, not SETC16, not the cores."""
    setting(pieces)
    cases = product((*CONFIG_KINDS, "setc16", "write", "read"), range(-6, 2), range(THREADS))
    for count, (kind, offset, other) in enumerate(cases):
        thread = count // THREADS % THREADS
        busy = (thread + other) % THREADS
        wait = w.stallwait(1 << 3, 1 << w.CFG_PIPE)
        piece = Piece()
        if kind == "write":
            piece.risc_write(100, number(count), at=_AT + offset)
        elif kind == "read":
            piece.risc_read(100, at=_AT + offset)
        else:
            word = w.setc16(20, count) if kind == "setc16" else config_word(kind, 100, count)
            if other or offset < 0:
                piece.issue(busy, word, at=_AT + offset)
        piece.issue(thread, wait, head(3, count), at=_AT)
        pieces.add(piece, drain=4)


def accesses(pieces: Pieces) -> None:
    """STALLWAIT on accesses to configuration: those to semaphores are none."""
    for count, (offset, kind) in enumerate(product(range(-2, 4), range(3))):
        thread = count % THREADS
        piece = Piece()
        access = (piece.sem_post, piece.sem_get, piece.sem_read)[kind]
        for place in range(3):
            access(count % 8, at=_AT + offset + 2 * place)
        piece.issue(thread, w.stallwait(1 << 3, 1 << w.TRISC_CFG), head(3, count), at=_AT)
        pieces.add(piece, drain=4)
