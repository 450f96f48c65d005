# SPDX-License-Identifier: Apache-2.0
"""The tables of a test, with what was typed, and what their columns are there for."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.stimulus.tables import Table, TableError, Tables
from tilepath.isa import profiles


def adjusted_tables(block: str, test: str, knobs: Sequence[str], where: str) -> Tables:
    """The tables that a test draws from, adjusted.

    Raises:
        UsageError: it has none, or they cannot be adjusted so.
    """
    tests = tests_of(block)
    tables = tests[test].tables
    if not isinstance(tables, Tables):
        having = [name for name, one in tests.items() if one.tables is not None]
        raise UsageError(
            f"{block}/{test} draws from no table, which knobs or a condition could change; "
            f"of {block} these do: {', '.join(having) or 'none'}"
        )
    try:
        return tables.adjusted(knobs, where)
    except TableError as error:
        raise UsageError(f"{block}/{test}: {error}") from None


@cache
def _plan(block: str) -> dict[str, int]:
    """Points of the coverage plan and of those of joined blocks, and how many bins they have."""
    names = (*load_block(block).borrows, block)
    covers = [load_block(name).coverage(profile) for name in names for profile in profiles.names()]
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
