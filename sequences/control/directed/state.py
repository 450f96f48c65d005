# SPDX-License-Identifier: Apache-2.0
"""Every word of the state, indices and masks of the instructions that write it, and StateID."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import CONFIG_KINDS, config_word, setting, stream_of
from tilepath.sequences.control.pieces import Piece, Pieces, number, piece_test, set_gprs
from tilepath.tb.control.items import PHASE_REGISTER
from tilepath.tb.control.streams import THREADS


def _every_word(pieces: Pieces) -> None:
    """Write all words of both banks, of ThreadConfig and of the GPRs; then read all of them."""
    set_gprs(pieces, range(64))
    for bank in (0, 1):
        piece = Piece()
        for thread in range(THREADS):
            piece.issue(thread, w.setc16(w.STATE_ID, bank))
        for index in range(w.CONFIG_WORDS):
            if index != w.STATE_RESET:
                piece.issue(index % THREADS, w.wrcfg((index * 5 + bank) & 63, index))
        pieces.add(piece)
    piece = Piece()
    for thread, index in product(range(THREADS), range(1, w.THREAD_WORDS)):
        piece.issue(thread, w.setc16(index, number(thread * 100 + index) & 0xFFFF))
    pieces.add(piece)
    for bank in (0, 1):
        piece = Piece()
        for thread in range(THREADS):
            piece.issue(thread, w.setc16(w.STATE_ID, bank))
        for index in range(w.CONFIG_WORDS):
            thread = index % THREADS
            piece.issue(thread, w.rdcfg(index & 63, index), w.look((thread + bank) % 3, index))
        pieces.add(piece)
    piece = Piece()
    for thread, index in product(range(THREADS), range(w.THREAD_WORDS)):
        piece.issue(thread, w.look(thread, 1 << 8 | index))
    for address in range(w.RISC_END):
        piece.risc_read(address)
    pieces.add(piece)
    piece = Piece()
    for thread, gpr in product(range(THREADS), range(64)):
        piece.issue(thread, w.wrcfg(gpr, 100 + thread))
    pieces.add(piece)


def _wide(pieces: Pieces) -> None:
    """128-bit WRCFG: GPR and index misaligned in every way, first and last groups (C15)."""
    set_gprs(pieces, range(16))
    groups = (0, 64, 100, 176, 180, 208, 220)
    for count, (group, gpr, index) in enumerate(product(groups, range(4), range(4))):
        thread = count % THREADS
        piece = Piece().issue(thread, w.wrcfg(4 * (count & 3) + gpr, group + index, wide=True))
        piece.issue(thread, w.NOP, *(w.look(0, group + i) for i in range(4)))
        pieces.add(piece)
    # the word behind the group, and the one in front of it, stay as they were
    for index in (96, 99, 100, 103):
        piece = Piece().issue(0, w.wrcfg(5, 99), w.wrcfg(6, 100), w.wrcfg(8, index, wide=True))
        piece.issue(0, w.NOP, w.look(2, 99), w.look(2, 100), w.look(2, 95), w.look(2, 104))
        pieces.add(piece)


_MASKS: Final = (0x00, 0xFF, 0x81, 0x3C, 0x01, 0x80, 0x55)
_TARGETS: Final = (100, 4, 0, 179, 180, 210, 223)


def _bytes(pieces: Pieces) -> None:
    """RMWCIB: mask by byte by word; word 4 is written by it alone (C18)."""
    setting(pieces)
    for count, (index, byte, mask) in enumerate(product(_TARGETS, range(4), _MASKS)):
        thread = count % THREADS
        piece = Piece()
        for place, data in enumerate((0x00, 0xFF, number(count) & 0xFF)):
            piece.issue(thread, w.rmwcib(byte, index, data, mask), w.look(place, index))
        pieces.add(piece, drain=1)


def _banks(pieces: Pieces) -> None:
    """StateID set 1 to 3 cycles before, with and behind each instruction, by thread and word."""
    setting(pieces)
    count = 0
    kinds = (*CONFIG_KINDS, "wrcfg128", "flop", "flop128", "look0", "look1", "look2")
    for kind, index, thread in product(kinds, (100, 184), range(THREADS)):
        for bank, distance in product((0, 1), (-3, -2, -1, 1, 2, 3)):
            count += 1
            piece = Piece().issue(thread, w.setc16(w.STATE_ID, 1 - bank), at=0)
            state, word = w.setc16(w.STATE_ID, bank), _any_word(kind, index, count)
            if distance < 0:
                piece.issue(thread, state, at=4).issue(thread, word, at=4 - distance)
            else:
                piece.issue(thread, word, at=4).issue(thread, state, at=4 + distance)
            piece.issue(thread, w.look(count % 3, index), at=16)
            pieces.add(piece)


def _any_word(kind: str, index: int, count: int) -> int:
    """As ``config_word``; also words that look, and REG2FLOP, which writes words below 180."""
    if kind.startswith("look"):
        return w.look(int(kind[-1]), index, count)
    if kind.startswith("flop"):
        return w.reg2flop(count & 15, min(index, 179) - w.FLOP_BASE, size=int(kind == "flop"))
    return config_word(kind, index, count)


_LAST: Final = 3


def _setc16(pieces: Pieces) -> None:
    """SETC16 by three threads in the same cycles, one a cycle each, and bits nobody looks at."""
    piece = Piece()
    for count, thread in product(range(40), range(THREADS)):
        index = (1 + count * (thread + 1)) % (w.THREAD_WORDS - _LAST)
        piece.issue(thread, w.setc16(index, number(count + 50 * thread) & 0xFFFF))
    pieces.add(piece)
    for count, (one, two) in enumerate(((0, 1), (1, 2), (2, 0))):
        piece = Piece().issue(one, w.setc16(20, count), at=0).issue(two, w.setc16(21, count), at=0)
        pieces.add(piece.issue(one, w.setc16(22, count)))
    # the selectors and the bank take only their own bits
    for thread, junk in product(range(THREADS), (0xFFC0, 0x0040, 0xFFFE)):
        piece = Piece().stream(5 + thread, 77, number(thread), at=0)
        piece.issue(thread, w.setc16(w.BANK_SEL[thread], 5 + thread | junk & 0xFFC0), at=0)
        piece.issue(thread, w.setc16(w.STATE_ID, (thread & 1) | junk & 0xFFFE))
        piece.issue(thread, w.streamwrcfg(thread, 77, 120), at=6)
        piece.issue(thread, w.look(0, 120), at=16)
        pieces.add(piece)


def _edges(pieces: Pieces) -> None:
    """Every config instruction at the first and the last words, banked and global."""
    setting(pieces)
    indices = (0, 3, 179, 180, 223)
    for count, (kind, index) in enumerate(product((*CONFIG_KINDS, "wrcfg128"), indices)):
        piece = Piece()
        for thread in range(THREADS):
            piece.issue(thread, config_word(kind, index, count + thread), at=2 * thread)
            piece.issue(thread, w.look(thread, index), at=14)
        pieces.add(piece)


def _ignored(pieces: Pieces) -> None:
    """Bits that instructions ignore, one by one and all together (frontend-config section 1)."""
    setting(pieces)
    bits = {
        w.wrcfg(3, 100): (22, 23, 11, 12, 13, 14),
        w.rdcfg(17, 101): (22, 23, 11, 12, 13, 14, 15),
        w.streamwrcfg(1, 101, 102): (23,),
        w.seminit(0x5A, 3, 7): (*range(10, 16), 0, 1),
        w.sempost(0x81): (*range(10, 24), 0, 1),
        w.semget(0x18): (*range(10, 24), 0, 1),
        w.stallwait(1, 1): (13, 14),
        w.semwait(2, 0, 1): tuple(range(10, 15)),
        w.streamwait(4, 1): (2, 14),
        w.atgetm(2): tuple(range(16, 24)),
        w.atrelm(2): tuple(range(16, 24)),
        w.adddmareg(18, 1, 2): tuple(range(18, 23)),
        w.muldmareg(19, 1, 2): tuple(range(18, 23)),
        w.DMANOP: tuple(range(24)),
        w.NOP: tuple(range(24)),
        w.reg2flop(1, 40): (18, 19, 16, 17, 13, 14, 15),
        w.reg2flop(2, w.flop_of(1, 1, 2), target=2): (16, 17, 12, 13, 14, 15),
        w.reg2flop(3, 7, target=1): tuple(range(6, 20)),
    }
    piece = Piece()
    for thread in range(THREADS):
        piece.stream(stream_of(thread, 0), PHASE_REGISTER, 5)
    pieces.add(piece)
    for count, (word, places) in enumerate(bits.items()):
        junk = [1 << place for place in places]
        for extra in (0, *junk, sum(junk)):
            thread = count % THREADS
            piece = Piece().issue(thread, word | extra, w.NOP)
            if word == w.atgetm(2):
                piece.issue(thread, w.atrelm(2))
            elif word == w.atrelm(2):
                piece = Piece().issue(thread, w.atgetm(2), word | extra)
            pieces.add(piece, drain=6)


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "every_word",
        "all words of the state; misaligned indices, byte masks, ignored bits",
        (
            _every_word,
            _setc16,
            _wide,
            _bytes,
            _edges,
            _ignored,
        ),
        {
            "config_write": 1000,
            "risc_done": 800,
            "t0.gpr": 100,
            "t0.rdcfg": 100,
            "t0.setc16": 100,
            "t1.issue": 400,
            "t2.issue": 400,
        },
    ),
    piece_test(
        "state_id",
        "StateID set around every instruction that looks at it",
        (_banks,),
        {"config_write": 200, "flop_write": 100, "t0.setc16": 100},
    ),
)
