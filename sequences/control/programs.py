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
    force 20 0x10              cycles, conditions; if wanted stream_busy, units that are not ready,
                               threads that must not issue, conditions of threads 0, 1, 2 alone
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
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.player import Items
from tilepath.engine.stimulus.programs import ProgramFiles, SectionLoader, Sections, numbers
from tilepath.tb.control import items
from tilepath.tb.control.streams import THREADS

# (section, operation) → how many numbers it takes, and the item it makes of them, gap and after
_OPERATIONS: Final[Mapping[tuple[str, str], tuple[int, Callable[..., Items]]]] = {
    ("risc", "write"): (2, items.risc_write),
    ("risc", "read"): (1, items.risc_read),
    ("risc_sem", "post"): (1, items.sem_post),
    ("risc_sem", "get"): (1, items.sem_get),
    ("risc_sem", "read"): (1, items.sem_read),
    ("stream", "write"): (3, items.stream_write),
}
_LEVELS: Final = "units"


class _Loader(SectionLoader):
    sections = Sections(
        players={
            "cores": "risc",
            "semaphores": "risc_sem",
            "streams": "stream",
            "units": _LEVELS,
        },
        conditions={"cores": items.after_risc, "semaphores": items.after_sem},
        after_issue=items.after_issue,
        threads=THREADS,
        levels=(_LEVELS,),
    )

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._levels: dict[str, list[Items]] = {}

    def players(self) -> dict[str, Items]:
        players = super().players()
        if players:
            players |= {name: np.concatenate(rows) for name, rows in self._levels.items()}
        return players

    def do(self, section: str, name: str, rest: list[str], line: str) -> None:
        if section == _LEVELS:
            self._level(name, rest)
        elif section not in self.sections.players.values():
            self._put(items.issue, [self.word(line)])
        elif (section, name) in _OPERATIONS:
            count, make = _OPERATIONS[section, name]
            self._put(make, numbers(rest, name, count))
        else:
            raise ValueError(f"there is no operation {name!r} here")

    def _put(self, make: Callable[..., Items], operands: list[int]) -> None:
        given = self.given()
        given.put(make(*operands, gaps=given.gap, after=given.after[0] if given.after else 0))

    def _level(self, name: str, rest: list[str]) -> None:
        if name == "work":
            cycles, *times = numbers(rest, name, 7)
            self._levels.setdefault("work", []).append(items.work(cycles, times))
        elif name == "force":
            values = numbers(rest, name)
            if not 2 <= len(values) <= 5 and len(values) != 5 + THREADS:
                raise ValueError("force takes two to five numbers, or eight")
            made = items.conditions(*values[:5], own=values[5:] or (0,) * THREADS)
            self._levels.setdefault("conditions", []).append(made)
        else:
            raise ValueError(f"there is no level {name!r}")

    def wait(self, kind: str, operands: list[str]) -> None:
        self.given().after = [self._condition(kind, operands)]

    def _condition(self, kind: str, operands: list[str]) -> int:
        if kind in ("below", "above"):
            index, limit = numbers(operands, f"wait {kind}", 2)
            make = items.sem_below if kind == "below" else items.sem_above
            return int(make(index, limit))
        if kind == "issue" or kind in self.sections.conditions:
            return self.counted(kind, operands)
        raise ValueError("wait takes issue, cores, semaphores, below or above")


PROGRAMS: Final = ProgramFiles(
    Path(__file__).parent / "programs",
    _Loader,
    floor=lambda threads: {f"t{thread}.issue": 5 for thread in threads},
)
TESTS: Final = PROGRAMS.tests()
