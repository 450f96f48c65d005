# SPDX-License-Identifier: Apache-2.0
"""Stimulus that never ends well: threads that wait for what nobody does.

These are no part of ``TESTS``. Each must fail, with a report that names what waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.sequences.control import words as w
from tilepath.sequences.control.pieces import Piece, Pieces
from tilepath.tb.control.items import conditions

FOREVER: Final = 2_000_000
"""Cycles: more than any of these runs lasts."""


def _semaphore(piece: Piece) -> None:
    """Threads 0 and 2 go on; thread 1 waits for a semaphore that nobody posts."""
    piece.issue(0, w.NOP, w.sempost(1 << 3), w.DMANOP)
    piece.issue(1, w.seminit(1 << 2, 0, 2), w.semwait(1 << 6, 1 << 2, 1), w.opaque(w.MATH[0]))
    piece.issue(2, w.NOP)


def _maximum(piece: Piece) -> None:
    """A semaphore whose maximum is 0 is always full."""
    piece.issue(2, w.seminit(1 << 7, 0, 0), w.semwait(w.ALL_BLOCKED, 1 << 7, 2), w.NOP)


def _stream(piece: Piece) -> None:
    """The stream stops one message short of the target."""
    piece.stream(17, 259, 41, at=0)
    piece.issue(0, w.setc16(w.BANK_SEL[2], 17), w.streamwait(1 << 3, 42, 1, 2), w.look(0, 76), at=4)


def _mutex(piece: Piece) -> None:
    """Thread 0 keeps a mutex; thread 1 keeps another one and wants the first."""
    piece.issue(0, w.atgetm(2), at=0)
    piece.issue(1, w.atgetm(3), w.atgetm(2), w.atrelm(2), at=2)
    piece.issue(2, w.atgetm(3), w.atrelm(3), at=6)


def _circle(piece: Piece) -> None:
    """Two threads hold a mutex each and want the other's."""
    piece.issue(0, w.atgetm(0), w.atgetm(4), w.atrelm(4), w.atrelm(0), at=0)
    piece.issue(1, w.atgetm(4), w.atgetm(0), w.atrelm(0), w.atrelm(4), at=0)


def _unit(piece: Piece) -> None:
    """The packer is never ready."""
    piece.issue(2, w.NOP, w.look(2, 69), w.NOP)


def _condition(piece: Piece) -> None:
    """A STALLWAIT whose condition stays; words that it does not hold go by before."""
    piece.issue(0, w.stallwait(1 << 3, 1 << 5), w.sempost(1), w.DMANOP, w.look(1, 124))


def _bank(piece: Piece) -> None:
    """Words that wait for banks that the unpackers never give; what waits for none goes by."""
    piece.issue(0, w.opaque(0x26), at=0)
    piece.issue(1, w.opaque(0x13), at=4)
    piece.issue(2, w.opaque(0x10), w.opaque(0x37), at=6)


def _hold(piece: Piece) -> None:
    """An address phase that does not end: not even the NOP at the barrier issues."""
    piece.issue(1, w.look(0, 76), at=0)


def _threads(piece: Piece) -> None:
    """Three threads that wait, each for another kind of thing."""
    _semaphore(piece)
    piece.issue(0, w.atgetm(2), at=12)
    piece.issue(2, w.atgetm(2), w.stallwait(w.ALL_BLOCKED, 1 << 5), w.NOP, at=20)


_BUSY: Final = {
    "unit": conditions(FOREVER, stall=1 << 2),
    "level": conditions(FOREVER, 1 << 5),
    "bank": conditions(FOREVER, 1 << 8, own=(1 << 7, 0, 0)),
    "hold": conditions(FOREVER, hold=1 << 1),
}


def _test(name: str, build: Callable[[Piece], None], level: str = "") -> TestSpec:
    def stimulus(ctx: Context) -> Stimulus:
        pieces = Pieces(ctx.profile)
        piece = Piece()
        build(piece)
        pieces.add(piece)
        players = dict(pieces.stimulus())
        if level:
            players["conditions"] = [_BUSY[level]]
        return players

    return TestSpec(
        name=name,
        summary=f"a deadlock: {(build.__doc__ or '').strip().splitlines()[0]}",
        kind="directed",
        stimulus=stimulus,
        floor={"t0.issue": 1},
    )


DEADLOCKS: Final[dict[str, TestSpec]] = {
    test.name: test
    for test in (
        _test("deadlock_semaphore", _semaphore),
        _test("deadlock_maximum", _maximum),
        _test("deadlock_stream", _stream),
        _test("deadlock_mutex", _mutex),
        _test("deadlock_circle", _circle),
        _test("deadlock_unit", _unit, "unit"),
        _test("deadlock_condition", _condition, "level"),
        _test("deadlock_bank", _bank, "bank"),
        _test("deadlock_hold", _hold, "hold"),
        _test("deadlock_threads", _threads, "level"),
    )
}
"""Name → test; none of them is in ``TESTS``."""
