# SPDX-License-Identifier: Apache-2.0
"""Waits whose condition is met in a cycle that the piece chooses, and words for them to hold."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import stream_of
from tilepath.sequences.control.pieces import Piece
from tilepath.tb.control.items import PHASE_REGISTER
from tilepath.tb.control.streams import THREADS

KINDS: Final = ("stallwait", "semwait", "streamwait")
START: Final = 6
"""The earliest cycle for :func:`wait`: before it the condition is made false."""

_SEMAPHORE: Final = 3
_TARGET: Final = 5

_ONLY_TDMA: Final = (*w.ADC, 0x44, 0x57)
_SCALAR: Final = (0x45, 0x46, 0x48, 0x49, 0x58, 0x5B, 0x60, 0x61, 0x66)
_SYNC: Final = (w.sempost(1 << 7), w.semget(1 << 7), w.seminit(1 << 6, 1, 4), w.atrelm(0))
_CONFIG: Final = (
    w.rmwcib(2, 100, 0x77),
    w.wrcfg(1, 101),
    w.rdcfg(50, 100),
    w.setc16(8, 0x1234),
    w.shiftmask(102),
    w.streamwrcfg(1, 100, 103),
)


def head(block_bit: int, count: int = 0) -> int:
    """A word that a block mask with ``block_bit`` holds; bit 9: NOP. ``count`` picks one of many.

    Bits 2 to 5 hold words that bit 0 holds as well, so bit 0 has words that it holds alone.
    """
    if block_bit in (0, 2, 3, 4, 5, 6, 8):
        opcodes = {
            0: _ONLY_TDMA,
            2: w.PACK,
            3: w.UNPACK,
            4: (w.XMOV,),
            5: _SCALAR,
            6: w.MATH,
            8: w.SFPU,
        }[block_bit]
        return w.opaque(opcodes[count % len(opcodes)], (count & 1) << 23)
    if block_bit == 9:
        return w.opaque(0x02, count)
    words = _SYNC if block_bit == 1 else _CONFIG
    return words[count % len(words)]


def phases(piece: Piece, value: int, at: int) -> Piece:
    """The streams that ``setting`` gave to selector 0 of the threads get phase ``value``."""
    for thread in range(THREADS):
        piece.stream(stream_of(thread, 0), PHASE_REGISTER, value, at=at + thread)
    return piece


def wait(
    piece: Piece,
    kind: str,
    thread: int,
    block: int,
    met: int,
    at: int = START,
    until: int | None = None,
) -> Piece:
    """``thread`` issues a wait of ``kind`` in ``at``; its condition is met from cycle ``met`` on.

    ``met`` at least ``at`` - 1. With ``until``, the condition is false again from that cycle on,
    and true for good 16 cycles later. Thread ``thread`` + 1 is the helper of STALLWAIT (the config
    pipeline is not empty) and of SEMWAIT (semaphore 3); STREAMWAIT has the stream that selector 0
    has in ``setting``.
    """
    helper = (thread + 1) % THREADS
    again = None if until is None else until + 16
    if kind == "stallwait":
        # an RMWCIB is in the pipeline in the cycle behind its issue
        spans = [(at - 2, met - 1)]
        if until is not None and again is not None:
            spans.append((until - 1, again - 1))
        for begin, end in spans:
            for cycle in range(begin, end):
                piece.issue(helper, w.rmwcib(cycle & 3, 100, cycle & 0xFF), at=cycle)
        return piece.issue(thread, w.stallwait(block, 1 << w.CFG_PIPE), at=at)
    if kind == "semwait":
        mask = 1 << _SEMAPHORE
        piece.issue(helper, w.seminit(mask, 0, 2), at=0)
        piece.issue(helper, w.sempost(mask), at=met - 2)
        if until is not None and again is not None:
            piece.issue(helper, w.semget(mask), at=until - 2)
            piece.issue(helper, w.sempost(mask), at=again - 2)
        return piece.issue(thread, w.semwait(block, mask, 1), at=at)
    if kind == "streamwait":
        stream = stream_of(thread, 0)
        piece.stream(stream, PHASE_REGISTER, 0, at=0)
        piece.stream(stream, PHASE_REGISTER, _TARGET, at=met - 1)
        if until is not None and again is not None:
            piece.stream(stream, PHASE_REGISTER, _TARGET - 1, at=until - 1)
            piece.stream(stream, PHASE_REGISTER, _TARGET + 1, at=again - 1)
        return piece.issue(thread, w.streamwait(block, _TARGET), at=at)
    raise ValueError(f"there is no wait {kind!r}")
