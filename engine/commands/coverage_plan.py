# SPDX-License-Identifier: Apache-2.0
"""The coverage plan of a block as tables that can be laid beside the decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.coverage.plan import CoveragePlan, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host.files import write_whole

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
    model = load_block(block).coverage("baseline")
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
