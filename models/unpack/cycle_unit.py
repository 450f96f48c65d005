# SPDX-License-Identifier: Apache-2.0
"""What is not an unpacker's alone: levels, Matrix Unit, L1, and the cycle that comes next.

Arrays as in ``cycle_state.State``; ``o``: the arena of ``cycle_records``; ``rows``, ``banks``,
``bases``, ``latency``, ``changes``: as ``cycle_rows`` makes them. ``u``: unpacker; ``t``: cycle;
``by``: origin.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import part
from tilepath.models.unpack import cycle_address as A
from tilepath.models.unpack import cycle_records as R
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import streams

# Places in ``streams.INPUT_NAMES``
_AT: Final = {name: place for place, name in enumerate(streams.INPUT_NAMES)}
MATRIX: Final = _AT["matrix"]
MATRIX_BANK: Final = _AT["matrix_bank"]
SETREG_BASE: Final = _AT["setreg_base"]
L1_WRITE: Final = _AT["l1_write"]
L1_LATENCY: Final = _AT["l1_latency"]

_READ: Final = 0
_RELEASE: Final = 1
_ZERO: Final = 2
_DST_FILE: Final = 2


@part
def levels(m: L.Memory, banks: L.Memory, bases: L.Memory, latency: L.Memory, t: int) -> None:
    """Bring the input levels up to cycle ``t``."""
    row = A.take(m, MATRIX_BANK, banks, t)
    if row >= 0:
        m[S.MATRIX_BANK] = banks[row, 1]
    row = A.take(m, SETREG_BASE, bases, t)
    if row >= 0:
        m[S.SETREG_BASE] = bases[row, 1]
        m[S.SETREG_BASE + 1] = bases[row, 2]
    row = A.take(m, L1_LATENCY, latency, t)
    if row >= 0:
        m[S.LATENCY] = latency[row, 1]


@part
def counters(m: L.Memory, live: L.Memory, changes: L.Memory, t: int) -> None:
    """Bring the live values of the counters up to cycle ``t``."""
    row = m[S.LIVE_ROW]
    while row < changes.shape[0] and changes[row, 0] <= t:
        for k in range(8):
            live[changes[row, 1], changes[row, 2], k >> 2, k & 3] = changes[row, 3 + k]
        row += 1
    m[S.LIVE_ROW] = row


@part
def flips(m: L.Memory, t: int) -> None:
    """Banks that are the Matrix Unit's from cycle ``t`` on."""
    for u in range(2):
        at = S.unit(u) + (t & 3)
        if m[at + S.FLIP]:
            m[S.OWNER + 2 * u + m[at + S.FLIP] - 1] = 1
            m[S.OWNER_BY] = m[at + S.FLIP_BY]
            m[at + S.FLIP] = 0


@part
def _show(m: L.Memory, o: L.Memory, stream: int, place: int, t: int, by: int, value: int) -> None:
    """A level of one field, if it is not what it was; ``place``: where that is noted."""
    if m[place] != value:
        m[place] = value
        R.put1(m, o, stream, t, by, value)


@part
def show(m: L.Memory, o: L.Memory, pointers: L.Memory, t: int) -> None:
    """The output levels of cycle ``t``."""
    ready = 0
    hold = 0
    busy = 0
    owner = 0
    closed = A.closed(m)
    for u in range(2):
        at = S.unit(u)
        waiting = m[at + S.Q_COUNT] + (1 if m[at + S.N_AT] == t else 0)
        if closed == 0 and waiting < 2:
            ready |= 1 << u
        if m[at + S.X_ON]:
            hold |= 1 << m[at + S.X_THREAD]
        for k in range(2):
            owner |= m[S.OWNER + 2 * u + k] << (2 * u + k)
        for thread in range(3):
            if m[S.BUSY + 2 * thread + u]:
                busy |= 1 << (2 * thread + u)
        if m[at + S.POINTERS_DIRTY]:
            m[at + S.POINTERS_DIRTY] = 0
            _show_pointers(m, o, pointers, u, t)
    by = m[S.CHANGED_BY]
    _show(m, o, R.READY, S.READY_SHOWN, t, by, ready)
    _show(m, o, R.HOLD, S.HOLD_SHOWN, t, by, hold)
    _show(m, o, R.OWNER, S.OWNER_SHOWN, t, m[S.OWNER_BY], owner)
    _show(m, o, R.BUSY, S.BUSY_SHOWN, t, by, busy)


@part
def _show_pointers(m: L.Memory, o: L.Memory, pointers: L.Memory, u: int, t: int) -> None:
    at = S.unit(u)
    p = m[S.WP + R.POINTERS + u]
    changed = False
    o[p] = t
    for k in range(L.POINTERS):
        value = pointers[L.POINTERS * u + k]
        o[p + 1 + k] = value
        if value != m[at + S.POINTERS_SHOWN + k]:
            m[at + S.POINTERS_SHOWN + k] = value
            changed = True
    if changed:
        R.end(m, o, R.POINTERS + u, p + 1 + L.POINTERS, m[at + S.POINTERS_BY])


@part
def touch_pointers(m: L.Memory, u: int, by: int) -> None:
    """The pointers of an unpacker may differ in the next cycle."""
    m[S.unit(u) + S.POINTERS_DIRTY] = 1
    m[S.unit(u) + S.POINTERS_BY] = by


@part
def fault(m: L.Memory, flags: int, by: int) -> None:
    """Note a fault of the unit in this cycle."""
    m[S.UNIT_FAULT] |= flags
    m[S.UNIT_FAULT_BY] = by


@part
def _read(
    m: L.Memory, rows: L.Memory, row: int, src: L.Memory, dst: L.Memory, valid: L.Memory, t: int
) -> None:
    """The Matrix Unit reads a row as it is registered in ``t``."""
    file = rows[row, 2]
    bank = rows[row, 3]
    m[S.MATRIX_AT] = t + 1
    m[S.MATRIX_BY] = A.origin(m, MATRIX, row)
    m[S.MATRIX_VALID] = valid[rows[row, 4]] if file == _DST_FILE else 0
    for column in range(16):
        if file == _DST_FILE:
            m[S.MATRIX_DATA + column] = dst[rows[row, 4], column]
        else:
            m[S.MATRIX_DATA + column] = src[file, bank, rows[row, 4] & 63, column]
    if file == 0 and m[S.STALE + bank]:
        fault(m, 4, m[S.MATRIX_BY])


@part
def matrix(
    m: L.Memory,
    o: L.Memory,
    rows: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    t: int,
) -> int:
    """What the Matrix Unit does in ``t``; row of a release, which is performed at the end."""
    if m[S.MATRIX_AT] == t:
        p = m[S.WP + R.MATRIX_READ]
        o[p] = t
        for k in range(16):
            o[p + 1 + k] = m[S.MATRIX_DATA + k]
        o[p + 17] = m[S.MATRIX_VALID]
        R.end(m, o, R.MATRIX_READ, p + 18, m[S.MATRIX_BY])
    m[S.ZERO_FILE] = -1
    row = A.take(m, MATRIX, rows, t)
    if row < 0:
        return -1
    m[S.ACTIVE] = 1
    op = rows[row, 1]
    file = rows[row, 2]
    if op == _READ and file <= _DST_FILE:
        _read(m, rows, row, src, dst, valid, t)
    elif op == _ZERO and file < _DST_FILE:
        m[S.ZERO_FILE] = file
    elif op == _RELEASE and file < _DST_FILE:
        if file == 0:
            m[S.STALE + rows[row, 3]] = 0  # a write to Dst in this cycle sets it again
        return row
    return -1


@part
def release(m: L.Memory, rows: L.Memory, row: int) -> None:
    """The bank is the unpackers' from the next cycle on."""
    m[S.OWNER + 2 * rows[row, 2] + rows[row, 3]] = 0
    m[S.OWNER_BY] = A.origin(m, MATRIX, row)


@part
def write_l1(m: L.Memory, l1: L.Memory, rows: L.Memory, t: int) -> None:
    """A write to L1 in ``t``: four lines."""
    row = A.take(m, L1_WRITE, rows, t)
    if row < 0:
        return
    first = 16 * rows[row, 1]
    for k in range(64):
        if first + k < l1.shape[0]:
            l1[first + k] = (rows[row, 2 + (k >> 2)] >> (8 * (k & 3))) & 0xFF


@part
def sooner(wake: int, t: int, at: int) -> int:
    """The earlier of ``wake`` and ``at``, if that is to come."""
    return at if t < at < wake else wake


@part
def wake(m: L.Memory, t: int) -> int:
    """The next cycle in which something can happen by itself, the unpackers having been idle."""
    soon = sooner(L.NEVER, t, m[S.MATRIX_AT])
    for u in range(2):
        at = S.unit(u)
        for place in (S.X_SAMPLE, S.X_LAST, S.N_AT, S.Q_FROM):
            soon = sooner(soon, t, m[at + place])
        if m[at + S.F_SLOT] >= 0:
            soon = sooner(soon, t, m[at + S.F_FROM])
            soon = sooner(soon, t, m[at + S.F_ANSWER] + 1)
            if m[at + S.F_STAGE] == 1:
                soon = sooner(soon, t, m[at + S.F_RUN])
        if m[at + S.B_USED]:
            entry = at + S.E + S.SIZE_E * m[at + S.B_HEAD]
            soon = sooner(soon, t, m[entry + S.E_FROM])
        for k in range(4):
            if m[at + S.FLIP + k]:
                soon = t + 1
    return soon


@part
def settle(m: L.Memory) -> None:
    """The end of a cycle: entries that have come and gone."""
    for u in range(2):
        at = S.unit(u)
        if m[at + S.B_GONE]:
            m[at + S.B_HEAD] = (m[at + S.B_HEAD] + 1) & (S.ENTRIES - 1)
        m[at + S.B_USED] += m[at + S.B_NEW] - m[at + S.B_GONE]
        m[at + S.B_NEW] = 0
        m[at + S.B_GONE] = 0


@part
def clear(m: L.Memory) -> None:
    """The begin of a cycle."""
    m[S.ACTIVE] = 0
    m[S.UNIT_FAULT] = 0
    for u in range(2):
        m[S.unit(u) + S.FAULT] = 0


@part
def put_faults(m: L.Memory, o: L.Memory, t: int) -> None:
    """The faults of instructions and unit in this cycle."""
    for u in range(2):
        at = S.unit(u)
        if m[at + S.FAULT]:
            R.put2(
                m, o, R.FAULT + u, t, m[at + S.FAULT_BY], m[at + S.FAULT_THREAD], m[at + S.FAULT]
            )
    if m[S.UNIT_FAULT]:
        R.put_flags(m, o, R.UNIT_FAULT, t, m[S.UNIT_FAULT_BY], m[S.UNIT_FAULT], 3)
