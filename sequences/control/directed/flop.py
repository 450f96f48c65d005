# SPDX-License-Identifier: Apache-2.0
"""REG2FLOP: sizes, targets and bytes; its write waits for the config unit's (C14, C15)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed import scalar
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

_CONFIG_FLOPS: Final = (0, 1, 62, 63, 112, 113, 114, 115)
_BEYOND: Final = (116, 117, 119, 120, 127)


def _operands(pieces: Pieces) -> None:
    """Size by target by byte by context, and every counter (the faults among them as well)."""
    setting(pieces)
    piece = Piece()
    count = 0
    for size, target, byte, ctx in product(range(4), repeat=4):
        for select in range(4):
            thread = (count + ctx) % THREADS
            count += 1
            if target:
                flop = w.flop_of(count & 1, select, count >> 1 & 3, count >> 3 & 1)
            else:
                flop = _CONFIG_FLOPS[(count >> 2) & 7] | (count & 7) << 7
            piece.issue(thread, w.reg2flop(count % 16, flop, size, target, byte, ctx))
    pieces.add(piece)
    piece = Piece()
    for target, flop in product((2, 3), range(64)):
        for ctx in range(3):
            piece.issue(ctx, w.reg2flop(flop & 15, flop | ctx << 6, 1, target, 0, ctx))
    pieces.add(piece)


def _values(pieces: Pieces) -> None:
    """Which bits of the GPR a counter gets, for every size and byte."""
    for thread, value in product(range(THREADS), (0x8765_4321, 0x0003_FFFF, 0xFFFC_0000)):
        piece = Piece().issue(thread, *w.setgpr(7, value))
        for size, byte, counter in product(range(4), range(4), range(4)):
            flop = w.flop_of(byte & 1, thread, counter)
            piece.issue(thread, w.reg2flop(7, flop, size, 2, byte))
        pieces.add(piece)


def _index(pieces: Pieces) -> None:
    """Words at the edges of the range, both banks, four words and one; beyond: nothing (C6)."""
    setting(pieces)
    for bank, size, thread in product((0, 1), (0, 1), range(THREADS)):
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, bank))
        for place, flop in enumerate((*_CONFIG_FLOPS, *_BEYOND)):
            piece.issue(thread, w.reg2flop((place + 3) % 16, flop, size))
        for index in (64, 65, 126, 127, 176, 177, 178, 179, 180):
            piece.issue(thread, w.look(0, index))
        pieces.add(piece)


# Words at the edges of the range that holds REG2FLOP back, inside and outside; 230 is dropped.
_HOLDING: Final = (64, 179, 100, 102, 63, 180, 0, 230)


def _collisions(pieces: Pieces) -> None:
    """Runs of RMWCIB of another thread around the cycle of the write, to words near the edges."""
    setting(pieces)
    runs = product(_HOLDING, range(-1, 4), (1, 2, 4))
    for count, (index, start, length) in enumerate(runs):
        thread = count % THREADS
        piece = Piece().issue(thread, w.reg2flop(count & 15, 100 - 64, size=count & 1), at=2)
        piece.issue(thread, w.look(0, 100), w.look(0, 100), w.look(0, 102))
        words = [w.rmwcib(i & 3, index, 0x11 * i + count & 0xFF) for i in range(length)]
        piece.issue((thread + 1) % THREADS, *words, at=2 + start)
        pieces.add(piece)


def _writers(pieces: Pieces) -> None:
    """The other ways to write: WRCFG, 128 bits, CFGSHIFTMASK, STREAMWRCFG, the cores; word 4."""
    setting(pieces)
    others = (
        w.wrcfg(3, 179),
        w.wrcfg(3, 177, wide=True),
        w.wrcfg(3, 60, wide=True),
        w.wrcfg(3, 180, wide=True),
        w.shiftmask(110),
        w.shiftmask(209),
        w.streamwrcfg(0, 100, 111),
        w.wrcfg(3, 240),
        w.wrcfg(3, 4),
        w.rdcfg(20, 100),
    )
    for count, (word, start, bank) in enumerate(product(others, range(-4, 3), (0, 1))):
        thread = count % THREADS
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, 0), at=0)
        piece.issue(thread, w.reg2flop(5, 100 - 64), w.look(1, 100), at=5)
        # of the same bank as that thread, or of the other
        piece.issue((thread + 1) % THREADS, w.setc16(w.STATE_ID, bank), at=0)
        piece.issue((thread + 1) % THREADS, word, at=5 + start)
        pieces.add(piece)
    addresses = (64, 179, 180, 63, 224 + 64, 224 + 179, 448 + 100, 448 + 180, 4, 700, 900)
    for count, (address, start, write) in enumerate(product(addresses, range(3), (True, False))):
        thread = count % THREADS
        piece = Piece().issue(thread, w.reg2flop(6, 100 - 64, size=count & 1), at=0)
        piece.issue(thread, w.look(0, 100))
        for place in range(2):
            if write:
                piece.risc_write(address, number(count + place), at=start + 2 * place)
            else:
                piece.risc_read(address, at=start + 2 * place)
        pieces.add(piece)


def _not_held(pieces: Pieces) -> None:
    """What writes no configuration does not wait: counters, target 1, an index beyond the end."""
    setting(pieces)
    words = (
        w.reg2flop(4, w.flop_of(1, 0, 2), target=2),
        w.reg2flop(4, w.flop_of(1, 0, 2), target=3, ctx=2),
        w.reg2flop(4, w.flop_of(1, 3, 2), target=2),
        w.reg2flop(4, 10, target=1),
        w.reg2flop(4, 116),
        w.reg2flop(4, 127, size=0),
    )
    for count, (word, length) in enumerate(product(words, (1, 2, 3))):
        thread = count % THREADS
        piece = Piece().issue(thread, word, w.NOP, at=1)
        writes = [w.rmwcib(i & 3, 100, number(count + i) & 0xFF) for i in range(length)]
        pieces.add(piece.issue((thread + 1) % THREADS, *writes, at=2))


def _bank(pieces: Pieces) -> None:
    """The bank counts in the cycle of the write: the cores change StateID meanwhile."""
    setting(pieces)
    for thread, start, length in product(range(THREADS), range(5), range(5)):
        piece = Piece().issue(thread, w.setc16(w.STATE_ID, 0), at=0)
        piece.issue(thread, w.reg2flop(9, 108 - 64), at=4)
        piece.issue((thread + 1) % THREADS, *[w.rmwcib(0, 109, 3)] * length, at=5)
        piece.risc_write(w.risc_thread(thread, w.STATE_ID), 1, at=2 + start)
        piece.issue(thread, w.look(0, 108), at=18)
        pieces.add(piece)
    # every other cycle a write in the way, so that the scalar unit stays busy for long
    for thread in range(THREADS):
        piece = Piece().issue(thread, w.reg2flop(9, 108 - 64), w.look(0, 108), at=0)
        piece.issue((thread + 1) % THREADS, *[w.rmwcib(0, 109, 3)] * 20, at=1)
        piece.issue((thread + 2) % THREADS, w.DMANOP, w.setdmareg(80, 1), at=4)
        pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "scalar",
        "the scalar unit: REG2FLOP among all writes of configuration, sums, products, order",
        (
            _operands,
            _values,
            _index,
            _collisions,
            _writers,
            _not_held,
            _bank,
            scalar.row,
            scalar.additions,
            scalar.products,
        ),
        {"flop_write": 600, "flop_adc": 1000, "t0.fault": 50, "t0.gpr": 100},
        faults=("cfg_oob", "flop_size", "flop_target", "state_reset"),
    ),
)
