# SPDX-License-Identifier: Apache-2.0
"""STREAMWAIT: targets around the register, HI words and selectors that change (C8, C9, C11)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting, stream_of
from tilepath.sequences.control.directed.waits import head
from tilepath.sequences.control.pieces import Piece, Pieces, piece_test
from tilepath.tb.control.items import COUNT_REGISTER, PHASE_REGISTER
from tilepath.tb.control.streams import THREADS

_REGISTER: Final = (PHASE_REGISTER, COUNT_REGISTER)
_HI_INDEX: Final = (w.PHASE_HI, w.COUNT_HI)
_HI_MAX: Final = (0x3FF, 0x7F)
_MAX: Final = (0xF_FFFF, 0x1_FFFF)
_AT: Final = 6
"""The cycle of the STREAMWAIT in every piece here."""


def _unwritten(pieces: Pieces) -> None:
    """Selectors and HI words that nobody has written are 0: all of them are stream 0."""
    for count, (thread, select) in enumerate(product(range(THREADS), range(4))):
        cond = count & 1
        piece = Piece().stream(0, _REGISTER[cond], 0x101 + count, at=0)
        piece.issue(thread, w.streamwait(1 << 3, 0x101 + count, cond, select), at=_AT)
        piece.issue(thread, w.streamwrcfg(select, _REGISTER[cond], 104))
        piece.issue(thread, w.stallwait(1 << 3, 1 << w.CFG_PIPE), w.look(0, 104))
        piece.stream(0, _REGISTER[cond], _MAX[cond], at=_AT + 20)
        pieces.add(piece)


def _targets(pieces: Pieces) -> None:
    """Target 0, at, one above and far above the register; selector by condition; HI in time or not.

    HI is written two cycles and one cycle before the wait, right behind it, or not at all.
    """
    setting(pieces)
    cases = product((0, 1), range(6), (-2, -1, 1, None), range(4))
    for count, (cond, kind, when, select) in enumerate(cases):
        thread = count % THREADS
        stream, register = stream_of(thread, select), _REGISTER[cond]
        old, new = (3, 4) if count & 1 else (4, 3)
        # what the wait composes: HI as it was in the first cycle of the latch
        hi = new if when is not None and when < 0 else old
        reg = hi << 10 | 0x155
        low = (0, 0x155, 0x156, 0x3FF, 0x000, 0x3FF)[kind]
        if kind == 0:
            hi = old = new = 0
        elif kind == 5:
            hi = old = new = _HI_MAX[cond]
        piece = Piece().stream(stream, register, reg, at=0)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], old), at=2)
        wait = w.streamwait(1 << count % 9, low, cond, select)
        if when is None:
            piece.issue(thread, wait, head(count % 9, count), at=_AT)
        elif when < 0:
            piece.issue(thread, w.setc16(_HI_INDEX[cond], new), at=_AT + when)
            piece.issue(thread, wait, head(count % 9, count), at=_AT)
        else:
            # a block bit that SETC16 passes
            wait = w.streamwait(1 << (count % 7), low, cond, select)
            piece.issue(thread, wait, w.setc16(_HI_INDEX[cond], new), at=_AT)
            piece.issue(thread, head(count % 7, count))
        piece.stream(stream, register, (hi << 10 | low) - (hi << 10 | low > 0), at=_AT + 4)
        piece.stream(stream, register, hi << 10 | low, at=_AT + 8)
        piece.stream(stream, register, _MAX[cond], at=_AT + 12)
        # the other register of that stream does not count
        piece.stream(stream, _REGISTER[1 - cond], _MAX[1 - cond])
        pieces.add(piece, drain=4)


def _crossing(pieces: Pieces) -> None:
    """The register reaches the target in the first cycle of the latch, before and after."""
    setting(pieces)
    for count, (cond, start, behind) in enumerate(product((0, 1), range(-2, 8), (1, 2, 4))):
        thread = count % THREADS
        stream, register = stream_of(thread, count & 3), _REGISTER[cond]
        target = 7 << 10 | count
        piece = Piece().stream(stream, register, target - 1, at=0)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], 7), at=_AT - 1)
        piece.issue(thread, w.streamwait(1 << count % 9, count, cond, count & 3))
        piece.stream(stream, register, target + (count & 1), at=_AT + start)
        piece.issue(thread, head(count % 9, count), at=_AT + behind)
        pieces.add(piece, drain=4)
        # seen for one cycle only, then below again, then for good
        piece = Piece().stream(stream, register, target - 1, at=0)
        piece.issue(thread, w.streamwait(1 << count % 9, count, cond, count & 3), at=_AT)
        piece.issue(thread, head(count % 9, count))
        piece.stream(stream, register, target, at=_AT + start)
        piece.stream(stream, register, 0).stream(stream, register, _MAX[cond], at=_AT + 16)
        pieces.add(piece, drain=4)


def _junk(pieces: Pieces) -> None:
    """Bits that are no part of HI, of the selector, of the register: ignored."""
    setting(pieces)
    for count, (cond, select) in enumerate(product((0, 1), range(4))):
        thread = count % THREADS
        stream, register = stream_of(thread, select), _REGISTER[cond]
        hi = (0xFC00 | 0x15, 0xFF80 | 0x15)[cond]
        piece = Piece().issue(thread, w.setc16(_HI_INDEX[cond], hi), at=0)
        piece.issue(thread, w.setc16(w.BANK_SEL[select], stream | 0xFFC0))
        piece.stream(stream, register, (~_MAX[cond] & 0xFFFF_FFFF) | (0x15 << 10 | 5), at=0)
        piece.issue(thread, w.streamwait(1, 6, cond, select) | 1 << 14 | 1 << 2, w.DMANOP, at=_AT)
        piece.stream(stream, register, 0x15 << 10 | 6, at=_AT + 6)
        pieces.add(piece)
        # compared as unsigned numbers: the largest value is above, 0 is below
        piece = Piece().stream(stream, register, 0, at=0)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], _HI_MAX[cond]), at=0)
        piece.issue(thread, w.streamwait(1, 0x3FF, cond, select), w.DMANOP, at=_AT)
        piece.stream(stream, register, _MAX[cond] - 1, at=_AT + 4)
        piece.stream(stream, register, _MAX[cond], at=_AT + 8)
        piece.issue(thread, w.streamwait(1, 0x3FF, cond, select), w.DMANOP, at=_AT + 14)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], 0))
        piece.issue(thread, w.streamwait(1, 1, cond, select), w.DMANOP)
        pieces.add(piece)


def _selectors(pieces: Pieces) -> None:
    """BankSel changes around a wait and while it is live: it takes effect at once (C11)."""
    setting(pieces)
    cases = product((0, 1), range(4), (-2, -1, 1, 2, 4, 7), (0, 1))
    for count, (cond, select, when, source) in enumerate(cases):
        thread = count % THREADS
        register, index = _REGISTER[cond], w.BANK_SEL[select]
        # one stream below the target, one above it; towards the one above, or away and back
        below, above = 40 + thread, 50 + thread
        away = bool(count % 4 >= 2)
        first, second = (above, below) if away else (below, above)
        piece = Piece().stream(below, register, 5, at=0).stream(above, register, 8)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], 0), w.setc16(index, first), at=0)
        bit = count % 7
        words = [w.streamwait(1 << bit, 6, cond, select)]
        if source:
            piece.risc_write(w.risc_thread(thread, index), second, at=_AT + when - 1)
            piece.issue(thread, *words, head(bit, count), at=_AT)
        elif when < 0:
            piece.issue(thread, w.setc16(index, second), at=_AT + when)
            piece.issue(thread, *words, head(bit, count), at=_AT)
        else:
            piece.issue(thread, *words, at=_AT)
            piece.issue(thread, w.setc16(index, second), at=_AT + when)
            piece.issue(thread, head(bit, count))
        piece.stream(below, register, 6, at=_AT + 12)
        pieces.add(piece, drain=4)
    # HI changes under a live wait: the target stays
    for cond, source in product((0, 1), (0, 1)):
        for thread in range(THREADS):
            stream, register = stream_of(thread, 0), _REGISTER[cond]
            piece = Piece().stream(stream, register, 0x600, at=0)
            piece.issue(thread, w.setc16(_HI_INDEX[cond], 2), at=0)
            piece.issue(thread, w.setc16(w.BANK_SEL[0], stream))
            piece.issue(thread, w.streamwait(1, 0, cond, 0), at=_AT)
            if source:
                piece.risc_write(w.risc_thread(thread, _HI_INDEX[cond]), 1, at=_AT + 3)
            else:
                piece.issue(thread, w.setc16(_HI_INDEX[cond], 1), at=_AT + 3)
            piece.issue(thread, w.DMANOP).stream(stream, register, 0x800, at=_AT + 12)
            pieces.add(piece)


def _cross(pieces: Pieces) -> None:
    """Target by HI by selector, and BankSel that changes under the wait or does not.

    What is written in the first cycle of the latch comes too late for HI; only the cores can do
    that. A wait that the first cycle meets is gone before its stream can change.
    """
    setting(pieces)
    cases = product((0, 1), range(5), ("stays", "before", "after"), (False, True), range(4))
    for count, (cond, kind, hi, changed, select) in enumerate(cases):
        if changed and kind < 2:
            continue
        thread = count % THREADS
        register, bit = _REGISTER[cond], count % 7
        stream, other = (63, 0, 30)[(count + select) % 3], 40 + thread
        low = (0, 0x2A, 0x2B, 0x3FF, 0x2B)[kind]
        value = (0, 5, 5, 5, _HI_MAX[cond])[kind]
        old = value ^ 1 if hi == "before" else value
        piece = Piece().stream(stream, register, value << 10 | 0x2A, at=0)
        piece.stream(other, register, value << 10 | 1)
        piece.issue(thread, w.setc16(_HI_INDEX[cond], old), at=0)
        piece.issue(thread, w.setc16(w.BANK_SEL[select], stream))
        if hi == "before":
            piece.issue(thread, w.setc16(_HI_INDEX[cond], value), at=_AT - 1)
        elif hi == "after":
            piece.risc_write(w.risc_thread(thread, _HI_INDEX[cond]), value ^ 1, at=_AT)
        piece.issue(thread, w.streamwait(1 << bit, low, cond, select), at=_AT)
        if changed and count & 8:
            piece.risc_write(w.risc_thread(thread, w.BANK_SEL[select]), other, at=_AT + 3)
        elif changed:
            piece.issue(thread, w.setc16(w.BANK_SEL[select], other), at=_AT + 3)
        piece.issue(thread, head(bit, count))
        piece.stream(stream, register, _MAX[cond], at=_AT + 8)
        piece.stream(other, register, _MAX[cond])
        pieces.add(piece, drain=4)


def _together(pieces: Pieces) -> None:
    """Three threads wait for one stream; STREAMWRCFG in flight under a live wait, with cond 12."""
    setting(pieces)
    for cond, step in product((0, 1), (0, 1, 3)):
        register = _REGISTER[cond]
        piece = Piece().stream(33, register, 9, at=0)
        for thread in range(THREADS):
            piece.issue(thread, w.setc16(w.BANK_SEL[thread], 33), at=0)
            piece.issue(thread, w.setc16(_HI_INDEX[cond], 0))
            wait = w.streamwait(w.ALL_BLOCKED, 10 + step * thread, cond, thread)
            piece.issue(thread, wait, w.opaque(w.PACK[0], thread), at=_AT + thread)
        for value in range(10, 18):
            piece.stream(33, register, value, at=_AT + 2 * (value - 8))
        pieces.add(piece)
    for count, (met, place) in enumerate(product(range(10), range(3))):
        thread = (count + count // 3) % THREADS
        stream = stream_of(thread, place)
        piece = Piece().issue(thread, w.setc16(w.BANK_SEL[place], stream), at=0)
        piece.stream(stream, PHASE_REGISTER, 1, at=0)
        piece.issue(thread, w.setc16(w.PHASE_HI, 0), at=2)
        words = [w.streamwait(1 << 3, 2, 0, place), w.streamwrcfg(place, PHASE_REGISTER, 104)]
        piece.issue(thread, *words, w.rmwcib(0, 105, 1), w.opaque(w.UNPACK[0], 104), at=_AT)
        piece.issue(thread, w.stallwait(1 << 3, 1 << w.CFG_PIPE), w.look(0, 104))
        piece.stream(stream, PHASE_REGISTER, 2, at=_AT + met)
        pieces.add(piece)


_FLOOR: Final = {f"t{thread}.latch": 30 for thread in range(THREADS)}

TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "streamwait",
        "target by HI by selector; register, BankSel and HI change around a wait",
        (
            _unwritten,
            _targets,
            _cross,
            _junk,
            _crossing,
            _selectors,
            _together,
        ),
        _FLOOR,
        faults=("mutex_owner", "unsupported"),
    ),
)
