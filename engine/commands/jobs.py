# SPDX-License-Identifier: Apache-2.0
"""What the commands ``run``, ``list`` and ``check`` do."""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from tilepath.engine.commands import junit, report
from tilepath.engine.commands.compiling import announce_loops
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.given import check_run_dir
from tilepath.engine.commands.one_line import Tell
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.processes import Interrupted, end_descendants, signals_raise
from tilepath.engine.commands.regression import Outcome, default_jobs, execute, exit_status
from tilepath.engine.commands.results import forget_earlier, output_directory, plan_failed
from tilepath.engine.commands.rtl_coverage import show_rtl_coverage
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, make_run_list, select
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.commands.until import Coverage, check_until, until_covered
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.host import waves
from tilepath.engine.host.files import NO_ROOM, check_room
from tilepath.engine.host.origin import now
from tilepath.engine.host.request import started_by_make
from tilepath.engine.project import project

__all__ = ["RunOptions", "check_stored", "list_tests", "run_regression"]

# The tests replace these two.
make_runner: Callable[[RunOptions], EngineRunner] = EngineRunner
make_waves = waves.make_waves


@dataclass(frozen=True)
class Extent:
    """How much of a selection is run: ``max_fail`` failures at most, only what ``failed`` before.

    ``jobs``: runs at once; ``None``: as many as there are cores. ``until``: go on with new seeds
    until every bin is hit, or for this budget. ``witness``: look for one near this, so long.
    """

    jobs: int | None = None
    max_fail: int | None = None
    failed: bool = False
    until: Budget | None = None
    witness: tuple[str, Budget] | None = None


def run_regression(
    options: RunOptions,
    selection: Selection,
    extent: Extent,
    made: Callable[[RunOptions], EngineRunner] | None = None,
    tell: Tell | None = None,
) -> int:
    """Do a whole regression, by ``made`` if that is given, and return the exit status.

    ``tell`` gets the results of the runs as they are stored.

    Raises:
        UsageError: a wrong selection, a missing tool.
        Interrupted: Ctrl-C or SIGTERM; no result file of the regression is left behind, unless
            only waves are missing.
        OSError: a full disk, for one; likewise.
    """
    check_profile(options.profile)
    if extent.failed:
        plan = plan_failed(options.out, options.sim, options.profile, selection)
    else:
        plan = make_run_list(selection)
    if extent.until is not None:
        check_until(plan, selection, options.coverage)
    if extent.witness is not None:
        plan = project().extension("witness").candidates(plan, options.profile, *extent.witness)
        extent, options = replace(extent, max_fail=1), replace(options, coverage=False)
    runner = (made or make_runner)(options)
    runner.check(plan)
    console = report.make_console()
    say = partial(report.say, console)
    with output_directory(options.out, waits=True), _room_named(options.out):
        plan = replace(plan, first=_rankings(options.out, plan.blocks))
        forget_earlier(options.out, plan)
        _announce(console, options, plan, runner.wave_note())
        began = now()
        run_all = partial(_run_all, runner, extent, console)
        covered = Coverage()
        if extent.until is None:
            outcomes = run_all(plan)
            covered.add(outcomes)
        else:
            plan, outcomes, covered = until_covered(plan, selection, extent.until, run_all, say)
        report.print_results(console, outcomes, len(plan.runs))
        report.print_slowest(console, outcomes)
        report.print_spent(console, outcomes)
        _show_covered(console, options, covered, plan.first)
        listed = not options.rtl_coverage or _rtl_covered(console, options, outcomes)
        _leave_results(options, plan, outcomes, began, say)
        say(*(f"error: {text}" for text in plan.broken))
        if options.waves is None:
            failures = [one for one in outcomes if one.status == "fail"]
            _add_waves([group[0] for group in report.alike(failures)], say)
        if tell is not None:
            told = {"root_seed": plan.root_seed, "planned": len(plan.runs), "broken": plan.broken}
            tell({**told, "results": [_stored(one.run.folder(options.out)) for one in outcomes]})
    left = extent.until is not None and bool(covered.open())
    return exit_status(outcomes) or int(bool(plan.broken) or left or not listed)


def _run_all(
    runner: EngineRunner, extent: Extent, console: Console, plan: RunList
) -> list[Outcome]:
    @cache  # from the first run on: what is compiled before is no search
    def end() -> float:
        return time.monotonic() + (extent.witness[1].seconds if extent.witness else float("inf"))

    def begins(_run: PlannedRun) -> bool:
        return time.monotonic() <= end()

    with report.ShowProgress(console, plan.runs) as progress:
        jobs = extent.jobs or default_jobs()
        return execute(plan, runner, jobs, progress, extent.max_fail, begins)


def _leave_results(
    options: RunOptions,
    plan: RunList,
    outcomes: Sequence[Outcome],
    began: str,
    say: Callable[[str], None],
) -> None:
    """Write JUnit's file; of a run that somebody plays alone, what the project says of it."""
    results = options.out / "results.xml"
    about = {"sim": options.sim, "profile": options.profile}
    about |= {"rtl": options.rtl.name} if options.rtl else {}
    junit.write(results, junit.Part(plan, outcomes, began, about))
    say(f"results: {results}")
    if started_by_make() and len(outcomes) == 1 and outcomes[0].passed:
        run = outcomes[0].run
        project().of_one_run(run.block, run.folder(options.out))


def _stored(folder: Path) -> dict[str, Any]:
    """A run's result, and where its files are."""
    return {**json.loads((folder / "result.json").read_text()), "run_dir": str(folder)}


def _rtl_covered(console: Console, options: RunOptions, outcomes: Iterable[Outcome]) -> bool:
    """Show what of the RTL the passed runs have reached; whether the lists of the rest are true."""
    folders: dict[str, list[Path]] = {}
    for run in (outcome.run for outcome in outcomes if outcome.passed):
        folders.setdefault(run.block, []).append(run.folder(options.out))
    shown = [
        show_rtl_coverage(console, options.out, options.profile, *some) for some in folders.items()
    ]
    return all(shown)


@contextlib.contextmanager
def _room_named(out: Path) -> Iterator[None]:
    """An ``OSError`` for want of room that names no file names ``out``, if that is the full one."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM and not error.filename:
            check_room(out)
        raise


@for_user(ValueError)
def check_profile(name: str) -> None:
    """``UsageError`` unless there is such a profile."""
    project().profiles.get(name)


def _announce(console: Console, options: RunOptions, plan: RunList, note: str) -> None:
    seed = "" if plan.root_seed is None else f", root seed {plan.root_seed}"
    what = f"{len(plan.runs)} runs of {', '.join(plan.blocks)}"
    lines = [f"{what} with {options.sim}, profile {options.profile}{seed}"]
    lines += [f"error: {text}" for text in plan.broken]
    lines += options.rtl.told() if options.rtl else []
    report.say(console, *lines, *[f"note: {note}"] * bool(note))


def _rankings(out: Path, blocks: Iterable[str]) -> dict[str, list[str]]:
    """Block → tests that hit most in an earlier regression with these results, first the best."""
    found = {}
    for block in blocks:
        with contextlib.suppress(ValueError):  # none, or damaged: it will be written anew
            found[block] = CoverageReport.read_json(out / block / "coverage.json").ranking
    return found


def _show_covered(
    console: Console, options: RunOptions, covered: Coverage, first: Mapping[str, Sequence[str]]
) -> None:
    for block, found in covered.reports.items():
        # tests that were not run this time keep their place behind the others
        found.ranking = list(dict.fromkeys((*covered.ranking(block), *first.get(block, ()))))
        found.write_json(options.out / block / "coverage.json")
    report.print_coverage_summary(console, covered.reports)
    if covered.open():
        console.print(f"what was not hit: tilepath coverage {options.out}", soft_wrap=True)


def list_tests(selection: Selection, tell: Tell | None = None) -> None:
    """Print the tests that were asked for, and the tags that they can be chosen by; or ``tell``.

    Raises:
        UsageError: an unknown block, test or tag; and, after the others, blocks that do not load.
    """
    table = report.table_of("block", "test", "kind", ">seeds", "what it does")
    rows: list[dict[str, Any]] = []
    chosen = select(selection)
    for block, tests in chosen.tests.items():
        for name, test in tests.items():
            table.add_row(block, name, test.kind, str(test.seeds), escape(test.summary))
            row = {"block": block, "test": name, "kind": test.kind, "seeds": test.seeds}
            rows.append({**row, "summary": test.summary, "tags": sorted(test.tags)})
    if tell is None:
        console = report.make_console()
        console.print(table)
        tags = sorted({tag for row in rows for tag in row["tags"]})
        report.say(console, f"tags: {', '.join(tags)}")
    else:
        tell({"tests": rows})
    if chosen.broken:
        raise UsageError("; ".join(chosen.broken))


def check_stored(run_dirs: Iterable[Path], block: str | None = None) -> int:
    """Check stored traces again; 0 when all pass.

    Raises:
        UsageError: a directory that holds no run, or one of another block than ``block``.
    """
    from tilepath.engine.checking.stored import check_run

    folders = list(run_dirs)
    for folder in folders:
        check_run_dir(folder, block)
    say = partial(report.say, report.make_console())
    announce_loops()
    status = 0
    for folder in folders:
        with for_user(ValueError):
            result = check_run(folder)
        passed = result.status == "pass" and result.events
        note = f", {result.message}" if passed and result.message else ""
        say(f"{folder}: {result.status}, {result.events:,} events checked{note}")
        if not passed:
            status = 1
            say(result.message)
    return status


def _add_waves(outcomes: Sequence[Outcome], say: Callable[[str], None]) -> None:
    """Make waves around the mismatches of ``outcomes``; Ctrl-C leaves out those that are not there.

    The verdicts are all there by then: if this fails, only waves are lost.

    Raises:
        Interrupted: SIGTERM, or a closed terminal.
    """
    pending: list[Future[str]] = []
    pool = ThreadPoolExecutor(1)
    try:
        with signals_raise():
            for outcome in outcomes:
                pending = [pool.submit(_told, outcome, say)]
                if text := pending[0].result():
                    say(text)
    except Interrupted as error:
        pool.shutdown(wait=False, cancel_futures=True)
        end_descendants(pending)
        if error.exit_status != 128 + signal.SIGINT:
            raise
        say("interrupted: no more waves")
    pool.shutdown()


def _told(outcome: Outcome, say: Callable[[str], None]) -> str:
    """Make waves of one run; what became of them, in a line, or nothing if none were to be made."""
    label, report = outcome.run.label, outcome.report
    if report is None:
        return ""

    def begins(what: str) -> None:
        say(f"making waves of {label}{what and f': {what}'} (Ctrl-C: without)")

    try:
        path = make_waves(report if report.is_dir() else report.parent, begins)
    except Exception as error:  # the verdict matters more
        return f"no waves of {label}: {str(error).partition(chr(10))[0]}"
    return f"waves of {label}: {path}" if path else ""
