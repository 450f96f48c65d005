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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.sequences.program_text import (
    BadLineError,
    Loader,
    Program,
    ProgramError,
    number,
    program_names,
    read_text,
    summary_and_threads,
)
from tilepath.tb.control import items
from tilepath.tb.control.streams import THREADS
from tilepath.tb.kernel.description.player import GAP_MASK, Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

__all__ = [
    "DIRECTORY",
    "SUFFIX",
    "TESTS",
    "Program",
    "ProgramError",
    "load_program",
    "program_test",
]

DIRECTORY: Final = Path(__file__).parent / "programs"
SUFFIX: Final = ".tt"

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


@dataclass
class _Player:
    """What a player has been given so far."""

    rows: list[Items] = field(default_factory=list)
    gap: int = 0
    after: int = 0


def load_program(path: Path, profile: str) -> Program:
    """Read ``path``; ``ProgramError`` for an unreadable, truncated or malformed file."""
    return _Loader(path, read_text(path), profile).load()


class _Loader(Loader):
    max_items = 100_000

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._players: dict[str, _Player] = {}
        self._levels: dict[str, list[Items]] = {}
        self._section = ""

    def players(self) -> dict[str, Items]:
        players = {name: np.concatenate(p.rows) for name, p in self._players.items() if p.rows}
        if players:
            players |= {name: np.concatenate(rows) for name, rows in self._levels.items()}
        return players

    def operation(self, line: str) -> None:
        name, *rest = line.lower().split()
        if name == "thread":
            (chosen,) = _numbers(rest, name, 1)
            if chosen >= THREADS:
                raise BadLineError(f"there is no thread {chosen}")
            self._section = f"t{chosen}.issue"
        elif name in _SECTIONS and not rest:
            self._section = _SECTIONS[name]
        elif not self._section:
            raise BadLineError("no section yet: thread, cores, semaphores, streams or units")
        elif self._section == "units":
            self._level(name, rest)
        elif name == "gap":
            player = self._player()
            player.gap += _numbers(rest, name, 1)[0]
            if player.gap > GAP_MASK:
                raise BadLineError(f"a gap is at most {GAP_MASK} cycles")
        elif name == "wait":
            self._player().after = self._condition(rest)
        elif self._section in _SECTIONS.values():
            if (self._section, name) not in _OPERATIONS:
                raise BadLineError(f"there is no operation {name!r} here")
            count, make = _OPERATIONS[self._section, name]
            self._put(make, _numbers(rest, name, count))
        else:
            self._put(items.issue, [self.word(line)])

    def _player(self) -> _Player:
        return self._players.setdefault(self._section, _Player())

    def _put(self, make: Callable[..., Items], operands: list[int]) -> None:
        player = self._player()
        try:
            player.rows.append(make(*operands, gaps=player.gap, after=player.after))
        except ValueError as error:
            raise BadLineError(str(error)) from None
        player.gap = player.after = 0

    def _level(self, name: str, rest: list[str]) -> None:
        try:
            if name == "work":
                cycles, *times = _numbers(rest, name, 7)
                self._levels.setdefault("work", []).append(items.work(cycles, times))
            elif name == "force":
                values = _numbers(rest, name, None)
                if not 2 <= len(values) <= 4:
                    raise BadLineError("force takes two to four numbers")
                self._levels.setdefault("conditions", []).append(items.conditions(*values))
            else:
                raise BadLineError(f"there is no level {name!r}")
        except BadLineError:
            raise
        except ValueError as error:
            raise BadLineError(str(error)) from None

    def _condition(self, rest: list[str]) -> int:
        kind, operands = (rest[0] if rest else ""), rest[1:]
        try:
            if kind in ("below", "above"):
                index, limit = _numbers(operands, f"wait {kind}", 2)
                make = items.sem_below if kind == "below" else items.sem_above
                return int(make(index, limit))
            if kind == "issue":
                if not operands:
                    raise BadLineError("wait issue takes the number of a thread")
                thread, *count = _numbers(operands, "wait issue", None)
                return int(items.after_issue(thread, self._so_far(f"t{thread}.issue", count)))
            if kind in _COUNTED:
                player, condition = _COUNTED[kind]
                count = _numbers(operands, f"wait {kind}", None)
                return int(condition(self._so_far(player, count)))
        except BadLineError:
            raise
        except ValueError as error:
            raise BadLineError(str(error)) from None
        raise BadLineError("wait takes issue, cores, semaphores, below or above")

    def _so_far(self, player: str, count: list[int]) -> int:
        if len(count) > 1:
            raise BadLineError("wait takes one count at most")
        done = self._players.get(player)
        return count[0] if count else len(done.rows) if done else 0


def _numbers(rest: list[str], name: str, count: int | None) -> list[int]:
    """The numbers in ``rest``: ``count`` of them, or any number of them with ``None``."""
    if count is not None and len(rest) != count:
        raise BadLineError(f"{name} takes {count} number{'s' if count > 1 else ''}")
    return [number(text) for text in rest]


def program_test(path: Path) -> TestSpec:
    """The program at ``path`` as a test; its first comment is the summary."""
    summary, threads = summary_and_threads(path)

    def stimulus(ctx: Context) -> Stimulus:
        return load_program(path, ctx.profile).stimulus()

    return TestSpec(
        name=path.stem,
        summary=summary,
        kind="program",
        stimulus=stimulus,
        floor={f"t{thread}.issue": 5 for thread in threads},
    )


TESTS: dict[str, TestSpec] = {
    name: program_test(DIRECTORY / f"{name}{SUFFIX}") for name in program_names(DIRECTORY)
}
