# SPDX-License-Identifier: Apache-2.0
"""What came of regressions: groups of failures, coverage, the last regressions of each block."""

from __future__ import annotations

import json
from typing import Final

from rich.console import Console
from rich.markup import escape

from tilepath.engine.commands import report
from tilepath.engine.commands.one_line import Tell
from tilepath.engine.commands.regress.store import Store

TRIAGE: Final = """
WITH bad AS (
  SELECT *, iif(verdict = 'pass', 'not the same when it ran again', signature) AS what FROM jobs
  WHERE verdict <> 'pass' OR again = 'differs')
SELECT *, count(*) AS jobs, min(cycles) AS shortest,
  (SELECT revision FROM bad AS other WHERE (other.block, other.what) = (bad.block, bad.what)
   ORDER BY id LIMIT 1) AS since
FROM bad WHERE regression >= ? GROUP BY block, what ORDER BY jobs DESC, block, what
"""
"""A row for each group of failures with the same signature: its shortest job (of which SQLite takes
the other columns beside ``min``), how many there are, the revision in which it was seen first."""

COUNTS: Final = """
SELECT count(*) AS jobs, total(verdict = 'pass') AS passed, total(verdict <> 'pass') AS failed,
  total(state <> 'done') AS left, total(again = 'same') AS same, total(again = 'differs') AS differ
FROM jobs WHERE regression >= ?
"""

TRENDS: Final = """
SELECT block, regression, regressions.began, count(*) AS jobs, total(verdict <> 'pass') AS failed,
  count(DISTINCT iif(verdict <> 'pass', signature, NULL)) AS groups, total(seconds) AS seconds,
  max(revision) AS revision
FROM jobs JOIN regressions ON regressions.id = regression
WHERE state = 'done' GROUP BY block, regression ORDER BY block, regression DESC
"""
_LAST: Final = 5  # regressions of a block
_LINES: Final = 60  # of a report


_JOBS: Final = """
SELECT block, test, seed, sim, profile, ifnull(verdict, state) AS status, cycles, events, faults,
  seconds, message, command, signature, digest, start, again
FROM jobs WHERE regression >= ? ORDER BY id
"""


def show(store: Store, console: Console, since: int | None = None, tell: Tell | None = None) -> int:
    """Print what came of the last regression, and how those before it went; the exit status.

    ``since``: the regressions from this number on are taken for one. ``tell`` gets its jobs.

    0 if jobs are done, all of which passed, and were the same where they ran twice; 2 for none.
    """
    last = store.last()
    if not last:
        console.print("there is no regression in this file")
        return 2
    since = since or last["id"]
    if whose := json.loads(last["options"]).get("whose"):
        report.say(console, f"RTL: {whose}")
    _print_triage(store, console, since)
    for (block, _), found in store.covered(last["id"]).items():
        report.print_coverage_summary(console, {f"{block}, {found.profile}": found})
    _print_trends(store, console)
    if tell is not None:
        jobs = [{**job, "seed": int(job["seed"])} for job in map(dict, store.rows(_JOBS, since))]
        about = {name: last[name] for name in ("began", "ended")}
        tell({**about, "root_seed": store.root_seed(since), "results": jobs})
    counts = {name: int(n) for name, n in dict(store.rows(COUNTS, since)[0]).items()}
    text = f"{counts['jobs']} jobs: {counts['passed']} passed, {counts['failed']} failed"
    text += f", {counts['left']} not done" if counts["left"] else ""
    if counts["same"] or counts["differ"]:
        text += f"; ran again: {counts['same']} the same, {counts['differ']} not"
    console.print(text)
    if counts["left"] == counts["jobs"]:
        return 2
    return int(counts["failed"] + counts["differ"] > 0)


def _print_triage(store: Store, console: Console, number: int) -> None:
    groups = store.rows(TRIAGE, number)
    if not groups:
        return
    table = report.table_of("failures", "block", "what", "shortest", "cycles", "first seen")
    for column in table.columns[1:]:
        column.overflow = "fold"
    for row in groups:
        table.add_row(
            *(str(row["jobs"]), row["block"], escape(row["what"])),
            *(f"{row['test']} {row['seed']}", f"{row['cycles']:,}", row["since"][:12]),
        )
    console.print(table)
    for index, row in enumerate(groups):
        text = (row["report"] or row["message"]) if index == 0 else row["command"]
        report.say(console, *(f"  {line}" for line in text.splitlines()[:_LINES]))


def _print_trends(store: Store, console: Console) -> None:
    figures = (">jobs", ">failed", ">groups", ">seconds")
    table = report.table_of("block", "began", "revision", *figures)
    shown: dict[str, int] = {}
    for row in store.rows(TRENDS):
        shown[row["block"]] = shown.get(row["block"], 0) + 1
        if shown[row["block"]] <= _LAST:
            table.add_row(
                *(row["block"], row["began"], row["revision"][:12], str(row["jobs"])),
                *(f"{row['failed']:.0f}", str(row["groups"]), f"{row['seconds']:.1f}"),
            )
    console.print(table)
