# SPDX-License-Identifier: Apache-2.0
"""Random stimulus as tables; :mod:`tilepath.sequences.kernel.tables.table` says what that is."""

from __future__ import annotations

from tilepath.sequences.kernel.tables.compound import by, mix, phases, repeated
from tilepath.sequences.kernel.tables.distributions import chance, choice, column, pauses, uniform
from tilepath.sequences.kernel.tables.errors import TableError
from tilepath.sequences.kernel.tables.table import Table, require
from tilepath.sequences.kernel.tables.table_set import Tables

__all__ = [
    "Table",
    "TableError",
    "Tables",
    "by",
    "chance",
    "choice",
    "column",
    "mix",
    "pauses",
    "phases",
    "repeated",
    "require",
    "uniform",
]
