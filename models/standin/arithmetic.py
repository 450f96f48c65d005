# SPDX-License-Identifier: Apache-2.0
"""Sums and products as the Matrix Unit rounds them (M11 to M21): integers only."""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import part
from tilepath.models.records import Record
from tilepath.models.standin.plan import Op
from tilepath.models.standin.sample import is_matrix_product

_SIGN: Final = 1 << 18  # of a Src datum
_MAGNITUDE: Final = _SIGN - 1
_LARGEST: Final = (1 << 31) - 1  # integer in Dst
_GROUP: Final = 8
_PART, _LAST = 11, 12  # shifts that leave of a product its highest bit, or at most its rounding
_NO_EXPONENT: Final = -(1 << 20)
_MANTISSA: Final = 24  # bits of an addend, with the hidden one
_COARSE: Final = 13  # low bits that sums for a 16-bit Dst do not have


@part
def rounded(value: int, shift: int) -> int:
    """``value`` / 2**``shift``, ties up; of a magnitude that is away from zero."""
    if shift <= 0:
        return value
    if shift > 31:
        return 0
    return (value + (1 << (shift - 1))) >> shift


@part
def bit_length(size: int) -> int:
    """Bits up to the highest 1 of a number below 2**32."""
    bits = 0
    for step in (16, 8, 4, 2, 1):
        if size >> step:
            size >>= step
            bits += step
    return bits + size


# --- Src data: sign, mantissa (10), exponent (8)


@part
def bits_of(e5: int, tf32: int) -> int:
    """The bits of a datum that its format has (M11)."""
    if e5:
        return ~0xE0
    return ~0 if tf32 else ~0x700


@part
def _operand_bits(plan: Record, file: int) -> int:
    return ~0 if plan.integers else bits_of(plan.e5[file], plan.tf32[file])


@part
def operand(plan: Record, datum: int, file: int) -> int:
    """A factor as its format has it; of integers all bits."""
    return datum & _operand_bits(plan, file)


@part
def counts(plan: Record, datum: int, file: int) -> bool:
    """Whether a datum is none of those that are 0 for their exponent (M13)."""
    keeps = file == 1 and plan.keeps_denormals and not is_matrix_product(plan.op)
    return bool(datum & 0xFF) or bool(keeps)


@part
def _mantissa(datum: int) -> int:
    return 0x400 | ((datum >> 8) & 0x3FF)


@part
def _factor(plan: Record, datum: int, file: int) -> int:
    """The bits of a factor that the phase is for, with its sign (M17, M21); of a zero 0."""
    if not counts(plan, datum, file):
        return 0
    size = (datum >> 8) & 0x3FF
    if plan.integers:
        if file == 0:
            size &= 0x1F if plan.phase & 1 else 0xE0
        else:
            size &= 0xF if plan.phase & 2 else 0x3F0
    else:
        size |= 0x400
        if file == 0:
            size = (size >> 1) & 31 if plan.phase & 1 else size >> 6
        else:
            size = (size & 15) << 3 if plan.phase & 2 else size >> 4
    return -size if datum & _SIGN else size


@part
def _exponent(plan: Record, datum: int, file: int) -> int:
    """The exponent of a factor; of a zero one that makes no product count."""
    return datum & 0xFF if counts(plan, datum, file) else _NO_EXPONENT


@part
def _take_apart(plan: Record, rows: Record, row: int) -> None:
    """The factors of a row of SrcB; with the first one those of SrcA, for all rows."""
    if row == 0:
        bits = _operand_bits(plan, 0)
        for k in range(16):
            for column in range(16):
                datum = rows.a[k, column] & bits
                rows.factors[k, column] = _factor(plan, datum, 0)
                rows.exponents[k, column] = _exponent(plan, datum, 0)
    bits = _operand_bits(plan, 1)
    for k in range(16):
        datum = rows.b[row, k] & bits
        rows.row_factors[k] = _factor(plan, datum, 1)
        rows.row_exponents[k] = _exponent(plan, datum, 1) + plan.exponent


@part
def _add_group(rows: Record, least: int, group: int) -> None:
    """Eight products of a row of SrcB and each column of SrcA, as a term a column (M18)."""
    tops, sums = rows.tops[group], rows.sums[group]
    for column in range(16):
        tops[column], sums[column] = least, 0
    for k in range(_GROUP * group, _GROUP * group + _GROUP):
        exponent = rows.row_exponents[k]
        for column in range(16):
            tops[column] = max(tops[column], rows.exponents[k, column] + exponent)
    for k in range(_GROUP * group, _GROUP * group + _GROUP):
        exponent, factor = rows.row_exponents[k], rows.row_factors[k]
        for column in range(16):
            product = rows.factors[k, column] * factor
            shift = min(tops[column] - rows.exponents[k, column] - exponent, _LAST + 1)
            size = (abs(product) + ((1 << shift) >> 1)) >> shift
            sums[column] += -size if product < 0 else size
    for column in range(16):
        if tops[column] == 0:
            sums[column] = 0


@part
def _sum(plan: Record, a: int, b: int) -> tuple[int, int]:
    """Sum of two data as a term (M18): the smaller is rounded to the larger's exponent."""
    a = a if counts(plan, a, 0) else 0
    b = b if counts(plan, b, 1) else 0
    # as one number: exponent, then mantissa
    key_a, key_b = (a & 0xFF) << 10 | (a >> 8) & 0x3FF, (b & 0xFF) << 10 | (b >> 8) & 0x3FF
    m_a = _mantissa(a) if a else 0
    m_b = _mantissa(b) if b or (plan.keeps_denormals and plan.wide) else 0
    large, small, total, m_small = (a, b, m_a, m_b) if key_a >= key_b else (b, a, m_b, m_a)
    exponent = large & 0xFF
    m_small = rounded(m_small, exponent - (small & 0xFF))
    total += -m_small if (large ^ small) & _SIGN else m_small
    if large & _SIGN:
        total = -total
    if plan.e5[0] and plan.wide:
        exponent = exponent + 112 if exponent else 97
    return total, exponent


# --- Dst


@part
def as_float(stored: int) -> int:
    """A 32-bit datum of Dst with its bits in order, or the reverse (M15): sign, e8, m23."""
    sign, low = stored & 0x8000_0000, stored & 0xFFFF
    return sign | (stored & 0xFF_0000) << 7 | (stored & 0x7F00_0000) >> 8 | low


@part
def as_stored(value: int) -> int:
    """The inverse of ``as_float``."""
    sign, low = value & 0x8000_0000, value & 0xFFFF
    return sign | (value & 0x7F_0000) << 8 | (value & 0x7F80_0000) >> 7 | low


@part
def addend(plan: Record, stored: int) -> tuple[int, int]:
    """Mantissa of 24 bits, with sign, and exponent of what Dst held (M19)."""
    if plan.wide:
        value = as_float(stored)
        sign, exponent = value >> 31, (value >> 23) & 0xFF
        mantissa = value & 0x7F_FFFF
    elif plan.e5[0]:
        sign, exponent = stored >> 15, stored & 0x1F
        mantissa = ((stored >> 5) & 0x3FF) << 13
    else:
        sign, exponent = stored >> 15, stored & 0xFF
        mantissa = ((stored >> 8) & 0x7F) << 16
    if exponent == 0:
        return 0, exponent
    mantissa |= 1 << 23
    return -mantissa if sign else mantissa, exponent


@part
def _coarse(plan: Record, value: int) -> int:
    """An addend of a sum for Dst: of 16 bits a multiple of 2**13; ties up."""
    return value if plan.wide else rounded(value, _COARSE) << _COARSE


@part
def _encode(plan: Record, total: int, top: int) -> int:
    """``total`` * 2**(``top`` - 23) as Dst stores it (M20)."""
    if total == 0:
        return 0
    if plan.settings.minus1 and plan.wide and total == -1:
        return as_stored(1 << 31 | min(top + 4, 255) << 23)
    size = abs(total)
    bits = bit_length(size)
    e5 = plan.e5[0] and not plan.wide
    keep = 24 if plan.wide else 11 if e5 else 8
    mantissa = rounded(size, bits - keep) if bits > keep else size << (keep - bits)
    exponent = top - _MANTISSA + bits
    if mantissa >> keep:
        mantissa >>= 1
        exponent += 1
    if exponent <= 0:
        return 0
    mantissa &= (1 << (keep - 1)) - 1
    sign = 1 if total < 0 else 0
    if e5:
        if exponent >= 32:
            exponent, mantissa = 31, 0x3FF
        return sign << 15 | mantissa << 5 | exponent
    if exponent >= 255:
        exponent, mantissa = 255, 0
    if plan.wide:
        return as_stored(sign << 31 | exponent << 23 | mantissa)
    return sign << 15 | mantissa << 8 | exponent


@part
def _accumulated(plan: Record, stored: int, s0: int, e0: int, s1: int, e1: int) -> int:
    """What Dst held and two terms, as Dst stores it (M19)."""
    old, e_old = 0, 0
    if plan.accumulates:
        old, e_old = addend(plan, stored)
    top = max(e_old, e0, e1)
    if top <= 0:
        return 0
    # the old value's magnitude is rounded, of the terms the value
    size = _coarse(plan, rounded(abs(old), top - e_old))
    total = -size if old < 0 else size
    total += _coarse(plan, rounded(s0 << 13, top - e0))
    total += _coarse(plan, rounded(s1 << 13, top - e1))
    return _encode(plan, total, top)


# --- integers (M12, M21)


@part
def _integer(plan: Record, datum: int, file: int) -> int:
    if not counts(plan, datum, file):
        return 0
    size = (datum >> 8) & 0x3FF
    return -size if datum & _SIGN else size


@part
def _integer_result(plan: Record, stored: int, total: int) -> int:
    """Sum with what Dst held, saturated, as Dst stores it."""
    if plan.accumulates:
        old = as_float(stored)
        total += -(old & _LARGEST) if old >> 31 else old
    size = min(abs(total), _LARGEST)
    return as_stored(size | (1 << 31 if total < 0 else 0))


# --- rows


@part
def elementwise_row(plan: Record, rows: Record, row: int) -> None:
    """ELWMUL, ELWADD, ELWSUB: row ``row`` of eight, to ``rows.out``."""
    for column in range(16):
        a = operand(plan, rows.a[row, column], 0)
        b = operand(plan, rows.b[row, 0 if plan.b_column else column], 1)
        if plan.op == Op.ELWSUB:
            b ^= _SIGN
        old = rows.d[row, column]
        if plan.integers:
            total = _integer(plan, a, 0) + _integer(plan, b, 1)
            if plan.op == Op.ELWMUL:
                total = _factor(plan, a, 0) * _factor(plan, b, 1)
            rows.out[column] = _integer_result(plan, old, total)
            continue
        if plan.op == Op.ELWMUL:
            total = _factor(plan, a, 0) * _factor(plan, b, 1)
            exponent = _exponent(plan, a, 0) + _exponent(plan, b, 1) + plan.exponent
            if exponent <= 0:
                total, exponent = 0, max(plan.exponent, 0)
        else:
            total, exponent = _sum(plan, a, b)
        zero = 0
        rows.out[column] = _accumulated(plan, old, total, exponent, zero, zero)


@part
def _note(plan: Record, rows: Record) -> None:
    """Which products of each column have a factor that is 0, and how far the others shift."""
    for column in range(16):
        note = rows.dots[column]
        note.zeros = 0
        for place in range(5):
            note.shifts[place] = 0
        for k in range(16):
            exponent, top = rows.row_exponents[k], rows.tops[k // _GROUP, column]
            if rows.exponents[k, column] + exponent < plan.exponent:
                note.zeros |= 1 << k
            elif top > 0:
                shift = top - rows.exponents[k, column] - exponent
                place = (shift >= 1) + (shift >= _PART) + (shift >= _LAST) + (shift > _LAST)
                note.shifts[place] += 1
        note.tops[0], note.tops[1] = rows.tops[0, column], rows.tops[1, column]


@part
def _integer_row(plan: Record, rows: Record, row: int) -> None:
    """A row of MVMUL or GAPOOL with integers."""
    sums = rows.sums[0]
    for column in range(16):
        sums[column] = 0
    for k in range(16):
        factor = rows.row_factors[k]
        for column in range(16):
            sums[column] += rows.factors[k, column] * factor
    for column in range(16):
        rows.out[column] = _integer_result(plan, rows.d[row, column], sums[column])


@part
def matrix_row(plan: Record, rows: Record, row: int) -> None:
    """MVMUL, GAPOOL: row ``row`` of SrcB times 16 rows of SrcA, to ``rows.out``."""
    _take_apart(plan, rows, row)
    if plan.integers:
        _integer_row(plan, rows, row)
        return
    for group in range(2):
        _add_group(rows, max(plan.exponent, 0), group)
    if rows.noted:
        _note(plan, rows)
    tops, sums = rows.tops, rows.sums
    for column in range(16):
        rows.out[column] = _accumulated(
            plan, rows.d[row, column],
            sums[0, column], tops[0, column], sums[1, column], tops[1, column],
        )  # fmt: skip
