# SPDX-License-Identifier: Apache-2.0
"""Run a plan: build every block once, run its simulations in parallel, collect the outcomes."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeGuard

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.processes import end_descendants, signals_raise
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.host.files import NO_ROOM
from tilepath.engine.host.launch import KILLED

if TYPE_CHECKING:
    from tilepath.engine.commands.report import ShowProgress
    from tilepath.engine.commands.simulation import EngineRunner

Status = Literal["pass", "fail", "error"]

_TRIES: Final = 3
"""Runs whose simulator somebody kills; the system does, too, for want of memory."""


@dataclass(frozen=True)
class Outcome:
    """What became of one run. ``error`` means that it could not be done or judged.

    ``spent``: CPU seconds by part, as ``host.spent`` has them; ``digest`` of the traces,
    ``signature``, ``counts`` and ``compiled`` as in a run's result.
    """

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
    spent: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""
    signature: str = ""
    compiled: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the run was done, was checked, and all was as expected."""
        return self.status == "pass"


def execute(
    plan: RunList,
    runner: EngineRunner,
    jobs: int,
    progress: ShowProgress,
    max_fail: int | None = None,
    begins: Callable[[PlannedRun], bool] = lambda _run: True,
    stop: Callable[[], None] = lambda: None,
) -> list[Outcome]:
    """Do all runs, at most ``jobs`` at once; outcomes are in the order of the plan.

    Blocks are built beside the runs of those that are there already, one a core. After
    ``max_fail`` failures no run is begun any more; those not begun have no outcome. A block that
    does not build is one failure. ``begins`` is asked before each run, in its thread, whether to
    begin it; ``stop`` ends what runs are waiting for that is no process here.

    Raises:
        Interrupted: after Ctrl-C or SIGTERM, once every process started here has ended.
        OSError: as soon as there is no room to write, likewise.
        UsageError: as soon as a run raises it, likewise.
    """
    collected: dict[PlannedRun, Outcome] = {}
    pending: dict[Future[Outcome | None], str | PlannedRun] = {}
    patience = _Patience(max_fail)
    pool, builder = ThreadPoolExecutor(jobs), ThreadPoolExecutor(default_jobs())
    try:
        with signals_raise():
            for block in runner.in_order(plan.blocks):
                pending[builder.submit(_build, runner, block, progress, patience)] = block
            while pending:
                ended = wait(pending, return_when=FIRST_COMPLETED).done
                # in their order, but what ends all comes after the verdicts that are there
                done = [future for future in pending if future in ended]
                for future in sorted(done, key=lambda one: _ends_all(one.exception())):
                    job = pending.pop(future)
                    error = future.exception()
                    if _ends_all(error):
                        raise error  # no other run would fare better
                    for outcome in _after(job, future, plan):
                        if future.exception() is not None:
                            runner.record(outcome)
                        collected[outcome.run] = outcome
                        progress.finished(outcome)
                    if isinstance(job, str) and future.exception() is None:
                        for run in plan.to_do(job):
                            pending[pool.submit(_run, runner, run, patience, begins)] = run
    except BaseException:  # interrupted, or there is nowhere to write to
        patience.end()
        for executor in (builder, pool):
            executor.shutdown(wait=False, cancel_futures=True)
        stop()
        end_descendants(list(pending))
        raise
    builder.shutdown()
    pool.shutdown()
    return [collected[run] for run in plan.runs if run in collected]


def _is_no_room(error: BaseException | None) -> TypeGuard[OSError]:
    return isinstance(error, OSError) and error.errno in NO_ROOM


def _ends_all(error: BaseException | None) -> TypeGuard[OSError | UsageError]:
    return isinstance(error, UsageError) or _is_no_room(error)


class _Patience:
    """Counts failures, in the threads where they happen, so that none is begun too many."""

    def __init__(self, most: int | None) -> None:
        self._left = float("inf") if most is None else most
        self._lock = threading.Lock()

    @property
    def at_end(self) -> bool:
        """Whether nothing is to be begun any more."""
        return self._left <= 0

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """An exception inside is a failure; after that of a full disk nothing is begun."""
        try:
            yield
        except Exception as error:
            if _is_no_room(error):
                self.end()
            self.failed()
            raise

    def end(self) -> None:
        """Have none left."""
        with self._lock:
            self._left = 0

    def failed(self) -> None:
        """Count one."""
        with self._lock:
            self._left -= 1


def _build(runner: EngineRunner, block: str, progress: ShowProgress, patience: _Patience) -> None:
    if patience.at_end:
        return
    with patience.watch():
        runner.build(block, progress)


def _run(
    runner: EngineRunner, run: PlannedRun, patience: _Patience, begins: Callable[[PlannedRun], bool]
) -> Outcome | None:
    if patience.at_end:
        return None
    with patience.watch():
        if not begins(run):
            return None
        for _ in range(_TRIES):
            outcome = runner.run(run)
            lost = outcome.status == "error" and outcome.message.startswith(KILLED)
            if not lost or patience.at_end:
                break
    if outcome.passed and outcome.events == 0:
        # The last of several guards: nothing compared is never a pass.
        outcome = replace(outcome, status="error", message="passed without comparing any event")
    if not outcome.passed:
        patience.failed()
    return outcome


def _after(job: str | PlannedRun, future: Future[Outcome | None], plan: RunList) -> list[Outcome]:
    """Outcomes that are known now: of one run, or of all runs of a block that did not build."""
    error = future.exception()
    if error is None:
        outcome = future.result()
        return [] if outcome is None else [outcome]
    runs = plan.to_do(job) if isinstance(job, str) else [job]
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
