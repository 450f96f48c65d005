# SPDX-License-Identifier: Apache-2.0
"""``tilepath corners``: whether rows of ``corners.toml`` hit their bins, and the seeds with which.

Lint looks at the rows without a simulator: that there is what they name, and that they play what
they played when their seeds were chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.jobs import Extent, RunOptions, run_regression
from tilepath.engine.commands.planted import bug_files, read_bugs
from tilepath.engine.commands.run_list import Selection
from tilepath.engine.coverage.report import CoverageReport, few
from tilepath.engine.description.registry import block_names, load_block, tests_of
from tilepath.engine.errors import there_are
from tilepath.engine.host.request import RunResult
from tilepath.engine.stimulus.corners import Row, corners_file, read_rows
from tilepath.engine.stimulus.floors import stimulus_digest

Bins = list[tuple[str, str]]


def corners(
    block: str, options: RunOptions, tests: Sequence[str], seeds: int, jobs: int | None
) -> int:
    """Play rows with their seeds and more, ``seeds`` in all; 1 if a row is to be written anew.

    ``tests``: names of rows; with none all are played. Runs that do not pass are no reason for a
    seed; they make the status 1, too.

    Raises:
        UsageError: there are no rows, not the one asked for, or one names what there is not; no run
            of one passed.
    """
    known = [name for name in block_names() if corners_file(name).is_file()]
    if block not in known:
        raise UsageError(f"there are no corners of {block!r}; {there_are(known, block)}")
    if wrong := next(_misnamed(block), None):
        raise UsageError(wrong)
    rows = {row.name: row for row in read_rows(corners_file(block))}
    for name in tests:
        if name not in rows:
            raise UsageError(f"no corner of {block} is {name!r}; {there_are(rows, name)}")
    rows = {name: rows[name] for name in tests or rows}
    number = max(seeds, *(len(row.seeds) for row in rows.values()))
    wanted = Selection((block,), tuple(rows), (), None, number, root_seed=1)
    made: dict[str, Any] = {}
    failed = run_regression(options, wanted, Extent(jobs), tell=made.update)
    stored = [Path(one["run_dir"]) / "result.json" for one in made.get("results", ())]
    runs = [run for run in map(RunResult.from_json, stored) if run.status == "pass"]
    if nothing := sorted(rows.keys() - {run.test for run in runs}):
        raise UsageError(f"no run of {nothing[0]} passed: {options.out}")
    points = load_block(block).coverage(options.profile).report().points
    bad = [
        _judge(row, points, [run for run in runs if run.test == name]) for name, row in rows.items()
    ]
    return int(any(bad) or failed)


def _judge(row: Row, points: Mapping[str, Iterable[str]], runs: Sequence[RunResult]) -> bool:
    """Print what is to be written into a row, if anything is."""
    bins = [one for pattern in row.bins for one in _named(pattern, points)]
    found = [
        CoverageReport.read_json(run.coverage_file).points for run in runs if run.coverage_file
    ]
    hit: Any = np.array([[one[point][name] > 0 for point, name in bins] for one in found])
    own = [run.seed in row.seeds for run in runs]
    every, kept = hit.any(axis=0), hit[own].any(axis=0)
    for (point, name), some in zip(bins, every, strict=True):
        if not some:
            print(f"{row.place}: no seed of {len(runs)} hits {point} {name}")
    chosen = row.seeds
    if not row.seeds or (every & ~kept).any():
        places = [place for place, _ in few(hit, [run.cycles for run in runs])] or [0]
        chosen = tuple(runs[place].seed for place in places)
    block = runs[0].block
    digest = stimulus_digest(block, replace(tests_of(block)[row.name], known=chosen))
    if new := (chosen, digest) != (row.seeds, row.stimulus):
        print(f'{row.place}: write\nseeds = {list(chosen)}\nstimulus = "{digest}"')
    return new or not every.all()


def _named(pattern: str, points: Mapping[str, Iterable[str]]) -> Bins:
    """Return the bins of ``point`` or of ``point bin``, each a pattern."""
    of, _, like = pattern.partition(" ")
    found = [point for point in points if fnmatchcase(point, of)]
    return [(one, name) for one in found for name in points[one] if fnmatchcase(name, like or "*")]


def problems() -> Iterator[str]:
    """Name every row that is not as it should be."""
    for block in block_names():
        if corners_file(block).is_file():
            wrong = list(_misnamed(block))
            yield from wrong
            for row in () if wrong else read_rows(corners_file(block)):
                if stimulus_digest(block, tests_of(block)[row.name]) != row.stimulus:
                    of = "its seeds were chosen for other stimulus: tilepath corners"
                    yield f"{row.place}: {of} {block}"


def _misnamed(block: str) -> Iterator[str]:
    """Name the rows that cannot be read, or name a bin or a bug that there is not."""
    try:
        rows = read_rows(corners_file(block))
        tests_of(block)  # narrows the tables
        bugs = {
            name: bug
            for path in bug_files()
            if path.parent.name == block
            for name, bug in read_bugs(path).items()
        }
    except (UsageError, ValueError) as error:
        yield str(error)
        return
    for row in rows:
        described = load_block(block)
        points: dict[str, set[str]] = {}
        for profile in described.profiles:
            for point, bins in described.coverage(profile).report().points.items():
                points.setdefault(point, set()).update(bins)
        for pattern in row.bins:
            if not _named(pattern, points):
                near = there_are(points, pattern.partition(" ")[0])
                yield f"{row.place}: no bin is {pattern!r}; {near}"
        for name in row.bugs:
            if name not in bugs or bugs[name].caught_by != row.name:
                yield f"{row.place}: no planted bug {name!r} is caught_by it"
