# SPDX-License-Identifier: Apache-2.0
"""What is a thread's own at the gate: conditions (C17), banks it waits for (M8), ``hold``."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.isa.tables import src_waits
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.directed.waits import KINDS, START, head, wait
from tilepath.sequences.control.pieces import BARRIER_BIT, Piece, Pieces, piece_test
from tilepath.tb.control.streams import THREADS

_AT: Final = 3
"""The cycle of the first word of interest in every piece here."""
_BANKS: Final = (1 << 7, 1 << 8)
_MATH: Final = tuple(
    tuple(op for op in w.MATH if src_waits()[op] == banks) for banks in range(1 << len(_BANKS))
)
"""Opcodes by the banks that they wait for."""


def _of(thread: int, bits: int, others: int = 0) -> tuple[int, ...]:
    """``busy`` of each thread: ``bits`` of ``thread``, ``others`` of the others."""
    return tuple(bits if t == thread else others for t in range(THREADS))


def _conditions(pieces: Pieces) -> None:
    _each([bit for bit in (*range(10), 11) if bit != BARRIER_BIT], pieces)


def _barrier(pieces: Pieces) -> None:
    _each([BARRIER_BIT], pieces)


def _each(bits: list[int], pieces: Pieces) -> None:
    """A thread waits while its bit alone is 1, and does not while only the others' are."""
    for count, (bit, thread) in enumerate(product(bits, range(THREADS))):
        for mine, cycles in ((True, 5), (False, 14)):
            piece = Piece().issue(thread, w.stallwait(1 << count % 9, 1 << bit), at=_AT)
            piece.issue(thread, head(count % 9, count))
            own = _of(thread, 1 << bit) if mine else _of(thread, 0, 1 << bit)
            pieces.add(piece.force(_AT - 1, cycles, own=own))


def _banks(pieces: Pieces) -> None:
    """Words for the Matrix Unit by what they wait for, banks that come in either order.

    Meanwhile a word of each other thread that waits for nothing goes by.
    """
    for count, (waits, taken, first, thread) in enumerate(
        product(range(4), range(4), range(3), range(THREADS))
    ):
        opcodes = _MATH[waits]
        piece = Piece().issue(
            thread, *(w.opaque(opcodes[n % len(opcodes)]) for n in (count, count + 1)), at=_AT
        )
        for more in (1, 2):
            passing = _MATH[0][(count + more) % len(_MATH[0])]
            piece.issue((thread + more) % THREADS, w.opaque(passing), at=_AT + more)
        for file, bit in enumerate(_BANKS):
            if taken >> file & 1:
                piece.force(1, 6 if first == 2 else 4 + 4 * (file ^ first), busy=bit)
        pieces.add(piece)


def _banks_of_others(pieces: Pieces) -> None:
    """Only the thread's own bits count, should they differ; pulses of one cycle."""
    for count, (waits, mine, thread) in enumerate(
        product((1, 2, 3), (True, False), range(THREADS))
    ):
        opcode = _MATH[waits][count % len(_MATH[waits])]
        piece = Piece().issue(thread, w.opaque(opcode), at=_AT)
        own = _of(thread, waits << 7) if mine else _of(thread, 0, waits << 7)
        pieces.add(piece.force(1, 6 if mine else 12, own=own))
        # both are there for a cycle, one for longer
        piece = Piece().issue(thread, *[w.opaque(opcode)] * 2, at=_AT)
        piece.force(1, 5, busy=_BANKS[count & 1]).force(1, 3, busy=_BANKS[~count & 1])
        pieces.add(piece.force(7, 5, busy=waits << 7))


def _hold(pieces: Pieces) -> None:
    """An UNPACR and its address phase of 1 to 6 cycles, and longer; words of each class behind it.

    The other threads go on, the held word asks for nothing; an illegal one leaves.
    """
    setting(pieces)
    for count, (cycles, bit, thread) in enumerate(
        product((1, 2, 3, 4, 5, 6, 12), range(10), range(THREADS))
    ):
        piece = Piece().issue(thread, w.look(count & 1, 100 + (count & 7)), at=_AT)
        piece.issue(thread, head(bit, count), w.NOP)
        for more in (1, 2):
            piece.issue((thread + more) % THREADS, head(bit, count), w.NOP, at=_AT + 1)
        pieces.add(piece.force(_AT + 1, cycles, hold=1 << thread))
    for count, (threads, thread) in enumerate(product(range(1, 8), range(THREADS))):
        piece = Piece().issue(thread, w.look(0, 100), at=_AT)
        piece.issue(thread, w.opaque(w.ILLEGAL[count]), w.stallwait(0, 1), w.DMANOP)
        piece.issue((thread + 1) % THREADS, w.NOP, w.DMANOP, w.rmwcib(1, 101, 5), at=_AT)
        pieces.add(piece.force(_AT + 1, 1 + count % 5, hold=threads))


def _hold_and(pieces: Pieces) -> None:
    """A latch that is cleared under ``hold``, or holds longer; a scalar instruction, a unit."""
    setting(pieces)
    for count, (kind, met, thread) in enumerate(product(KINDS, (1, 4, 9), range(THREADS))):
        piece = wait(Piece(), kind, thread, w.ALL_BLOCKED, START + met)
        piece.issue(thread, head(count % 10, count), w.NOP)
        pieces.add(piece.force(START + 1, 5, hold=1 << thread))
    for count, (cycles, thread) in enumerate(product((1, 3, 6), range(THREADS))):
        piece = Piece().issue(thread, w.adddmareg(20, 1, 9), w.DMANOP, at=_AT)
        pieces.add(piece.force(_AT + 1, cycles, hold=1 << thread))
        piece = Piece().issue(thread, w.opaque(_MATH[3][count % 6]), at=_AT)
        piece.force(1, 6, hold=1 << thread, stall=1 << 3 if count & 1 else 0)
        pieces.add(piece.force(1, 4 + cycles, busy=1 << 7))


_FLOOR: Final = {f"t{thread}.latch": 10 for thread in range(THREADS)}

TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "own_conditions",
        "conditions of STALLWAIT that only one thread has, or all but one",
        (_conditions,),
        _FLOOR,
        window=32,
        faults=("mutex_owner", "unsupported"),
    ),
    piece_test(
        "own_barrier",
        "the same of the condition that opens the windows",
        (_barrier,),
        {"t0.latch": 2},
        window=32,
        barrier=0,
        faults=("mutex_owner", "unsupported"),
    ),
    piece_test(
        "own_banks",
        "words for the Matrix Unit that wait for a bank of SrcA, of SrcB, of both",
        (_banks, _banks_of_others),
        {"math": 500},
        window=36,
    ),
    piece_test(
        "own_hold",
        "threads held by the address phase of an unpacker's instruction",
        (_hold, _hold_and),
        {"hold": 500, "unpack0": 100, "unpack1": 100},
        window=40,
        faults=("illegal", "mutex_owner", "unsupported"),
    ),
)
