# SPDX-License-Identifier: Apache-2.0
"""``tilepath corners``: whether each row of a block's ``corners.toml`` is needed, and its seeds.

The other tests of the default regression are run once, and each row with some seeds. Kept are few
seeds that hit all bins that the rows name, whatever seeds the other tests have; of a row's bins
some must be missed by those tests, or hit by chance: in one run of a random test. Planted bugs that
it names must be found by it, and by no test that is no row.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from tilepath.cli.covered import files_of
from tilepath.cli.errors import UsageError
from tilepath.cli.jobs import Extent, RunOptions, run_regression
from tilepath.cli.plan import Selection, first_seeds
from tilepath.cli.planted import Bug, bug_files, copy_sources, read_bugs
from tilepath.isa.errors import there_are
from tilepath.sequences.kernel.corners import Row, corners_file, read_rows, with_seeds
from tilepath.tb.kernel.coverage.report import few, hits, merge_files
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import block_names, load_block, tests_of
from tilepath.tb.kernel.host.files import write_whole
from tilepath.tb.kernel.host.request import RunResult
from tilepath.tb.kernel.host.run import RunRequest, run

_SIM = "verilator"
_ROOT_SEED = 1
Bins = list[tuple[str, str]]


@dataclass(frozen=True)
class Wanted:
    """What is asked for: ``seeds`` to try of each row; ``write`` those that are kept."""

    block: str
    profile: str
    seeds: int
    jobs: int | None
    out: Path
    write: bool


def corners(wanted: Wanted) -> int:
    """Print of each row what it is needed for; 1 if a row is needed for nothing, or misses a bin.

    Raises:
        UsageError: the block has no rows; one is wrong, or names a bin or bug that there is not.
    """
    path = corners_file(wanted.block)
    if wanted.block not in block_names() or not path.is_file():
        known = there_are((name for name in block_names() if corners_file(name).is_file()), "")
        raise UsageError(f"there are no corners of {wanted.block!r}; {known}")
    if wrong := next(_problems(wanted.block), None):
        raise UsageError(wrong)
    rows = read_rows(path)
    names = [row.name for row in rows]
    others = tuple(name for name in tests_of(wanted.block) if name not in names)
    rest = _runs(wanted, "rest", Selection((wanted.block,), others, root_seed=_ROOT_SEED))
    tried = _runs(
        wanted, "rows", Selection((wanted.block,), tuple(names), (), None, wanted.seeds, _ROOT_SEED)
    )
    seeds, missed = _chosen(wanted, rows, rest, tried)
    failed = bool(missed)
    for point, name in missed:
        print(f"no row hits {point} {name}")
    for row in rows:
        bugs = [one for one in row.bugs if _needed(wanted, row, _bugs(wanted.block)[one], others)]
        found = seeds[row.name]
        new = sum(found.values())
        told = f"{new} bins with seeds {', '.join(map(str, found)) or 'none'}"
        print(f"{row.name}: {told}; bugs: {', '.join(bugs) or 'none'}")
        if lost := set(row.bugs) - set(bugs):
            failed = True
            print(f"{row.place}: {row.name} is not needed for {', '.join(sorted(lost))}")
        if not new and not bugs:
            failed = True
            print(f"{row.place}: {row.name} is needed for no bin and no bug")
    if wanted.write and not failed:
        kept = {row.name: list(seeds[row.name]) or row.seeds[:1] or (1,) for row in rows}
        write_whole(path, with_seeds(path.read_text(), kept).encode())
        print(f"wrote {path.relative_to(ROOT)}")
    return int(failed)


def _runs(wanted: Wanted, folder: str, selection: Selection) -> list[RunResult]:
    """Runs that passed with coverage; :class:`UsageError` unless all did."""
    out = wanted.out / folder
    made: dict[str, Any] = {}
    options = RunOptions(_SIM, wanted.profile, out)
    if run_regression(options, selection, Extent(wanted.jobs), tell=made.update):
        raise UsageError(f"not all runs passed: {out}")
    return [RunResult.from_json(Path(one["run_dir"]) / "result.json") for one in made["results"]]


def _chosen(
    wanted: Wanted, rows: Sequence[Row], rest: Sequence[RunResult], tried: Sequence[RunResult]
) -> tuple[dict[str, dict[int, int]], Bins]:
    """Row → seed that is kept → bins that it alone hits; and the rows' bins that no row hits."""
    every = _bins(wanted.block, wanted.profile)
    asked = {bin_ for row in rows for pattern in row.bins for bin_ in _named(pattern, every)}
    points = {point: [name for one, name in every if one == point] for point, _ in every}
    wide = [bin_ in asked for bin_ in every]
    drawn = [tests_of(wanted.block)[one.test].kind == "random" for one in rest]
    times = np.array([hits(merge_files(files_of([one])), points) for one in rest])
    before = times[np.invert(drawn)].any(axis=0) | (times[drawn].sum(axis=0) > 1)
    # the seeds that are kept already come first, so that they stay where others are no better
    known = {row.name: row.seeds for row in rows}
    tried = sorted(tried, key=lambda one: (one.seed not in known[one.test], one.test))
    hit = np.array([hits(merge_files(files_of([one])), points) for one in tried])
    seeds: dict[str, dict[int, int]] = {row.name: {} for row in rows}
    left = np.array(wide)
    for number, _ in few(hit & left, [one.cycles for one in tried]):
        seeds[tried[number].test][tried[number].seed] = int((hit[number] & left & ~before).sum())
        left &= ~hit[number]
    return seeds, [bin_ for bin_, open_ in zip(every, left, strict=True) if open_]


def _needed(wanted: Wanted, row: Row, bug: Bug, others: Iterable[str]) -> bool:
    """Whether a row finds a bug that no other test finds."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_sources(root, load_block(wanted.block), assertions=False)
        for name, text in bug.planted().items():
            (root / name).write_text(text)

        def found(test: str) -> bool:
            seeds = first_seeds(_ROOT_SEED, wanted.block, test, tests_of(wanted.block)[test])
            asked = (
                RunRequest(wanted.block, test, seed, _SIM, wanted.profile, source_root=root,
                           build_root=root / "build", out_dir=root / "runs", coverage=False)
                for seed in seeds
            )  # fmt: skip
            return any(run(request).report is not None for request in asked)

        return found(row.name) and not any(map(found, others))


def _bins(block: str, profile: str) -> Bins:
    report = load_block(block).coverage(profile).report()
    return [(point, name) for point, names in report.points.items() for name in names]


def _named(pattern: str, every: Bins) -> Collection[tuple[str, str]]:
    """The bins of ``point`` or of ``point bin``, each a pattern."""
    point, _, name = pattern.partition(" ")
    return [one for one in every if fnmatchcase(one[0], point) and fnmatchcase(one[1], name or "*")]


def _bugs(block: str) -> Mapping[str, Bug]:
    files = [path for path in bug_files() if path.parent.name == block]
    return {name: bug for path in files for name, bug in read_bugs(path).items()}


def problems() -> Iterator[str]:
    """Name every row that is not as it should be."""
    for block in block_names():
        yield from _problems(block) if corners_file(block).is_file() else ()


def _problems(block: str) -> Iterator[str]:
    try:
        rows = read_rows(corners_file(block))
        tests_of(block)  # narrows the tables
    except ValueError as error:
        yield str(error)
        return
    every, bugs = _bins(block, "baseline"), _bugs(block)
    points = dict.fromkeys(point for point, _ in every)
    for row in rows:
        for pattern in row.bins:
            if not _named(pattern, every):
                near = there_are(points, pattern.partition(" ")[0])
                yield f"{row.place}: {row.name}: no bin is {pattern!r}; {near}"
        for name in row.bugs:
            if name not in bugs:
                yield f"{row.place}: {row.name}: no bug is {name!r}; {there_are(bugs, name)}"
