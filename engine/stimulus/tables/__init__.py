# SPDX-License-Identifier: Apache-2.0
"""Random stimulus as tables; :mod:`tilepath.engine.stimulus.tables.table` says what that is."""

from __future__ import annotations

from tilepath.engine.stimulus.tables.compound import by, mix, only, phases, repeated
from tilepath.engine.stimulus.tables.distributions import chance, choice, column, pauses, uniform
from tilepath.engine.stimulus.tables.errors import TableError
from tilepath.engine.stimulus.tables.quick import Quick
from tilepath.engine.stimulus.tables.table import Table, growing, require
from tilepath.engine.stimulus.tables.table_set import Tables

__all__ = [
    "Quick",
    "Table",
    "TableError",
    "Tables",
    "by",
    "chance",
    "choice",
    "column",
    "growing",
    "mix",
    "only",
    "pauses",
    "phases",
    "repeated",
    "require",
    "uniform",
]
