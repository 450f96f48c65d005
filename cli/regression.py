# SPDX-License-Identifier: Apache-2.0
"""Run a plan: build every block once, run its simulations in parallel, collect the outcomes."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from tilepath.cli.errors import UsageError
from tilepath.cli.plan import Plan, PlannedRun
from tilepath.cli.processes import Interrupted, end_descendants, signals_raise

Status = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class Outcome:
    """What became of one run. ``error`` means that it could not be done or judged."""

    run: PlannedRun
    status: Status
    cycles: int = 0
    events: int = 0
    faults: int = 0
    seconds: float = 0.0
    message: str = ""
    report: Path | None = None
    waves: Path | None = None
    command: str = ""
    coverage_file: Path | None = None

    @property
    def passed(self) -> bool:
        """Whether the run was done, was checked, and all was as expected."""
        return self.status == "pass"


class Runner(Protocol):
    """How a block is built and a run is done; the tests put a fake here."""

    def check(self, blocks: Sequence[str]) -> None:
        """Raise :class:`UsageError` when runs of these blocks cannot work on this machine."""

    def wave_note(self) -> str:
        """What there is to say about the format of the waves, or nothing."""

    def build(self, block: str) -> None:
        """Compile a block; an exception's text becomes the outcome of all its runs."""

    def run(self, run: PlannedRun) -> Outcome:
        """Do one run; called from several threads at once."""


class Progress(Protocol):
    """Told what happens, as it happens."""

    def building(self, block: str) -> None:
        """A build begins."""

    def finished(self, outcome: Outcome) -> None:
        """A run is over."""


def execute(plan: Plan, runner: Runner, jobs: int, progress: Progress) -> list[Outcome]:
    """Do all runs, at most ``jobs`` at once; outcomes are in the order of the plan.

    Raises:
        Interrupted: after Ctrl-C or SIGTERM, once every process started here has ended.
    """
    collected: dict[PlannedRun, Outcome] = {}
    pending: dict[Future[Outcome | None], str | PlannedRun] = {}
    pool = ThreadPoolExecutor(jobs)
    try:
        with signals_raise():
            for block in plan.blocks:
                pending[pool.submit(_build, runner, block, progress)] = block
            while pending:
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    job = pending.pop(future)
                    for outcome in _after(job, future, plan):
                        collected[outcome.run] = outcome
                        progress.finished(outcome)
                    if isinstance(job, str) and future.exception() is None:
                        for run in _runs_of(plan, job):
                            pending[pool.submit(_run, runner, run)] = run
    except Interrupted:
        pool.shutdown(wait=False, cancel_futures=True)
        end_descendants(list(pending))
        raise
    pool.shutdown()
    return [collected[run] for run in plan.runs]


def _build(runner: Runner, block: str, progress: Progress) -> None:
    progress.building(block)
    runner.build(block)


def _run(runner: Runner, run: PlannedRun) -> Outcome:
    outcome = runner.run(run)
    if outcome.passed and outcome.events == 0:
        # The last of several guards: nothing compared is never a pass.
        return replace(outcome, status="error", message="passed without comparing any event")
    return outcome


def _runs_of(plan: Plan, block: str) -> list[PlannedRun]:
    return [run for run in plan.runs if run.block == block]


def _after(job: str | PlannedRun, future: Future[Outcome | None], plan: Plan) -> list[Outcome]:
    """Outcomes that are known now: of one run, or of all runs of a block that did not build."""
    error = future.exception()
    if error is None:
        outcome = future.result()
        return [] if outcome is None else [outcome]
    runs = _runs_of(plan, job) if isinstance(job, str) else [job]
    text = str(error) if isinstance(job, str) else f"{type(error).__name__}: {error}"
    return [Outcome(run, "error", message=text) for run in runs]


def exit_status(outcomes: Sequence[Outcome]) -> int:
    """0 when there are outcomes and all passed, 2 when there are none, else 1."""
    if not outcomes:
        return 2
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def default_jobs() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def output_directory(path: Path) -> Iterator[None]:
    """Make ``path`` and keep other regressions out of it meanwhile.

    Raises:
        UsageError: it cannot be written, or another regression is using it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("w")
    except OSError as error:
        raise UsageError(f"cannot write to {path}: {error.strerror}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"another regression is writing to {path}: wait for it, or give another directory"
            ) from None
        yield
