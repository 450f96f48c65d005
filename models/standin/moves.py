# SPDX-License-Identifier: Apache-2.0
"""Moves between SrcA, SrcB and Dst, maxima (M23 to M26); ``row_of``: any instruction's row."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.standin.arithmetic import bits_of, elementwise_row, matrix_row
from tilepath.models.standin.plan import Flag, Op
from tilepath.models.standin.sample import is_elementwise, is_matrix_product

_ONE: Final = 0x7F  # 1.0 in a Src file
_SIGN: Final = 1 << 18


@part
def _flushed(plan: Record, datum: int) -> int:
    """M13, of moves, which look at the whole exponent."""
    return datum if plan.keeps_denormals or datum & 0xFF else 0


@part
def _to_half(plan: Record, datum: int) -> int:
    """A Src datum in 16 bits (M24)."""
    high = (datum >> 3) & 0x8000
    if plan.moved_e5:
        return high | (datum >> 3) & 0x7FE0 | datum & 0x1F
    return high | (datum >> 3) & 0x7F00 | datum & 0xFF


@part
def _to_dst_row(plan: Record, rows: Record, row: int) -> None:
    """MOVA2D, MOVB2D (M24)."""
    for column in range(16):
        if plan.op == Op.MOVA2D:
            datum = _flushed(plan, rows.a[row, column])
        else:
            datum = _flushed(plan, rows.b[row, 0 if plan.b_column else column]) & plan.kept
        value = half = _to_half(plan, datum)
        if plan.moved_tf32:
            value = half << 16 | ((datum >> 8) & 7) << 13
            if plan.low_half:
                value |= half
        elif plan.low_half:
            value = rows.d[row, column] & 0xFFFF_0000 | half
        rows.out[column] = value


@part
def _from_dst_row(plan: Record, rows: Record, row: int) -> None:
    """MOVD2A, MOVD2B (M25)."""
    for column in range(16):
        stored = rows.d[row, column]
        half = stored >> 16 if plan.wide and not plan.low_half else stored & 0xFFFF
        if plan.e5[0]:
            value = (half & 0xFFE0) << 3 | half & 0x1F
        elif plan.tf32[0] and plan.low_half:
            value = stored & 0x1FFF
        else:
            value = (half & 0xFF00) << 3 | half & 0xFF
            if plan.tf32[0] and plan.wide:
                value |= ((stored >> 13) & 7) << 8
        rows.out[column] = 0 if plan.gives_zero else value


@part
def ordered(datum: int) -> int:
    """Sign and magnitude as a number by which data compare; -0 comes before 0."""
    size = (datum & 0xFF) << 10 | (datum >> 8) & 0x3FF
    return -1 - size if datum & _SIGN else size


@part
def largest_of_a(plan: Record, rows: Record, column: int) -> int:
    """The largest of a column of SrcA."""
    largest = _SIGN | (_SIGN - 1)
    for k in range(16):
        datum = rows.a[k, column] & bits_of(0, plan.tf32[0])
        datum = datum if datum & 0xFF else 0
        if ordered(datum) > ordered(largest):
            largest = datum
    return largest


@part
def held_in_dst(plan: Record, rows: Record, column: int) -> int:
    """What Dst's row has there, as a Src datum."""
    stored = rows.d[0, column]
    high, low = (stored >> 16, (stored >> 13) & 7) if plan.wide else (stored, stored & 0)
    if not rows.row_valid[0]:
        high, low = high | 0xFFFF, (low | 7 if plan.wide else low)
    return (high & 0xFF00) << 3 | low << 8 | high & 0xFF  # type: ignore[no-any-return]


@part
def _maximum_row(plan: Record, rows: Record, row: int) -> None:
    """GMPOOL (M23): the largest of each column, zeros below."""
    for column in range(16):
        rows.out[column] = 0
        if row:
            continue
        largest, of_a = held_in_dst(plan, rows, column), largest_of_a(plan, rows, column)
        if ordered(of_a) > ordered(largest):
            largest = of_a
        high = (largest >> 3) & 0xFF00 | largest & 0xFF
        low = (largest >> 8) & 7
        rows.out[column] = high << 16 | low << 13 if plan.wide else high


@part
def check_scale(plan: Record, rows: Record) -> None:
    """GMPOOL's row of SrcB, once it is there (M23)."""
    for column in range(16):
        if rows.b[0, column] != _ONE:
            plan.faults |= Flag.POOL_SCALE


@part
def row_of(plan: Record, rows: Record, row: int) -> None:
    """The row that is written as number ``row``, to ``rows.out``."""
    if is_elementwise(plan.op):
        elementwise_row(plan, rows, row)
    elif is_matrix_product(plan.op):
        matrix_row(plan, rows, row)
    elif plan.op == Op.GMPOOL:
        _maximum_row(plan, rows, row)
    elif plan.op == Op.MOVA2D or plan.op == Op.MOVB2D:
        _to_dst_row(plan, rows, row)
    elif plan.op == Op.MOVB2A:
        for column in range(16):
            rows.out[column] = _flushed(plan, rows.b[row, column]) & plan.kept
    elif plan.op == Op.TRNSPSRCB:
        for column in range(16):
            rows.out[column] = rows.b[column, row]
    else:
        _from_dst_row(plan, rows, row)
