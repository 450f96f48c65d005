# SPDX-License-Identifier: Apache-2.0
"""Write stage: steps, tokens, flips (section 4), and what they do to the registers (5.5, 7).

Arrays as in ``cycle_state.State``; ``o``: the arena of ``cycle_records``; ``p``: a row of
``plans``. ``u``: unpacker; ``slot``: which of its plans; ``t``: cycle; ``by``: origin.
"""

from __future__ import annotations

import numpy as np

from tilepath.models.jit import part
from tilepath.models.unpack import convert, cycle_fetch
from tilepath.models.unpack import cycle_records as R
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import layout as L


@part
def _slot(
    m: L.Memory, p: L.Memory, out: L.Memory, u: int, k: int, out_addr: int, write: int, value: int
) -> None:
    """Slot ``k`` of the step: the next OutAddr; ``write``: it is written unless masked."""
    out[u, k, 0] = 0
    if write != 0 and convert.masked(p, out_addr) == 0:
        out[u, k, 0] = 1
        out[u, k, 1] = convert.address(p, out_addr)
        out[u, k, 2] = value
        at = S.unit(u)
        m[at + S.S_MASK] = 1
        m[at + S.S_FAULTS] |= convert.row_faults(p, out_addr)


@part
def _build_plain(
    m: L.Memory, p: L.Memory, out: L.Memory, values: L.Memory, own: L.Memory, u: int
) -> None:
    """The step of a plain instruction: the whole beat."""
    at = S.unit(u)
    e = m[at + S.B_HEAD]
    count = m[at + S.E + S.SIZE_E * e + S.E_COUNT]
    first = p[L.OUT_ADDR]
    for k in range(count):
        _slot(m, p, out, u, k, (first + k) & L.LOW32, 1, values[u, e, k])
        if own[u, e, k]:
            m[at + S.S_FAULTS] |= L.W_BFPA
    m[at + S.S_COUNT] = count
    m[at + S.S_OUT] = (first + count) & L.LOW32
    m[at + S.S_ADDRESS] = convert.address(p, first)
    m[at + S.S_GONE] = 1
    m[at + S.S_LAST] = m[at + S.E + S.SIZE_E * e + S.E_LAST]


@part
def _build(
    m: L.Memory,
    p: L.Memory,
    out: L.Memory,
    values: L.Memory,
    own: L.Memory,
    nibbles: L.Memory,
    u: int,
) -> None:
    """The next step of an instruction with zeros or items: up to 32 slots."""
    at = S.unit(u)
    e = m[at + S.B_HEAD]
    entry = at + S.E + S.SIZE_E * e
    count = m[entry + S.E_COUNT]
    i = m[at + S.W_DATUM]
    zero = m[at + S.W_ZERO]
    sub = m[at + S.W_SUB]
    drop = p[L.DROP]
    items = p[L.ITEMS]
    out_addr = p[L.OUT_ADDR]
    dropped = 0
    k = 0
    done = 0
    while k < S.GROUP and i < count and done == 0:
        if zero < 0 and sub == 0 and own[u, e, i]:
            m[at + S.S_FAULTS] |= L.W_BFPA
        if drop > 0:
            out[u, k, 0] = 0
            drop -= 1
            dropped += 1
        else:
            write = 1 if sub == 0 or p[L.INTERLEAVE] == 0 else 0
            value = values[u, e, i] if zero < 0 and sub == 0 else 0
            _slot(m, p, out, u, k, out_addr, write, value)
            out_addr = (out_addr + 1) & L.LOW32
            sub += 1
            if sub > p[L.ZEROS]:
                sub = 0
                if p[L.BOUNDED]:
                    items -= 1
                    done = 1 if items == 0 else 0
        k += 1
        if sub == 0:  # the item is complete
            zero = np.int64(nibbles[u, e, i]) if zero < 0 else zero - 1
            if zero == 0:
                zero = -1
                i += 1
    m[at + S.S_COUNT] = k
    m[at + S.S_ADDRESS] = convert.address(p, p[L.OUT_ADDR] - dropped)
    m[at + S.S_OUT] = out_addr
    m[at + S.S_DROP] = drop
    m[at + S.S_ITEMS] = items
    m[at + S.S_DATUM] = i
    m[at + S.S_ZERO] = zero
    m[at + S.S_SUB] = sub
    m[at + S.S_GONE] = 1 if done != 0 or i == count else 0
    m[at + S.S_LAST] = 1 if done != 0 or (i == count and m[entry + S.E_LAST] != 0) else 0


@part
def _store(
    m: L.Memory,
    p: L.Memory,
    out: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    u: int,
    n: int,
) -> None:
    """The step's slots into the registers."""
    bank = p[L.BANK]
    for k in range(n):
        if out[u, k, 0] == 0:
            continue
        place = out[u, k, 1]
        value = out[u, k, 2]
        row = place >> 4
        column = place & 15
        if p[L.DST] == 0:
            if p[L.TRANSPOSE]:
                place = convert.exchanged(place)
            src[u, bank, place >> 4, place & 15] = value
        elif p[L.WIDE]:
            row = convert.high_row(row)
            dst[row, column] = value >> 16
            dst[row + 8, column] = value & 0xFFFF
            valid[row] = 1
        else:
            dst[row, column] = value
            valid[row] = 1
    if p[L.DST]:
        m[S.STALE + bank] = 1


@part
def _record(
    m: L.Memory, o: L.Memory, p: L.Memory, out: L.Memory, u: int, n: int, t: int, by: int
) -> None:
    """Records of the step, one for each group of slots that has a written one."""
    for group in range((n + S.GROUP - 1) // S.GROUP):
        stream = R.WRITE + 2 * group + u
        at = m[S.WP + stream]
        mask = 0
        first = S.GROUP * group
        for k in range(S.GROUP):
            value = 0
            if first + k < n and out[u, first + k, 0] != 0:
                mask |= 1 << k
                value = out[u, first + k, 2]
            o[at + 7 + k] = value
        if mask == 0:
            continue
        o[at] = t
        o[at + 1] = p[L.DST]
        o[at + 2] = p[L.WIDE] * p[L.DST]
        o[at + 3] = p[L.BANK]
        o[at + 4] = p[L.TRANSPOSE]
        o[at + 5] = m[S.unit(u) + S.S_ADDRESS]
        o[at + 6] = mask
        R.end(m, o, stream, at + 7 + S.GROUP, by)


@part
def _leave(m: L.Memory, u: int) -> None:
    """The head entry is used up: one less from the next cycle on."""
    at = S.unit(u)
    m[at + S.B_GONE] = 1
    m[at + S.W_DATUM] = 0
    m[at + S.W_ZERO] = -1
    m[at + S.W_SUB] = 0


@part
def _end(m: L.Memory, p: L.Memory, u: int, slot: int, t: int) -> int:
    """The last step or token of an instruction; returns ``flip_owner``."""
    at = S.unit(u)
    flags = 0
    if p[L.FLIP]:
        bank = p[L.BANK]
        if m[S.OWNER + 2 * u + bank]:
            flags = L.W_FLIP_OWNER
        m[at + S.FLIP + ((t + 2) & 3)] = bank + 1
        m[at + S.FLIP_BY + ((t + 2) & 3)] = m[at + S.SLOT_BY + slot]
    cycle_fetch.over(m, p, u, slot)
    return flags


@part
def _step(
    m: L.Memory,
    o: L.Memory,
    p: L.Memory,
    out: L.Memory,
    values: L.Memory,
    own: L.Memory,
    nibbles: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    u: int,
    slot: int,
    t: int,
) -> int:
    """A step of a beat, if it need not wait; returns faults, -1 if it waits."""
    at = S.unit(u)
    if m[at + S.S_BUILT] == 0:
        m[at + S.S_BUILT] = 1
        m[at + S.S_MASK] = 0
        m[at + S.S_FAULTS] = 0
        if p[L.PLAIN]:
            _build_plain(m, p, out, values, own, u)
        else:
            _build(m, p, out, values, own, nibbles, u)
    if m[at + S.S_MASK]:
        if m[S.OWNER + 2 * u + p[L.BANK]]:
            return -1
        n = m[at + S.S_COUNT]
        _store(m, p, out, src, dst, valid, u, n)
        _record(m, o, p, out, u, n, t, m[at + S.SLOT_BY + slot])
    m[at + S.S_BUILT] = 0
    p[L.OUT_ADDR] = m[at + S.S_OUT]
    if p[L.PLAIN] == 0:
        p[L.DROP] = m[at + S.S_DROP]
        p[L.ITEMS] = m[at + S.S_ITEMS]
        m[at + S.W_DATUM] = m[at + S.S_DATUM]
        m[at + S.W_ZERO] = m[at + S.S_ZERO]
        m[at + S.W_SUB] = m[at + S.S_SUB]
    flags = m[at + S.S_FAULTS]
    if m[at + S.S_GONE]:
        _leave(m, u)
    if m[at + S.S_LAST]:
        flags |= _end(m, p, u, slot, t)
        if p[L.BOUNDED]:
            cycle_fetch.finish(m, u)
    return flags  # type: ignore[no-any-return]


@part
def _clear(m: L.Memory, o: L.Memory, p: L.Memory, src: L.Memory, u: int, t: int, by: int) -> int:
    """ZEROSRC goes; returns faults."""
    flags = 0
    banks = 0
    for bank in range(2):
        if bank != p[L.BANK] and p[L.BOTH_BANKS] == 0:
            continue
        if p[L.BOTH_BANKS] and m[S.OWNER + 2 * u + bank]:
            flags |= L.W_ZEROSRC_MATRIX
        banks |= 1 << bank
        for row in range(64):
            for column in range(16):
                src[u, bank, row, column] = p[L.CLEAR_VALUE]
        if u == 0:
            m[S.STALE + bank] = 0
    if m[S.ZERO_FILE] >= 0:
        flags |= L.W_ZEROSRC_RACE
    R.put2(m, o, R.CLEAR + u, t, by, banks, p[L.CLEAR_VALUE])
    return flags


@part
def _token(m: L.Memory, o: L.Memory, p: L.Memory, src: L.Memory, u: int, slot: int, t: int) -> int:
    """A token, if it need not wait; returns faults, -1 if it waits."""
    at = S.unit(u)
    flags = 0
    if p[L.KIND] == L.ZEROSRC:
        bank = p[L.BANK] if p[L.WAIT_UNPACR] else (m[S.MATRIX_BANK] >> u) & 1
        if m[S.OWNER + 2 * u + bank]:
            return -1
        flags = _clear(m, o, p, src, u, t, m[at + S.SLOT_BY + slot])
    elif p[L.KIND] == L.REGULAR and p[L.COMPRESSED] and p[L.FLIP]:
        flags = L.W_EMPTY_FLIP
    _leave(m, u)
    return flags | _end(m, p, u, slot, t)


@part
def write(
    m: L.Memory,
    o: L.Memory,
    plans: L.Memory,
    out: L.Memory,
    values: L.Memory,
    own: L.Memory,
    nibbles: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    u: int,
    t: int,
) -> None:
    """What the write stage of an unpacker does in ``t``."""
    at = S.unit(u)
    if m[at + S.B_USED] == 0:
        return
    entry = at + S.E + S.SIZE_E * m[at + S.B_HEAD]
    if t < m[entry + S.E_FROM]:
        return
    slot = m[entry + S.E_SLOT]
    p = plans[S.SLOTS * u + slot]
    by = m[at + S.SLOT_BY + slot]
    if m[entry + S.E_COUNT] == 0:
        flags = _token(m, o, p, src, u, slot, t)
    else:
        flags = _step(m, o, p, out, values, own, nibbles, src, dst, valid, u, slot, t)
    if flags >= 0:
        m[S.ACTIVE] = 1
    if flags > 0:
        R.put_flags(m, o, R.WRITE_FAULT + u, t, by, flags, len(L.WRITE_FAULTS))
