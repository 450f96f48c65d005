# SPDX-License-Identifier: Apache-2.0
"""The wait gate: what a latch holds, and for how long (C10-C13, C21)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.isa.tables import block_class
from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting, stream_of
from tilepath.sequences.control.directed.waits import KINDS, START, head, phases, wait
from tilepath.sequences.control.pieces import Piece, Pieces, piece_test
from tilepath.tb.control.items import PHASE_REGISTER
from tilepath.tb.control.streams import THREADS


def _classes(pieces: Pieces) -> None:
    """Kind of latch by block bit by class of the word behind it, ten of these with NOP."""
    setting(pieces)
    cases = product(KINDS, range(9), range(10))
    for count, (kind, bit, behind) in enumerate(cases):
        thread = count % THREADS
        piece = wait(Piece(), kind, thread, 1 << bit, START + 5)
        piece.issue(thread, head(behind, count // 7), w.NOP)
        pieces.add(piece)


def _masks(pieces: Pieces) -> None:
    """Mask 0 stands for math; all nine bits hold NOP, eight of them do not; two bits."""
    setting(pieces)
    for count, (kind, behind) in enumerate(product(KINDS, range(10))):
        thread = count % THREADS
        piece = wait(Piece(), kind, thread, 0, START + 4)
        pieces.add(piece.issue(thread, head(behind, count)))
        piece = wait(Piece(), kind, thread, w.ALL_BLOCKED, START + 4)
        pieces.add(piece.issue(thread, head(behind, count + 1)))
    for count, (kind, bit) in enumerate(product(KINDS, range(9))):
        thread = count % THREADS
        piece = wait(Piece(), kind, thread, w.ALL_BLOCKED ^ 1 << bit, START + 6)
        pieces.add(piece.issue(thread, w.NOP, head(bit, count), head((bit + 1) % 9, count)))
        piece = wait(Piece(), kind, thread, 1 << bit | 1 << (bit + 4) % 9, START + 4)
        pieces.add(piece.issue(thread, head((bit + 4 * (count & 1)) % 9, count), w.NOP))


def _cycles(pieces: Pieces) -> None:
    """Met in the first cycle of the latch, the second, later; the word behind it comes any time."""
    setting(pieces)
    cases = product(KINDS, range(-1, 8), (1, 2, 3, 4, 5, 9))
    for count, (kind, met, behind) in enumerate(cases):
        thread = count % THREADS
        bit = count % 9
        piece = wait(Piece(), kind, thread, 1 << bit, START + met)
        pieces.add(piece.issue(thread, head(bit, count), at=START + behind), drain=4)


def _pulses(pieces: Pieces) -> None:
    """A condition that is met for 1, 2 or 3 cycles, before the latch is live or while it is."""
    setting(pieces)
    for count, (kind, met, length) in enumerate(product(KINDS, range(-1, 6), (1, 2, 3))):
        thread = count % THREADS
        bit = count % 9
        begin = START + met
        piece = wait(Piece(), kind, thread, 1 << bit, begin, until=begin + length)
        pieces.add(piece.issue(thread, head(bit, count), head(bit, count + 1)))
        # nothing is there to be held
        piece = wait(Piece(), kind, thread, 1 << bit, begin, until=begin + length)
        pieces.add(piece.issue(thread, head(bit, count), at=begin + length + 3))


def _again(pieces: Pieces) -> None:
    """Wait behind wait, all nine pairs: the first always holds the second (C12)."""
    setting(pieces)
    for count, (one, two, met) in enumerate(product(KINDS, KINDS, (0, 1, 2, 5))):
        thread = count % THREADS
        block = (w.ALL_BLOCKED, 1 << count % 9, 0)[count % 3]
        if one == two:
            piece = wait(Piece(), one, thread, block, START + met)
            words = [
                w.stallwait(1 << (count + 4) % 9, 1 << w.CFG_PIPE),
                w.semwait(1 << (count + 4) % 9, 1 << 3, 1),
                w.streamwait(1 << (count + 4) % 9, 1),
            ]
            piece.issue(thread, words[KINDS.index(two)])
        elif two == "stallwait":
            piece = wait(Piece(), one, thread, block, START + met)
            piece.issue(thread, w.stallwait(1 << (count + 4) % 9, 1 << w.CFG_PIPE))
            piece.issue((thread + 2) % THREADS, *[w.rmwcib(1, 101, 5)] * 14, at=START)
        elif two == "semwait":
            piece = wait(Piece(), one, thread, block, START + met)
            piece.issue((thread + 2) % THREADS, w.seminit(1 << 5, 0, 3), at=0)
            piece.issue((thread + 2) % THREADS, w.sempost(1 << 5), at=START + 9)
            piece.issue(thread, w.semwait(1 << (count + 4) % 9, 1 << 5, 1))
        else:
            piece = wait(Piece(), one, thread, block, START + met)
            stream = stream_of(thread, 0)
            piece.stream(stream, PHASE_REGISTER, 0, at=0)
            piece.stream(stream, PHASE_REGISTER, 9, at=START + 10)
            piece.issue(thread, w.streamwait(1 << (count + 4) % 9, 9))
        pieces.add(piece.issue(thread, head((count + 4) % 9, count), w.NOP))
    # a latch that nothing meets for long, replaced by nothing: several waits in a row, all met
    for thread in range(THREADS):
        waits = (w.stallwait(0, 1), w.semwait(1, 0, 2), w.streamwait(0x1FF, 0), w.stallwait(8, 0))
        pieces.add(Piece().issue(thread, *waits, *waits[::-1], w.NOP, *waits, w.DMANOP))


def _under(pieces: Pieces) -> None:
    """Words that a live latch does not hold; the scalar unit busy under it; then one it holds."""
    setting(pieces)
    for count, (kind, bit) in enumerate(product(KINDS, range(9))):
        thread = count % THREADS
        others = [head(other, count) for other in range(2, 9) if other != bit]
        if bit == 0:
            others = [head(other, count) for other in (1, 6, 7, 8)]
        piece = wait(Piece(), kind, thread, 1 << bit, START + 16)
        pieces.add(piece.issue(thread, *others, w.NOP, head(bit, count), w.NOP))
    scalar = (
        w.adddmareg(20, 1, 2),
        w.adddmareg(20, 1, 9),
        w.muldmareg(20, 1, 2),
        w.muldmareg(20, 1, 9),
        w.reg2flop(3, 40),
        w.setdmareg(40, 7),
        w.DMANOP,
    )
    for count, (kind, word, met) in enumerate(product(KINDS, scalar, range(1, 9))):
        thread = count % THREADS
        bit = (1, 2, 3, 6, 7, 8)[count % 6]
        piece = wait(Piece(), kind, thread, 1 << bit, START + met)
        pieces.add(piece.issue(thread, word, head(bit, count)), drain=5)
        # a wait behind a scalar instruction, and the other way round
        piece = Piece().issue(thread, word, w.stallwait(1 << bit, 1), head(bit, count))
        pieces.add(piece, drain=4)


def _quiet(pieces: Pieces) -> None:
    """The latch clears while the thread offers nothing; three latches live at once."""
    setting(pieces)
    for kind, met in product(KINDS, range(1, 6)):
        for thread in range(THREADS):
            piece = wait(Piece(), kind, thread, w.ALL_BLOCKED, START + met)
            pieces.add(piece.issue(thread, w.NOP, at=START + 9))
    # the word behind it waits for something else meanwhile: a mutex that another thread has
    for kind, met, mutex in product(KINDS, range(1, 5), w.MUTEXES[:2]):
        thread = met % THREADS
        piece = wait(Piece(), kind, thread, 1 << 8, START + met)
        piece.issue((thread + 2) % THREADS, w.atgetm(mutex), at=2)
        piece.issue((thread + 2) % THREADS, w.atrelm(mutex), at=START + 8)
        pieces.add(piece.issue(thread, w.atgetm(mutex), w.atrelm(mutex)))
    for count, bit in product(range(3), range(9)):
        piece = phases(Piece(), 0, at=0)
        for thread in range(THREADS):
            block = 1 << (bit + thread * count) % 9
            piece.issue(thread, w.streamwait(block, 3 + thread), at=4)
            piece.issue(thread, head((bit + thread * count) % 9, bit), w.NOP)
        for place in range(THREADS):
            piece.stream(stream_of(place, 0), PHASE_REGISTER, 5, at=5 + (1 << count) * place)
        pieces.add(piece)


_GROUP: Final = 6


def _opcodes(pieces: Pieces) -> None:
    """Every opcode behind a latch with each bit that holds it, and with all that do not."""
    setting(pieces)
    legal = [op for op in range(256) if op not in w.ILLEGAL and op not in w.WAITS and op != 0x02]
    passing: dict[int, list[int]] = {}
    held: list[tuple[int, int]] = []
    for opcode in legal:
        mask = block_class()[opcode]
        passing.setdefault(w.ALL_BLOCKED ^ mask, []).append(opcode)
        held += [(opcode, bit) for bit in range(9) if mask >> bit & 1]
    for place in range(0, len(held), THREADS):
        piece = phases(phases(Piece(), 0, at=0), 1, at=12)
        for thread, (opcode, bit) in enumerate(held[place : place + THREADS]):
            piece.issue(thread, w.streamwait(1 << bit, 1), w.opaque(opcode), at=4 + thread)
        pieces.add(piece)
    release = [w.atrelm(index) for index in w.MUTEXES]
    pieces.add(Piece().issue(0, *release).issue(1, *release).issue(2, *release))
    thread = 0
    for block, opcodes in passing.items():
        for place in range(0, len(opcodes), _GROUP):
            thread = (thread + 1) % THREADS
            words = [w.opaque(opcode) for opcode in opcodes[place : place + _GROUP]]
            piece = phases(phases(Piece(), 0, at=0), 1, at=40)
            pieces.add(piece.issue(thread, w.streamwait(block, 1), *words, at=4))


def _illegal(pieces: Pieces) -> None:
    """What must not issue leaves at once: under a latch, inside a scalar instruction, under both.

    An ADDDMAREG of four cycles has room for three words.
    """
    setting(pieces)
    add = w.adddmareg(20, 1, 9)
    for place in range(0, len(w.ILLEGAL), 3):
        thread, kind = place // 3 % THREADS, KINDS[place // 9 % 3]
        words = [w.opaque(op, place * 0x1357) for op in w.ILLEGAL[place : place + 3]]
        piece = wait(Piece(), kind, thread, w.ALL_BLOCKED, START + 5)
        pieces.add(piece.issue(thread, *words, w.NOP), drain=4)
        pieces.add(Piece().issue(thread, add, *words, w.DMANOP, words[0]), drain=4)
        piece = wait(Piece(), kind, thread, 1 << 6, START + 7)
        pieces.add(piece.issue(thread, add, *words, head(6, place), words[0]), drain=4)


_FLOOR: Final = {f"t{thread}.latch": 200 for thread in range(THREADS)}

TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "gate_classes",
        "latch by block bit by class of the next word; masks; every opcode",
        (
            _classes,
            _masks,
            _opcodes,
            _illegal,
        ),
        {**_FLOOR, "t0.fault": 30, "t1.fault": 30, "t2.fault": 30},
        faults=("illegal", "mutex_owner", "unsupported"),
        untimed=False,  # a CFGSHIFTMASK jumps ahead of a STREAMWRCFG to the same word (C16)
    ),
    piece_test(
        "gate_cycles",
        "conditions met early, late, for one cycle; wait behind wait",
        (
            _cycles,
            _pulses,
            _quiet,
            _again,
            _under,
        ),
        _FLOOR,
        faults=("mutex_owner", "unsupported"),
    ),
)
