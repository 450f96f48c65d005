# SPDX-License-Identifier: Apache-2.0
"""Random stimulus as tables; :mod:`tilepath.sequences.kernel.tables.table` says what that is."""

from __future__ import annotations

from tilepath.sequences.kernel.tables.compound import by, mix, only, phases, repeated
from tilepath.sequences.kernel.tables.distributions import chance, choice, column, pauses, uniform
from tilepath.sequences.kernel.tables.errors import TableError
from tilepath.sequences.kernel.tables.quick import Quick
from tilepath.sequences.kernel.tables.table import Table, growing, require
from tilepath.sequences.kernel.tables.table_set import Tables

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
