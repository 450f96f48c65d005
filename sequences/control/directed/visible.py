# SPDX-License-Identifier: Apache-2.0
"""When a unit sees a new value, and when the scalar unit sees a new GPR (C22, consumer hazards)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import config_word, setting, watch
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test
from tilepath.tb.control.streams import THREADS

_BANKED: Final = 101
_GLOBAL: Final = 186
_THREAD_WORD: Final = 6
_THREAD: Final = 1 << 8
_LOOKS: Final = 9


def _look_everywhere(piece: Piece, thread: int, unit: int, index: int) -> None:
    """The writer samples with ``unit`` right behind its word, the others with the other units."""
    piece.issue(thread, *(w.look(unit, index, n) for n in range(_LOOKS)))
    for place in (1, 2):
        watch(piece, (thread + place) % THREADS, index, _LOOKS, (unit + place) % 3)


def _config(pieces: Pieces) -> None:
    """Each writer of Config, a banked and a global word; one of the watchers uses bank 1."""
    setting(pieces)
    pieces.add(Piece().issue(2, w.setc16(w.STATE_ID, 1)))
    kinds = ("streamwrcfg", "wrcfg", "wrcfg128", "shiftmask", "rmwcib")
    for count, (kind, unit, index) in enumerate(
        product(kinds, range(3), (_BANKED, _GLOBAL, _BANKED))
    ):
        thread = count % THREADS
        piece = Piece().issue(thread, config_word(kind, index, count), at=0)
        _look_everywhere(piece, thread, unit, index)
        pieces.add(piece)
    for thread, unit in product(range(THREADS), range(3)):
        flop = _BANKED - w.FLOP_BASE
        piece = Piece().issue(thread, w.reg2flop(3 + unit, flop, size=1 - unit // 2), at=0)
        _look_everywhere(piece, thread, unit, _BANKED)
        pieces.add(piece)
    for count, (address, index) in enumerate(product((0, 224, w.RISC_BOTH), (_BANKED, _GLOBAL))):
        for thread in range(THREADS):
            piece = Piece().risc_write(address + index, number(900 + count), at=0)
            _look_everywhere(piece, thread, (count + thread) % 3, index)
            pieces.add(piece)


def _thread(pieces: Pieces) -> None:
    """SETC16 and RISC writes of ThreadConfig, StateID among them."""
    setting(pieces)
    for count, (thread, unit) in enumerate(product(range(THREADS), range(3))):
        for source in range(2):
            piece = Piece()
            if source:
                address = w.risc_thread(thread, _THREAD_WORD)
                piece.risc_write(address, number(count + 50) & 0xFFFF, at=0)
            else:
                piece.issue(thread, w.setc16(_THREAD_WORD, number(count) & 0xFFFF), at=0)
            _look_everywhere(piece, thread, unit, _THREAD | _THREAD_WORD)
            pieces.add(piece)
        # the other bank comes into view
        for bank in (1, 0):
            piece = Piece()
            if count & 1:
                piece.risc_write(w.risc_thread(thread, w.STATE_ID), bank | 0xFFFE, at=0)
            else:
                piece.issue(thread, w.setc16(w.STATE_ID, bank | count << 1), at=0)
            _look_everywhere(piece, thread, unit, _BANKED)
            pieces.add(piece)
    # whatever the index, and beyond the end of both
    indices = (0, 4, 63, 64, 179, 180, 223, 224, 255, 256, 256 + 67, 256 + 68, 256 + 255)
    for thread, index in product(range(THREADS), indices):
        piece = Piece()
        piece.issue(thread, *(w.look(unit, index) for unit in range(3)), at=0)
        piece.issue(thread, w.opaque(w.UNPACK[1], 1 << 23 | index))
        piece.issue(thread, w.opaque(w.UNPACK[1], index), w.opaque(w.PACK[1], index))
        pieces.add(piece)


Maker = Callable[[int], list[int]]
# GPR 4 is in the group of 5; 8 and 9 are in another
_MADE: Final = 4
_MAKERS: Final[dict[str, Maker]] = {
    "rdcfg": lambda n: [w.rdcfg(_MADE, 96 + (n & 7))],
    "setdmareg": lambda n: [w.setdmareg(2 * _MADE + (n & 1), number(n) & 0xFFFF)],
    "add_immediate": lambda n: [w.adddmareg(_MADE, 8, n & 63, immediate=True)],
    "add_group": lambda _: [w.adddmareg(_MADE, 8, 9)],
    "add_far": lambda _: [w.adddmareg(_MADE, 8, 12)],
    "multiply_immediate": lambda n: [w.muldmareg(_MADE, 8, n & 63, immediate=True)],
    "multiply_far": lambda _: [w.muldmareg(_MADE, 8, 12)],
    "rdcfg_setdmareg": lambda n: [w.rdcfg(_MADE, 97), w.setdmareg(2 * _MADE + (n & 1), 0x55AA)],
}
_TAKERS: Final[dict[str, Maker]] = {
    "a_group": lambda _: [w.adddmareg(20, _MADE, 5)],
    "b_group": lambda _: [w.adddmareg(21, 5, _MADE)],
    "a_far": lambda _: [w.adddmareg(22, _MADE, 9)],
    "b_far": lambda _: [w.adddmareg(23, 9, _MADE)],
    "a_immediate": lambda _: [w.adddmareg(24, _MADE, 63, immediate=True)],
    "product_a_group": lambda _: [w.muldmareg(20, _MADE, 5)],
    "product_b_group": lambda _: [w.muldmareg(21, 5, _MADE)],
    "product_a_far": lambda _: [w.muldmareg(22, _MADE, 9)],
    "product_b_far": lambda _: [w.muldmareg(23, 9, _MADE)],
    "product_a_immediate": lambda _: [w.muldmareg(24, _MADE, 63, immediate=True)],
    "square": lambda _: [w.muldmareg(_MADE, _MADE, _MADE)],
    "both": lambda _: [w.adddmareg(_MADE, _MADE, _MADE)],
    "b_immediate_of_that_number": lambda _: [w.adddmareg(25, 8, _MADE, immediate=True)],
    "wrcfg": lambda _: [w.wrcfg(_MADE, 104)],
    "wrcfg128": lambda _: [w.wrcfg(_MADE + 1, 106, wide=True)],
    "flop": lambda _: [w.reg2flop(_MADE, 106 - 64)],
    "flop128": lambda _: [w.reg2flop(_MADE + 2, 105 - 64, size=0)],
    "flop_adc": lambda _: [w.reg2flop(_MADE, w.flop_of(0, 0, 1), target=2)],
}


def _gprs(pieces: Pieces) -> None:
    """Everything that writes a GPR, then everything that reads one, 1 to 5 cycles later."""
    setting(pieces)
    for count, (make, take, distance) in enumerate(
        product(_MAKERS.values(), _TAKERS.values(), range(1, 6))
    ):
        thread = count % THREADS
        piece = Piece().issue(thread, *make(count), at=0)
        piece.issue(thread, *take(count), at=max(distance, len(make(count))))
        # what the GPR has in the end
        piece.issue(thread, w.wrcfg(_MADE, 110), at=16)
        pieces.add(piece)


def _race(pieces: Pieces) -> None:
    """RDCFG and the scalar unit write one GPR in one cycle, or in neighbouring ones."""
    setting(pieces)
    for count, (half, gpr, gap) in enumerate(product((0, 1), (4, 5), range(3))):
        for thread in range(THREADS):
            piece = Piece().issue(thread, w.rdcfg(4, 96 + count), at=0)
            piece.issue(thread, w.setdmareg(2 * gpr + half, 0xA000 + count), at=1 + gap)
            piece.issue(thread, w.adddmareg(gpr, gpr, 1, immediate=True))
            piece.issue(thread, w.wrcfg(4, 104), w.wrcfg(5, 105), at=12)
            pieces.add(piece)
    # an addition ends, and then a word that was read arrives
    for thread, wide, gap in product(range(THREADS), (False, True), range(3)):
        piece = Piece().issue(thread, w.adddmareg(4, 9, 12 if wide else 8), at=0)
        piece.issue(thread, w.rdcfg(4, 98), at=1 + gap)
        piece.issue(thread, w.rdcfg(5, 99), w.wrcfg(4, 104))
        pieces.add(piece)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "visible",
        "when units and the scalar unit see a new value, for every kind of write",
        (
            _config,
            _thread,
            _gprs,
            _race,
        ),
        {
            "view_unpack0": 500,
            "view_unpack1": 300,
            "view_pack": 300,
            "config_write": 400,
            "t0.setc16": 10,
            "risc_thread_write": 10,
            "t0.gpr": 110,
            "t0.rdcfg": 40,
        },
    ),
)
