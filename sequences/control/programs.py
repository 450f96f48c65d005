# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

    # comment; also behind an operation
    thread 1                   the lines that follow belong to this thread (0, 1, 2):
    ttwrcfg 12,0,69            offer a word, in assembly as ``isa.assemble`` takes it
    B00C0045                   offer a word, as eight hexadecimal digits (0x in front or not)
    cores                      the lines that follow are accesses of the cores to configuration:
    write 76 0x12345           word index, data
    read 76
    semaphores                 ... accesses of the cores to semaphores:
    post 5                     likewise ``get 5``, ``read 5``
    streams                    ... writes of the bench to stream registers:
    write 3 29 100             stream, register, data
    units                      ... levels, which start at reset:
    work 200 0 0 4 0 0 0       cycles; how long a word keeps each unit busy: 0 ... 31 cycles
    force 20 0x10              cycles, conditions; if wanted stream_busy, units that are not ready
    gap 20                     idle cycles, of all but units
    wait issue 1 20            the next operation waits until thread 1 has issued 20 words; without
                               the number, all that stand above, repeats counted as they run
    wait cores 4               ... until 4 accesses to configuration are done, or all so far
    wait semaphores 4          ... until 4 accesses to semaphores are done, or all so far
    wait below 5 2             ... until semaphore 5 has a value below 2
    wait above 1 0             ... until semaphore 1 has a value above 0
    repeat 4                   the lines up to the matching ``endrepeat``, four times
    endrepeat
    end                        must be the last line: a file without it is truncated

Numbers are decimal, hexadecimal with 0x, or eight hexadecimal digits. What the sections name are
players that each run on their own: the order of lines matters within one, and for ``wait``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from isa import IsaError, assemble
from tb.control import items
from tb.control.streams import THREADS
from tb.kernel.player import GAP_MASK, Items
from tb.kernel.stimulus import Context, Stimulus, TestSpec

DIRECTORY: Final = Path(__file__).parent / "programs"
SUFFIX: Final = ".tt"
MAX_ITEMS: Final = 100_000
MAX_DEPTH: Final = 20

_WORD = re.compile(r"(0[xX])?[0-9a-fA-F]{8}")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_SECTIONS: Final = {
    "cores": "risc",
    "semaphores": "risc_sem",
    "streams": "stream",
    "units": "units",
}
# section of ``wait`` → player whose operations it counts, and the condition
_COUNTED: Final[Mapping[str, tuple[str, Callable[[int], Items]]]] = {
    "cores": ("risc", items.after_risc),
    "semaphores": ("risc_sem", items.after_sem),
}
# (section, operation) → how many numbers it takes, and the item it makes of them, gap and after
_OPERATIONS: Final[Mapping[tuple[str, str], tuple[int, Callable[..., Items]]]] = {
    ("risc", "write"): (2, items.risc_write),
    ("risc", "read"): (1, items.risc_read),
    ("risc_sem", "post"): (1, items.sem_post),
    ("risc_sem", "get"): (1, items.sem_get),
    ("risc_sem", "read"): (1, items.sem_read),
    ("stream", "write"): (3, items.stream_write),
}


class ProgramError(ValueError):
    """A program that cannot be played: one line, ``file:line: what is wrong``."""


class _BadLine(ValueError):
    """What is wrong with a line, without its place."""


@dataclass
class _Player:
    """What a player has been given so far."""

    rows: list[Items] = field(default_factory=list)
    gap: int = 0
    after: int = 0


@dataclass(frozen=True)
class Program:
    """A program, ready to play: player instance → items."""

    name: str
    players: Mapping[str, Items]

    def stimulus(self) -> Stimulus:
        """The program as the ``stimulus`` of a test."""
        return {name: [made] for name, made in self.players.items()}


def load_program(path: Path, profile: str) -> Program:
    """Read ``path``; ``ProgramError`` for an unreadable, truncated or malformed file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ProgramError(f"{path}:0: cannot be read: {reason}") from None
    return _Loader(path, text, profile).load()


class _Loader:
    def __init__(self, path: Path, text: str, profile: str) -> None:
        self._path = path
        self._profile = profile
        self._players: dict[str, _Player] = {}
        self._levels: dict[str, list[Items]] = {}
        self._section = ""
        self._budget = MAX_ITEMS
        stripped = (line.partition("#")[0].strip() for line in text.splitlines())
        self._lines = [(number, line) for number, line in enumerate(stripped, 1) if line]
        self._last = len(text.splitlines())

    def load(self) -> Program:
        matching = self._structure()
        self._play(0, len(self._lines) - 1, matching)
        players = {name: np.concatenate(p.rows) for name, p in self._players.items() if p.rows}
        if not players:
            raise self._error(self._lines[-1][0], "the program does nothing")
        players |= {name: np.concatenate(rows) for name, rows in self._levels.items()}
        return Program(self._path.stem, players)

    def _error(self, number: int, what: str) -> ProgramError:
        return ProgramError(f"{self._path}:{number}: {what}")

    def _structure(self) -> dict[int, int]:
        """Place of each ``repeat`` → place of its ``endrepeat``."""
        matching: dict[int, int] = {}
        opened: list[int] = []
        for place, (number, line) in enumerate(self._lines):
            head = line.split()[0].lower()
            if head == "repeat":
                opened.append(place)
                if len(opened) > MAX_DEPTH:
                    raise self._error(number, f"repeats nested more than {MAX_DEPTH} deep")
            elif head == "endrepeat":
                if not opened:
                    raise self._error(number, "endrepeat without repeat")
                matching[opened.pop()] = place
            elif head == "end" and place != len(self._lines) - 1:
                raise self._error(self._lines[place + 1][0], "something follows the end line")
        if not self._lines or self._lines[-1][1].lower() != "end":
            raise self._error(self._last, "no end line: the file is truncated")
        if opened:
            raise self._error(self._lines[opened[-1]][0], "repeat without endrepeat")
        return matching

    def _spend(self, number: int) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise self._error(number, f"more than {MAX_ITEMS} operations")

    def _play(self, begin: int, end: int, matching: Mapping[int, int]) -> None:
        place = begin
        while place < end:
            number, line = self._lines[place]
            self._spend(number)
            try:
                if place in matching:
                    (times,) = _numbers(line.split()[1:], "repeat", 1)
                    for _ in range(times):
                        self._spend(number)
                        self._play(place + 1, matching[place], matching)
                    place = matching[place]
                else:
                    self._operation(line)
            except _BadLine as error:
                raise self._error(number, str(error)) from None
            place += 1

    def _operation(self, line: str) -> None:
        name, *rest = line.lower().split()
        if name == "thread":
            (number,) = _numbers(rest, name, 1)
            if number >= THREADS:
                raise _BadLine(f"there is no thread {number}")
            self._section = f"t{number}.issue"
        elif name in _SECTIONS and not rest:
            self._section = _SECTIONS[name]
        elif not self._section:
            raise _BadLine("no section yet: thread, cores, semaphores, streams or units")
        elif self._section == "units":
            self._level(name, rest)
        elif name == "gap":
            player = self._player()
            player.gap += _numbers(rest, name, 1)[0]
            if player.gap > GAP_MASK:
                raise _BadLine(f"a gap is at most {GAP_MASK} cycles")
        elif name == "wait":
            self._player().after = self._condition(rest)
        elif self._section in _SECTIONS.values():
            if (self._section, name) not in _OPERATIONS:
                raise _BadLine(f"there is no operation {name!r} here")
            count, make = _OPERATIONS[self._section, name]
            self._put(make, _numbers(rest, name, count))
        else:
            self._put(items.issue, [self._word(line)])

    def _player(self) -> _Player:
        return self._players.setdefault(self._section, _Player())

    def _put(self, make: Callable[..., Items], operands: list[int]) -> None:
        player = self._player()
        try:
            player.rows.append(make(*operands, gaps=player.gap, after=player.after))
        except ValueError as error:
            raise _BadLine(str(error)) from None
        player.gap = player.after = 0

    def _level(self, name: str, rest: list[str]) -> None:
        try:
            if name == "work":
                cycles, *times = _numbers(rest, name, 7)
                self._levels.setdefault("work", []).append(items.work(cycles, times))
            elif name == "force":
                values = _numbers(rest, name, None)
                if not 2 <= len(values) <= 4:
                    raise _BadLine("force takes two to four numbers")
                self._levels.setdefault("conditions", []).append(items.conditions(*values))
            else:
                raise _BadLine(f"there is no level {name!r}")
        except _BadLine:
            raise
        except ValueError as error:
            raise _BadLine(str(error)) from None

    def _condition(self, rest: list[str]) -> int:
        kind, operands = (rest[0] if rest else ""), rest[1:]
        try:
            if kind in ("below", "above"):
                index, limit = _numbers(operands, f"wait {kind}", 2)
                make = items.sem_below if kind == "below" else items.sem_above
                return int(make(index, limit))
            if kind == "issue":
                thread, *count = _numbers(operands, "wait issue", None)
                return int(items.after_issue(thread, self._so_far(f"t{thread}.issue", count)))
            if kind in _COUNTED:
                player, condition = _COUNTED[kind]
                count = _numbers(operands, f"wait {kind}", None)
                return int(condition(self._so_far(player, count)))
        except _BadLine:
            raise
        except ValueError as error:
            raise _BadLine(str(error) or "wait takes a number") from None
        raise _BadLine("wait takes issue, cores, semaphores, below or above")

    def _so_far(self, player: str, count: list[int]) -> int:
        if len(count) > 1:
            raise _BadLine("wait takes one count at most")
        done = self._players.get(player)
        return count[0] if count else len(done.rows) if done else 0

    def _word(self, text: str) -> int:
        if _WORD.fullmatch(text):
            return int(text, 16)
        try:
            return assemble(text, self._profile)
        except IsaError as error:
            raise _BadLine(str(error)) from None


def _numbers(rest: list[str], name: str, count: int | None) -> list[int]:
    """The numbers in ``rest``: ``count`` of them, or any number of them with ``None``."""
    if count is not None and len(rest) != count:
        raise _BadLine(f"{name} takes {count} number{'s' if count > 1 else ''}")
    values = []
    for text in rest:
        if _WORD.fullmatch(text):
            values.append(int(text, 16))
        elif _NUMBER.fullmatch(text):
            values.append(int(text, 16 if text[:2] == "0x" else 10))
        else:
            raise _BadLine(f"{text!r} is not a number (decimal, 0x, or eight hexadecimal digits)")
    return values


def program_names() -> tuple[str, ...]:
    """Names of the programs that come with the project, in alphabetical order."""
    return tuple(sorted(path.stem for path in DIRECTORY.glob(f"*{SUFFIX}")))


def _sections(text: str) -> Iterator[str]:
    for thread in sorted(set(re.findall(r"(?m)^thread ([0-2])", text))):
        yield f"t{thread}.issue"


def program_test(path: Path) -> TestSpec:
    """The program at ``path`` as a test; its first comment is the summary."""
    text = path.read_text(encoding="utf-8", errors="replace")
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    summary = next((line for line in comments if not line.startswith("SPDX")), "")

    def stimulus(ctx: Context) -> Stimulus:
        return load_program(path, ctx.profile).stimulus()

    return TestSpec(
        name=path.stem,
        summary=summary,
        kind="program",
        stimulus=stimulus,
        floor={stream: 5 for stream in _sections(text)},
    )


TESTS: dict[str, TestSpec] = {
    name: program_test(DIRECTORY / f"{name}{SUFFIX}") for name in program_names()
}
