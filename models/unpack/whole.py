# SPDX-License-Identifier: Apache-2.0
"""A whole instruction at once: what a Regular UNPACR reads and writes, without time.

``t``: tables, ``p``: plan, as in ``layout``. ``r``: results, int64, shape (RESULTS,). ``l1``:
uint32, the little-endian words of L1. ``src``: uint32, flat: (2 files, 2 banks, 64 rows, 16
columns). ``dst``: uint16, flat: (1024, 16). ``valid``: uint8, shape (1024,). ``at``: see
``stepping``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.models.jit import part
from tilepath.models.unpack import convert, stepping
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import tables as T

READ: Final = 0  # faults
WRITE: Final = 1
WROTE: Final = 2  # something was written
EVENT: Final = 3  # SETREG has written
ADDRESS: Final = 4
DATA: Final = 5
NOT_MET: Final = 6
RESULTS: Final = 7

BANK_SIZE: Final = L.SRC_ROWS * 16


@part
def _word(t: L.Memory, r: L.Memory, l1: L.Memory, address: int, fault: int) -> int:
    """The aligned word of L1 that has byte ``address``; beyond the end 0 and a fault (U66)."""
    if address >= t[T.L1_BYTES]:
        r[READ] |= fault
        return 0
    return np.int64(l1[address >> 2])  # type: ignore[return-value]


@part
def rsi_entry(t: L.Memory, r: L.Memory, l1: L.Memory, address: int) -> int:
    """Entry of the RSI section at an even byte address."""
    word = _word(t, r, l1, address, L.R_RSI)
    return (word >> (8 * (address & 2))) & 0xFFFF


@part
def _put(
    p: L.Memory, src: L.Memory, dst: L.Memory, valid: L.Memory, place: int, value: int
) -> None:
    """Write a value: ``place`` is 16 × register row + column, before the exchange."""
    if p[L.DST] == 0:
        if p[L.TRANSPOSE]:
            place = convert.exchanged(place)
        src[BANK_SIZE * (2 * p[L.UNIT] + p[L.BANK]) + place] = value
    elif p[L.WIDE]:
        row = convert.high_row(place >> 4)
        dst[16 * row + (place & 15)] = value >> 16
        dst[16 * (row + 8) + (place & 15)] = value & 0xFFFF
        valid[row] = 1
    else:
        dst[place] = value & 0xFFFF
        valid[place >> 4] = 1


@part
def _slot(
    p: L.Memory,
    r: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    out_addr: int,
    value: int,
) -> None:
    if convert.masked(p, out_addr) == 0:
        r[WROTE] = 1
        r[WRITE] |= convert.row_faults(p, out_addr)
        _put(p, src, dst, valid, convert.address(p, out_addr), value)


@part
def datum_by_datum(
    t: L.Memory,
    p: L.Memory,
    r: L.Memory,
    at: L.Memory,
    l1: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
) -> None:
    """Any Regular UNPACR."""
    out_addr = p[L.OUT_ADDR]
    drop = p[L.DROP]
    items = p[L.ITEMS] if p[L.BOUNDED] else L.UNLIMITED
    mask = (1 << (2 * p[L.SIZE])) - 1
    stepping.begin(p, at)
    while at[stepping.S_INDEX] < p[L.COUNT] and items > 0:
        datum = at[stepping.S_DATUM]
        bits = (_word(t, r, l1, datum >> 2, L.R_DATUM) >> (2 * (datum & 15))) & mask
        exponent = p[L.FORCED]
        if p[L.READS_EXP]:
            byte = at[stepping.S_EXPONENT] >> 4
            exponent = (_word(t, r, l1, byte, L.R_EXPONENT) >> (8 * (byte & 3))) & 0xFF
        if convert.bad_exponent(p[L.CONVERSION], p[L.SHIFT], bits, exponent):
            r[WRITE] |= L.W_BFPA
        value = 0
        zeros = 0
        if p[L.COMPRESSED]:
            delta = at[stepping.S_DELTA]
            zeros = (_word(t, r, l1, delta >> 1, L.R_DELTA) >> (4 * (delta & 7))) & 15
        if p[L.ALL_ZERO]:  # U23
            zeros = 0
        else:
            value = convert.value(
                p[L.CONVERSION], p[L.DST], p[L.WIDE], p[L.SHIFT], bits, exponent
            )  # fmt: skip
        for item in range(1 + zeros):
            if drop > 0:
                drop -= 1
                continue
            if items == 0:
                break
            items -= 1
            _slot(p, r, src, dst, valid, out_addr, value if item == 0 else 0)
            out_addr = (out_addr + 1) & L.LOW32
            for _ in range(p[L.ZEROS]):
                if p[L.INTERLEAVE] == 0:
                    _slot(p, r, src, dst, valid, out_addr, 0)
                out_addr = (out_addr + 1) & L.LOW32
        stepping.step(p, at)
