# SPDX-License-Identifier: Apache-2.0
"""Zero compression (P42 to P44, P63): micro-operations of section 8 of the contract."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack.lines import append, push, push_counters
from tilepath.models.pack.state import BLOCK, Kind, Op

MOST_ZEROS = 15  # that a counter can hold


@part
def _note(walk: Record, op: int) -> None:
    walk.ops[walk.op_count] = op
    walk.op_count += 1


@part
def row_start(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """``R``: the augmented datums so far."""
    _note(walk, Op.R)
    packer.entries += 1
    packer.section_entries += 1
    append(mode, packer, number, Kind.RSI, 16, packer.emitted & 0xFFFF, walk)


@part
def end_block(packer: Record, number: int, walk: Record) -> None:
    """``C``."""
    _note(walk, Op.C)
    push_counters(packer, number, walk)
    packer.block_count = 0


@part
def is_elided(packer: Record, value: int, last: bool) -> bool:
    """Whether a datum of a row is left out and counted instead (P44)."""
    if packer.row_count == 0 or last or value != 0:
        return False
    counter: int = packer.counters[packer.block_count - 1]
    return counter < MOST_ZEROS


@part
def emit(mode: Record, packer: Record, number: int, op: int, element: int, walk: Record) -> None:
    """``E`` or ``Z``: a datum with a counter of 0."""
    _note(walk, op)
    packer.counters[packer.block_count] = 0
    packer.block_count += 1
    packer.emitted += 1
    push(mode, packer, number, element, walk)


@part
def compress(
    mode: Record, packer: Record, number: int, value: int, element: int, last: bool, walk: Record
) -> None:
    """A datum; ``last``: of its row."""
    if is_elided(packer, value, last):
        _note(walk, Op.K)
        packer.counters[packer.block_count - 1] += 1
    else:
        if packer.entries == 0:
            row_start(mode, packer, number, walk)
        if packer.block_count == BLOCK:
            end_block(packer, number, walk)
        emit(mode, packer, number, Op.E, element, walk)
    packer.row_count += 1


@part
def end_row(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """End a row behind its last datum, if it has any."""
    if packer.row_count > 0:
        row_start(mode, packer, number, walk)
    packer.row_count = 0


@part
def end_tile(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """The open block is completed with zeros, an open row forgotten."""
    if packer.block_count > 0:
        while packer.block_count < BLOCK:
            emit(mode, packer, number, Op.Z, 0, walk)
        end_block(packer, number, walk)
    packer.row_count = 0
