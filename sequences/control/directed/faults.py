# SPDX-License-Identifier: Apache-2.0
"""Every fault (docs/control.md section 8), alone, together, and by three threads in one cycle."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

_CONFIG_BEYOND: Final = (224, 225, 255, 256, 1023, 1024, 2047)


def _unsupported(pieces: Pieces) -> None:
    """Assigned opcodes without an effect, with any payload; SETDMAREG in mode 1."""
    for place, opcode in enumerate(w.UNSUPPORTED):
        words = [w.opaque(opcode, payload) for payload in (0, number(place) >> 8, 0xFF_FFFF)]
        pieces.add(Piece().issue(place % THREADS, *words), drain=2)
    for thread in range(THREADS):
        word = w.setdmareg(10, 0x1234) | 1 << 7
        pieces.add(Piece().issue(thread, word, w.wrcfg(5, 100), word, w.DMANOP))


def _beyond(pieces: Pieces) -> None:
    """Indices out of range: dropped, or 0; the words at the ends stay as they were (C6)."""
    setting(pieces)
    # word 0 is where an index that wraps would read
    pieces.add(Piece().issue(0, w.wrcfg(5, 0)))
    for place, index in enumerate(_CONFIG_BEYOND):
        thread = place % THREADS
        words = [w.wrcfg(1, index), w.wrcfg(2, index, True), w.streamwrcfg(1, 101, index)]
        words += [w.rdcfg(17, index), w.wrcfg(17, 100)]
        if index < 256:
            words += [w.rmwcib(0, index, 0xFF), w.shiftmask(index, alu=5, mode=0)]
        piece = Piece().issue(thread, *words)
        for look in (index & 255, 223, 100):
            piece.issue(thread, w.look(0, look))
        pieces.add(piece)
    for place, index in enumerate((68, 69, 127, 128, 255, 0x84)):
        thread = place % THREADS
        piece = Piece().issue(thread, w.setc16(67, 7), w.setc16(index, 0xFFFF), w.look(0, 1 << 8))
        piece.issue(thread, w.look(1, 1 << 8 | 67), w.look(2, 1 << 8 | index))
        pieces.add(piece)


def _sticky(pieces: Pieces) -> None:
    """``sticky.cfg_oob`` behind a RISC access, before anything else has set it."""
    pieces.add(Piece().risc_read(875, at=0).risc_read(876).risc_read(5))


def _state_reset(pieces: Pieces) -> None:
    """Word 4: dropped but for RMWCIB, by every writer, in both banks, by four words as well."""
    setting(pieces)
    for bank, thread in ((bank, thread) for bank in (0, 1) for thread in range(THREADS)):
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, bank))
        piece.issue(thread, w.rmwcib(1, 4, 0x42), w.wrcfg(1, 4), w.wrcfg(2, 6, True))
        piece.issue(thread, w.shiftmask(4), w.streamwrcfg(0, 102, 4), w.wrcfg(3, 5))
        # next to it, and reading it, is no fault
        piece.issue(
            thread, w.rdcfg(20, 4), w.wrcfg(20, 3), w.wrcfg(1, 0, True), w.wrcfg(2, 8, True)
        )
        for index in range(4, 8):
            piece.issue(thread, w.look(0, index), w.look(1, index))
        pieces.add(piece)
    piece = Piece()
    for base in (0, 224, 448):
        piece.risc_write(base + 4, 0x1234).risc_write(base + 5, 0x5678)
        piece.risc_read(base + 4).risc_read(base + 5)
    pieces.add(piece)


def _waits(pieces: Pieces) -> None:
    """SEMWAIT with condition 0: met at once, whatever the semaphores (C19)."""
    for mask in (0, 1, 0xFF):
        piece = Piece()
        for thread in range(THREADS):
            piece.issue(thread, w.semwait(w.ALL_BLOCKED, mask, 0), w.NOP)
        pieces.add(piece)


def _flop(pieces: Pieces) -> None:
    """REG2FLOP: counters that do not exist, sizes that give 0, several faults in one word."""
    setting(pieces)
    words = [
        w.reg2flop(1, w.flop_of(0, 3, 0), target=2),
        w.reg2flop(1, w.flop_of(0, 1, 0), target=3, ctx=3),
        w.reg2flop(1, w.flop_of(0, 3, 1), target=3, ctx=3),
        w.reg2flop(2, w.flop_of(1, 0, 1), size=0, target=2),
        w.reg2flop(2, w.flop_of(1, 0, 1), size=1, target=2, byte=2),
        w.reg2flop(2, w.flop_of(1, 0, 1), size=2, target=3, byte=1, ctx=1),
        w.reg2flop(2, w.flop_of(1, 3, 1), size=2, target=2, byte=3),
        w.reg2flop(2, w.flop_of(1, 3, 1), size=0, target=3, ctx=3),
        w.reg2flop(3, 116),
        w.reg2flop(3, 127, size=0),
        w.reg2flop(3, 127, size=2, byte=1),
        w.reg2flop(3, 3, size=0, target=1, byte=3),
    ]
    for thread in range(THREADS):
        pieces.add(Piece().issue(thread, *words))


def _consumed(pieces: Pieces) -> None:
    """What the front end consumes, at the gate of a thread that nothing holds (F17)."""
    for thread, opcode in product(range(THREADS), (0x01, 0x03, 0x04, 0x05, 0x00)):
        pieces.add(Piece().issue(thread, w.opaque(opcode, 0x80_0041), w.NOP), drain=2)


def _together(pieces: Pieces) -> None:
    """Faults of three threads and of the cores in one cycle."""
    setting(pieces)
    sets = (
        (w.setc16(200, 1), w.setc16(68, 2), w.setc16(255, 3)),
        (w.opaque(0xFF), w.opaque(0x01), w.opaque(0x05)),
        (w.opaque(0x44), w.opaque(0x5D), w.opaque(0x68)),
        (w.atgetm(1), w.atrelm(2), w.atrelm(9)),
        (w.wrcfg(1, 300), w.reg2flop(1, 120), w.semwait(1, 1, 0)),
        (w.wrcfg(1, 4), w.setc16(77, 0), w.opaque(0x00)),
    )
    for words in sets:
        piece = Piece().risc_write(1000, 1, at=0)
        for thread, word in enumerate(words):
            piece.issue(thread, word, at=1)
        pieces.add(piece)
        piece = Piece()
        for thread, word in enumerate(words):
            piece.issue(thread, word, *words, at=0)
        pieces.add(piece)


def _first(thread: int, pieces: Pieces) -> None:
    """The first ``cfg_oob`` since reset is one of ``thread``, and no other's comes behind it."""
    pieces.add(Piece().issue(thread, w.NOP, w.setc16(68, 1), w.NOP, w.rdcfg(1, 224)))


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "faults",
        "every fault, alone, together, in one cycle",
        (
            _unsupported,
            _beyond,
            _state_reset,
            _waits,
            _flop,
            _consumed,
            _together,
        ),
        {**{f"t{thread}.fault": 60 for thread in range(THREADS)}, "sticky": 1, "risc_fault": 8},
        faults=ANY,
    ),
    piece_test(
        "fault_sticky",
        "the first index out of range is an access of the cores",
        (_sticky,),
        {"sticky": 1},
        faults=("cfg_oob",),
    ),
    *(
        piece_test(
            f"fault_first_{thread}",
            f"the first index out of range is an instruction of thread {thread}",
            (partial(_first, thread),),
            {"sticky": 1, f"t{thread}.fault": 2},
            faults=("cfg_oob",),
        )
        for thread in range(THREADS)
    ),
)
