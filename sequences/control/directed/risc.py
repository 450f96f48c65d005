# SPDX-License-Identifier: Apache-2.0
"""Accesses of the cores: every address range, against instructions, and the wait for them."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed import pending
from tilepath.sequences.control.directed.common import CONFIG_KINDS, config_word, setting
from tilepath.sequences.control.directed.waits import head
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

_EDGES: Final = (0, 3, 4, 5, 63, 64, 179, 180, 209, 223)
_THREAD_EDGES: Final = (0, 1, 41, 57, 62, 66, 67)
_BEYOND: Final = (876, 877, 900, 1022, 1023)


def _addresses() -> list[int]:
    """The edges of all ranges, and what is beyond the last."""
    banks = [base + index for base in (0, 224, 448) for index in _EDGES]
    threads = [w.risc_thread(thread, i) for thread in range(THREADS) for i in _THREAD_EDGES]
    return [*banks, *threads, *_BEYOND]


def _ranges(pieces: Pieces) -> None:
    """Write each address, then read all of them; units look from both banks."""
    setting(pieces)
    pieces.add(Piece().issue(1, w.setc16(w.STATE_ID, 1)))
    addresses = _addresses()
    for place, address in enumerate(addresses):
        piece = Piece().risc_write(address, number(place), at=0)
        for other in (address, (address + 224) % 448, (address + 448) % 1024):
            piece.risc_read(other)
        for thread in range(THREADS):
            piece.issue(thread, w.look(thread, _seen_at(address)), at=6)
        pieces.add(piece)
    piece = Piece()
    for address in addresses:
        piece.risc_read(address)
    for thread in range(THREADS):
        piece.issue(thread, w.setc16(w.STATE_ID, 0))
    pieces.add(piece)


def _seen_at(address: int) -> int:
    """The index at which a unit's view shows what is at ``address``; any, if there is none."""
    if address < w.RISC_THREAD:
        return address % w.CONFIG_WORDS
    return 1 << 8 | (address - w.RISC_THREAD) % w.THREAD_WORDS


def _same_word(pieces: Pieces) -> None:
    """A write and a read of the word that an instruction writes, around its stage 0."""
    setting(pieces)
    ranges = ((0, 100), (224, 100), (448, 100), (0, 190), (224, 190), (448, 210))
    cases = product(CONFIG_KINDS, ranges, range(-2, 5))
    for count, (kind, (base, index), offset) in enumerate(cases):
        thread = count % THREADS
        piece = Piece().issue(thread, config_word(kind, index, count), at=3)
        piece.risc_write(base + index, number(count), at=3 + offset).risc_read(base + index)
        pieces.add(piece)


def _setc16(pieces: Pieces) -> None:
    """SETC16 and a RISC write of the same ThreadConfig word, in one cycle and around it."""
    cases = product(range(THREADS), (10, w.STATE_ID, 61), range(-2, 4), (0, 1))
    for count, (thread, index, offset, other) in enumerate(cases):
        writer = (thread + other) % THREADS
        piece = Piece().issue(writer, w.setc16(index, number(count) & 0xFFFF), at=3)
        piece.risc_write(w.risc_thread(thread, index), number(count + 1000), at=3 + offset)
        piece.issue(thread, w.look(0, 1 << 8 | index), at=10)
        piece.risc_read(w.risc_thread(thread, index))
        pieces.add(piece)


def _beside(pieces: Pieces) -> None:
    """SETC16 and a RISC access to another word of ThreadConfig in one cycle."""
    cases = product(range(THREADS), range(THREADS), (False, True), range(-1, 2))
    for count, (thread, other, write, offset) in enumerate(cases):
        piece = Piece().issue(thread, w.setc16(30 + (count & 3), number(count) & 0xFFFF), at=3)
        address = w.risc_thread(other, 40)
        if write:
            piece.risc_write(address, number(count + 500), at=3 + offset)
        else:
            piece.risc_read(address, at=3 + offset)
        pieces.add(piece, drain=4)


def _pending(pieces: Pieces) -> None:
    """STALLWAIT on condition 10 while an access is offered, waits for CONFIG, is done."""
    setting(pieces)
    for count, (offset, bit, held) in enumerate(product(range(-3, 4), range(9), (0, 1))):
        thread = count % THREADS
        piece = Piece()
        if held:
            # nothing but STREAMWRCFG behind one another: the access cannot get in
            words = [w.streamwrcfg(i & 3, 100 + i, 104) for i in range(4)]
            piece.issue((thread + 1) % THREADS, *words, at=0)
        piece.risc_write(100 + count % 4, number(count), at=4 + offset)
        wait = w.stallwait(1 << bit, 1 << w.TRISC_CFG)
        piece.issue(thread, wait, head(bit, count), at=4)
        pieces.add(piece, drain=5)
    for thread in range(THREADS):
        piece = Piece()
        for place in range(6):
            piece.risc_write(100 + place, number(place), at=3 * place)
        piece.issue(thread, w.stallwait(8, 1 << w.TRISC_CFG), w.look(0, 100), at=1)
        piece.issue(thread, w.stallwait(8, 1 << w.TRISC_CFG | 1), w.look(0, 103))
        pieces.add(piece)


def _crowd(pieces: Pieces) -> None:
    """The cores write and read without a break; three threads issue config words meanwhile."""
    setting(pieces)
    kinds = (*CONFIG_KINDS, "wrcfg128")
    for round_ in range(12):
        piece = Piece()
        for place in range(12):
            index = (100, 101, 180, 4)[place % 4]
            address = (index, 224 + index, 448 + index, w.risc_thread(place % 3, 20))[round_ % 4]
            if (place + round_) & 1:
                piece.risc_read(address)
            else:
                piece.risc_write(address, number(place + 12 * round_))
        for thread in range(THREADS):
            chosen = [kinds[(place * (thread + 1) + round_) % 6] for place in range(8)]
            made = [config_word(kind, 100 + place % 2, place) for place, kind in enumerate(chosen)]
            piece.issue(thread, *made, at=thread)
        pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "risc",
        "RISC accesses to every range and against instructions; the wait for them",
        (
            _ranges,
            _setc16,
            _beside,
            _same_word,
            _pending,
            pending.pipe,
            pending.accesses,
            _crowd,
        ),
        {
            "risc_done": 1000,
            "risc_fault": 8,
            "risc_thread_write": 100,
            "config_write": 450,
            "t0.latch": 60,
            "t1.latch": 60,
            "t2.latch": 60,
        },
        faults=("cfg_oob", "mutex_owner", "state_reset", "unsupported"),
        untimed=False,  # accesses and other instructions overtake STREAMWRCFGs (C16)
    ),
)
