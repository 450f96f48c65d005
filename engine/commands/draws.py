# SPDX-License-Identifier: Apache-2.0
"""``tilepath draws`` and ``list --knobs``: what tests draw, as histograms and as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.histogram_svg import Histogram, draw
from tilepath.engine.commands.run_list import Selection, select
from tilepath.engine.commands.simulation import adjusted_tables
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.seeds import derive
from tilepath.engine.host.files import write_whole
from tilepath.engine.project import project
from tilepath.engine.stimulus.tables import Table, TableError, Tables

MOST_GROUPS: Final = 12
_MOST_VALUES: Final = 16
_BAR: Final = 40
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Wanted:
    """What is to be drawn: so many rows of each table of a test."""

    block: str
    test: str
    knobs: tuple[str, ...]
    where: str
    count: int
    seed: int
    by: str | None = None


def show_draws(wanted: Wanted, out: Path | None) -> None:
    """Print histograms of all columns, or write them to ``out``: ``.csv`` or ``.svg``.

    Raises:
        UsageError: no such table or column, another kind of file, one that cannot be written.
    """
    if out is not None and out.suffix not in (".csv", ".svg"):
        raise UsageError(f"{out}: a file is called .csv or .svg")
    found = list(histograms(wanted))
    if out is None:
        print("\n".join(line for one in found for line in _printed(one)))
        return
    title = f"{wanted.block}/{wanted.test}, {wanted.count:,} rows"
    text = _as_csv(found) if out.suffix == ".csv" else draw(title, found)
    with writing(out):
        write_whole(out, text.encode())
    print(f"wrote {out}: {len(found)} columns")


def histograms(wanted: Wanted) -> Iterator[Histogram]:
    """One of each column, of the tables that have column ``by``; ``UsageError``."""
    tables = adjusted_tables(wanted.block, wanted.test, wanted.knobs, wanted.where)
    names, by = _grouped(tables, wanted.by)
    for name in names:
        table = tables[name]
        rng = derive(wanted.seed, wanted.block, wanted.test, "draws", name)
        with for_user(TableError):
            rows = table.rows(rng, wanted.count)
        groups, group = [""], np.zeros(len(rows), np.int64)
        if by:
            groups, group = _binned(table, by, rows[by])
            if len(groups) > MOST_GROUPS or rows[by].ndim > 1:
                raise UsageError(f"--by {by}: it has more than {MOST_GROUPS} values")
        for column in table.columns:
            if column != by:
                bins, place = _binned(table, column, rows[column])
                each = np.repeat(group, len(place) // len(group))
                counts = np.bincount(each * len(bins) + place, minlength=len(groups) * len(bins))
                aims = aimed_at(wanted.block, table, column)
                yield Histogram(name, column, bins, groups, counts.reshape(len(groups), -1), aims)


@cache
def _plan(block: str) -> dict[str, int]:
    """Points of the coverage plan and of those of joined blocks, and how many bins they have."""
    names = (*load_block(block).borrows, block)
    covers = [
        load_block(name).coverage(profile)
        for name in names
        for profile in project().profiles.names()
    ]
    reports = [cover.report() for cover in covers]
    return {name: len(bins) for report in reports for name, bins in report.points.items()}


def aimed_at(block: str, table: Table, column: str) -> list[tuple[str, int]]:
    """Points of the coverage plan, and how many bins, that a column is there for.

    Raises:
        UsageError: the table names points that the plan has not.
    """
    found: dict[str, int] = {}
    for pattern in table.aims.get(column, ()):
        points = {name: bins for name, bins in _plan(block).items() if fnmatchcase(name, pattern)}
        if not points:
            raise UsageError(f"table {table.name}, {column}: no point of {block} is {pattern!r}")
        found |= points
    return list(found.items())


def _grouped(tables: Tables, by: str | None) -> tuple[Sequence[str], str]:
    if by is None:
        return list(tables), ""
    try:
        return tables.having(by)
    except TableError as error:
        raise UsageError(f"--by: {error}") from None


def _binned(table: Table, column: str, values: NDArray[Any]) -> tuple[list[str], NDArray[np.int64]]:
    """Labels of bins, and the bin of each value; where a row has several, of each of them."""
    names = table.columns[column].names
    if names and values.ndim > 1 + len(table.columns[column].entries):  # of tuples
        known = np.asarray(list(names.values()))
        return list(names), (values[..., None, :] == known).all(-1).argmax(-1).reshape(-1)
    flat = values.reshape(-1)
    every, place = np.unique(flat, return_inverse=True)
    if names:
        texts = {value: name for name, value in names.items()}
        return [texts.get(value, str(value)) for value in every.tolist()], place
    if values.dtype == np.bool_:
        return [("no", "yes")[value] for value in every.tolist()], place
    if len(every) <= _MOST_VALUES:
        return [str(value) for value in every], place
    low, high = every[0], every[-1]
    width = -(-(high - low + 1) // _MOST_VALUES)
    edges = range(int(low), int(high) + 1, int(np.ceil(width)))
    labels = [f"{edge} … {min(edge + int(np.ceil(width)) - 1, int(high))}" for edge in edges]
    return labels, ((flat - low) // int(np.ceil(width))).astype(np.int64)


def _printed(one: Histogram) -> Iterator[str]:
    aims = ", ".join(f"{point} ({bins} bins)" for point, bins in one.aims)
    yield f"{one.table}.{one.column}" + (f"  for {aims}" if aims else "")
    wide = max(map(len, one.bins))
    shares = one.shares
    if len(one.groups) > 1:
        columns = [max(7, len(group)) for group in one.groups]
        heads = zip(one.groups, columns, strict=True)
        yield f"  {'':{wide}} " + " ".join(f"{group:>{size}}" for group, size in heads)
    for label, each in zip(one.bins, shares.T, strict=True):
        if len(one.groups) > 1:
            texts = zip(each, columns, strict=True)
            yield f"  {label:>{wide}} " + " ".join(
                f"{100 * x:{size - 2}.1f} %" for x, size in texts
            )
        else:
            eighths = round(8 * _BAR * each[0] / shares.max())
            bar = _EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
            yield f"  {label:>{wide}} {100 * each[0]:5.1f} % {bar}".rstrip()


def _as_csv(found: Sequence[Histogram]) -> str:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(("table", "column", "group", "value", "rows", "share"))
    for one in found:
        for group, counts, shares in zip(one.groups, one.counts, one.shares, strict=True):
            for label, count, share in zip(one.bins, counts, shares, strict=True):
                out.writerow((one.table, one.column, group, label, count, f"{share:.6f}"))
    return text.getvalue()


def one_test(block: str, test: str) -> tuple[str, str]:
    """Folder of a block, and name of its one test that ``test`` names or is a pattern of.

    Raises:
        UsageError: there is none, or more than one.
    """
    found = select(Selection((block,), (test,))).tests
    names = [(folder, name) for folder, tests in found.items() for name in tests]
    if len(names) != 1:
        raise UsageError(f"--test {test}: one test is wanted, not {len(names)}")
    return names[0]


def show_knobs(selection: Selection) -> None:
    """Print the tables of the tests that were asked for; of a block's later tests what differs.

    Raises:
        UsageError: an unknown block, test or tag; no test of these has a table.
    """
    shown = 0
    for block, tests in select(selection).tests.items():
        first: dict[str, dict[str, str]] = {}
        for test in tests:
            tables = tests_of(block)[test].tables
            if not isinstance(tables, Tables):
                continue
            shown += 1
            print(f"{block}/{test}{': what differs' if first else ''}")
            lines = {name: dict(_lines(table)) for name, table in tables.items()}
            for name in (name for name in first if name not in lines):
                print(f"no table {name}")
            for name, own in lines.items():
                known = first.get(name, {})
                new = [text for key, text in own.items() if known.get(key) != text]
                if new:
                    print("\n".join([f"table {name}", *new]))
            first = first or lines
    if not shown:
        raise UsageError("none of these tests draws from a table")


def _lines(table: Table) -> Iterator[tuple[str, str]]:
    """Column or constraint, and its line."""
    lines = str(table).splitlines()[1:]
    return zip([*table.columns, *table.constraints], lines, strict=True)
