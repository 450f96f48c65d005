# SPDX-License-Identifier: Apache-2.0
"""Mutexes: who gets one that several threads ask for, and when."""

from __future__ import annotations

from itertools import permutations, product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.pieces import Piece, Pieces, piece_test
from tilepath.tb.control.streams import THREADS


def _contend(pieces: Pieces) -> None:
    """Two and three threads ask in one cycle, again and again, so that every pointer is seen."""
    for mutex, repeat in product(w.MUTEXES, range(4)):
        for threads in ((0, 1, 2), (0, 1), (1, 2), (2, 0)):
            piece = Piece()
            for thread in threads:
                pair = (w.atgetm(mutex), *[w.NOP] * repeat, w.atrelm(mutex))
                piece.issue(thread, *pair * 3, at=0)
            pieces.add(piece, drain=2)


def _apart(pieces: Pieces) -> None:
    """One thread holds it; others ask before, with and after its release."""
    for count, (mutex, order, hold) in enumerate(
        product(w.MUTEXES, permutations(range(THREADS)), range(1, 5))
    ):
        first, second, third = order
        piece = Piece().issue(first, w.atgetm(mutex), at=0)
        piece.issue(first, w.atrelm(mutex), at=hold)
        piece.issue(second, w.atgetm(mutex), w.NOP, w.atrelm(mutex), at=2)
        piece.issue(third, w.atgetm(mutex), w.atrelm(mutex), at=1 + count % 4)
        pieces.add(piece, drain=2)


def _all(pieces: Pieces) -> None:
    """All four at once, by different threads in one cycle; nested; taken twice, released twice."""
    for shift in range(4):
        piece = Piece()
        for thread in range(THREADS):
            order = [w.MUTEXES[(place + thread + shift) % 4] for place in range(4)]
            for mutex in order:
                piece.issue(thread, w.atgetm(mutex), w.atrelm(mutex))
        pieces.add(piece)
    for one, two in permutations(w.MUTEXES, 2):
        piece = Piece().issue(0, w.atgetm(one), w.atrelm(one), at=0)
        pieces.add(piece.issue(2, w.atgetm(two), w.atrelm(two), at=0), drain=2)
    for thread in range(THREADS):
        piece = Piece().issue(thread, *(w.atgetm(mutex) for mutex in w.MUTEXES), at=0)
        piece.issue(thread, *(w.atgetm(mutex) for mutex in reversed(w.MUTEXES)))
        piece.issue(thread, *[w.NOP] * 6, *(w.atrelm(mutex) for mutex in w.MUTEXES))
        piece.issue(thread, *(w.atrelm(mutex) for mutex in w.MUTEXES))
        other = (thread + 1) % THREADS
        # in the same order, so that nobody waits for ever
        piece.issue(other, *(w.atgetm(mutex) for mutex in w.MUTEXES), at=3)
        piece.issue(other, *(w.atrelm(mutex) for mutex in w.MUTEXES))
        pieces.add(piece)


def _faults(pieces: Pieces) -> None:
    """Indices that are no mutex, releases by a thread that does not hold it (no effect)."""
    for count, index in enumerate((1, 5, 6, 7, 8, 0x10, 0x100, 0x8000, 0xFFFF, 0x0102)):
        thread = count % THREADS
        piece = Piece().issue(thread, w.atgetm(index), w.atrelm(index), w.atgetm(index))
        pieces.add(piece, drain=2)
    for mutex, holder, other in product(w.MUTEXES, range(THREADS), range(THREADS)):
        piece = Piece().issue(holder, w.atgetm(mutex), at=0)
        piece.issue(other, w.atrelm(mutex), at=2)
        piece.issue(holder, w.atrelm(mutex), w.atrelm(mutex), at=4)
        if other != holder:
            piece.issue(other, w.atgetm(mutex), w.atrelm(mutex), at=8)
        pieces.add(piece, drain=2)
        # released in the cycle in which another thread, which does not hold it, releases it
        piece = Piece().issue(holder, w.atgetm(mutex), w.atrelm(mutex), at=0)
        if other != holder:
            piece.issue(other, w.atrelm(mutex), w.atgetm(mutex), w.atrelm(mutex), at=1)
        pieces.add(piece, drain=2)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "mutexes",
        "who gets a mutex that several ask for; nested, taken twice, faults",
        (
            _contend,
            _apart,
            _all,
            _faults,
        ),
        {"mutexes": 300, "t0.fault": 20, "t1.fault": 20, "t2.fault": 20},
        faults=("mutex_index", "mutex_owner"),
    ),
)
