# SPDX-License-Identifier: Apache-2.0
"""Rows of SrcA, SrcB and Dst in storage, and what an instruction does to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt
from numpy import uint8, uint16, uint32

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.pack.fields import wide
from tilepath.models.standin.plan import DST_ROWS, SRC_ROWS, Op, Target

_MINUS_INFINITY = 0x7FFFF


class Files(NamedTuple):
    """The memories.

    ``src_a``, ``src_b``: (2 banks, 64 rows, 16 columns), 19 bits; ``dst``: (1024 rows of storage,
    16 columns); ``dst_valid``: (1024,).
    """

    src_a: npt.NDArray[uint32]
    src_b: npt.NDArray[uint32]
    dst: npt.NDArray[uint16]
    dst_valid: npt.NDArray[uint8]


@part
def _read_src(src: Records, plan: Record, file: int, rows: Records) -> None:
    run, bank = plan.reads[file], plan.banks[file]
    for k in range(run.length):
        row = (run.row + k * run.step) & (SRC_ROWS - 1)
        for column in range(16):
            rows[k, column] = src[bank, row, column]


@part
def read_all(files: Files, plan: Record, rows: Record) -> None:
    """The rows that an instruction reads; of Dst 0 where the valid bit is (M14)."""
    _read_src(files.src_a, plan, 0, rows.a)
    _read_src(files.src_b, plan, 1, rows.b)
    run = plan.reads[Target.DST]
    for k in range(run.length):
        row = storage_row(plan.access, plan.wide_read, (run.row + k) & (DST_ROWS - 1))
        rows.row_valid[k] = files.dst_valid[row]
        bits = 0xFFFF if rows.row_valid[k] else 0
        for column in range(16):
            rows.d[k, column] = wide(files.dst[row, column]) & bits
        if plan.wide_read:
            for column in range(16):
                low = wide(files.dst[row + LOW_HALF, column]) & bits
                rows.d[k, column] = rows.d[k, column] << 16 | low


@part
def write_row(files: Files, plan: Record, number: int, out: Records) -> None:
    """Row ``number`` of those that an instruction writes."""
    row = plan.writes.row + number
    if plan.target != Target.DST:
        src = files.src_a if plan.target == Target.SRC_A else files.src_b
        bank = plan.banks[plan.target]
        for column in range(16):
            src[bank, row & (SRC_ROWS - 1), column] = out[column]
        return
    row = storage_row(plan.access, plan.wide_write, row & (DST_ROWS - 1))
    files.dst_valid[row] = 1
    shift = 16 if plan.wide_write else 0
    for column in range(16):
        files.dst[row, column] = out[column] >> shift
    if plan.wide_write:
        for column in range(16):
            files.dst[row + LOW_HALF, column] = out[column] & 0xFFFF


@part
def zero_dst(files: Files, plan: Record, command: int) -> None:
    """ZEROACC (M27): command number ``command`` of it."""
    if plan.zero_mode >= 2:
        for row in range(plan.zero_row, DST_ROWS if plan.zero_mode == 3 else plan.zero_row + 512):
            files.dst_valid[row] = 0
        return
    for number in range(16 if plan.zero_mode == 1 else 1):
        row = (plan.zero_row + number + command) & (DST_ROWS - 1)
        files.dst_valid[storage_row(plan.access, plan.zero_wide, row)] = plan.undo


@part
def clear_src(files: Files, plan: Record) -> None:
    """ZEROSRC (M28)."""
    for place in range(4):
        if (plan.clears >> place) & 1:
            src = files.src_a if place < 2 else files.src_b
            value = _MINUS_INFINITY if plan.neg_inf and place < 2 else 0
            for row in range(SRC_ROWS):
                for column in range(16):
                    src[place & 1, row, column] = value


@part
def clear(files: Files, plan: Record) -> None:
    """ZEROACC, ZEROSRC."""
    for command in range(plan.zeroes):
        zero_dst(files, plan, command)
    if plan.op == Op.ZEROSRC:
        clear_src(files, plan)
