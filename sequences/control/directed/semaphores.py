# SPDX-License-Identifier: Apache-2.0
"""Semaphores: every operation at every value, several at once, threads against cores (C19, C20)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.waits import head
from tilepath.sequences.control.pieces import Piece, Pieces, piece_test
from tilepath.tb.control.streams import THREADS

_LIMITS: Final = (0, 1, 2, 7, 15)
_SPREAD: Final = 0b1010_0110


def _values(limit: int) -> list[int]:
    """0, 1, max - 1, max, max + 1 and 15, each once."""
    wanted = {0, 1, limit - 1, limit, limit + 1, 15}
    return sorted(value for value in wanted if 0 <= value <= 15)


def _operate(piece: Piece, kind: int, thread: int, index: int, at: int) -> None:
    """Operation ``kind``: SEMPOST, SEMGET, post and get by the cores."""
    if kind == 0:
        piece.issue(thread, w.sempost(1 << index), at=at)
    elif kind == 1:
        piece.issue(thread, w.semget(1 << index), at=at)
    elif kind == 2:
        piece.sem_post(index, at=at)
    else:
        piece.sem_get(index, at=at)


def _operations(pieces: Pieces) -> None:
    """Value by max by operation; the cores read what came of it."""
    count = 0
    for limit in _LIMITS:
        for value, kind in product(_values(limit), range(4)):
            count += 1
            index, thread = count & 7, count % THREADS
            piece = Piece().issue(thread, w.seminit(1 << index, value, limit), at=0)
            piece.sem_read(index, at=0).sem_read(index).sem_read(index).sem_read(index)
            _operate(piece, kind, thread, index, 6)
            for _ in range(3):
                piece.sem_read(index)
            pieces.add(piece)


def _many(pieces: Pieces) -> None:
    """Several semaphores with one word: none, one, some, all; runs up to 15 and down to 0."""
    for count, mask in enumerate((0, 1, 0x80, _SPREAD, 0xFF, 0x18)):
        piece = Piece().issue(0, w.seminit(0xFF, 5, 9), w.seminit(mask, count, 15 - count))
        piece.issue(0, *[w.sempost(mask)] * 12, *[w.semget(mask)] * 17, w.sempost(0xFF ^ mask))
        for index in range(8):
            piece.sem_read(index, at=4 * index)
        pieces.add(piece)
    # some of those selected are at the end already
    for thread in range(THREADS):
        piece = Piece().issue(thread, w.seminit(0x0F, 0, 9), w.seminit(0xF0, 14, 15))
        piece.issue(thread, w.semget(0x3C), w.sempost(0x3C), w.sempost(0xFF), w.sempost(0xF1))
        pieces.add(piece.issue(thread, w.semget(0xFF), w.semget(0x8F)))


def _together(pieces: Pieces) -> None:
    """Two and three requesters in one cycle and in neighbouring ones, the same semaphore."""
    count = 0
    for one, two, distance in product(range(4), range(4), range(3)):
        if one >= 2 and two >= 2:
            continue  # the cores have one port
        for value, limit in ((0, 1), (1, 1), (1, 2), (14, 15), (15, 15)):
            count += 1
            index, thread = count & 7, count % THREADS
            piece = Piece().issue(thread, w.seminit(1 << index, value, limit), at=0)
            _operate(piece, one, thread, index, 4)
            _operate(piece, two, (thread + 1) % THREADS, index, 4 + distance)
            pieces.add(piece, drain=4)
    for index in range(8):
        piece = Piece().issue(0, w.seminit(1 << index, 1, 2), at=0)
        piece.issue(0, w.sempost(1 << index), w.semget(1 << index), at=4)
        piece.issue(1, w.semget(1 << index), w.sempost(1 << index), at=4)
        piece.issue(2, w.seminit(1 << index, 7, 3), w.sempost(1 << index), at=4)
        piece.sem_get(index, at=4).sem_post(index).sem_read(index).sem_read(index)
        pieces.add(piece)


def _waits(pieces: Pieces) -> None:
    """SEMWAIT: condition by value; another thread or the cores release it, sooner or later."""
    count = 0
    for cond, limit in product((1, 2, 3), (1, 2, 15)):
        for value in _values(limit):
            at_zero = bool(cond & 1) and value == 0
            full = bool(cond & 2) and value >= limit
            if cond == 3 and limit == 1:
                continue  # no value between 0 and 1: it would wait for ever
            for kind, start in product((0, 2), (0, 1, 4)):
                count += 1
                index, thread = count & 7, count % THREADS
                piece = Piece().issue(thread, w.seminit(1 << index, value, limit), at=0)
                wait = w.semwait(1 << (count % 9), 1 << index, cond)
                piece.issue(thread, wait, head(count % 9), at=6)
                steps = 1 if at_zero else value - limit + 1 if full else 0
                for _ in range(steps):
                    _operate(piece, kind + full, (thread + 1) % THREADS, index, 5 + start)
                    start += 2
                pieces.add(piece, drain=4)


def _masks(pieces: Pieces) -> None:
    """Waits for several semaphores at once: the last one decides; for none: met at once."""
    for thread, mask in product(range(THREADS), (0x03, _SPREAD, 0xFF)):
        piece = Piece().issue(thread, w.seminit(0xFF, 0, 3), at=0)
        piece.issue(thread, w.semwait(w.ALL_BLOCKED, mask, 1), w.NOP, at=3)
        places = [index for index in range(8) if mask >> index & 1]
        for place, index in enumerate(reversed(places)):
            piece.issue((thread + 1) % THREADS, w.sempost(1 << index), at=6 + 3 * place)
        pieces.add(piece)
        piece = Piece().issue(thread, w.seminit(0xFF, 2, 2), at=0)
        piece.issue(thread, w.semwait(w.ALL_BLOCKED, mask, 2), w.NOP, at=3)
        for place, index in enumerate(places):
            piece.sem_get(index, at=6 + 3 * place)
        pieces.add(piece)
        # both conditions: one semaphore at 0 and one at max
        piece = Piece().issue(thread, w.seminit(0xFF, 1, 2), at=0)
        low, high = 1 << places[0], 1 << places[-1]
        piece.issue(thread, w.semget(low), w.sempost(high))
        piece.issue(thread, w.semwait(w.ALL_BLOCKED, mask, 3), w.NOP)
        piece.issue((thread + 2) % THREADS, w.semget(high), at=10)
        piece.issue((thread + 2) % THREADS, w.sempost(low), at=14)
        pieces.add(piece)
    for thread, cond in product(range(THREADS), (1, 2, 3)):
        piece = Piece().issue(thread, w.seminit(0xFF, 0, 0), w.semwait(0x1FF, 0, cond), w.NOP)
        pieces.add(piece)
    # max 0: at its maximum whatever the value, until somebody sets another one
    for thread, value in product(range(THREADS), (0, 3)):
        piece = Piece().issue(thread, w.seminit(0x10, value, 0), at=0)
        piece.issue(thread, w.semwait(0x1FF, 0x10, 2), w.NOP, at=4)
        piece.sem_get(4, at=8).sem_get(4)
        piece.issue((thread + 1) % THREADS, w.seminit(0x10, value, value + 1), at=14)
        pieces.add(piece)


def _winners(pieces: Pieces) -> None:
    """Cores and thread want SYNC in one cycle; who was served last loses.

    Then a wait straight behind what another thread does to its semaphore.
    """
    words = (
        w.stallwait(1, 1 << 1),
        w.semwait(1, 0, 1),
        w.streamwait(1, 0),
        w.seminit(1 << 6, 3, 9),
        w.sempost(1 << 6),
        w.semget(1 << 6),
    )
    for count, (word, get, last) in enumerate(product(words, (False, True), (False, True))):
        thread = count % THREADS
        piece = Piece()
        if last:
            piece.sem_post(1, at=0)
        else:
            piece.issue(thread, w.sempost(2), at=0)
        if get:
            piece.sem_get(6, at=4)
        else:
            piece.sem_post(6, at=4)
        pieces.add(piece.issue(thread, word, at=4), drain=4)
    changes = (w.seminit(1 << 6, 1, 2), w.sempost(1 << 6), w.semget(1 << 6))
    for (change, by), cond in product(product(changes, range(THREADS)), (1, 2)):
        piece = Piece().issue(0, w.seminit(1 << 6, 1, 3), at=0).issue(by, change, at=4)
        piece.issue(1, w.semwait(w.ALL_BLOCKED, 1 << 6, cond), w.NOP, at=5)
        pieces.add(piece.sem_post(6, at=12), drain=4)


def _conflict(pieces: Pieces) -> None:
    """Readers of the core's port in every cycle around a write; reads beside waits of threads."""
    for offset in range(8):
        piece = Piece().issue(0, w.seminit(4, 3, 9), at=0)
        piece.issue(1, w.sempost(4), at=4).issue(2, w.semget(4), w.semget(4), at=5)
        for _ in range(offset):
            piece.sem_read(2)
        piece.sem_post(2).sem_read(2).sem_read(2).sem_get(2).sem_read(2)
        pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "semaphores",
        "every operation at every value; SEMWAIT; requests in one cycle",
        (
            _operations,
            _many,
            _conflict,
            _winners,
            _waits,
            _masks,
            _together,
        ),
        {
            "semaphores": 500,
            "risc_sem_done": 550,
            "t0.latch": 100,
            "t1.latch": 100,
            "t2.latch": 100,
        },
    ),
)
