# SPDX-License-Identifier: Apache-2.0
"""Round robin: every resource, every set of requesters, every position of the pointer (C24)."""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.pieces import Piece, Pieces, piece_test
from tilepath.tb.control.streams import THREADS

_RISC: Final = THREADS
_UNIT_WORDS: Final = (
    w.look(0, 1),
    w.look(1, 2),
    w.look(2, 3),
    w.opaque(w.MATH[9]),
    w.opaque(w.SFPU[3]),
    w.opaque(w.XMOV),
)
_RESOURCES: Final[dict[str, tuple[int, ...]]] = {
    "config": (w.rmwcib(1, 100, 0x5A), w.rdcfg(40, 100), w.rmwcib(2, 101, 0xA5)),
    "sync": (w.sempost(2), w.semget(2), w.seminit(4, 1, 3), w.sempost(0xF0)),
    "scalar": (w.DMANOP, w.setdmareg(60, 5), w.DMANOP),
    **{f"unit{unit}": (word,) for unit, word in enumerate(_UNIT_WORDS)},
}


def _groups(with_risc: bool) -> list[tuple[int, ...]]:
    """All sets of two requesters and more."""
    members = range(THREADS + with_risc)
    return [group for size in range(2, len(members) + 1) for group in combinations(members, size)]


def _request(piece: Piece, resource: str, who: int, count: int, at: int) -> None:
    """``count`` requests in a row of ``who`` for ``resource``; of the cores: one in two cycles."""
    if who == _RISC:
        for place in range(count):
            start = at if place == 0 else None
            if resource == "config":
                piece.risc_write(105 + place, place, at=start)
            else:
                piece.sem_post(6, at=start)
        return
    words = _RESOURCES[resource]
    piece.issue(who, *(words[(who + place) % len(words)] for place in range(count)), at=at)


def _first(pieces: Pieces) -> None:
    """The first requests since reset, of all at once: the pointer is at 0."""
    for resource in _RESOURCES:
        piece = Piece()
        for who in range(THREADS):
            _request(piece, resource, who, 1, 0)
        pieces.add(piece, drain=5)
    for mutex in w.MUTEXES:
        piece = Piece()
        for thread in range(THREADS):
            piece.issue(thread, w.atgetm(mutex), w.atrelm(mutex), at=0)
        pieces.add(piece)


def _rotation(pieces: Pieces) -> None:
    """Set of requesters by pointer: one of them wins alone, then all of them ask at once."""
    setting(pieces)
    for resource in _RESOURCES:
        shared = resource in ("config", "sync")
        for group, winner in product(_groups(shared), range(THREADS + shared)):
            piece = Piece()
            _request(piece, resource, winner, 1, 0)
            for who in group:
                _request(piece, resource, who, 2, 4)
            pieces.add(piece, drain=5)


def _long(pieces: Pieces) -> None:
    """All requesters for many cycles; then one stops, and another."""
    setting(pieces)
    for resource in _RESOURCES:
        piece = Piece()
        for who in range(THREADS):
            _request(piece, resource, who, 8 + 4 * who, 0)
        if resource in ("config", "sync"):
            _request(piece, resource, _RISC, 8, 1)
        pieces.add(piece)


def _available(pieces: Pieces) -> None:
    """CONFIG is there for one requester and not for the other: only the one takes part."""
    setting(pieces)
    quick, slow = w.wrcfg(1, 100), w.rmwcib(0, 101, 7)
    chain = w.streamwrcfg(0, 100, 102)
    kinds = (quick, slow, chain, w.shiftmask(103), w.rdcfg(41, 101))
    for count, words in enumerate(product(kinds, repeat=3)):
        piece = Piece()
        for thread, word in enumerate(words):
            shift = count % 3
            others = (words[(thread + 1) % 3], word)
            piece.issue((thread + shift) % THREADS, word, *others, at=0)
        if count & 1:
            piece.risc_write(106, count, at=count % 4).risc_read(101)
        pieces.add(piece)
    # a mutex that only its holder can take; a unit word behind one that waits for the mutex
    for mutex, holder in product(w.MUTEXES, range(THREADS)):
        piece = Piece().issue(holder, w.atgetm(mutex), *[w.atgetm(mutex)] * 4, at=0)
        for other in {0, 1, 2} - {holder}:
            piece.issue(other, w.atgetm(mutex), w.atrelm(mutex), at=1)
        piece.issue(holder, w.atrelm(mutex))
        pieces.add(piece)
    # the scalar unit is there for all from the cycle in which an instruction ends
    for word in (w.adddmareg(20, 1, 2), w.adddmareg(20, 1, 9), w.reg2flop(2, 9)):
        for count in range(4):
            piece = Piece().issue(count % 3, word, w.DMANOP, at=0)
            piece.issue((count + 1) % 3, word, w.DMANOP, at=count)
            piece.issue((count + 2) % 3, w.DMANOP, word, at=1)
            pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "arbitration",
        "every resource: set of requesters by position of the pointer",
        (
            _rotation,
            _long,
            _available,
        ),
        {
            "config_write": 300,
            "semaphores": 60,
            "xmov": 60,
            "sfpu": 60,
            "risc_done": 30,
            "mutexes": 20,
        },
    ),
    piece_test(
        "first_requests",
        "every resource is first asked by all threads at once",
        (_first,),
        {"issue": 3 * (len(_RESOURCES) + 2 * len(w.MUTEXES)), "mutexes": 2 * len(w.MUTEXES)},
    ),
)
