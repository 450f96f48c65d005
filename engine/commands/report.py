# SPDX-License-Identifier: Apache-2.0
"""What a regression shows: progress, table, failures, coverage summary."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Literal, Self

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.host.spent import PARTS, added
from tilepath.engine.host.traits import signature

# Wide enough that a log file's tables are never folded.
_LOG_WIDTH = 160
_REPORT_LINES = 100  # of the first failure's report
_ALIKE = 8  # runs named that failed like another one
_STYLES = {"pass": "green", "fail": "bold red", "error": "bold red"}


def table_of(*titles: str) -> Table:
    """A table; before a title, ``<`` or ``>``: the column is aligned so, and never broken."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        side: Literal["left", "right"] = "right" if title[0] == ">" else "left"
        made.add_column(title.lstrip("<>"), justify=side, no_wrap=title[0] in "<>")
    return made


def make_console(file: IO[str] | None = None) -> Console:
    """A console for tables; in a log file or pipe it neither folds lines nor sends colours."""
    console = Console(file=file or sys.stdout, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(file=file or sys.stdout, highlight=False, width=_LOG_WIDTH)
    return console


def say(console: Console, *lines: str) -> None:
    """Print lines as they are: nothing is markup, no ``:M:`` is a picture, and none is folded."""
    for line in lines:
        console.print(line, markup=False, emoji=False, soft_wrap=True)


IN_RUNS = "loops that runs had to compile, as nobody had before"
"""What is said when ``engine/host/compiled.py`` left some out."""


class ShowProgress:
    """In a terminal it fills a table of blocks; anywhere else it prints a line per event.

    ``finish``: what is done with an outcome before it is counted, in the thread that an interrupt
    ends; it may become another one.
    """

    def __init__(
        self,
        console: Console,
        runs: Sequence[PlannedRun],
        finish: Callable[[Outcome], Outcome] = lambda outcome: outcome,
    ) -> None:
        self._console, self._finish = console, finish
        self._totals = Counter(run.block for run in runs)
        self._done: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self._compiling: dict[str, float] = {}  # what → since when
        self._shown: set[tuple[str, ...]] = set()  # groups of failures
        self._lock = threading.Lock()
        self._drawn = console.is_terminal
        self._live = Live(
            console=console, get_renderable=self._table, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        """Start drawing."""
        if self._drawn:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the table away again."""
        self._live.stop()

    def refresh(self) -> None:
        """Draw the table now."""
        self._live.refresh()

    def compiling(self, what: str) -> None:
        """Say what is compiled."""
        with self._lock:
            self._compiling[what] = time.monotonic()
        if not self._drawn:
            say(self._console, f"compiling {what} (once, for all runs)")

    def compiled(self, what: str, seconds: float) -> None:
        """Say what was compiled."""
        with self._lock:
            self._compiling.pop(what, None)
        if not self._drawn:
            say(self._console, f"compiled {what}: {seconds:.1f} s")

    def finished(self, outcome: Outcome) -> None:
        """Count a run; failures are shown at once, passes only where there is no table.

        The first failure is shown with its whole report, the first that says something else in few
        words.
        """
        outcome = self._finish(outcome)
        block, group = outcome.run.block, _group(outcome)
        with self._lock:
            self._done[block] += 1
            self._failed[block] += not outcome.passed
            self._events[block] += outcome.events
        if not self._drawn or not outcome.passed:
            which = f"[{self._done.total()}/{self._totals.total()}] {outcome.run.label}"
            figures = f"{outcome.events:,} events, {outcome.seconds:.1f} s"
            say(self._console, f"{which}: {outcome.status}, {figures}")
        if not outcome.passed and group not in self._shown:
            say(self._console, *_told(outcome, at_length=not self._shown))
            self._shown.add(group)

    def _table(self) -> Group:
        """What is there so far, a row a block; below it what is compiled now."""
        table = table_of("block", ">runs", ">failed", ">events checked")
        with self._lock:
            for block, total in self._totals.items():
                failed = self._failed[block]
                table.add_row(
                    block,
                    f"{self._done[block]}/{total}",
                    Text(str(failed), style=_STYLES["fail"] if failed else ""),
                    f"{self._events[block]:,}",
                )
            now = time.monotonic()
            busy = [f"{what}, {now - since:.0f} s" for what, since in self._compiling.items()]
        return Group(table, *[Text(f"compiling {'; '.join(busy)}")] * bool(busy))


def print_results(console: Console, outcomes: Sequence[Outcome], planned: int) -> None:
    """The table of all runs, then every failure in few words, with what is needed to look into it.

    ``planned``: how many runs there were to be; some may not have been begun.
    """
    figures = (">seed", ">cycles", ">events checked", ">faults")
    table = table_of("block", "test", *figures, "<result", ">time")
    for outcome in outcomes:
        table.add_row(
            outcome.run.block,
            outcome.run.test,
            str(outcome.run.seed),
            f"{outcome.cycles:,}",
            f"{outcome.events:,}",
            f"{outcome.faults:,}",
            Text(_verdict(outcome), style=_STYLES[outcome.status]),
            f"{outcome.seconds:.1f} s",
        )
    console.print(table)
    failures = [outcome for outcome in outcomes if not outcome.passed]
    for group in alike(failures):
        _print_failure(console, *group)
    left = planned - len(outcomes)
    console.print(
        f"\n{planned} runs: {len(outcomes) - len(failures)} passed, {len(failures)} failed"
        + (f", {left} not begun" if left else "")
    )


def _verdict(outcome: Outcome) -> str:
    """The status; of a run that passed also how, where that is worth a word."""
    note = outcome.message.partition(";")[0] if outcome.passed else ""
    return f"{outcome.status}: {note}" if note else outcome.status


def alike(failures: Sequence[Outcome]) -> list[list[Outcome]]:
    """Failures of a block that say the same but for numbers, together; the shortest runs first."""
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in sorted(failures, key=lambda one: (one.cycles, one.seconds)):
        groups.setdefault(_group(outcome), []).append(outcome)
    return list(groups.values())


def _group(outcome: Outcome) -> tuple[str, ...]:
    """What failures that are alike have in common."""
    said = outcome.signature or signature(outcome.message)
    return (outcome.run.block, outcome.status, said)


def _told(outcome: Outcome, *, at_length: bool) -> list[str]:
    """What went wrong, in few words or as the whole report, and how to see it again; indented."""
    report, lines = outcome.report, outcome.message.splitlines()
    again = [f"again:  {outcome.command}"] if outcome.command else []
    if at_length and report is not None and report.is_file():
        lines = report.read_text(errors="replace").splitlines()
        if len(lines) <= _REPORT_LINES:
            again = []  # the report has it
        else:
            lines = [*lines[:_REPORT_LINES], f"... (all of it: {report})"]
    return [f"  {line}" for line in (*lines, *again)]


def _print_failure(console: Console, outcome: Outcome, *others: Outcome) -> None:
    """What went wrong in few words, where to look, and what else failed like it."""
    more = f", and {len(others)} more like it" if others else ""
    console.print(f"\n[bold red]{outcome.status}[/]: {escape(outcome.run.label)}{more}")
    lines = _told(outcome, at_length=False)
    if outcome.waves is not None:
        lines.append(f"  waves:  {outcome.waves}")
    if outcome.report is not None:
        lines.append(f"  report: {outcome.report}")
    lines += [f"  alike:  {one.run.label}, {one.cycles:,} cycles" for one in others[:_ALIKE]]
    if len(others) > _ALIKE:
        lines.append(f"          and {len(others) - _ALIKE} more")
    say(console, *lines)


def print_slowest(console: Console, outcomes: Sequence[Outcome], most: int = 10) -> None:
    """The runs that took longest, if there are more than are worth looking at one by one."""
    if len(outcomes) <= most:
        return
    slowest = sorted(outcomes, key=lambda one: -one.seconds)[:most]
    rows = (f"{outcome.seconds:8.1f} s  {outcome.run.label}" for outcome in slowest)
    say(console, f"the {most} slowest runs:", *rows)


def print_spent(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Print where the runs' CPU time went, in seconds: a row a block, and all together."""
    blocks: dict[str, list[Mapping[str, float]]] = {}
    for outcome in outcomes:
        if outcome.spent:
            blocks.setdefault(outcome.run.block, []).append(outcome.spent)
    sums = {block: added(runs) for block, runs in blocks.items()}
    if len(sums) > 1:
        sums["together"] = added(sums.values())
    table = table_of("CPU seconds", *(f">{name}" for name in (*PARTS, "whole")))
    for block, parts in sums.items():
        table.add_row(block, *(f"{x:.1f}" for x in (*parts.values(), sum(parts.values()))))
    if sums:
        console.print(table)
    late = sorted({name for outcome in outcomes for name in outcome.compiled})
    if late:
        say(console, f"{IN_RUNS}: {', '.join(late)}")


def print_coverage_summary(console: Console, reports: Mapping[str, CoverageReport]) -> None:
    """One line per block."""
    for block, report in reports.items():
        rows = report.table_rows()
        hit, total = sum(row[1] for row in rows), sum(row[2] for row in rows)
        percent = report.percent if hit == total else min(report.percent, 99.9)
        bins = f"{hit} of {total} bins, {report.runs} runs"
        say(console, f"coverage of {block}: {percent:.1f} % ({bins})")


def print_coverage(console: Console, block: str, report: CoverageReport, most: int) -> None:
    """The table of a block's coverpoints, with at most ``most`` of the bins not hit of each."""
    names: dict[str, list[str]] = {}
    for point, bin_name in report.missing():
        names.setdefault(point, []).append(report.described(point, bin_name))
    table = table_of("<coverpoint", ">hit", ">of", "not hit")
    for point, hit, total, _ in report.table_rows():
        style = "green" if hit == total else "yellow"
        missing = names.get(point, [])
        shown = ", ".join(missing[:most])
        if len(missing) > most:
            shown += f", and {len(missing) - most} more (--all lists them)"
        table.add_row(Text(point), Text(str(hit), style=style), str(total), Text(shown))
    print_coverage_summary(console, {block: report})
    console.print(table)


def print_growth(console: Console, title: str, found: CoverageReport, most: int) -> None:
    """Print which run hit which bins first, with at most ``most`` names of each."""
    table = table_of("run", ">new", ">hit", "what it hit first")
    hit = 0
    for run, points in found.growth.items():
        new = [
            f"{point} {found.described(point, one)}" for point in points for one in points[point]
        ]
        if new:
            hit += len(new)
            more = f", and {len(new) - most} more" if len(new) > most else ""
            table.add_row(run, str(len(new)), str(hit), Text(", ".join(new[:most]) + more))
    without = sum(not points for points in found.growth.values())
    print_coverage_summary(console, {title: found})
    console.print(table)
    say(console, f"{without} runs hit nothing that others before them had not")


def print_ranking(
    console: Console, title: str, rows: Sequence[tuple[str, int, int]], runs: int, bins: int
) -> None:
    """Runs, what each adds, how many cycles it had; of so many runs and bins."""
    table = table_of("run", ">adds", ">hit", ">cycles")
    hit = 0
    for name, adds, cycles in rows:
        hit += adds
        table.add_row(name, str(adds), str(hit), f"{cycles:,}")
    counts = f"{len(rows)} of {runs} runs hit all {hit} bins that are hit, of {bins}"
    say(console, f"{title}: {counts}")
    console.print(table)
