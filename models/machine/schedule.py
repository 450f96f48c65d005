# SPDX-License-Identifier: Apache-2.0
"""Schedules: in which order units, cores and gates go on, by name or drawn from a seed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.records import for_compiled
from tilepath.models.machine.race_clocks import NOTHING, Tracks
from tilepath.models.machine.schedule_loop import play_schedule
from tilepath.models.machine.schedule_units import (
    ACTORS,
    QUEUES,
    ROWS,
    UNPACKING_ROOM,
    Actor,
)
from tilepath.models.machine.waits import reason

if TYPE_CHECKING:
    from tilepath.models.machine.machine import Machine
    from tilepath.models.machine.state import Program

EARLIEST: Final = "earliest"
_LATEST: Final = "latest"
_LONGEST_SPAN: Final = 64  # steps for which an order of actors stays, where it changes seldom
Orders = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]


class Schedule(NamedTuple):
    """Who goes on next, while units have queues.

    Attributes:
        which: ``"earliest"``: each word takes effect before the next one; ``"latest"``: units go on
            when nothing else can; ``"slow:U0+P"``: these actors do, units are fast otherwise; a
            seed, ``7`` or ``"seed:7"``.
        letter: by the letter: what the documents allow; else what this RTL can do.
        tracks: what follows the run, to find accesses that nothing orders.
    """

    which: str | int
    letter: bool = True
    tracks: Tracks | None = None

    def __str__(self) -> str:
        return self.which if isinstance(self.which, str) else f"seed:{self.which}"


def _slow(text: str) -> set[Actor] | None:
    """The actors that ``slow:`` names, alone or all whose names begin so; ``None``: no such."""
    names = text.removeprefix("slow:").split("+")
    found = [{actor for actor in Actor if actor.name.startswith(name)} for name in names]
    return set().union(*found) if text.startswith("slow:") and all(names) and all(found) else None


def as_schedule(given: str | int | Schedule) -> Schedule:
    """A schedule that there is; ``ValueError`` for others."""
    schedule = given if isinstance(given, Schedule) else Schedule(given)
    which = schedule.which
    if isinstance(which, str) and re.fullmatch(r"seed:\d{1,9}", which):
        return schedule._replace(which=int(which[5:]))
    if isinstance(which, str):
        known = which in (EARLIEST, _LATEST) or _slow(which) is not None
    else:
        known = isinstance(which, int) and not isinstance(which, bool) and which >= 0
    if not known:
        raise ValueError(
            f"no schedule {which!r}: choose from earliest, latest, a seed, "
            f"slow: and some of {' '.join(Actor.__members__)}, joined by +"
        )
    return schedule


def schedules(count: int, letter: bool = True) -> list[Schedule]:
    """The first of those that are worth a try: what finds most comes first, then seeds.

    Raises ``ValueError`` for less than one.
    """
    if count < 1:
        raise ValueError(f"{count} schedules: want one or more")
    slow = ("M+U+P", "S", "C", "M", "P", "U0", "U1", "R+U", "K", "G0", "G1", "G2", "P+C+S")
    named = (_LATEST, *(f"slow:{one}" for one in slow))
    every: Iterator[str | int] = itertools.chain(named, itertools.count(1))
    return [Schedule(which, letter) for which in itertools.islice(every, count)]


def _drawn(seed: int) -> Callable[[], Orders]:
    """Orders of a seed: every actor with a weight of its own; or one that seldom changes."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        order = rng.permutation(ACTORS).astype(np.uint8)

        def changing() -> Orders:
            rows = np.empty((ROWS, ACTORS), np.uint8)
            for row in rows:
                place = rng.integers(4)
                order[place:] = np.roll(order[place:], -1)  # it is the last one now
                row[:] = order
            return rows, rng.integers(1, _LONGEST_SPAN, ROWS)

        return changing
    weights = 2.0 ** rng.integers(0, 8, ACTORS)

    def random() -> Orders:
        rows = np.argsort(rng.exponential(weights, (ROWS, ACTORS)), axis=1)
        return rows.astype(np.uint8), np.ones(ROWS, np.int64)

    return random


def _orders(schedule: Schedule) -> Callable[[], Orders]:
    which = schedule.which
    if isinstance(which, int):
        return _drawn(which)
    slow = _slow(which) or {actor for actor in Actor if actor < Actor.K0}
    order = np.array([sorted(Actor, key=lambda actor: actor in slow)], np.uint8)
    return lambda: (order, np.ones(1, np.int64))


class Player:
    """The loop of a schedule, with what is under way."""

    def __init__(self, machine: Machine, schedule: Schedule) -> None:
        self._queues: Any = np.zeros(1, QUEUES)
        self._queues["letter"] = schedule.letter
        self._orders = _orders(schedule)
        tracks = schedule.tracks or NOTHING
        tracks.begin(machine)
        self._bound = Bound(
            play_schedule,
            for_compiled(machine._its.states),
            machine.unpack.l1.view(np.uint32),
            for_compiled(self._queues),
            for_compiled(tracks.record),
            for_compiled(tracks.cells),
        )

    def draw(self) -> None:
        """Whose turn it is, for a while."""
        queues: Any = self._queues[0]
        rows, spans = self._orders()
        queues.orders[: len(rows)], queues.spans[: len(rows)] = rows, spans
        queues.row, queues.rows, queues.left = 0, len(rows), spans[0]

    def play(self, program: Program, *_: int) -> int:
        """Go on; returns a ``Code``. What a push is told beside the program has no meaning here."""
        return self._bound.call(program)  # type: ignore[no-any-return]

    def waiting(self) -> Iterator[tuple[int, int, str]]:
        """Thread, word and reason of what stands still in an unpacker."""
        queues: Any = self._queues[0]
        for unit in range(2):
            ring = queues.rings[unit]
            if ring.head < ring.tail:
                plan = queues.unpacking[unit, ring.head % UNPACKING_ROOM].plan
                yield int(plan.thread), int(plan.word), reason(0, 4 * unit + 2 * int(plan.bank) + 1)
