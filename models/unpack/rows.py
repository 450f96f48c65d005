# SPDX-License-Identifier: Apache-2.0
"""Whole rows: 16 datums that are neighbours in L1 and in a bank of SrcA or SrcB, moved at once.

Most UNPACRs are made of such rows. Beats and steps give the same, datum for datum.
"""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack import convert
from tilepath.models.unpack.convert import Conversion
from tilepath.models.unpack.faults import WriteFlag
from tilepath.models.unpack.l1_walk import Words, exponent
from tilepath.models.unpack.plan import LOW32
from tilepath.models.unpack.settings import wide as as_int
from tilepath.models.unpack.to_registers import COLUMNS, SRC_ROWS, row_faults


@part
def _is_within(source: Record, end: int, parts: int, l1: Words) -> bool:
    """Whether pointers up to ``end``, ``parts`` per byte, are in L1 and are not wrapped (U24)."""
    is_plain = source.fifo == 0 or end <= source.limit * parts
    return bool(is_plain and end <= 4 * parts * l1.shape[0])


@part
def are_whole(plan: Record, l1: Words) -> bool:
    """Whether an UNPACR is made of such rows: no slot is masked, no read at fault."""
    source, target = plan.source, plan.target
    odd = source.tilize | target.to_dst | target.transposes | target.all_zero | target.col_shift
    if target.plain == 0 or odd or source.count == 0:
        return False
    first: int = target.out_addr
    if (source.count | source.datum | first) % COLUMNS:  # a word of L1 has 16 quarter bytes, too
        return False
    if (plan.unit == 0 and first < 64) or first + source.count > LOW32:  # U30
        return False
    if source.reads_exponents:
        end = source.exponent + source.count
        if end % COLUMNS or not _is_within(source, end, 16, l1):
            return False
    return _is_within(source, source.datum + source.count * source.quarters, 4, l1)


@part
def copy(plan: Record, l1: Words, src: Words) -> int:
    """From L1 into a bank of ``src``, both files; returns ``WriteFlag`` bits."""
    source, target = plan.source, plan.target
    quarters, conversion = source.quarters, target.conversion
    datum, pointer, ones = source.datum, source.exponent, (1 << (2 * quarters)) - 1
    place = (target.out_addr + target.address_add) // COLUMNS
    bad = 0
    for number in range(place, place + source.count // COLUMNS):
        row = src[plan.unit, plan.bank, number % SRC_ROWS]
        for k in range(COLUMNS):
            row[k] = (as_int(l1[datum >> 4]) >> (2 * (datum & 15))) & ones
            datum += quarters
        if conversion == Conversion.BFP or conversion == Conversion.BFPA:
            of_row = exponent(source, pointer, l1)
            bad |= convert.convert_group(target, of_row, row, 0, COLUMNS)
        else:
            convert.convert_row(conversion, 0, target.wide, row, 0, COLUMNS)
        pointer += COLUMNS
    faults = row_faults(plan, target.out_addr + source.count - 1)
    return faults | (WriteFlag.BFPA if bad else 0)
