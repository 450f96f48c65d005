# SPDX-License-Identifier: Apache-2.0
"""All tables of a test, and what is asked of them from the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

from tilepath.engine.description.given import checked
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.tables.errors import TableError
from tilepath.engine.stimulus.tables.knob_text import parse_knob
from tilepath.engine.stimulus.tables.table import Table
from tilepath.engine.stimulus.tables.where import conjuncts


class Tables(Mapping[str, Table]):
    """Tables by their names.

    What is asked of a column is asked of all tables that have one of the name; ``table.column``
    is that of one table.
    """

    @checked()
    def __init__(self, *tables: Table) -> None:
        self._tables = {table.name: table for table in tables}
        if len(self._tables) < len(tables):
            raise TableError("two tables of one name")

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def legal(self) -> bool:
        """Whether no column of any makes faults."""
        return all(table.legal for table in self.values())

    def weighted(self, **knobs: Any) -> Self:
        """Each table :meth:`Table.weighted` with those of the columns that it has."""
        return self._each(knobs, lambda table, own: table.weighted(**own))

    def narrowed(self, **limits: Any) -> Self:
        """Each table :meth:`Table.narrowed` in those of the columns that it has."""
        return self._each(limits, lambda table, own: table.narrowed(**own))

    def _each(
        self, asked: Mapping[str, Any], change: Callable[[Table, dict[str, Any]], Table]
    ) -> Self:
        by_table: dict[str, dict[str, Any]] = {}
        for name, value in asked.items():
            tables, column = self.having(name)
            for table in tables:
                by_table.setdefault(table, {})[column] = value
        changed = {name: change(self[name], own) for name, own in by_table.items()}
        return type(self)(*{**self, **changed}.values())

    def joined(self, more: Mapping[str, Table]) -> Self:
        """Return it with ``more``, which have the columns of those they replace, or TableError."""
        for name in self.keys() & more.keys():
            for column in self[name].columns.keys() - more[name].columns.keys():
                raise TableError(f"table {name} stands for one that has a column {column}, too")
        return type(self)(*{**self, **more}.values())

    def having(self, name: str) -> tuple[list[str], str]:
        """The tables that have a column, and the column's own name; :class:`TableError`."""
        table, _, column = name.rpartition(".")
        every = [(one, known) for one, known in self.items() if table in ("", one)]
        found = [one for one, known in every if column in known.columns]
        if not found:
            start = f"{table}." if table else ""
            there = {f"{start}{known}": None for _, one in every for known in one.columns}
            raise TableError(f"no table has a column {name!r}; {there_are(there or self, name)}")
        return found, column

    def adjusted(self, knobs: Sequence[str], where: str = "") -> Self:
        """Return it with knobs, each ``column=value``, and a condition, as they are typed.

        :class:`TableError` for what cannot be; each is looked for, also rows that do not exist.
        """
        made = self
        for text in knobs:
            name, value = parse_knob(text)
            made = made.weighted(**{name: value})
        for part in conjuncts(where) if where else ():
            made = type(self)(*part.applied(made))
        for table in made.values():
            if table.constraints:
                _ = table.refused
        return made
