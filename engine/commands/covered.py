# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath coverage`` shows: of stored runs, of databases of other tools, and of plans."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.commands import exchange, report
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.one_line import Tell
from tilepath.engine.coverage.plan import CoveragePlan, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.coverage.report import CoverageReport, few, grown, hits, merge_files
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import block_names, declared_coverage, load_block
from tilepath.engine.host.files import write_whole
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


_DECISION = re.compile(r"^### ([A-Z]\d+) — (.*)$", re.MULTILINE)
_MOST = 8  # labels shown of bins
_STYLE = (
    "body{font:15px system-ui;margin:2em;color-scheme:light dark}table{border-collapse:collapse}"
    "td,th{border:1px solid #8888;padding:.3em .6em;text-align:left;vertical-align:top}"
)


@dataclass(frozen=True)
class _Table:
    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def show_plan(block: str, out: Path | None) -> None:
    """Print the plan of ``block`` as Markdown, or write it to ``out``, which is .md or .html.

    Raises:
        UsageError: no such block, one whose coverage is no table, or another kind of file.
    """
    if out is not None and out.suffix not in (".md", ".html"):
        raise UsageError(f"{out}: a file is called .md or .html")
    tables = list(_tables(block))
    text = _markdown(block, tables)
    if out is None:
        print(text, end="")
        return
    write_whole(out, (_html(block, tables) if out.suffix == ".html" else text).encode())
    print(f"wrote {out}")


def _planned(block: str) -> PlannedCoverage | None:
    with for_user(ValueError):
        model = declared_coverage(load_block(block), "baseline")
    return model if isinstance(model, PlannedCoverage) else None


def _tables(block: str) -> Iterator[_Table]:
    check_block(block)
    model = _planned(block)
    if model is None:
        having = [name for name in block_names() if _planned(name) is not None]
        raise UsageError(f"coverage of {block} is no table; of these it is: {', '.join(having)}")
    cited: set[str] = set()
    points = model.report().points
    head = ("point", "decisions", "bins", "counts rows where", "not counted")
    for plan in model.plans:
        rows = [_row(plan, point, len(points[point.name])) for point in plan.points]
        yield _Table(f"a row a {plan.account}: points", head, rows)
        axes = [(name, one.told(), _labels(one.given)) for name, one in plan.bins.items()]
        yield _Table(f"a row a {plan.account}: bins", ("name", "value", "labels"), axes)
        cited.update(*(point.decisions.split() for point in plan.points))
    titles = decisions()
    own = set(_DECISION.findall(_text(ROOT / "docs" / "decisions" / f"{block}.md")))
    named = sorted(cited | {number for number, _ in own}, key=lambda n: (n[0], int(n[1:])))
    rows = [
        (n, titles.get(n, ""), "" if n in cited else model.without.get(n, "none")) for n in named
    ]
    yield _Table("Decisions", ("decision", "title", "why it has no point"), rows)


def decisions() -> dict[str, str]:
    """Number of each decision → its title."""
    files = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    return dict(pair for file in files for pair in _DECISION.findall(_text(file)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _row(plan: CoveragePlan, point: Point, count: int) -> tuple[str, ...]:
    reasons = dict.fromkeys(rule.reason for rule in plan.group.named[point.name].excludes)
    crossed = " × ".join(point.axes)
    when = [point.when] * (point.when != "1")
    when += [f"each {point.times} times"] * (point.times != "1")
    return point.name, point.decisions, f"{count}: {crossed}", "; ".join(when), "; ".join(reasons)


def _labels(labels: Sequence[str]) -> str:
    if len(labels) <= _MOST:
        return ", ".join(labels)
    return f"{', '.join(labels[: _MOST // 2])}, … {labels[-1]} ({len(labels)})"


def _markdown(block: str, tables: Sequence[_Table]) -> str:
    lines = [f"# Coverage plan of `{block}`"]
    for table in tables:
        lines += ["", f"## {table.title[:1].upper()}{table.title[1:]}", ""]
        cells = [table.head, ("---",) * len(table.head), *table.rows]
        safe = [[cell.replace("|", "\\|") for cell in row] for row in cells]
        lines += [f"| {' | '.join(row)} |" for row in safe]
    return "\n".join((*lines, ""))


def _html(block: str, tables: Sequence[_Table]) -> str:
    parts = [
        f'<!doctype html><meta charset="utf-8"><title>Coverage plan of {escape(block)}</title>',
        f"<style>{_STYLE}</style><h1>Coverage plan of {escape(block)}</h1>",
    ]
    for table in tables:
        parts.append(f"<h2>{escape(table.title[:1].upper() + table.title[1:])}</h2><table>")
        for tag, rows in (("th", [table.head]), ("td", table.rows)):
            parts += [
                f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"
                for row in rows
            ]
        parts.append("</table>")
    return "\n".join((*parts, ""))
