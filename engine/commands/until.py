# SPDX-License-Identifier: Apache-2.0
"""``run --until-coverage``: new seeds, round after round, until all bins are hit or a limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import RunList, Selection, further_runs, select
from tilepath.engine.coverage.report import CoverageReport, few, grown, hits, merge_files


class Coverage:
    """What all passed runs so far have hit, by block."""

    def __init__(self) -> None:
        self.reports: dict[str, CoverageReport] = {}
        self._runs: dict[str, list[tuple[Outcome, NDArray[np.bool_]]]] = {}

    def ranking(self, block: str) -> list[str]:
        """Tests of which one run each, or more, hits all that any has; first what hits most."""
        outcomes, hit = zip(*self._runs[block], strict=True)
        chosen = few(np.array(hit), [outcome.cycles for outcome in outcomes])
        return list(dict.fromkeys(outcomes[index].run.test for index, _ in chosen))

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count what these have hit, too."""
        for outcome in outcomes:
            if outcome.passed and outcome.coverage_file is not None:
                found, block = merge_files([outcome.coverage_file]), outcome.run.block
                self._runs.setdefault(block, []).append((outcome, hits(found, found.points)))
                run = f"{outcome.run.test}-{outcome.run.seed}"
                self.reports[block] = grown(self.reports.get(block), run, found)

    def hit(self) -> Mapping[str, int]:
        """Bins hit of each block."""
        return {block: report.hit for block, report in self.reports.items()}

    def open(self) -> list[str]:
        """Blocks that have bins that nothing has hit."""
        return [block for block, report in self.reports.items() if report.missing()]


def check_until(plan: RunList, selection: Selection, coverage: bool) -> None:
    """``UsageError`` for what could go on for ever without a bin more."""
    if plan.root_seed is None:
        raise UsageError("--until-coverage needs new seeds: give a root seed, no seed of a run")
    if not coverage:
        raise UsageError("--until-coverage needs coverage: leave out --no-coverage")
    chosen = select(selection).tests
    for block, tests in chosen.items():
        if not any(test.kind == "random" for test in tests.values()):
            raise UsageError(f"--until-coverage: no test of {block} that was asked for is random")


def until_covered(
    plan: RunList,
    selection: Selection,
    budget: Budget,
    run_all: Callable[[RunList], list[Outcome]],
    say: Callable[[str], None],
) -> tuple[RunList, list[Outcome], Coverage]:
    """Do ``plan``, then a run more of each random test of blocks with bins left, and so on.

    The last round is the one after which all bins are hit, or the budget is spent, or in which
    something failed. What is done depends on ``plan`` and the budget in runs only. The plan that
    was done, its outcomes, what they hit.
    """
    outcomes: list[Outcome] = []
    covered, todo, began, number = Coverage(), plan.runs, time.monotonic(), 1
    while True:
        before = covered.hit()
        done = run_all(replace(plan, runs=todo))
        outcomes += done
        covered.add(done)
        say(_told(number, len(done), before, covered))
        if len(done) < len(todo) or not all(one.passed for one in done) or not covered.open():
            break
        if len(outcomes) >= budget.runs or time.monotonic() - began >= budget.seconds:
            say(f"the budget of {budget.text} is spent")
            break
        todo = further_runs(selection, plan, covered.open())
        if len(plan.runs) + len(todo) > budget.runs:
            todo = todo[: int(budget.runs) - len(plan.runs)]
        plan = replace(plan, runs=(*plan.runs, *todo))
        number += 1
    return plan, outcomes, covered


def _told(number: int, runs: int, before: Mapping[str, int], covered: Coverage) -> str:
    """A line a round: how many bins of each block are hit, and how many of them newly."""
    texts = [
        f"{block} {report.hit:,} of {report.total:,} bins (+{report.hit - before.get(block, 0):,})"
        for block, report in covered.reports.items()
        if number == 1 or report.hit > before[block] or report.missing()
    ]
    return f"round {number}: {runs} runs; {'; '.join(texts) or 'no coverage'}"
