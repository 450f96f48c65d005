# SPDX-License-Identifier: Apache-2.0
"""Conditions that the bench drives, and units that are busy or not ready (C17)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.directed.waits import KINDS, START, head, wait
from tilepath.sequences.control.pieces import BARRIER_BIT, Piece, Pieces, piece_test
from tilepath.tb.control.streams import THREADS

_WINDOW: Final = 36
_AT: Final = 3
"""The cycle of the wait in every piece here."""
_CONDITIONS: Final = (*range(10), 11)
# unit → a word for it
_WORDS: Final = (
    w.look(0, 100),
    w.look(1, 101),
    w.look(2, 102),
    w.opaque(w.MATH[3]),
    w.opaque(w.SFPU[20]),
    w.opaque(w.XMOV, 5),
)
_TIMES: Final = (0, 1, 2, 3, 7, 15)


def _bits(pieces: Pieces) -> None:
    """Each condition alone, met in the first cycle, the second, later; the others do not count."""
    _each(pieces, [bit for bit in _CONDITIONS if bit != BARRIER_BIT], BARRIER_BIT)


def _barrier(pieces: Pieces) -> None:
    _each(pieces, [BARRIER_BIT], 0)


def _each(pieces: Pieces, bits: list[int], barrier: int) -> None:
    cases = product(bits, (0, 1, 2, 5), (False, True))
    for count, (bit, met, others) in enumerate(cases):
        thread = count % THREADS
        piece = Piece().issue(thread, w.stallwait(1 << count % 9, 1 << bit), at=_AT)
        piece.issue(thread, head(count % 9, count))
        piece.force(_AT - 1, met + 1, busy=1 << bit)
        if others:
            piece.force(_AT - 1, 14, busy=0xBFF & ~(1 << bit | 1 << barrier))
        pieces.add(piece)
        # a pulse of one cycle in which it is not busy; before the latch is live it does not count
        piece = Piece().issue(thread, w.stallwait(1 << count % 9, 1 << bit), at=_AT)
        piece.issue(thread, head(count % 9, count))
        piece.force(_AT - 2, 1 + met, busy=1 << bit).force(_AT + met, 10 - met, busy=1 << bit)
        pieces.add(piece)


def _sets(pieces: Pieces) -> None:
    """Several conditions: the last one decides; none stands for the first four; not 10 and 12."""
    for count, (low, high) in enumerate(product(range(8), (9, 11, 3, 5))):
        thread = count % THREADS
        piece = Piece().issue(thread, w.stallwait(0x1FF, 1 << low | 1 << high), w.NOP, at=_AT)
        piece.force(0, 5 + (count & 3), busy=1 << low).force(0, 9 - (count & 3), busy=1 << high)
        pieces.add(piece)
    for bit in (*range(8), 9, 11):
        for met in (1, 6):
            thread = (bit + met) % THREADS
            piece = Piece().issue(thread, w.stallwait(1 << bit % 9, 0), at=_AT)
            pieces.add(piece.issue(thread, head(bit % 9, bit)).force(0, _AT + met, busy=1 << bit))
    for thread, bits in product(range(THREADS), (0x1400, 0x0400, 0x1000)):
        # bits 10 and 12 of the input are not looked at
        piece = Piece().issue(thread, w.stallwait(0x1FF, bits), w.NOP, at=_AT)
        pieces.add(piece.force(0, 16, busy=0x1400))


def _busy(pieces: Pieces) -> None:
    """A word keeps its unit busy; STALLWAIT straight behind it, then a word of the same class."""
    setting(pieces)
    for count, (unit, time, gap) in enumerate(product(range(w.UNITS), _TIMES, range(3))):
        thread = count % THREADS
        times = [0] * w.UNITS
        times[unit] = time
        piece = Piece(work=times).issue(thread, _WORDS[unit], at=0)
        wait = w.stallwait(1 << (count % 9), 1 << w.UNIT_CONDITION[unit])
        piece.issue(thread, wait, head(count % 9, count), at=1 + gap)
        # without a wait, the unit itself holds the next
        piece.issue((thread + 1) % THREADS, _WORDS[unit], at=2)
        pieces.add(piece)


def _stalled(pieces: Pieces) -> None:
    """A unit that is not ready, off and on: words of one thread, of two, of three."""
    setting(pieces)
    patterns = (0b1, 0b101, 0b11110, 0b1011011, 0b111111111111)
    cases = product(range(w.UNITS), patterns, range(1, 8))
    for count, (unit, pattern, threads) in enumerate(cases):
        piece = Piece(work=[count & 1] * w.UNITS)
        for cycle in range(pattern.bit_length()):
            if pattern >> cycle & 1:
                piece.force(1 + cycle, 1, stall=1 << unit)
        for thread in range(THREADS):
            if threads >> thread & 1:
                piece.issue(thread, _WORDS[unit], _WORDS[unit], at=1 + (count & thread))
        pieces.add(piece)


def _apart(pieces: Pieces) -> None:
    """UNPACR and UNPACR_NOP for both unpackers, PACR and PACR_SETREG; one unit stalled of two."""
    setting(pieces)
    for count, (stall, opcode) in enumerate(product(range(8), (*w.UNPACK, *w.PACK))):
        piece = Piece(work=(count & 3, count >> 1 & 3, 2, 0, 0, 0))
        piece.force(1, 6, stall=stall)
        for thread in range(THREADS):
            second = 1 << 23 if thread & 1 ^ (count >> 3 & 1) else 0
            words = [w.opaque(opcode, second | 100), w.opaque(opcode, (second ^ 1 << 23) | 101)]
            piece.issue(thread, *words, at=2)
        pieces.add(piece)


def _live(pieces: Pieces) -> None:
    """STREAMWRCFG in every stage while a wait is live: its own thread's, and another one's.

    The waits last until the copy is through; STALLWAIT both for the pipeline and for a condition.
    """
    setting(pieces)
    cases = product((*KINDS, "level"), range(4), range(THREADS))
    for count, (kind, by, thread) in enumerate(cases):
        piece = Piece()
        if kind == "level":
            piece.issue(thread, w.stallwait(1 << 3, 1), at=START).force(START, 12, busy=1)
        else:
            wait(piece, kind, thread, 1 << 3, START + 10)
        word = w.streamwrcfg(1, 100 + (count & 3), 106)
        copier = (thread + by) % THREADS if by < 3 else thread
        if copier == (thread + 1) % THREADS:
            copier = (thread + 2) % THREADS  # the other one helps the wait
        if copier == thread:
            piece.issue(thread, word)
        else:
            piece.issue(copier, word, at=START + 1)
        pieces.add(piece.issue(thread, w.look(0, 106)))


def _streams_busy(pieces: Pieces) -> None:
    """A live STREAMWAIT and a STREAMWRCFG that prepares: selector and bank change meanwhile."""
    setting(pieces)
    for count, (prepare, place, index) in enumerate(product((1, 2, 4), (-1, 1, 2, 3), (59, 0))):
        thread = count % THREADS
        value = (1 + (count & 7)) if index else 1
        change = w.setc16(index, value)
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, 0), w.setc16(w.BANK_SEL[0], 1), at=0)
        word = w.streamwrcfg(0, 100 + (count & 3), 107)
        piece.force(5, prepare - 1, stream_busy=True)
        if place < 0:
            piece.issue(thread, change, word, at=3)
        else:
            piece.issue(thread, word, at=4).issue(thread, change, at=4 + place)
        # another value in the register in every cycle: which one is it that is read?
        for cycle in range(8):
            piece.stream(value if index else 1, 100 + (count & 3), 0x100 + cycle, at=5 + cycle)
        # a wait for the pipeline, which ends with the write
        wait = w.stallwait(1 << 3, 1 << w.CFG_PIPE)
        piece.issue(thread, wait, w.look(0, 107), w.look(0, 107))
        pieces.add(piece)


_FLOOR: Final = {f"t{thread}.latch": 20 for thread in range(THREADS)}

TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "levels_conditions",
        "each condition of STALLWAIT, several, none",
        (
            _bits,
            _sets,
        ),
        _FLOOR,
        window=_WINDOW,
        faults=("mutex_owner", "unsupported"),
    ),
    piece_test(
        "levels_barrier",
        "the condition that opens the windows of the other tests",
        (_barrier,),
        {"t0.latch": 5},
        window=_WINDOW,
        barrier=0,
        faults=("unsupported",),
    ),
    piece_test(
        "levels_units",
        "units that are busy or not ready; changes while STREAMWRCFG prepares",
        (
            _busy,
            _stalled,
            _apart,
            _streams_busy,
            _live,
        ),
        {
            "unpack0": 120,
            "unpack1": 120,
            "pack": 120,
            "math": 90,
            "sfpu": 90,
            "xmov": 90,
            "t0.latch": 20,
        },
        window=44,
        faults=("mutex_owner", "unsupported"),
    ),
)
