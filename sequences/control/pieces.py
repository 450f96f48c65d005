# SPDX-License-Identifier: Apache-2.0
"""Pieces: short pieces of directed stimulus in which all players keep step.

Players know nothing of each other, and a word that is held shifts all that its thread offers
behind it. So every piece begins behind a barrier: thread 0 waits until the others have issued and
done all that they had (``after``), lets the pipelines run empty and issues a NOP that everybody
waits for. From there on a piece says in which cycle each player offers what.

The players of levels have no barrier: they count cycles. In :class:`Pieces` with a ``window``
every piece has a place of its own in time, ``window`` cycles or longer: a bit of thread 0's
``busy`` that is 1 but for one cycle a window holds the NOP until then. A piece that takes longer
than its window is a mistake of its author: it would begin in the next one but one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.player import GAP_MASK, Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.sequences.control import words as w
from tilepath.tb.control import items
from tilepath.tb.control.streams import THREADS

DRAIN: Final = 8
"""Cycles in which what has issued reaches its end: STREAMWRCFG takes five."""
_SLACK: Final = 3
"""Cycles between the first items behind a barrier and cycle 0 of the piece."""
_START: Final = 40
"""Cycles before the first window."""
OPENED: Final = 6
"""Cycle 0 of a piece, counted from the cycle in which its window opens."""
_MARGIN: Final = 8
"""Cycles from the end of a piece to that of its window in which thread 0 gets to the barrier."""
BARRIER_BIT: Final = 6
MAX_ISSUES: Final = 60_000
"""The bench's counters, which barriers wait for, stop at 65535."""


@dataclass(frozen=True)
class _Item:
    """One row of a player, without its gap; ``at`` is the piece's cycle, None: straight behind."""

    at: int | None
    row: tuple[int, ...]
    cost: int


def _player(thread: int) -> str:
    return f"t{thread}.issue"


@dataclass
class Piece:
    """What each player offers, and when: all methods return the piece.

    ``at``: the cycle of the first word; left out: straight behind what the player did before.
    Cycles count from 0 and hold as long as nothing that the player offered before had to wait.
    ``after`` as in :mod:`tilepath.tb.control.items`.

    ``work``: cycles for which a word keeps each unit busy. ``length``: cycles that the piece takes
    if they are more than its window. Both matter only where there are windows.
    """

    work: Sequence[int] = (0,) * w.UNITS
    length: int = 0
    _items: dict[str, list[_Item]] = field(default_factory=dict)
    _levels: dict[int, Items] = field(default_factory=dict)

    def _add(self, player: str, at: int | None, made: Items, cost: int) -> Piece:
        rows = self._items.setdefault(player, [])
        for place, row in enumerate(made.tolist()):
            rows.append(_Item(at if place == 0 else None, tuple(row), cost))
        return self

    def issue(self, thread: int, *words: int, at: int | None = None, after: ArrayLike = 0) -> Piece:
        """``thread`` offers ``words``, one after the other."""
        for number, word in enumerate(words):
            made = items.issue(word) if number else items.issue(word, 0, after)
            self._add(_player(thread), None if number else at, made, 1)
        return self

    def risc_write(
        self, address: int, data: int, at: int | None = None, after: ArrayLike = 0
    ) -> Piece:
        """The cores write configuration; a new access can follow two cycles later."""
        return self._add("risc", at, items.risc_write(address, data, 0, after), 2)

    def risc_read(self, address: int, at: int | None = None, after: ArrayLike = 0) -> Piece:
        """The cores read configuration."""
        return self._add("risc", at, items.risc_read(address, 0, after), 2)

    def sem_post(self, index: int, at: int | None = None, after: ArrayLike = 0) -> Piece:
        """The cores raise a semaphore; a new access can follow two cycles later."""
        return self._add("risc_sem", at, items.sem_post(index, 0, after), 2)

    def sem_get(self, index: int, at: int | None = None, after: ArrayLike = 0) -> Piece:
        """The cores lower a semaphore."""
        return self._add("risc_sem", at, items.sem_get(index, 0, after), 2)

    def sem_read(self, index: int, at: int | None = None, after: ArrayLike = 0) -> Piece:
        """The cores read a semaphore: one cycle."""
        return self._add("risc_sem", at, items.sem_read(index, 0, after), 1)

    def stream(
        self, stream: int, register: int, data: int, at: int | None = None, after: ArrayLike = 0
    ) -> Piece:
        """The bench writes a stream register in cycle ``at``; it shows from the next one on."""
        return self._add("stream", at, items.stream_write(stream, register, data, 0, after), 1)

    def force(
        self,
        at: int,
        cycles: int,
        busy: int = 0,
        stream_busy: bool = False,
        stall: int = 0,
        hold: int = 0,
        own: Sequence[int] = (0,) * THREADS,
    ) -> Piece:
        """What :func:`tilepath.tb.control.items.conditions` forces, from cycle ``at`` on.

        Only for pieces with a window.
        """
        value = items.conditions(1, busy, int(stream_busy), stall, hold, own)[0, 1:]
        for cycle in range(at, at + cycles):
            self._levels[cycle] = self._levels.get(cycle, 0) | value
        return self

    @property
    def players(self) -> tuple[str, ...]:
        """The players that do something."""
        return tuple(self._items)


@dataclass
class _Line:
    """What a player has been given: rows, and how many things it has done by then."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    done: int = 0
    seen: int = 0

    def put(self, gap: int, row: tuple[int, ...]) -> None:
        if gap > GAP_MASK:
            raise ValueError(f"a gap of {gap} cycles")
        self.rows.append((gap, *row[1:]))
        self.done += 1


def _row(item: Items) -> tuple[int, ...]:
    return tuple(item[0].tolist())


def _issue(word: int, after: int = 0) -> tuple[int, ...]:
    return _row(items.issue(word, 0, after))


# What a player does first behind a barrier, when it may, and its cost; nothing depends on it.
_LEADS: Final[Mapping[str, tuple[Callable[[int], Items], int]]] = {
    "risc": (lambda after: items.risc_read(0, 0, after), 2),
    "risc_sem": (lambda after: items.sem_read(0, 0, after), 1),
    "stream": (lambda after: items.stream_write(63, 1023, 0, 0, after), 1),
}
_AFTER: Final[Mapping[str, Callable[[int], Items]]] = {
    "t1.issue": lambda count: items.after_issue(1, count),
    "t2.issue": lambda count: items.after_issue(2, count),
    "risc": items.after_risc,
    "risc_sem": items.after_sem,
}


class Pieces:
    """Pieces in a row. ``window``: cycles that each one takes, for pieces that force levels.

    ``barrier``: the condition of STALLWAIT that opens the windows.
    """

    def __init__(self, profile: str, window: int = 0, barrier: int = BARRIER_BIT) -> None:
        self.profile = profile
        self._window = window
        self._barrier = 1 << barrier
        self._lines: dict[str, _Line] = {}
        self._levels: list[Piece] = []
        self._owed = 0

    def _line(self, player: str) -> _Line:
        return self._lines.setdefault(player, _Line())

    def _gate(self, drain: int) -> int:
        """Close the last piece; the ``after`` that all players of the next one wait for."""
        first = self._line(_player(0))
        if self._owed:
            first.put(self._owed - 1, _issue(w.NOP))
            self._owed = 0
        for player, condition in _AFTER.items():
            line = self._line(player)
            if line.done > line.seen:
                line.seen = line.done
                first.put(0, _issue(w.NOP, int(condition(line.done))))
        if self._window:
            first.put(0, _issue(w.stallwait(w.ALL_BLOCKED, self._barrier)))
        first.put(0 if self._window else drain, _issue(w.NOP))
        return int(items.after_issue(0, first.done))

    def add(self, piece: Piece, drain: int = DRAIN) -> None:
        """Append ``piece``; ``drain``: idle cycles in front of it, where there are no windows."""
        if (piece._levels or any(piece.work)) and not self._window:
            raise ValueError("a piece that forces levels needs a window")
        after = self._gate(drain)
        # nobody counts the writes of streams: thread 0 lets the time pass that they take
        ends = dict.fromkeys((_player(0), "stream"), -_SLACK)
        idle = "stream" in piece.players and _player(0) not in piece.players
        for player in (*piece.players, *[_player(0)] * idle):
            line = self._line(player)
            lead, cost = _LEADS.get(player, (lambda after: items.issue(w.NOP, 0, after), 1))
            line.put(0, _row(lead(after)))
            # cycles of the piece; the lead was at -1 - _SLACK
            free = cost - 1 - _SLACK
            follow = 0
            for item in piece._items.get(player, ()):
                start = follow if item.at is None else item.at
                if start < free:
                    raise ValueError(f"{player} is not free in cycle {start}")
                line.put(start - free, item.row)
                free = follow = start + item.cost
            ends[player] = free
        self._owed = max(0, ends["stream"] - ends[_player(0)])
        if self._window and max(ends.values()) + OPENED + _MARGIN > self._place(piece):
            raise ValueError("a piece is longer than its window")
        self._levels.append(piece)

    def stimulus(self) -> dict[str, Iterable[Items]]:
        """All players; ``ValueError`` if a thread issues more than the bench can count."""
        self._gate(DRAIN)
        players: dict[str, Iterable[Items]] = {}
        for player, line in self._lines.items():
            if line.done > MAX_ISSUES:
                raise ValueError(f"{player} has {line.done} items, at most {MAX_ISSUES} can be")
            if line.rows:
                players[player] = [np.array(line.rows, np.uint32)]
        if self._window:
            players["conditions"] = [self._conditions()]
            if any(any(piece.work) for piece in self._levels):
                players["work"] = [self._work()]
        return players

    def _place(self, piece: Piece) -> int:
        return max(self._window, piece.length)

    def _conditions(self) -> Items:
        held = items.conditions(1, own=(self._barrier, 0, 0))[0, 1:]
        free = np.zeros_like(held)
        values = [held] * _START
        for piece in self._levels:
            own = [piece._levels.get(cycle - OPENED, free) for cycle in range(self._place(piece))]
            values += [own[0], *(value | held for value in own[1:])]
        rows = np.array([*values, free])
        runs = np.flatnonzero([True, *(rows[1:] != rows[:-1]).any(1)])
        lengths = np.diff(runs, append=len(rows))
        return np.concatenate((lengths[:, None], rows[runs]), axis=1).astype(np.uint32)

    def _work(self) -> Items:
        rows = [items.work(_START, (0,) * w.UNITS)]
        rows += [items.work(self._place(piece), tuple(piece.work)) for piece in self._levels]
        return np.concatenate(rows)


def number(seed: int) -> int:
    """A 32-bit value that differs in all four bytes from that of the next ``seed``."""
    return (seed + 1) * 0x9E37_79B1 & 0xFFFF_FFFF


def set_gprs(pieces: Pieces, gprs: Iterable[int], threads: Iterable[int] = range(THREADS)) -> None:
    """A piece in which GPR ``g`` of thread ``t`` becomes ``number(64 t + g)``."""
    chosen = list(gprs)
    piece = Piece(length=6 * len(chosen) + 40)
    for gpr in chosen:
        for thread in threads:
            piece.issue(thread, *w.setgpr(gpr, number(64 * thread + gpr)))
    pieces.add(piece)


def set_streams(pieces: Pieces, streams: Sequence[int], registers: Sequence[int]) -> None:
    """A piece in which these stream registers get values of their own."""
    places = [(stream, register) for register in registers for stream in streams]
    piece = Piece(length=len(places) + 30)
    for stream, register in places:
        piece.stream(stream, register, number(stream * 1024 + register))
    pieces.add(piece)


def piece_test(
    name: str,
    summary: str,
    builds: Sequence[Callable[[Pieces], None]],
    floor: Mapping[str, int],
    window: int = 0,
    barrier: int = BARRIER_BIT,
    faults: tuple[str, ...] = (),
    untimed: bool = True,
) -> TestSpec:
    """A finite test of the pieces that ``builds`` add; ``floor``: stream → fewest events.

    ``untimed``: as of ``TestSpec``.
    """

    def stimulus(ctx: Context) -> Stimulus:
        pieces = Pieces(ctx.profile, window, barrier)
        for build in builds:
            build(pieces)
        return pieces.stimulus()

    return TestSpec(
        name=name,
        summary=summary,
        kind="directed",
        stimulus=stimulus,
        floor=floor,
        faults=(*faults, *w.WARNINGS),
        untimed=untimed,
    )
