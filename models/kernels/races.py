# SPDX-License-Identifier: Apache-2.0
"""Races of a kernel: accesses that nothing orders, found in one run, each with what shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tilepath.isa import constants, explain_config_word, profiles
from tilepath.models.kernels.program import Kernel
from tilepath.models.kernels.tries import tries
from tilepath.models.lint.stream import steps_of
from tilepath.models.machine import items as I
from tilepath.models.machine import race_clocks as S
from tilepath.models.machine.addresses import CONFIG, WORD
from tilepath.models.machine.run import DEFAULT_LIMIT
from tilepath.models.machine.schedule import Schedule, schedules
from tilepath.models.machine.state import BANK

_RUN: Final = "slow:K"  # cores do nothing that words which issued are not done before
_MOST: Final = 32  # pairs of statements that schedules are tried for
_UNITS: Final = ("unpacker 0", "unpacker 1", "packers", "Matrix Unit")
# Of actors, from these numbers on: what delays one, and what it is
_ACTORS: Final = (
    (S.GATES, "G{}", "thread {}, as it issues"),
    (S.CORES, "K{}", "core {}"),
    (S.READS, "R+U", "thread {}, L1 is read ahead"),
    (S.LATE, "C", "thread {}, in the config pipeline"),
    (S.STORES, "S{}", "core {}, under way"),
)
# Places, from these numbers on: what each is, and how many of its kind a number counts
_PLACES: Final = (
    (S.L1_LINE, "the line of L1 at {:#x}", 16),
    (S.DST, "row {} of Dst", 1),
    (S.SRC, "row {} of SrcA and SrcB, bank by bank", 1),
    (S.OWNER, "who owns bank {} of SrcA 0, 1, SrcB 0, 1", 1),
    (S.POINTER, "the Matrix Unit's bank of file {}", 1),
    (S.MAXIMUM, "the maximum of semaphore {}", 1),
    (S.SEMAPHORE, "semaphore {}", 1),
    (S.GPR, "register {} of all threads'", 1),
)


class Access(NamedTuple):
    """A statement (``where``: its place), and who does it."""

    where: Any
    what: str
    who: str

    def __str__(self) -> str:
        return f"{self.where} {self.what} ({self.who})"


class Race(NamedTuple):
    """Two accesses of a place that nothing orders; with ``schedule`` ``lines`` are otherwise."""

    first: Access
    second: Access
    place: str
    schedule: Schedule
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"race: {self.first} and {self.second}: nothing orders them; both touch {self.place}"


class Races(NamedTuple):
    """What was found.

    Attributes:
        told: races, each with a schedule that shows it.
        unshown: pairs of statements that nothing orders, which no schedule shows.
        tried: schedules.
        left_out: whether there are more pairs than have been looked at.
    """

    told: list[Race]
    unshown: int
    tried: int
    left_out: bool

    @property
    def shown_by(self) -> list[Schedule]:
        """The schedules that show races."""
        return list({str(race.schedule): race.schedule for race in self.told}.values())


class _Names:
    """Statements by the numbers of words and items."""

    def __init__(self, kernel: Kernel) -> None:
        self._words = [
            [step for step in steps_of(thread, program, kernel.profile) if step.issues]
            for thread, program in enumerate(kernel.programs)
        ]
        for thread, steps in enumerate(self._words):
            self._words[thread] = [step for step in steps if step.item is None]
        self._items = [
            item for number in range(len(kernel.programs)) for item in _rows(kernel, number)
        ]

    def access(self, ident: int, actor: int) -> Access:
        """Who does what, where."""
        thread, number = ident & 3, ident >> 3
        who = f"{_UNITS[actor // 3 & 3]}, thread {thread}"
        for begin, _, what in _ACTORS:
            if actor >= begin:
                who = what.format(thread)
                break
        if ident & 4:
            where, what = self._items[number]
        else:
            step = self._words[thread][number]
            where, what = step.where, step.name if step.is_known else "word"
        return Access(where, what, who)


def _rows(kernel: Kernel, thread: int) -> Iterator[tuple[object, str]]:
    """Place and text of each row of a core's program, as ``Machine.run`` has it."""
    places = {at: where for where, some in kernel.places[thread].items() for at in some}
    pushed = 0
    for number, item in enumerate(kernel.programs[thread]):
        if isinstance(item, I.Push):
            if not pushed:
                yield None, ""
            pushed = len(item.words)
            continue
        where = places.get((number, 0)) or places.get((number - 1, pushed))
        pushed, text = 0, str(item)
        if isinstance(item, I.Store) and item.address >= CONFIG:
            index = (item.address - CONFIG) // WORD
            text = f"store {place_name(index % constants.CFG_WORDS)}"
            if index >= 3 * constants.CFG_WORDS:
                text = f"store {place_name(S.THREAD_CONFIG + index - 3 * constants.CFG_WORDS)}"
        yield where, text


def place_name(place: int) -> str:
    """What a place is called."""
    for begin, text, size in _PLACES:
        if place >= begin:
            return text.format((place - begin) * size)
    if place >= S.THREAD_CONFIG:
        return explain_config_word("Thread", (place - S.THREAD_CONFIG) % constants.THD_WORDS)
    return explain_config_word("Config", place % BANK)


def _turns(other: list[S.Found], run: list[S.Found], rows: list[S.Found]) -> bool:
    """Whether of some pairs of a run another one has the second as the first, or otherwise.

    With whom is not the same in both: of many accesses the last one before, the first one behind.
    """
    places = {row.place for row in rows}
    firsts, seconds = {row.first for row in rows}, {row.second for row in rows}
    known = {(row.first, row.second) for row in run}
    return any(
        row.place in places
        and (row.second in firsts or row.first in seconds)
        and (row.first, row.second) not in known
        for row in other
    )


def _delaying(actor: int, ident: int) -> str:
    """The schedule that delays an actor."""
    for begin, name, _ in _ACTORS:
        if actor >= begin:
            return f"slow:{name.format(ident & 3)}"
    return f"slow:{('U0', 'U1', 'P', 'M')[actor // 3]}"


def races(kernel: Kernel, letter: bool = True, most: int = 20, limit: int = DEFAULT_LIMIT) -> Races:
    """Find what nothing orders in one run, and for each pair one of ``most`` schedules or more.

    A schedule shows a pair if it has the two the other way round, and leaves something else behind.
    Raises ``ValueError`` for less than one schedule.
    """
    l1_bytes, names = profiles.get(kernel.profile).l1_bytes, _Names(kernel)
    runs: dict[str | int, tuple[tuple[str, ...], list[S.Found]]] = {}
    given: list[Schedule] = []
    every = tries(kernel, iter(given.pop, None), limit)

    def followed(which: str | int) -> tuple[tuple[str, ...], list[S.Found]]:
        if which not in runs:
            tracks = S.Tracks(l1_bytes)
            given.append(Schedule(which, letter, tracks))
            runs[which] = next(every).lines, tracks.found
        return runs[which]

    def shows(which: str | int, rows: list[S.Found]) -> bool:
        lines, other = followed(which)
        return bool(lines) and _turns(other, found, rows)

    usual = [one.which for one in schedules(most, letter)]
    first_lines, found = followed(_RUN)
    pairs: dict[tuple[Access, Access], list[S.Found]] = {}
    for row in found:
        first, second = (
            names.access(row.first, row.first_actor),
            names.access(row.second, row.second_actor),
        )
        pairs.setdefault((first, second), []).append(row)
    told, unshown = [], 0
    for (first, second), rows in list(pairs.items())[:_MOST]:
        row = rows[0]
        directed = (_delaying(row.first_actor, row.first), _delaying(row.second_actor, row.second))
        shown = (which for which in (*directed, *usual) if shows(which, rows))
        which = next(shown, _RUN if first_lines else None)
        if which is None:
            unshown += 1
        else:
            schedule, lines = Schedule(which, letter), followed(which)[0]
            told.append(Race(first, second, place_name(row.place), schedule, lines))
    left_out = len(pairs) > _MOST or len(found) == S.FOUND_ROOM
    return Races(told, unshown, len(runs), left_out)
