# SPDX-License-Identifier: Apache-2.0
"""What the commands ``run``, ``list``, ``check`` and ``coverage`` do."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tilepath.cli import report
from tilepath.cli.errors import UsageError
from tilepath.cli.plan import Catalogue, Plan, Selection, make_plan
from tilepath.cli.regression import (
    Outcome,
    Runner,
    default_jobs,
    execute,
    exit_status,
    output_directory,
)
from tilepath.cli.simulation import KernelCatalogue, KernelRunner, RunOptions
from tilepath.isa import IsaError, profiles
from tilepath.tb.kernel.coverage.report import CoverageReport, merge_files
from tilepath.tb.kernel.host.request import RunResult

__all__ = ["RunOptions", "check_stored", "list_tests", "run_regression", "show_coverage"]

# The tests replace these two.
make_catalogue: Callable[[], Catalogue] = KernelCatalogue
make_runner: Callable[[RunOptions], Runner] = KernelRunner


def run_regression(options: RunOptions, selection: Selection, jobs: int | None) -> int:
    """Do a whole regression and return the exit status.

    Raises:
        UsageError: a wrong selection, a missing tool, an output directory in use.
        Interrupted: Ctrl-C or SIGTERM; no result file of the regression is left behind.
    """
    try:
        profiles.get(options.profile)
    except IsaError as error:
        raise UsageError(str(error)) from None
    plan = make_plan(make_catalogue(), selection)
    runner = make_runner(options)
    runner.check(plan.blocks)
    console = report.make_console()
    with output_directory(options.out):
        _forget_earlier(options.out, plan)
        _announce(console, options, plan, runner.wave_note())
        with report.ShowProgress(console, len(plan.runs)) as progress:
            outcomes = execute(plan, runner, jobs or default_jobs(), progress)
        report.print_results(console, outcomes)
        report.print_slowest(console, outcomes)
        _merge_coverage(console, options, outcomes)
        results = options.out / "results.xml"
        report.write_junit(results, plan, outcomes, sim=options.sim, profile=options.profile)
        console.print(f"results: {results}", markup=False, soft_wrap=True)
    return exit_status(outcomes)


def _announce(console: Console, options: RunOptions, plan: Plan, note: str) -> None:
    seed = "" if plan.root_seed is None else f", root seed {plan.root_seed}"
    console.print(
        f"{len(plan.runs)} runs of {', '.join(plan.blocks)} with {options.sim}, "
        f"profile {options.profile}{seed}",
        markup=False,
    )
    if note:
        console.print(f"note: {note}", markup=False)


def _forget_earlier(out: Path, plan: Plan) -> None:
    """Remove what an earlier regression left, so that nothing of it is taken for this one's.

    A run with a given seed leaves the folders of other seeds alone: one is being looked into.
    """
    (out / "results.xml").unlink(missing_ok=True)
    for block in plan.blocks:
        (out / block / "coverage.json").unlink(missing_ok=True)
    if plan.root_seed is None:
        return
    for block, test in {(run.block, run.test) for run in plan.runs}:
        for folder in (out / block).glob("*"):
            if re.fullmatch(rf"{re.escape(test)}-\d+", folder.name) and folder.is_dir():
                shutil.rmtree(folder)


def _merge_coverage(console: Console, options: RunOptions, outcomes: Sequence[Outcome]) -> None:
    files: dict[str, list[Path]] = {}
    for outcome in outcomes:
        if outcome.passed and outcome.coverage_file is not None:
            files.setdefault(outcome.run.block, []).append(outcome.coverage_file)
    merged: dict[str, CoverageReport] = {}
    for block, paths in files.items():
        merged[block] = merge_files(paths)
        merged[block].write_json(options.out / block / "coverage.json")
    report.print_coverage_summary(console, merged)
    if any(found.missing() for found in merged.values()):
        console.print(f"what was not hit: tilepath coverage {options.out}", soft_wrap=True)


def list_tests() -> None:
    """Print every test of every block."""
    catalogue = make_catalogue()
    table = Table("block", "test", "kind", box=None, pad_edge=False, header_style="bold")
    table.add_column("seeds", justify="right")
    table.add_column("what it does")
    for block in catalogue.blocks():
        for name, test in catalogue.tests(block).items():
            table.add_row(block, name, test.kind, str(test.seeds), escape(test.summary))
    report.make_console().print(table)


def check_stored(run_dirs: Iterable[Path]) -> int:
    """Check stored traces again; 0 when all pass.

    Raises:
        UsageError: a directory that holds no run.
    """
    from tilepath.tb.kernel.checking.stored import check_run

    folders = list(run_dirs)
    for folder in folders:
        if not (folder / "request.json").is_file():
            raise UsageError(f"{folder} is not the directory of a run")
    console = report.make_console()
    status = 0
    for folder in folders:
        try:
            result = check_run(folder)
        except ValueError as error:
            raise UsageError(str(error)) from None
        console.print(
            f"{folder}: {result.status}, {result.events:,} events checked",
            markup=False,
            soft_wrap=True,
        )
        if result.status != "pass" or result.events == 0:
            status = 1
            console.print(result.message, markup=False, soft_wrap=True)
    return status


def show_coverage(directory: Path, *, every_bin: bool) -> None:
    """Print the merged coverage of all passed runs below ``directory``, by block and profile.

    Of long lists of bins not hit only the beginning is shown, unless ``every_bin`` is set.

    Raises:
        UsageError: there is no such directory, no passed run with coverage, or a damaged file.
    """
    if not directory.is_dir():
        raise UsageError(f"there is no directory {directory}")
    files: dict[tuple[str, str], list[Path]] = {}
    try:
        for path in sorted(directory.glob("**/result.json")):
            result = RunResult.from_json(path)
            if result.status == "pass" and result.coverage_file is not None:
                files.setdefault((result.block, result.profile), []).append(result.coverage_file)
        merged = {key: merge_files(paths) for key, paths in files.items()}
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not merged:
        raise UsageError(f"no passed run below {directory} has coverage")
    most = sys.maxsize if every_bin else 16
    for (block, profile), found in merged.items():
        report.print_coverage(report.make_console(), f"{block} ({profile})", found, most)
