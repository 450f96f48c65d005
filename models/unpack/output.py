# SPDX-License-Identifier: Apache-2.0
"""Where the datums of an UNPACR go, and what it leaves behind (5.5, 6).

Arguments as in ``source``.
"""

from __future__ import annotations

from tilepath.models.jit import part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.tables import counter, read


@part
def place(
    t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory, live: L.Memory, pointers: L.Memory
) -> None:
    """Where the slots go (5.5), and the flags of that."""
    unit = p[L.UNIT]
    bank = p[L.STATE]
    thread = p[L.THREAD]
    flags = p[L.FLAGS]
    out = p[L.OUT]
    y = counter(live, thread, unit, 1, 1)  # A10: the thread's own set
    z = counter(live, thread, unit, 1, 2)
    w = counter(live, thread, unit, 1, 3)
    address = read(t, config, bank, unit, T.OUT_BASE)
    address += y * read(t, config, bank, unit, T.Y_STRIDE)
    address += z * read(t, config, bank, unit, T.Z_STRIDE)  # A17
    address += w * read(t, config, bank, unit, T.W_STRIDE)
    address &= L.LOW32
    shift = 0
    if p[L.WIDE]:
        shift = 2
    elif out == L.FP16 or out == L.BF16 or out == L.INT16:
        shift = 1
    aligned = address & ((1 << shift) - 1) == 0
    address >>= shift
    if p[L.MULTI] and unit == 0:
        dest = read(t, config, bank, 0, T.DEST + (p[L.CTX] & 3))
        if p[L.DST] or read(t, config, bank, 0, T.ADD_DEST):  # U28, U29
            address = (address + dest) & L.LOW32
        else:
            address = dest
    if not aligned:
        flags |= L.F_OUT_ALIGN
    p[L.OUT_ADDR] = address
    p[L.SRC_ROW] = pointers[L.POINTERS * unit + L.P_ROW + thread]
    p[L.OVRD] = read(t, tc, thread, unit, T.SET_OVRD) if unit == 0 else 0
    haloize = read(t, config, bank, unit, T.HALOIZE)
    shifted = read(t, config, bank, unit, T.SHIFT_AMOUNT + (p[L.CTX] & 3))
    if unit == 1:
        p[L.ADDRESS_ADD] = 16 * p[L.SRC_ROW]
        p[L.ADDRESS_MASK] = 0x3FF
        if haloize:
            flags |= L.F_TRANSPOSE_SRCB
    elif p[L.DST]:
        p[L.ADDRESS_ADD] = -64
        p[L.ADDRESS_MASK] = 0xFF if p[L.OVRD] else 0x3FFF
        if haloize or (p[L.TILIZE] == 0 and shifted):
            flags |= L.F_DST_MODES
        if p[L.OVRD]:
            flags |= L.F_DST_OVRD
    else:
        p[L.TRANSPOSE] = haloize
        if p[L.TILIZE] == 0:
            p[L.COL_SHIFT] = shifted
        p[L.ADDRESS_ADD] = -64 - p[L.COL_SHIFT]
        if p[L.OVRD] == 0:
            p[L.ADDRESS_ADD] += 16 * p[L.SRC_ROW]
        p[L.ADDRESS_MASK] = 0x3FF
        burst = min(max(p[L.WANT] * 4 // p[L.SIZE], 1), 8)  # U33
        first = (address + p[L.ADDRESS_ADD] + p[L.COL_SHIFT]) >> 4
        if p[L.COMPRESSED] == 0 and p[L.COUNT] > 16 and first % burst:
            flags |= L.F_BURST
    if address & 15:
        flags |= L.F_OUT_ROW
    if unit == 0 and address < 64:
        flags |= L.F_OUT_LOW
    p[L.FLAGS] = flags


@part
def pointers_left(t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory) -> None:
    """What becomes of src_bank and src_row (6; U43)."""
    unit = p[L.UNIT]
    base = 16 * read(t, tc, p[L.THREAD], unit, T.SET_BASE)
    if p[L.FLIP]:
        p[L.NEW_BANK] = 1 - p[L.BANK]
        p[L.NEW_ROW] = base
    elif read(t, config, p[L.STATE], unit, T.SET_UPD):
        p[L.NEW_ROW] = (p[L.SRC_ROW] + 16 + base) & 63
