# SPDX-License-Identifier: Apache-2.0
"""Timing: what happens in a block of cycles, as records, and how parts of the model write them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.compiled_io import put_level
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.isa.constants import OP_REPLAY
from tilepath.models.frontend.account import KINDS
from tilepath.models.frontend.timing_state import REPLAY_COUNT

BLOCK_CYCLES: Final = 65536  # at most so many cycles at once
ACCOUNT_CYCLES: Final = 8192  # the same with an account: where there is room, pages are cleared


def _buffer(rows: np.dtype[Any]) -> np.dtype[Any]:
    """Rows of one stream: at most one a cycle, and one held back from the block before."""
    return record(count=np.int64, rows=(rows, BLOCK_CYCLES + 1))


_PULSE: Final = record(cycle=np.uint32, origin=np.int64)
_CHANGE: Final = record(cycle=np.uint32, value=np.uint32, origin=np.int64)

STREAMS: Final = tuple(stream.name for stream in BOUNDARY.streams if stream.direction == "output")

# What ``fault`` and ``status`` are merged from
_PARTS: Final = {
    "illegal": _PULSE,
    "collision": _PULSE,
    "mopcfg_race": _PULSE,
    "mop_state": _CHANGE,
    "replay_state": _CHANGE,
}
BUFFERS: Final = (*STREAMS, *_PARTS)

# Output of one thread
OUTPUT: Final = record(
    first=np.int64,  # cycle of the block
    # By how much the occupancy counters change in qstatus of each cycle of the block and of the two
    # behind it
    occupancy=(np.int64, BLOCK_CYCLES + 2),
    **{name: _buffer(BOUNDARY.stream(name).expected_dtype) for name in STREAMS},
    **{name: _buffer(rows) for name, rows in _PARTS.items()},
    # The account: whether it is kept, its rows, and what happens in each cycle of the block, as
    # ``account`` says
    kept=np.bool_,
    account=account_of(KINDS, ACCOUNT_CYCLES + 1, {"replay": 2}),
    told=(np.int64, ACCOUNT_CYCLES),
)


@part
def flush(level: Record, stream: Record) -> None:
    """Write the change that ``level`` holds back, if any."""
    if level.held:
        put_level(stream, level.cycle, level.value, level.origin)
        level.held = False


@part
def settle(level: Record, stream: Record, until: int) -> None:
    """Write the change that ``level`` holds back, if it is before cycle ``until``."""
    if level.cycle < until:
        flush(level, stream)


@part
def change(level: Record, stream: Record, cycle: int, value: int, origin: int) -> None:
    """``level`` becomes ``value`` in ``cycle``, which is written with the next change, or later."""
    flush(level, stream)
    level.held = True
    level.cycle = cycle
    level.value = value
    level.origin = origin


@part
def occupancy(thread: Record, word: int) -> int:
    """What ``word`` adds to the counters while it is in the FIFO or M (F22).

    A REPLAY counts unless it records without executing; a MOP is seen to by its span.
    """
    opcode = word >> 24
    if opcode == OP_REPLAY:
        return REPLAY_COUNT if word & 3 != 1 else 0
    increment: int = thread.opcodes[opcode].occupancy
    return increment


@part
def occupies(output: Record, cycle: int, increment: int) -> None:
    """The counters change by ``increment`` with the edge that ends ``cycle``.

    It shows two cycles later: one for the queue, one for the register qstatus (F22).
    """
    output.occupancy[cycle + 2 - output.first] += increment
