# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath report`` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tilepath.engine.commands import junit
from tilepath.engine.commands.errors import UsageError, writing
from tilepath.engine.commands.mutate import stored
from tilepath.engine.commands.regress.store import Group, Store, planned
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report_page.page import Page, rendered
from tilepath.engine.commands.run_list import RunList
from tilepath.engine.host.files import write_whole


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
