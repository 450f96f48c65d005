# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath coverage`` shows of stored runs and of databases of other tools."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.commands import exchange, report
from tilepath.engine.commands.as_json import Tell
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.coverage.report import CoverageReport, few, grown, hits, merge_files
from tilepath.engine.host.request import RunResult

Runs = dict[tuple[str, str], list[RunResult]]
"""Block and profile → its passed runs that have coverage."""

DEFAULT: Final = Path("runs")
_SHOWN_NEW: Final = 3


def stored_runs(directory: Path) -> Runs:
    """The passed runs with coverage below ``directory``, in the order in which they began.

    Raises:
        UsageError: there is no such directory, or a damaged result.
    """
    if not directory.is_dir():
        raise UsageError(f"there is no directory {directory}")
    with for_user(ValueError):
        results = [RunResult.from_json(path) for path in sorted(directory.glob("**/result.json"))]
    found: Runs = {}
    for result in sorted(results, key=lambda one: one.began):
        if result.status == "pass" and result.coverage_file is not None:
            found.setdefault((result.block, result.profile), []).append(result)
    return found


def files_of(runs: Iterable[RunResult]) -> list[Path]:
    """Their coverage files."""
    return [run.coverage_file for run in runs if run.coverage_file is not None]


def show_growth(directory: Path | None, *, every_bin: bool) -> None:
    """Print which run hit which bins first, by block and profile, in the order of their beginning.

    Of long lists of bins only the beginning is shown, unless ``every_bin`` is set.

    Raises:
        UsageError: as :func:`show_coverage`.
    """
    for (block, profile), runs in _some(directory).items():
        found = None
        for run in runs:
            found = grown(found, f"{run.test}-{run.seed}", _report(run))
        assert found is not None
        most = sys.maxsize if every_bin else _SHOWN_NEW
        report.print_growth(report.make_console(), f"{block} ({profile})", found, most)


def show_ranking(directory: Path | None) -> None:
    """Print, by block and profile, few runs that hit every bin that all of them hit.

    Raises:
        UsageError: as :func:`show_coverage`.
    """
    for (block, profile), runs in _some(directory).items():
        reports = [_report(run) for run in runs]
        every = {point: list(bins) for one in reports for point, bins in one.points.items()}
        hit = np.array([hits(one, every) for one in reports])
        chosen = [(runs[n], adds) for n, adds in few(hit, [run.cycles for run in runs])]
        rows = [(f"{run.test}-{run.seed}", adds, run.cycles) for run, adds in chosen]
        title = f"{block} ({profile})"
        report.print_ranking(report.make_console(), title, rows, len(runs), hit.shape[1])


def _some(directory: Path | None) -> Runs:
    runs = stored_runs(directory or DEFAULT)
    if not runs:
        raise UsageError(f"no passed run below {directory or DEFAULT} has coverage")
    return runs


@for_user(ValueError)
def _report(run: RunResult) -> CoverageReport:
    return merge_files(files_of([run]))


def show_coverage(
    directory: Path | None,
    imported: Sequence[Path],
    export: Path | None,
    *,
    every_bin: bool,
    tell: Tell | None = None,
) -> None:
    """Print, ``tell`` or write to ``export`` what was covered, by block and profile.

    It is the sum of all passed runs below ``directory`` and of the databases ``imported``; only
    these where there is no directory given and none of the usual name. Of long lists of bins not
    hit only the beginning is shown, unless ``every_bin`` is set.

    Raises:
        UsageError: there is no such directory, nothing with coverage, a damaged file, a database
            with nothing of ours, a name that says no format.
        OSError: ``export`` cannot be written; what was there is as before.
    """
    if export is not None:
        exchange.check_name(export)
    runs = (
        {}
        if directory is None and not DEFAULT.is_dir() and imported
        else stored_runs(directory or DEFAULT)
    )
    with for_user(ValueError):
        merged = {key: merge_files(files_of(some)) for key, some in runs.items()}
    for path in imported:
        note = exchange.add_database(path, merged)
        print(f"{path}: {note}")
    if not merged:
        raise UsageError(f"no passed run below {directory or DEFAULT} has coverage")
    if export is not None:
        exchange.export(export, merged, runs)
        print(f"wrote {export}")
        return
    if tell is not None:
        of = [{"hit": one.hit, "bins": one.total, **one.as_json()} for one in merged.values()]
        tell({"coverage": of})
        return
    most = sys.maxsize if every_bin else 16
    for (block, profile), found in merged.items():
        report.print_coverage(report.make_console(), f"{block} ({profile})", found, most)
