# SPDX-License-Identifier: Apache-2.0
"""Queue and fetch stage: loads, requests, beats, tokens (section 4).

Arrays as in ``cycle_state.State``; ``o``: the arena of ``cycle_records``; ``p``: a row of
``plans``; ``w``: ``at`` of ``stepping``. ``u``: unpacker; ``at``: where its part of ``m`` begins;
``slot``: which of its plans; ``t``: cycle.
"""

from __future__ import annotations

import numpy as np

from tilepath.models.jit import part
from tilepath.models.unpack import convert, plan, stepping
from tilepath.models.unpack import cycle_records as R
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import layout as L

_WALK_END = S.WALK + stepping.S_SIZE


@part
def free_slot(m: L.Memory, u: int, by: int) -> int:
    """A plan that is not in use, from now on in use; ``by``: origin of the instruction."""
    at = S.unit(u)
    slot = 0
    while slot < S.SLOTS - 1 and m[at + S.USED + slot]:
        slot += 1
    m[at + S.USED + slot] = 1
    m[at + S.SLOT_BY + slot] = by
    return slot


@part
def over(m: L.Memory, p: L.Memory, u: int, slot: int) -> None:
    """The instruction has left the unpacker."""
    at = S.unit(u)
    m[at + S.USED + slot] = 0
    m[S.BUSY + 2 * p[L.THREAD] + u] -= 1
    m[S.CHANGED_BY] = m[at + S.SLOT_BY + slot]


@part
def enqueue(m: L.Memory, p: L.Memory, u: int, slot: int, t: int) -> None:
    """To the queue at the end of ``t``; one too many, issued without ``ready``, is lost."""
    at = S.unit(u)
    n = m[at + S.Q_COUNT]
    if n == S.QUEUE:
        over(m, p, u, slot)
        return
    m[at + S.Q_SLOT + n] = slot
    m[at + S.Q_FROM + n] = t + 1
    m[at + S.Q_COUNT] = n + 1


@part
def raise_fault(m: L.Memory, u: int, thread: int, flags: int, by: int) -> None:
    """Faults of an instruction in this cycle; the load, which comes first, names the thread."""
    if flags == 0:
        return
    at = S.unit(u)
    if m[at + S.FAULT] == 0:
        m[at + S.FAULT_THREAD] = thread
        m[at + S.FAULT_BY] = by
    m[at + S.FAULT] |= flags


@part
def load(m: L.Memory, plans: L.Memory, u: int, t: int) -> None:
    """The head of the queue to the fetch stage, if it can go."""
    at = S.unit(u)
    if m[at + S.F_SLOT] >= 0 or m[at + S.Q_COUNT] == 0 or m[at + S.Q_FROM] > t:
        return
    slot = m[at + S.Q_SLOT]
    n = m[at + S.Q_COUNT] - 1
    for k in range(n):
        m[at + S.Q_SLOT + k] = m[at + S.Q_SLOT + k + 1]
        m[at + S.Q_FROM + k] = m[at + S.Q_FROM + k + 1]
    m[at + S.Q_COUNT] = n
    m[at + S.F_SLOT] = slot
    m[at + S.F_FROM] = t + 1
    m[at + S.F_STAGE] = 0
    m[S.ACTIVE] = 1
    p = plans[S.SLOTS * u + slot]
    by = m[at + S.SLOT_BY + slot]
    m[S.CHANGED_BY] = by
    raise_fault(m, u, p[L.THREAD], p[L.FLAGS], by)


@part
def finish(m: L.Memory, u: int) -> None:
    """The instruction in the fetch stage needs it no more."""
    m[S.unit(u) + S.F_SLOT] = -1


@part
def _answered(m: L.Memory, at: int, t: int) -> bool:
    """Whether all requests have been answered as registered."""
    return t > m[at + S.F_ANSWER]  # type: ignore[no-any-return]


@part
def _answer(m: L.Memory, at: int, t: int) -> int:
    """Cycle of the answer to a request of ``t``."""
    r = max(t + max(m[S.LATENCY], 1), m[at + S.F_ANSWER] + 1)
    m[at + S.F_ANSWER] = r
    m[S.ACTIVE] = 1
    return r  # type: ignore[no-any-return]


@part
def _enter(m: L.Memory, u: int, count: int, first: int, last: int) -> None:
    """An entry for the buffer, in use from the next cycle on."""
    at = S.unit(u)
    e = at + S.E + S.SIZE_E * ((m[at + S.B_HEAD] + m[at + S.B_USED]) & (S.ENTRIES - 1))
    m[e + S.E_SLOT] = m[at + S.F_SLOT]
    m[e + S.E_COUNT] = count
    m[e + S.E_FROM] = first
    m[e + S.E_LAST] = last
    m[at + S.B_NEW] = 1
    m[S.ACTIVE] = 1


@part
def _begin_beats(m: L.Memory, p: L.Memory, u: int) -> None:
    """What is to be read is known now."""
    at = S.unit(u)
    if p[L.KIND] == L.REGULAR and m[at + S.F_STAGE] < 2:
        m[at + S.F_STAGE] = 2
        m[at + S.F_LEFT] = p[L.COUNT]
        stepping.begin(p, m[at + S.WALK : at + _WALK_END])


@part
def wants(m: L.Memory, plans: L.Memory, u: int, t: int) -> int:
    """Lines wanted by the beat that is requested in ``t``; 0: none is."""
    at = S.unit(u)
    if m[at + S.F_SLOT] < 0 or t < m[at + S.F_FROM]:
        return 0
    p = plans[S.SLOTS * u + m[at + S.F_SLOT]]
    if p[L.KIND] != L.REGULAR:
        return 0
    if p[L.COMPRESSED] and (m[at + S.F_STAGE] == 0 or t < m[at + S.F_RUN]):
        return 0
    _begin_beats(m, p, u)
    room = 1 if p[L.BOUNDED] else S.ENTRIES
    if m[at + S.F_LEFT] == 0 or m[at + S.B_USED] >= room:
        return 0
    return p[L.WANT]  # type: ignore[no-any-return]


@part
def grant(mine: int, other: int) -> int:
    """Lines granted to an unpacker (section 4, rates): the table's cells from 2/2 on are halved."""
    if mine > 1 and other > 1:
        return mine >> 1
    return mine


@part
def _byte(l1: L.Memory, address: int) -> int:
    """A byte of L1; 0 beyond its end (U66)."""
    if address < l1.shape[0]:
        return np.int64(l1[address])  # type: ignore[return-value]
    return 0


@part
def _bits(p: L.Memory, w: L.Memory, l1: L.Memory) -> int:
    """The datum, as it is in L1."""
    datum = w[stepping.S_DATUM]
    word = 0
    for k in range(max(p[L.SIZE] >> 2, 1)):
        word |= _byte(l1, (datum >> 2) + k) << (8 * k)
    return stepping.bits_of(word, datum, p[L.SIZE])


@part
def _outside(l1: L.Memory, line: int) -> bool:
    return 16 * line >= l1.shape[0]  # type: ignore[no-any-return]


@part
def _record(
    m: L.Memory, o: L.Memory, u: int, t: int, by: int, count: int, exponent: int, delta: int
) -> None:
    """Close the record of a request whose lines are in it; -1: no such line."""
    p = m[S.WP + R.READ + u]
    o[p] = t
    o[p + 1] = count
    for k in range(count, 4):
        o[p + 2 + k] = 0
    o[p + 6] = 1 if exponent >= 0 else 0
    o[p + 7] = max(exponent, 0)
    o[p + 8] = 1 if delta >= 0 else 0
    o[p + 9] = max(delta, 0)
    R.end(m, o, R.READ + u, p + 10, by)


@part
def request(
    m: L.Memory,
    o: L.Memory,
    l1: L.Memory,
    plans: L.Memory,
    values: L.Memory,
    own: L.Memory,
    nibbles: L.Memory,
    u: int,
    t: int,
    most: int,
) -> None:
    """The beat of ``t``: as many of the next datums as ``most`` lines and the rules allow."""
    at = S.unit(u)
    slot = m[at + S.F_SLOT]
    by = m[at + S.SLOT_BY + slot]
    p = plans[S.SLOTS * u + slot]
    w = m[at + S.WALK : at + _WALK_END]
    e = (m[at + S.B_HEAD] + m[at + S.B_USED]) & (S.ENTRIES - 1)
    where = m[S.WP + R.READ + u] + 2
    exponent_line = -1
    if p[L.READS_EXP]:
        exponent_line = w[stepping.S_EXPONENT] >> 8
    delta_line = -1
    if p[L.COMPRESSED]:
        delta_line = w[stepping.S_DELTA] >> 5
    flags = 0
    if exponent_line >= 0 and _outside(l1, exponent_line):
        flags |= L.R_EXPONENT
    if delta_line >= 0 and _outside(l1, delta_line):
        flags |= L.R_DELTA
    n = 0
    lines = 0
    line = -1
    left = m[at + S.F_LEFT]
    if left == p[L.COUNT] and plan.starts_unaligned(p):
        flags |= L.R_START_ALIGN
    while n < S.BEAT and left > 0:
        if exponent_line >= 0 and (w[stepping.S_EXPONENT] >> 8) != exponent_line:
            break
        if (w[stepping.S_DATUM] >> 6) != line:
            if lines == most:
                break
            line = w[stepping.S_DATUM] >> 6
            o[where + lines] = line
            lines += 1
            if _outside(l1, line):
                flags |= L.R_DATUM
        bits = _bits(p, w, l1)
        exponent = p[L.FORCED]
        if exponent_line >= 0:
            exponent = _byte(l1, w[stepping.S_EXPONENT] >> 4)
        if p[L.ALL_ZERO]:
            values[u, e, n] = 0
        else:
            values[u, e, n] = convert.value(
                p[L.CONVERSION], p[L.DST], p[L.WIDE], p[L.SHIFT], bits, exponent
            )
        own[u, e, n] = convert.bad_exponent(p[L.CONVERSION], p[L.SHIFT], bits, exponent)
        nibbles[u, e, n] = 0
        if delta_line >= 0 and p[L.ALL_ZERO] == 0:
            delta = w[stepping.S_DELTA]
            nibbles[u, e, n] = (_byte(l1, delta >> 1) >> (4 * (delta & 1))) & 15
        n += 1
        left -= 1
        if stepping.step(p, w):
            break
    m[at + S.F_LEFT] = left
    _record(m, o, u, t, by, lines, exponent_line, delta_line)
    if flags:
        R.put_flags(m, o, R.READ_FAULT + u, t, by, flags, len(L.READ_FAULTS))
    last = 1 if left == 0 and p[L.BOUNDED] == 0 else 0
    _enter(m, u, n, _answer(m, at, t) + 1, last)
    if last:
        finish(m, u)


@part
def _half(l1: L.Memory, address: int) -> int:
    return _byte(l1, address) | _byte(l1, address + 1) << 8


@part
def _request_rsi(m: L.Memory, o: L.Memory, l1: L.Memory, p: L.Memory, u: int, t: int) -> None:
    """The entries of the row start index."""
    at = S.unit(u)
    by = m[at + S.SLOT_BY + m[at + S.F_SLOT]]
    where = m[S.WP + R.READ + u] + 2
    line = p[L.RSI_FIRST] >> 4
    o[where] = line
    outside = _outside(l1, line)
    count = 1
    if p[L.BOUNDED] == 0:
        line = p[L.RSI_END] >> 4
        o[where + 1] = line
        outside |= _outside(l1, line)
        count = 2
    _record(m, o, u, t, by, count, -1, -1)
    if outside:
        R.put_flags(m, o, R.READ_FAULT + u, t, by, L.R_RSI, len(L.READ_FAULTS))
    end = 0
    if p[L.BOUNDED] == 0:
        end = _half(l1, p[L.RSI_END])
    plan.resolve_compressed(p, _half(l1, p[L.RSI_FIRST]), end)
    m[at + S.F_STAGE] = 1
    m[at + S.F_RUN] = _answer(m, at, t) + 2


@part
def _setreg(
    m: L.Memory, o: L.Memory, pointers: L.Memory, p: L.Memory, u: int, t: int, by: int
) -> None:
    data = p[L.REG_VALUE]
    if p[L.ACCUMULATE]:
        acc = L.POINTERS * u + L.P_ACC
        data = 0 if data == 0 else (pointers[acc] + data) & 0x1FFFF
        pointers[acc] = data
        m[S.unit(u) + S.POINTERS_DIRTY] = 1
        m[S.unit(u) + S.POINTERS_BY] = by
        if p[L.REG_VALUE] == 0:
            return
    address = L.SETREG_BASE + m[S.SETREG_BASE + p[L.REG_SELECT]] + p[L.REG_OFFSET]
    R.put2(m, o, R.SETREG + u, t, by, address & S.LOW32, data)


@part
def other_work(
    m: L.Memory,
    o: L.Memory,
    l1: L.Memory,
    pointers: L.Memory,
    plans: L.Memory,
    u: int,
    t: int,
) -> None:
    """What the fetch stage does in ``t`` beside beats."""
    at = S.unit(u)
    slot = m[at + S.F_SLOT]
    if slot < 0 or t < m[at + S.F_FROM]:
        return
    p = plans[S.SLOTS * u + slot]
    kind = p[L.KIND]
    if kind == L.NOP:
        over(m, p, u, slot)
        finish(m, u)
    elif kind == L.OVERLAY or kind == L.SETREG:
        if _answered(m, at, t):
            by = m[at + S.SLOT_BY + slot]
            if kind == L.OVERLAY:
                R.put2(m, o, R.OVERLAY + u, t, by, p[L.STREAM], p[L.CLEAR_COUNT])
            else:
                _setreg(m, o, pointers, p, u, t, by)
            over(m, p, u, slot)
            finish(m, u)
    elif kind == L.REGULAR and p[L.COMPRESSED] != 0 and m[at + S.F_STAGE] == 0:
        if _answered(m, at, t):
            _request_rsi(m, o, l1, p, u, t)
    elif m[at + S.B_USED] < S.ENTRIES and (
        kind >= L.TOKENS or (m[at + S.F_STAGE] == 2 and p[L.COUNT] == 0)
    ):
        _enter(m, u, 0, t + 1, 1)
        finish(m, u)
    if m[at + S.F_SLOT] < 0:
        m[S.ACTIVE] = 1
