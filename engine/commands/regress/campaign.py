# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath campaign`` does: all random tests with many seeds, as regressions of one file.

First every test, in ``baseline`` and then in each other profile; then more seeds of those that came
near to a floor. What is done already with these sources is not done again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from json import loads
from pathlib import Path
from typing import Final

from tilepath.engine.commands import report
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.regress import floors
from tilepath.engine.commands.regress.command import Options, Session, regress
from tilepath.engine.commands.regress.show import show
from tilepath.engine.commands.regress.store import NOT_DONE, Store
from tilepath.engine.commands.regress.work import sources
from tilepath.engine.description.stimulus import FLOOR_CYCLES
from tilepath.engine.project import project

SEEDS: Final = 200
"""Of each test in ``baseline``, unless more or fewer are asked for."""

_OTHERS: Final = project().profiles.names()[1:]
_SHARE: Final = 0.3  # of the seeds, in each of the others
_NARROW: Final = 5  # times as many


@dataclass
class _Campaign:
    """``first``: what all its regressions have in common, and what the first of them has."""

    file: Path
    first: Options
    session: Session

    def __post_init__(self) -> None:
        self.numbers: list[int] = []
        self._began = time.monotonic()
        self._before = self._done()

    def do(self) -> bool:
        """Do what is not done; whether all is."""
        return all(map(self._complete, self._parts()))

    def _parts(self) -> Iterator[Options]:
        seeds = self.first.seeds or SEEDS
        yield replace(self.first, seeds=seeds)
        few = max(1, round(seeds * _SHARE))
        for number, profile in enumerate(_OTHERS, 1):
            yield self._other(number, profile=(profile,), seeds=few)
        for number, (block, tests) in enumerate(self.narrow().items(), 1 + len(_OTHERS)):
            more = {"block": (block,), "test": tests, "seeds": _NARROW * seeds}
            yield self._other(number, **more)

    def _other(self, number: int, **changes: object) -> Options:
        root = self.first.root_seed
        changes["root_seed"] = None if root is None else root + number
        return replace(self.first, **changes)  # type: ignore[arg-type]

    def narrow(self) -> dict[str, tuple[str, ...]]:
        """Block → tests that came near to a floor, in what was done of every test."""
        near = {one.test for one in self.margins(self.numbers[: 1 + len(_OTHERS)]) if one.narrow}
        found: dict[str, tuple[str, ...]] = {}
        for block, _, test in sorted(name.partition("/") for name in near):
            found[block] = (*found.get(block, ()), test)
        return found

    def margins(self, numbers: list[int]) -> list[floors.Margin]:
        """Return the margins that the regressions of these numbers leave."""
        counts = floors.Counts(floors.endless(self.first.block, self.first.test))
        counts.add(self.file, numbers)
        return list(floors.margins(counts))

    def _complete(self, part: Options) -> bool:
        """Whether a part is done, after what could be done of it."""
        number, left, last = self._known(part)
        if number is None or left:
            if number not in (None, last):
                raise UsageError(f"{self.file} has another regression behind its campaign's")
            session = replace(self.session, resume=number is not None, budget=self._budget())
            regress(self.file, part, session)
            number, left, _ = self._known(part)
        assert number is not None
        self.numbers.append(number)
        return not left

    def _known(self, part: Options) -> tuple[int | None, int, int | None]:
        """A part's number, if it was begun; how many jobs are left; the file's last number."""
        if not self.file.is_file():
            return None, 0, None
        with closing(Store(self.file)) as store:
            for row in store.rows("SELECT id, options FROM regressions ORDER BY id DESC"):
                if _same(loads(row["options"]), part):
                    query = f"SELECT 1 FROM jobs WHERE regression = ? AND {NOT_DONE}"
                    left = len(store.rows(query, row["id"]))
                    return row["id"], left, store.last()["id"]
        return None, 0, None

    def _done(self) -> int:
        if not self.file.is_file():
            return 0
        with closing(Store(self.file)) as store:
            return len(store.rows("SELECT 1 FROM jobs WHERE state = 'done'"))

    def _budget(self) -> Budget | None:
        """What is left of it."""
        whole = self.session.budget
        if whole is None:
            return None
        seconds = whole.seconds - (time.monotonic() - self._began)
        return Budget(whole.text, seconds, whole.runs - (self._done() - self._before))


def _same(stored: Mapping[str, object], part: Options) -> bool:
    """Whether the regression with these options is that of ``part``, with the present sources."""
    found = Options.of(stored)
    known = replace(found, stimuli={}, root_seed=part.root_seed and found.root_seed)
    return known == replace(part, sources=sources())


def campaign(file: Path, options: Options, session: Session) -> int:
    """Begin a campaign in ``file``, or go on with it, and say what came of it; the exit status."""
    first = replace(options, profile=("baseline",), tag=("random",), cycles=FLOOR_CYCLES)
    whole = _Campaign(file.resolve(), first, session)
    complete = whole.do()
    console = report.make_console()
    console.print(f"{'the whole' if complete else 'a part of the'} campaign:")
    margins = sorted(whole.margins(whole.numbers), key=lambda one: -one.margin)
    floors.show(console, {one.test: one for one in margins}.values())  # of each test the least
    with closing(Store(whole.file)) as store:
        return show(store, console, whole.numbers[0])
