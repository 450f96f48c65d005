# SPDX-License-Identifier: Apache-2.0
"""``tilepath report``: a page of a file's last regression, and of how others went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Row
from typing import Any, Final

import jinja2
import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.stored import stored_mismatch
from tilepath.engine.commands import junit
from tilepath.engine.commands.errors import UsageError, writing
from tilepath.engine.commands.mutate import Judged, stored
from tilepath.engine.commands.regress.show import COUNTS, TRENDS, TRIAGE
from tilepath.engine.commands.regress.store import Group, Store, planned
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report_page.drawn import growth, waveform
from tilepath.engine.commands.rtl_coverage import HEADS, modules
from tilepath.engine.commands.run_list import RunList
from tilepath.engine.host.files import write_whole

_SLOWEST: Final = 20  # jobs
_OTHERS: Final = 100  # jobs named that failed like another one
_GROUPS: Final = 1000  # of failures; where each job fails in its own way the page stays small
_WHOLE: Final = 50  # groups with report and waveform
_LONGEST: Final = 20_000  # characters of a report
_SECTIONS: Final = {"failures": "Failures", "tests": "Tests", "coverage": "Coverage",
                    "mutants": "Mutants", "slow": "Slowest jobs", "trends": "Trends"}  # fmt: skip
_PLACE: Final = "sim || ', ' || profile"


@dataclass(frozen=True)
class Page:
    """The last regression of ``store``; ``folder`` is where its runs are, if they still are.

    ``measured``: folders of regressions that ``tilepath run`` did with ``--rtl-coverage``.
    ``mutants``: what became of mutants, a block each.
    """

    store: Store
    last: Mapping[str, Any]
    folder: Path
    measured: Sequence[Path] = ()
    mutants: Sequence[Judged] = ()

    def facts(self) -> Mapping[str, Any]:
        """What the template shows."""
        counts = {name: int(n) for name, n in dict(self.rows(COUNTS)[0]).items()}
        groups, trends = list(self.groups()), self.store.rows(TRENDS)
        some = {"failures": groups, "mutants": self.mutants}
        shown = [name for name in _SECTIONS if some.get(name, True)]
        return {
            "title": f"Regression {self.last['id']} of {self.store.path.stem}",
            "about": self.about(),
            "failed": counts["failed"] + counts["differ"],
            "done": counts["jobs"] - counts["left"],
            "left": counts["left"],
            "sections": [(name, _SECTIONS[name]) for name in shown],
            "groups": groups,
            **self.matrix(),
            "coverage": list(self.coverage()),
            "code": {"heads": HEADS, "found": list(self.code())},
            "mutants": self.mutants,
            "slowest": self.slowest(),
            "trends": [
                (row["block"], row["began"], row["revision"][:12], row["jobs"], int(row["failed"]),
                 row["groups"], f"{row['seconds']:.1f}")
                for row in trends
            ],
        }  # fmt: skip

    def about(self) -> str:
        """Say when it ran, of which revision, with which seed."""
        query = "SELECT DISTINCT revision FROM jobs WHERE regression = ? AND revision IS NOT NULL"
        revisions = [row[0][:12] for row in self.rows(query)]
        seed = self.last["root_seed"]
        parts = [f"begun {self.last['began']}"]
        parts += [f"ended {self.last['ended']}"] if self.last["ended"] else ["not ended"]
        parts += [f"revision {', '.join(revisions)}"] if revisions else []
        return ", ".join(parts + ([f"root seed {seed}"] if seed else []))

    def rows(self, query: str) -> list[Row]:
        """What a query finds of this regression."""
        return self.store.rows(query, self.last["id"])

    def matrix(self) -> Mapping[str, Any]:
        """Jobs that passed and that are done, by test and configuration."""
        found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        for row in self.rows(
            f"SELECT block, test, {_PLACE} AS place, total(verdict = 'pass') AS passed, "
            "count(verdict) AS done FROM jobs WHERE regression = ? "
            "GROUP BY block, test, place ORDER BY block, test, place"
        ):
            cell = int(row["passed"]), row["done"]
            found.setdefault((row["block"], row["test"]), {})[row["place"]] = cell
        places = sorted({place for cells in found.values() for place in cells})
        matrix = [(*key, [cells.get(place) for place in places]) for key, cells in found.items()]
        return {"places": places, "matrix": matrix}

    def groups(self) -> Iterator[Mapping[str, Any]]:
        """Failures that are alike: the shortest, and the others by name."""
        for number, row in enumerate(self.rows(f"{TRIAGE} LIMIT {_GROUPS}")):
            whole = number < _WHOLE
            alike = [
                f"{other['test']} seed {other['seed']} ({other['place']})"
                for other in self.store.rows(
                    f"SELECT test, seed, {_PLACE} AS place FROM jobs WHERE regression = ? AND "
                    "block = ? AND verdict <> 'pass' AND signature = ? AND id <> ? LIMIT ?",
                    *(self.last["id"], row["block"], row["signature"], row["id"], _OTHERS),
                )
            ]
            yield {
                "name": f"{row['block']}: {row['what']}",
                "count": row["jobs"],
                "since": row["since"][:12],
                "message": row["message"],
                "report": (row["report"] or "")[:_LONGEST] if whole else "",
                "command": row["command"],
                "others": alike,
                "wave": self.wave(row) if whole else "",
            }

    def wave(self, row: Row) -> str:
        """Both sides around the first difference, while the run's folder is there."""
        place = self.folder / f"{row['sim']}-{row['profile']}" / row["block"]
        try:
            found = stored_mismatch(place / f"{row['test']}-{row['seed']}")
        except (OSError, ValueError):  # removed, without traces, or broken off
            return ""
        return "" if found is None else waveform(found)

    def coverage(self) -> Iterator[Mapping[str, Any]]:
        """Each block and profile: bins, those never hit, how it grew from job to job."""
        for (block, profile), found in self.store.covered(self.last["id"]).items():
            name = f"{block}, {found.profile}"
            rows = list(self.store.hits(self.last["id"], block, profile, found.total))
            yield {
                "name": name,
                **{"hit": found.hit, "total": found.total, "percent": f"{found.percent:.2f}"},
                "missing": [(point, found.described(point, b)) for point, b in found.missing()],
                "growth": growth(name, steps(rows), len(rows), found.total) if rows else "",
            }

    def code(self) -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
        """Show what was reached of each block's RTL, module by module."""
        for row in self.rows("SELECT DISTINCT block FROM jobs WHERE regression = ? ORDER BY block"):
            for folder in self.measured:
                profile = folder.name.partition("-")[2]
                if found := modules(folder, row["block"], profile):
                    yield f"{row['block']}, {profile}", found

    def slowest(self) -> Sequence[tuple[str, ...]]:
        """The jobs that took longest."""
        found = self.rows(
            f"SELECT *, {_PLACE} AS place FROM jobs WHERE regression = ? AND state = 'done' "
            f"ORDER BY seconds DESC LIMIT {_SLOWEST}"
        )
        return [
            (f"{row['block']} {row['test']} {row['seed']}", row["place"], f"{row['cycles']:,}",
             f"{row['seconds']:.1f}")
            for row in found
        ]  # fmt: skip


def steps(rows: Sequence[NDArray[np.bool_]]) -> list[tuple[int, int]]:
    """Number of each row, from 1, that hits a bin first, and how many are hit with it."""
    seen: NDArray[np.bool_] = np.zeros(len(rows[0]) if rows else 0, dtype=bool)
    found = []
    for number, row in enumerate(rows, 1):
        before, seen = int(seen.sum()), seen | row
        if seen.sum() > before:
            found.append((number, int(seen.sum())))
    return found


def rendered(template: str, facts: Mapping[str, Any]) -> str:
    """What a template shows of :meth:`Page.facts`: one file, which needs no other, no network."""
    made = jinja2.Environment(
        # all that runs have named or said is escaped; SVG of ours is marked safe in the template
        autoescape=".html" in template,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
    )
    made.filters |= {"code": _code, "plain": _plain}
    return made.get_template(template).render(facts)


def _code(text: str) -> str:
    """Return ``text`` as code in a cell of a table, whatever backticks it has."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}".replace("\n", " ").replace("|", "\\|")


def _plain(text: str) -> str:
    """Return ``text`` without what Markdown would take for its own."""
    return "".join(f"&#{ord(c)};" if c in "\\`*_{}[]<>&#|\n" else c for c in text)


def report(
    file: Path, out: Path | None, measured: Sequence[Path] = (), mutants: Sequence[Path] = ()
) -> str:
    """Write the page, ``.xml`` (JUnit) and ``.md`` beside it; what was written, in words.

    ``out``: the page, ``file`` with ``.html`` if it is not given.
    ``measured``: as in :class:`Page`. ``mutants``: files of ``tilepath mutate``.

    Raises:
        UsageError: no such file, another kind of file, nothing to show, or nowhere to write.
    """
    page = file.with_suffix(".html") if out is None else out
    if page.suffix != ".html":
        raise UsageError(f"{page}: the page is called .html")
    for folder in measured:
        if not any(folder.glob("*/rtl/coverage.dat")):
            raise UsageError(f"{folder} has no coverage of RTL: tilepath run --rtl-coverage --out")
    told = [stored(one) for one in mutants]
    with closing(Store(file)) as store:
        last = store.last()
        if not last:
            raise UsageError(f"there is no regression in {file}")
        folder = file.resolve().with_name(f"{file.name}.runs") / str(last["id"])
        facts = Page(store, last, folder, measured, told).facts()
        with writing(page):
            write_whole(page, rendered("page.html.j2", facts).encode())
            junit.write(page.with_suffix(".xml"), *_parts(store, last["id"], last["began"]))
            write_whole(page.with_suffix(".md"), rendered("page.md.j2", facts).encode())
    return f"wrote {page}, and beside it {page.stem}.xml (JUnit) and {page.stem}.md"


def _parts(store: Store, number: int, began: str) -> Iterator[junit.Part]:
    places = store.rows("SELECT DISTINCT sim, profile FROM jobs WHERE regression = ?", number)
    for group in (Group(*place) for place in places):
        about = {"sim": group.sim, "profile": group.profile}
        plan = RunList(store.root_seed(number), tuple(store.jobs(number, group)))
        outcomes = [
            Outcome(
                *(planned(row), row["verdict"], row["cycles"], row["events"], row["faults"]),
                seconds=row["seconds"],
                message="\n".join(filter(None, (row["message"], row["report"]))),
                command=row["command"],
            )
            for row in store.rows(
                "SELECT * FROM jobs WHERE (regression, sim, profile, state) = (?, ?, ?, 'done')",
                *(number, group.sim, group.profile),
            )
        ]
        yield junit.Part(plan, outcomes, began, about)
