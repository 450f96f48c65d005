# SPDX-License-Identifier: Apache-2.0
"""Does the jobs of a regression: those of a simulator and a profile after those of another."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from rich.console import Console

from tilepath.engine.commands import report
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.regress.store import NOT_DONE, Group, Store
from tilepath.engine.commands.regression import Outcome, execute
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, further_runs
from tilepath.engine.commands.simulation import EngineRunner, RunOptions

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
                shutil.rmtree(
                    options.out / run.block / f"{run.test}-{run.seed}", ignore_errors=True
                )
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
