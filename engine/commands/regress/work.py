# SPDX-License-Identifier: Apache-2.0
"""Does the jobs of a regression: those of a simulator and a profile after those of another.

And what earlier regressions say about the next one, and which sources verdicts depend on.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath import __version__
from tilepath.engine.commands import report
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.regress.store import NOT_DONE, Group, Store, planned
from tilepath.engine.commands.regression import Outcome, execute
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, further_runs
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.block import ROOT
from tilepath.engine.host.store import content_key
from tilepath.engine.project import ENGINE

AGAIN: Final = "again"
"""Folder of the runs that are there to be compared with others."""


@dataclass
class Work:
    """What all jobs of a regression have in common.

    ``out``: the folder of its results; ``made``: makes the runner of a group; ``jobs``: at once;
    ``budget``: how long, or of how many runs, jobs are begun; ``stop`` ends jobs elsewhere.
    """

    store: Store
    number: int
    groups: Mapping[Group, RunOptions]
    made: Callable[[RunOptions], EngineRunner]
    console: Console
    jobs: int
    budget: Budget | None = None
    stop: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._until = time.monotonic() + (self.budget.seconds if self.budget else float("inf"))
        self._runs = self.budget.runs if self.budget else float("inf")

    @property
    def spent(self) -> bool:
        """Whether the budget is."""
        return self._runs <= 0 or time.monotonic() >= self._until

    def do(self) -> None:
        """Every job that is not done, until the budget is spent."""
        for group, options in self.groups.items():
            self._do(group, options, again=False)

    def do_again(self, most: int) -> None:
        """Do ``most`` finished jobs once more, and compare verdicts and digests."""
        self.store.choose_again(self.number, most)
        for group, options in self.groups.items():
            self._do(group, replace(options, out=options.out / AGAIN), again=True)

    def _do(self, group: Group, options: RunOptions, *, again: bool) -> None:
        jobs = self.store.jobs(self.number, group, "again = 'todo'" if again else NOT_DONE)
        if not jobs or self.spent:
            return

        def begin(run: PlannedRun) -> bool:
            with self._lock:
                if self.spent:
                    return False
                self._runs -= 1
            self.store.running(jobs[run])
            return True

        def finish(outcome: Outcome) -> Outcome:
            run = outcome.run
            if not again:
                self.store.done(jobs[run], outcome, group)
            elif not self.store.again(jobs[run], outcome):
                return replace(outcome, status="fail", message="not as the first time")
            if outcome.passed:  # what it had is in the file; ten thousand such would fill disks
                shutil.rmtree(run.folder(options.out), ignore_errors=True)
            return outcome

        with report.ShowProgress(self.console, list(jobs), finish) as progress:
            runner = self.made(options)
            execute(RunList(None, tuple(jobs)), runner, self.jobs, progress, None, begin, self.stop)

    def do_until_covered(self, selection: Selection, root_seed: int | None) -> None:
        """Do all jobs, then one more of each random test of blocks with bins left, and so on.

        The last round is the one after which all bins are hit, or in which something failed.
        """
        while True:
            self.do()
            left = {
                key: one for key, one in self.store.covered(self.number).items() if one.missing()
            }
            for (block, profile), found in left.items():
                hit = f"{found.hit:,} of {found.total:,} bins, {found.runs} runs"
                report.say(self.console, f"{block}, {profile}: {hit}")
            bad = self.store.rows(
                "SELECT 1 FROM jobs WHERE regression = ? AND verdict <> 'pass' LIMIT 1", self.number
            )
            if bad or not left or self.spent:
                return
            for group in self.groups:
                blocks = [block for block, profile in left if profile == group.profile]
                plan = RunList(root_seed, tuple(self.store.jobs(self.number, group)))
                more = further_runs(selection, plan, blocks)
                self.store.add(self.number, group, more)


_FOLDERS: Final = ("isa", "models", "rtl", "tb", "sequences")
_COMMANDS: Final = ENGINE / "commands"  # no verdict depends on them
# of an installed package's files: a worker may have one of these, or a checkout
_SUFFIXES: Final = frozenset(
    (".py", ".sv", ".svh", ".taps", ".tt", ".toml", ".pipe", ".kernel", ".txt", ".json")
)


@cache
def sources(own: tuple[str, ...] = ()) -> str:
    """Stands for the version of the project, and the contents of all that verdicts depend on.

    ``own``: files of the user's among it.
    """
    folders = (ENGINE, *(ROOT / folder for folder in _FOLDERS))
    read = {
        path.relative_to(folder.parent).as_posix(): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in _SUFFIXES and path.is_file() and _COMMANDS not in path.parents
    }
    read |= {name: Path(name).read_bytes() for name in own if Path(name).is_file()}
    return content_key([__version__], dict(sorted(read.items())))


def failed_first(
    stores: Iterable[Store], group: Group, runs: Sequence[PlannedRun]
) -> list[PlannedRun]:
    """``runs`` in the order in which to begin them, behind some that failed before.

    Of the last regression of each block in each store: the shortest job of each group of failures
    with the same signature, whose tests are among those of ``runs``; then the tests that failed.
    """
    tests = {(run.block, run.test) for run in runs}
    again: dict[str, PlannedRun] = {}  # signature
    failed = set()
    for store in stores:
        for block in {run.block for run in runs}:
            of = (group.sim, group.profile, block)
            mine = "sim = ? AND profile = ? AND block = ? AND state = 'done'"
            for row in store.rows(
                f"SELECT * FROM jobs WHERE {mine} AND verdict <> 'pass' AND regression = "
                f"(SELECT max(regression) FROM jobs WHERE {mine}) ORDER BY cycles, seconds",
                *(*of, *of),
            ):
                run = planned(row)
                if (run.block, run.test) in tests:
                    failed.add((run.block, run.test))
                    again.setdefault(f"{block} {row['signature']}", run)
    rest = sorted(runs, key=lambda run: (run.block, run.test) not in failed)
    folders = {(run.block, run.test, run.seed): run for run in (*rest[::-1], *again.values())}
    first = [run for run in again.values() if folders[run.block, run.test, run.seed] == run]
    return list(dict.fromkeys((*first, *(folders[r.block, r.test, r.seed] for r in rest))))
