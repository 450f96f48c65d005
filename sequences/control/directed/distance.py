# SPDX-License-Identifier: Apache-2.0
"""The config pipeline: what may follow what, how soon, and in which order it is written (C16).

A third thread samples the words concerned in every cycle, so order and visible cycle show in its
``view`` records as well as in ``config_write``.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import CONFIG_KINDS, config_word, setting, watch
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

DISTANCES: Final = range(1, 7)
PREPARES: Final = (1, 2, 3, 6)
_WORD: Final = 100
_OTHER: Final = 105
_TAIL: Final = 8


def _pairs(pieces: Pieces, gap_kind: bool) -> None:
    """Every pair at every distance, by one thread and by two."""
    setting(pieces)
    count = 0
    kinds = CONFIG_KINDS if not gap_kind else ("wrcfg128",)
    for first, second, distance in product(CONFIG_KINDS, kinds, DISTANCES):
        for by, to in product((0, 1), (_WORD, _OTHER)):
            count += 1
            one = count % THREADS
            two = (one + by) % THREADS
            piece = Piece()
            piece.issue(one, config_word(first, _WORD, count), at=0)
            piece.issue(two, config_word(second, to, count + 5), at=distance)
            watch(piece, (two + 1 + (by == 0)) % THREADS, _WORD, distance + _TAIL)
            pieces.add(piece)


def _distances(pieces: Pieces) -> None:
    _pairs(pieces, gap_kind=False)


def _wide(pieces: Pieces) -> None:
    _pairs(pieces, gap_kind=True)


def _triples(pieces: Pieces) -> None:
    """Three in consecutive cycles, by one thread and by three, the third one waiting for both."""
    setting(pieces)
    for count, kinds in enumerate(product(CONFIG_KINDS, repeat=3)):
        words = [config_word(kind, _WORD, count + 3 * i) for i, kind in enumerate(kinds)]
        pieces.add(Piece().issue(count % THREADS, *words, at=0))
        piece = Piece()
        for place, word in enumerate(words):
            piece.issue((count + place) % THREADS, word, at=place)
        pieces.add(piece)


def _risc(pieces: Pieces) -> None:
    """A RISC access before and behind every instruction, to the same word and to another."""
    setting(pieces)
    count = 0
    for kind, distance, write in product(CONFIG_KINDS, range(-4, 7), (False, True)):
        for address in (_WORD, _OTHER):
            count += 1
            piece = Piece()
            thread = count % THREADS
            start = max(0, -distance)
            piece.issue(thread, config_word(kind, _WORD, count), at=start)
            if write:
                piece.risc_write(address, count * 0x01234567 & 0xFFFF_FFFF, at=start + distance)
            else:
                piece.risc_read(address, at=start + distance)
            watch(piece, (thread + 1) % THREADS, _WORD, start + max(0, distance) + _TAIL)
            pieces.add(piece)


def _prepare(pieces: Pieces) -> None:
    """Behind a STREAMWRCFG that prepares for 1, 2 and more cycles: what jumps ahead of it."""
    setting(pieces)
    count = 0
    for prepare, distance, kind in product(PREPARES, range(1, 8), CONFIG_KINDS):
        for by, to in product((0, 1), (_WORD, _OTHER)):
            # ahead of it, and the first ones that come too late for that
            if distance > max(prepare + 1, 3):
                continue
            count += 1
            thread = count % THREADS
            piece = Piece()
            piece.issue(thread, config_word("streamwrcfg", _WORD, count), at=0)
            piece.issue((thread + by) % THREADS, config_word(kind, to, count + 7), at=distance)
            piece.force(1, prepare - 1, stream_busy=True)
            watch(piece, (thread + 2) % THREADS, _WORD, prepare + 10)
            pieces.add(piece)


def _prepare_risc(pieces: Pieces) -> None:
    """A RISC access ahead of a STREAMWRCFG that prepares, and behind it."""
    setting(pieces)
    cases = product(PREPARES, (1, 2, 4, 7), (False, True), (_WORD, _OTHER))
    for count, (prepare, distance, write, address) in enumerate(cases):
        piece = Piece().issue(count % THREADS, config_word("streamwrcfg", _WORD, count), at=0)
        piece.force(1, prepare - 1, stream_busy=True)
        if write:
            piece.risc_write(address, number(count), at=distance)
        else:
            piece.risc_read(address, at=distance)
        watch(piece, (count + 1) % THREADS, _WORD, prepare + 8)
        pieces.add(piece)


def _scratch(pieces: Pieces) -> None:
    """A CFGSHIFTMASK as soon as possible behind everything that writes its scratch word."""
    setting(pieces)
    cases = product((*CONFIG_KINDS[:-1], "wrcfg128", "risc"), range(4), (1, 2, 3), range(2))
    for count, (kind, select, distance, by) in enumerate(cases):
        thread = count % THREADS
        scratch = w.SCRATCH[select if select < 3 else thread]
        piece = Piece()
        if kind == "risc":
            piece.risc_write(scratch, number(count), at=0)
        else:
            piece.issue((thread + by) % THREADS, config_word(kind, scratch, count), at=0)
        word = w.shiftmask(_WORD, alu=2 + (count & 1), scratch=select)
        pieces.add(piece.issue(thread, word, at=distance))


def _queue(pieces: Pieces) -> None:
    """STREAMWRCFGs in a row of one and of three threads, while the streams are busy off and on."""
    setting(pieces)
    for count, (pattern, threads) in enumerate(product(range(8), (1, 2, 3))):
        piece = Piece(length=60)
        for thread in range(threads):
            words = [config_word("streamwrcfg", _WORD + i, count + i) for i in range(3)]
            piece.issue(thread, *words, config_word("rmwcib", _WORD, count + thread), at=thread)
        for cycle in range(3):
            if pattern >> cycle & 1:
                piece.force(1 + 2 * cycle, 2, stream_busy=True)
        pieces.add(piece)


_FLOOR: Final = {"config_write": 200, "view_unpack0": 200, "t0.rdcfg": 10}

TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "config_distances",
        "every two config instructions 1 to 6 cycles apart",
        (
            _distances,
            _wide,
        ),
        {**_FLOOR, "t0.rdcfg": 40},
    ),
    piece_test(
        "config_triples",
        "every three config instructions in a row; RISC accesses around every one",
        (
            _triples,
            _risc,
            _scratch,
        ),
        {"config_write": 500, "t0.rdcfg": 20, "risc_done": 200},
        untimed=False,  # writes jump ahead of STREAMWRCFGs to the same word (C16)
    ),
    piece_test(
        "config_prepare",
        "config instructions behind STREAMWRCFGs with 1, 2 and more prepare cycles",
        (
            _prepare,
            _prepare_risc,
            _queue,
        ),
        _FLOOR,
        window=40,
        untimed=False,  # the same
    ),
)
