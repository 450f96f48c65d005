# SPDX-License-Identifier: Apache-2.0
"""The block's streams in the cycle-exact model: rows of the inputs, buffers of the outputs.

Rows are reached by item, ``row["data"]``: their fields have the names of the boundary, some of
which an array has as attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants
from tilepath.isa.boundary.control import BOUNDARY, THREADS, UNITS, VIEWERS
from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.models.control.cycle_block import NEVER
from tilepath.models.control.instructions import Fault
from tilepath.models.inputs import Rows, checked_rows
from tilepath.models.jit import part
from tilepath.models.records import Record, Records, record, zeros

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


# Layout of the outputs, which ``take_events`` relies on: each buffer is its count, 8 bytes, and
# right behind it CHUNK rows, of which as many are events. The buffers lie in one array, at
# multiples of 8 bytes, so that it can be seen as words (the counts) and as bytes (the rows).


def _buffer(name: str, copies: int = 0) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Field of a record for the events of a stream; ``copies``: one a thread, or a unit."""
    rows = (BOUNDARY.stream(name).expected_dtype, CHUNK)
    return record(count="i8", rows=rows), (copies,) if copies else ()


OUTPUTS: Final = record(
    issue=_buffer("issue", THREADS),
    latch=_buffer("latch", THREADS),
    fault=_buffer("fault", THREADS),
    setc16=_buffer("setc16", THREADS),
    rdcfg=_buffer("rdcfg", THREADS),
    gpr=_buffer("gpr", THREADS),
    adc=_buffer("adc", THREADS),
    units=_buffer(UNITS[0], len(UNITS)),
    config_write=_buffer("config_write"),
    flop_write=_buffer("flop_write"),
    flop_adc=_buffer("flop_adc"),
    risc_done=_buffer("risc_done"),
    risc_thread_write=_buffer("risc_thread_write"),
    risc_sem_done=_buffer("risc_sem_done"),
    risc_fault=_buffer("risc_fault"),
    risc_sem_fault=_buffer("risc_sem_fault"),
    semaphores=_buffer("semaphores"),
    mutexes=_buffer("mutexes"),
    config_pipe=_buffer("config_pipe"),
    scalar=_buffer("scalar"),
    sticky=_buffer("sticky"),
    views=_buffer(f"view_{VIEWERS[0]}", len(VIEWERS)),
)


def new_outputs() -> Records:
    """Empty buffers of all outputs, an array of one."""
    return zeros(OUTPUTS)


def _field_of(name: str) -> tuple[str, int]:
    """Field of ``OUTPUTS`` with the stream of that name, and which of its copies."""
    thread, _, suffix = name.rpartition(".")
    if name in UNITS:
        return "units", UNITS.index(name)
    if name.startswith("view_"):
        return "views", VIEWERS.index(name.removeprefix("view_"))
    return suffix, int(thread[1:]) if thread else 0


def _place(name: str) -> int:
    """First byte of the stream's buffer in ``OUTPUTS``: its count; the rows are behind that."""
    field, copy = _field_of(name)
    buffers, first, *_ = OUTPUTS.fields[field] if OUTPUTS.fields else (None, 0)
    return first + copy * (buffers.base.itemsize if buffers else 0)


_COUNT_BYTES: Final = 8
_PLACES: Final = {name: _place(name) for name in BOUNDARY.outputs}
_DTYPES: Final = {name: BOUNDARY.table[name].expected_dtype for name in BOUNDARY.outputs}
_COUNTS: Final = np.array(list(_PLACES.values())) // _COUNT_BYTES


def take_events(outputs: Records) -> dict[str, Events]:
    """Empty the buffers: what they hold, by full name of the stream."""
    counts = np.asarray(outputs).view(np.int64)
    memory = np.asarray(outputs).view(np.uint8)  # NumPy copies bytes faster than records
    found = {}
    for (name, place), count in zip(_PLACES.items(), counts[_COUNTS].tolist(), strict=True):
        first = place + _COUNT_BYTES
        rows = memory[first : first + count * _DTYPES[name].itemsize]
        found[name] = rows.copy().view(_DTYPES[name])
    counts[_COUNTS] = 0
    return found


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
def append(buffer: Record, cycle: int, origin: int) -> None:
    """Make the row behind the last one, whose fields were filled in, an event of ``cycle``."""
    row = buffer.rows[buffer.count]
    row["cycle"] = cycle
    row["origin"] = origin
    buffer.count += 1


@part
def put_word(buffer: Record, cycle: int, origin: int, word: int) -> None:
    """An event of a stream whose one field is a word."""
    buffer.rows[buffer.count]["word"] = word
    append(buffer, cycle, origin)


@part
def put_fault(buffer: Record, cycle: int, origin: int, faults: int) -> None:
    """The faults of a word."""
    row = buffer.rows[buffer.count]
    row["illegal"] = faults & Fault.ILLEGAL != 0
    row["unsupported"] = faults & Fault.UNSUPPORTED != 0
    row["cfg_oob"] = faults & Fault.CFG_OOB != 0
    row["state_reset"] = faults & Fault.STATE_RESET != 0
    row["sem_cond"] = faults & Fault.SEM_COND != 0
    row["mutex_index"] = faults & Fault.MUTEX_INDEX != 0
    row["mutex_owner"] = faults & Fault.MUTEX_OWNER != 0
    row["flop_target"] = faults & Fault.FLOP_TARGET != 0
    row["flop_size"] = faults & Fault.FLOP_SIZE != 0
    row["sem_lost"] = faults & Fault.SEM_LOST != 0
    row["stale_gpr"] = faults & Fault.STALE_GPR != 0
    append(buffer, cycle, origin)


@part
def put_words(row: Record, index: int, quad: bool, words: Record) -> None:
    """Fill in what was written to Config: one word, or four."""
    row["index"] = index
    row["quad"] = quad
    row["data0"] = words[0]
    row["data1"] = words[1] if quad else 0
    row["data2"] = words[2] if quad else 0
    row["data3"] = words[3] if quad else 0
