# SPDX-License-Identifier: Apache-2.0
"""Sums and products as the Matrix Unit rounds them (M11 to M21): integers only.

Loops over columns have no branches, so that they become vectors.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.models.standin.plan import Op
from tilepath.models.standin.sample import is_matrix_product, is_sum

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
    """``value`` / 2**``shift``, ties up; of a magnitude, below 2**30, that is away from zero."""
    shift = min(max(shift, 0), 31)
    return (value + ((1 << shift) >> 1)) >> shift


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
def _keeps(plan: Record, file: int) -> int:
    """Whether data count whose exponent is 0 (M13)."""
    keeps: int = plan.keeps_denormals
    return keeps if file == 1 and not is_matrix_product(plan.op) else 0


@part
def counts(plan: Record, datum: int, file: int) -> bool:
    """Whether a datum is none of those that are 0 for their exponent (M13)."""
    return datum & 0xFF | _keeps(plan, file) != 0


@part
def _of_phase(plan: Record, file: int) -> tuple[int, int, int, int]:
    """Of a factor what the phase is for (M17, M21): hidden bit; shift, bits, shift back."""
    low = (plan.phase >> file) & 1
    if plan.integers:
        if is_sum(plan.op):
            return 0, 0, 0x3FF, 0
        if file == 0:
            return 0, 0, 0x1F if low else 0xE0, 0
        return 0, 0, 0xF if low else 0x3F0, 0
    if file == 0:
        return 0x400, 1 if low else 6, 0x1F, 0
    return 0x400, 0 if low else 4, 0xF if low else 0x7F, 3 if low else 0


@part
def _take_apart(plan: Record, file: int, data: Records, factors: Records, exps: Records) -> None:
    """A row's factors, with their signs, and exponents: those of zeros make no product count."""
    operand_bits, keeps = _operand_bits(plan, file), _keeps(plan, file)
    hidden, right, ones, left = _of_phase(plan, file)
    for column in range(16):
        datum = data[column] & operand_bits
        exponent = datum & 0xFF
        counted = exponent | keeps != 0
        size = (((((datum >> 8) & 0x3FF) | hidden) >> right) & ones) << left
        size = size if counted else 0
        factors[column] = -size if datum & _SIGN else size
        exps[column] = exponent if counted else _NO_EXPONENT


@part
def _largest_exponents(plan: Record, rows: Record) -> None:
    """Of the products of a row of SrcB and each column of SrcA, by groups of eight (M18)."""
    tops, exponents, added, least = rows.tops, rows.exponents, plan.exponent, max(plan.exponent, 0)
    for column in range(16):
        tops[0, column] = tops[1, column] = least
    for k in range(_GROUP):
        exponent, other = rows.row_exponents[k] + added, rows.row_exponents[k + _GROUP] + added
        for column in range(16):
            tops[0, column] = max(tops[0, column], exponents[k, column] + exponent)
            tops[1, column] = max(tops[1, column], exponents[k + _GROUP, column] + other)


@part
def _product(a: int, b: int, shift: int) -> int:
    size = rounded(abs(a * b), shift)
    return -size if a * b < 0 else size


@part
def _add_products(plan: Record, rows: Record) -> None:
    """The products as a term a group and column (M18)."""
    sums, tops, added = rows.sums, rows.tops, plan.exponent
    factors, exponents = rows.factors, rows.exponents
    for column in range(16):
        sums[0, column] = sums[1, column] = 0
    for k in range(_GROUP):
        far = k + _GROUP
        exponent, factor = rows.row_exponents[k] + added, rows.row_factors[k]
        exponent_of_far, factor_of_far = rows.row_exponents[far] + added, rows.row_factors[far]
        for column in range(16):
            shift = tops[0, column] - exponents[k, column] - exponent
            sums[0, column] += _product(factors[k, column], factor, shift)
            shift = tops[1, column] - exponents[far, column] - exponent_of_far
            sums[1, column] += _product(factors[far, column], factor_of_far, shift)
    for group in range(2):
        for column in range(16):
            sums[group, column] = sums[group, column] if tops[group, column] else 0


@part
def _add_elements(plan: Record, rows: Record, row: int) -> None:
    """ELWADD, ELWSUB: sums as terms (M18): the smaller is rounded to the larger's exponent."""
    bits_a, bits_b, keeps = _operand_bits(plan, 0), _operand_bits(plan, 1), _keeps(plan, 1)
    flips = _SIGN if plan.op == Op.ELWSUB else 0
    hidden_of_zero = keeps & plan.wide
    added, added_to_zero = (112, 97) if plan.e5[0] and plan.wide else (0, 0)
    data_a, data_b, tops, sums = rows.a[row], rows.b[row], rows.tops, rows.sums
    for column in range(16):
        a, b = data_a[column] & bits_a, data_b[column] & bits_b ^ flips
        a, b = a if a & 0xFF else 0, b if b & 0xFF | keeps else 0
        # as one number: exponent, then mantissa
        key_a, key_b = (a & 0xFF) << 10 | (a >> 8) & 0x3FF, (b & 0xFF) << 10 | (b >> 8) & 0x3FF
        m_a = 0x400 | key_a & 0x3FF if a else 0
        m_b = 0x400 | key_b & 0x3FF if b | hidden_of_zero else 0
        swapped = key_b > key_a
        exponent = max(key_a, key_b) >> 10
        small = rounded(m_a if swapped else m_b, exponent - (min(key_a, key_b) >> 10))
        total = (m_b if swapped else m_a) + (-small if (a ^ b) & _SIGN else small)
        sums[0, column] = -total if (b if swapped else a) & _SIGN else total
        tops[0, column] = exponent + (added if exponent else added_to_zero)
        sums[1, column] = tops[1, column] = 0


@part
def _combine_elements(plan: Record, rows: Record, row: int) -> None:
    """ELWMUL: products as terms; sums of integers."""
    factors, exponents, tops, sums = rows.factors, rows.exponents, rows.tops, rows.sums
    _take_apart(plan, 0, rows.a[row], factors[0], exponents[0])
    _take_apart(plan, 1, rows.b[row], factors[1], exponents[1])
    multiplies, added, least = plan.op == Op.ELWMUL, plan.exponent, max(plan.exponent, 0)
    sign = -1 if plan.op == Op.ELWSUB else 1
    for column in range(16):
        a, b = factors[0, column], factors[1, column]
        total = a * b if multiplies else a + b * sign
        exponent = exponents[0, column] + exponents[1, column] + added
        sums[0, column] = total if plan.integers or exponent > 0 else 0
        tops[0, column] = exponent if exponent > 0 else least
        sums[1, column] = tops[1, column] = 0


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
def _form(plan: Record) -> tuple[int, int, int, int]:
    """How Dst has a number, in the high bits of 32 (M15).

    How far that is to the left; which of 23 bits of mantissa are the higher ones there; the
    largest exponent; bits of mantissa, with the hidden one.
    """
    if plan.wide:
        return 0, 0x7F_0000, 0xFF, 24
    return (16, 0x7F_E000, 0x1F, 11) if plan.e5[0] else (16, 0x7F_0000, 0xFF, 8)


@part
def exponent_in_dst(plan: Record, stored: int) -> int:
    """The exponent of what Dst held (M19)."""
    left, _, largest, _ = _form(plan)
    return (stored << left) >> 16 & largest


@part
def _accumulate(plan: Record, rows: Record, row: int) -> None:
    """What Dst held and two terms of each column, as Dst stores it (M19, M20)."""
    left, high, largest, keep = _form(plan)
    coarse, held_bits = 0 if plan.wide else _COARSE, -1 if plan.accumulates else 0
    overflow, infinite = (32, 0x7F_E000) if largest == 0x1F else (255, 0)
    as_zero = -1 if plan.settings.minus1 and plan.wide else _LARGEST
    tops, sums, held, out = rows.tops, rows.sums, rows.d[row], rows.out
    for column in range(16):
        old = (held[column] & held_bits) << left
        e_old, e0, e1 = (old >> 16) & largest, tops[0, column], tops[1, column]
        top = max(e_old, e0, e1)
        # the old value's magnitude is rounded, of the terms the value
        size = (1 << 23 | (old >> 8) & high | old & 0xFFFF) if e_old else 0
        size = rounded(rounded(size, top - e_old), coarse) << coarse
        total = -size if old >> 31 else size
        total += rounded(rounded(sums[0, column] << 13, top - e0), coarse) << coarse
        total += rounded(rounded(sums[1, column] << 13, top - e1), coarse) << coarse
        total = total if top > 0 else 0
        size = abs(total)
        bits = int(np.float64(size | 1).view(np.int64) >> 52) - 1022  # to the highest 1
        mantissa = rounded(size, bits - keep) << max(keep - bits, 0)
        carry = mantissa >> keep
        exponent = top - _MANTISSA + bits + carry
        mantissa = (mantissa >> carry) << (_MANTISSA - keep)
        mantissa = infinite if exponent >= overflow else mantissa
        value = (mantissa & high) << 8 | min(exponent, largest) << 16 | mantissa & 0xFFFF
        value = value if total != 0 and exponent > 0 else 0
        value = min(top + 4, 255) << 16 if total == as_zero else value
        out[column] = (value | (1 << 31 if value and total < 0 else 0)) >> left


@part
def _accumulate_integers(plan: Record, rows: Record, row: int) -> None:
    """Sums with what Dst held, saturated, as Dst stores them (M12, M21)."""
    held_bits, sums, held, out = -1 if plan.accumulates else 0, rows.sums[0], rows.d[row], rows.out
    for column in range(16):
        old = as_float(held[column] & held_bits)
        total = sums[column] + (-(old & _LARGEST) if old >> 31 else old)
        out[column] = as_stored(min(abs(total), _LARGEST) | (1 << 31 if total < 0 else 0))


# --- rows


@part
def elementwise_row(plan: Record, rows: Record, row: int) -> None:
    """ELWMUL, ELWADD, ELWSUB: row ``row`` of eight, to ``rows.out``."""
    if plan.b_column:
        for column in range(1, 16):
            rows.b[row, column] = rows.b[row, 0]
    if is_sum(plan.op) and not plan.integers:
        _add_elements(plan, rows, row)
    else:
        _combine_elements(plan, rows, row)
    if plan.integers:
        _accumulate_integers(plan, rows, row)
    else:
        _accumulate(plan, rows, row)


@part
def _note(plan: Record, rows: Record) -> None:
    """Which products of each column have a factor that is 0, and how far the others shift."""
    for column in range(16):
        note = rows.dots[column]
        note.zeros = 0
        for place in range(5):
            note.shifts[place] = 0
        for k in range(16):
            exponent = rows.exponents[k, column] + rows.row_exponents[k]
            top = rows.tops[k // _GROUP, column]
            if exponent < 0:
                note.zeros |= 1 << k
            elif top > 0:
                shift = top - exponent - plan.exponent
                place = (shift >= 1) + (shift >= _PART) + (shift >= _LAST) + (shift > _LAST)
                note.shifts[place] += 1
        note.tops[0], note.tops[1] = rows.tops[0, column], rows.tops[1, column]


@part
def _add_integers(rows: Record) -> None:
    """MVMUL, GAPOOL of integers: all products of a row."""
    sums = rows.sums[0]
    for column in range(16):
        sums[column] = 0
    for k in range(16):
        factor = rows.row_factors[k]
        for column in range(16):
            sums[column] += rows.factors[k, column] * factor


@part
def matrix_row(plan: Record, rows: Record, row: int) -> None:
    """MVMUL, GAPOOL: row ``row`` of SrcB times 16 rows of SrcA, to ``rows.out``."""
    if row == 0:
        for k in range(16):
            _take_apart(plan, 0, rows.a[k], rows.factors[k], rows.exponents[k])
    _take_apart(plan, 1, rows.b[row], rows.row_factors, rows.row_exponents)
    if plan.integers:
        _add_integers(rows)
        _accumulate_integers(plan, rows, row)
        return
    _largest_exponents(plan, rows)
    _add_products(plan, rows)
    if rows.noted:
        _note(plan, rows)
    _accumulate(plan, rows, row)
