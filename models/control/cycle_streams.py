# SPDX-License-Identifier: Apache-2.0
"""The block's inputs in the cycle-exact model, whose rows may wait for more than one step.

Rows are reached by item, ``row["data"]``: their fields have the names of the boundary, some of
which an array has as attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.models.control.cycle_block import NEVER
from tilepath.models.inputs import Rows, checked_rows
from tilepath.models.jit import part
from tilepath.models.records import Record

Events = npt.NDArray[Any]

CHUNK: Final = 16384  # cycles per pass of the kernel; no stream has more than one event a cycle
RISC: Final = BOUNDARY.number("risc")
RISC_SEM: Final = BOUNDARY.number("risc_sem")
# Conditions 10 and 12 are made here (C17)
_MADE_HERE: Final = 1 << constants.STALL_COND_TRISC_CFG | 1 << constants.STALL_COND_CFG_PIPE


class Inputs(NamedTuple):
    """Rows of the inputs that were not used yet; a last one in cycle ``NEVER`` ends each."""

    offers: tuple[Events, Events, Events]
    risc: Events
    risc_sem: Events
    busy: tuple[Events, Events, Events]
    hold: Events
    unit_ready: Events
    stream_busy: Events
    stream_write: Events


def rows_of(name: str, given: Events, start: int, until: int) -> Rows:
    """Input records as int64 rows, checked: see :func:`checked_rows`."""
    rows = checked_rows(name, given, _WIDTHS[name], start, until)
    if name.endswith(".busy"):
        rows[:, 1] &= ~_MADE_HERE
    return rows


def no_rows(name: str) -> Rows:
    """No rows of an input stream."""
    return np.zeros((0, 1 + len(_WIDTHS[name])), np.int64)


def inputs_of(rows: Mapping[str, Rows]) -> Inputs:
    """The rows with the names of their fields, and one in cycle ``NEVER`` behind them."""
    named = {}
    for name, given in rows.items():
        named[name] = np.concatenate((given, _ENDS[name])).view(_ROWS[name]).reshape(-1)
    offers = (named.pop("t0.offer"), named.pop("t1.offer"), named.pop("t2.offer"))
    busy = (named.pop("t0.busy"), named.pop("t1.busy"), named.pop("t2.busy"))
    return Inputs(offers, busy=busy, **named)


_WIDTHS: Final = {
    name: {field.name: field.width for field in BOUNDARY.table[name].fields}
    for name in BOUNDARY.inputs
}
_ENDS: Final = {name: np.full((1, 1 + len(widths)), NEVER) for name, widths in _WIDTHS.items()}
_ROWS: Final = {
    name: np.dtype([(field, np.int64) for field in ("cycle", *widths)])
    for name, widths in _WIDTHS.items()
}


@part
def read_on(position: Record, rows: Events) -> None:
    """Note the cycle of the next row."""
    position.cycle = rows[position.row]["cycle"]


@part
def use_row(position: Record, rows: Events) -> None:
    """The next row is used."""
    position.row += 1
    read_on(position, rows)


@part
def origin_of(position: Record, stream: int) -> int:
    """Origin of what the next row of an input stream causes; ``stream``: its number."""
    return int(position.forgotten + position.row) * ORIGIN_STREAMS + stream


@part
def put_words(row: Record, index: int, quad: bool, words: Record) -> None:
    """Fill in what was written to Config: one word, or four."""
    row.index, row.quad = index, quad
    row.data0 = words[0]
    row.data1 = words[1] if quad else 0
    row.data2 = words[2] if quad else 0
    row.data3 = words[3] if quad else 0
