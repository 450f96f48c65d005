# SPDX-License-Identifier: Apache-2.0
"""From the ports to M: FIFO, MOP expander, BRISC entry, MopCfg writes and mop_sync.

As in ``drain``, every event gets the latest of the cycles that its conditions ask for, and events
at or after ``until`` are left alone. Input rows are (cycle, fields): ``push`` and ``brisc`` (cycle,
word), ``cfgw`` (cycle, index, data), ``sync`` (cycle,).
"""

from __future__ import annotations

from tilepath.models.frontend import layout as L
from tilepath.models.frontend import mop
from tilepath.models.frontend.records import change, flush, occupies, put, put_word
from tilepath.models.jit import part

_NOBODY = -(1 << 63)  # origin of events that no word caused


@part
def _accept(m: L.Memory, push: L.Memory, o: L.Memory, d: L.Memory, base: int, until: int) -> bool:
    """Accept the next offer, if that happens before ``until``."""
    k = m[L.F_IN]
    row = k - m[L.F_BASE]
    if row >= push.shape[0] or k - m[L.F_POP] >= m[L.FIFO_DEPTH]:
        return False
    room = m[L.POPPED + ((k - m[L.FIFO_DEPTH]) & L.RING)] + 1
    t = max(push[row, 0], m[L.F_LAST] + 1, room)
    if t >= until:
        return False
    m[L.ACCEPTED + (k & L.RING)] = t
    m[L.F_IN] = k + 1
    m[L.F_LAST] = t
    d[t + 2 - base] += occupies(m, push[row, 1])
    put(m, o, L.ACCEPT, t, k)
    return True


@part
def _acknowledge(m: L.Memory, sync: L.Memory, o: L.Memory, last: int) -> None:
    """Acknowledge mop_sync requests up to cycle ``last``, until when no further MOP shows (F21)."""
    while m[L.S_ROW] < sync.shape[0]:
        t = max(sync[m[L.S_ROW], 0], m[L.S_LAST] + 1, m[L.MOP_UNTIL] + 1)
        if t > last:
            return
        put(m, o, L.SYNC_ACK, t, _NOBODY)
        m[L.S_LAST] = t
        m[L.S_ROW] += 1


@part
def _mop_arrives(m: L.Memory, sync: L.Memory, o: L.Memory, d: L.Memory, base: int, k: int) -> None:
    """Word k, a MOP, is accepted and every MOP before it is done: extend the union of MOP times."""
    a = m[L.ACCEPTED + (k & L.RING)]
    _acknowledge(m, sync, o, a)  # in cycle a itself the word is not in the FIFO yet
    if m[L.MOP_OPEN] and m[L.MOP_UNTIL] < a:
        d[m[L.MOP_UNTIL] + 2 - base] -= L.MOP_BIT
        m[L.MOP_OPEN] = 0
    if not m[L.MOP_OPEN]:
        d[a + 2 - base] += L.MOP_BIT
        m[L.MOP_OPEN] = 1
    m[L.MOP_UNTIL] = L.NEVER
    m[L.MOP_SEEN] = k + 1


@part
def _configure(m: L.Memory, cfgw: L.Memory, o: L.Memory, end: int, race: int) -> None:
    """Perform the MopCfg writes before cycle ``end``; those at or after ``race`` are races (F7)."""
    while m[L.C_ROW] < cfgw.shape[0]:
        row = m[L.C_ROW]
        if cfgw[row, 0] >= end:
            return
        if cfgw[row, 1] < 9:
            m[L.CFG + cfgw[row, 1]] = cfgw[row, 2]
        if cfgw[row, 0] >= race:
            put(m, o, L.FAULT_RACE, cfgw[row, 0], m[L.X_MOP])
        m[L.C_ROW] = row + 1


@part
def _fetch(
    m: L.Memory, push: L.Memory, sync: L.Memory, o: L.Memory, d: L.Memory, base: int, until: int
) -> None:
    """Bring the next FIFO word before the MOP expander, with the first cycle it can act on it."""
    k = m[L.F_POP]
    if k == m[L.F_IN] and not _accept(m, push, o, d, base, until):
        return
    word = push[k - m[L.F_BASE], 1]
    kind = m[L.FLAG + (word >> 24)] & L.KIND
    if kind == L.MOP and k >= m[L.MOP_SEEN]:
        _mop_arrives(m, sync, o, d, base, k)
    free = m[L.X_MOP_FREE] if kind == L.MOP else m[L.X_FREE]
    m[L.X_T] = max(m[L.ACCEPTED + (k & L.RING)] + 1, free)
    m[L.X_WORD] = word
    m[L.X_KIND] = kind
    m[L.X_ORIGIN] = k
    m[L.X_PHASE] = L.HEAD


@part
def _pop(m: L.Memory, time: int) -> None:
    m[L.POPPED + (m[L.F_POP] & L.RING)] = time
    m[L.F_POP] += 1
    m[L.X_FREE] = time + 1
    m[L.X_MOP_FREE] = time + 1
    m[L.X_PHASE] = L.EMPTY


@part
def _mop_done(m: L.Memory, cfgw: L.Memory, o: L.Memory, time: int) -> None:
    """The expansion's last word (or, if it is empty, the pop) is in cycle ``time``: TRANS next."""
    m[L.X_PHASE] = L.EMPTY
    m[L.X_FREE] = time + 2
    m[L.X_MOP_FREE] = time + 1 if m[L.B2B_FREE] else time + 2  # F11
    m[L.MOP_UNTIL] = time
    if m[L.X_RACE] < L.NEVER:
        _configure(m, cfgw, o, time + 1, m[L.X_RACE])
        m[L.X_RACE] = L.NEVER
    if m[L.X_STATE] != L.TRANS:
        m[L.X_STATE] = L.TRANS
        change(m, o, 0, time + 1, L.TRANS, m[L.X_MOP])
    m[L.X_IDLE] = time + 2


@part
def _go_idle(m: L.Memory, o: L.Memory, last: int) -> None:
    """Record that TRANS became IDLE, if that is due by cycle ``last``."""
    if 0 < m[L.X_IDLE] <= last:
        change(m, o, 0, m[L.X_IDLE], L.IDLE, m[L.X_MOP])
        m[L.X_STATE] = L.IDLE
        m[L.X_IDLE] = 0


@part
def _try_mop(m: L.Memory, cfgw: L.Memory, o: L.Memory, room: int, until: int) -> None:
    """The MOP at the FIFO's head in cycle ``X_T``: ingest it, or move ``X_T`` to the next chance.

    ``room`` is the first cycle with space in M. While a MOP waits for it, a MopCfg write may still
    make its expansion empty, and then it needs no space.
    """
    t = m[L.X_T]
    _configure(m, cfgw, o, t, L.NEVER)
    length = mop.prepare(m, m[L.X_WORD])
    if length > 0 and room > t:
        chance = min(room, until)
        if m[L.C_ROW] < cfgw.shape[0]:
            chance = min(chance, cfgw[m[L.C_ROW], 0] + 1)
        m[L.X_T] = chance
        return
    origin = m[L.X_ORIGIN]
    _go_idle(m, o, t)  # TRANS of the MOP before this one, unless t is in it
    m[L.X_IDLE] = 0
    m[L.X_MOP] = origin
    put_word(m, o, L.INGEST, t, m[L.X_WORD], origin)
    _pop(m, t)
    m[L.X_RACE] = L.NEVER
    if length == 0:
        _mop_done(m, cfgw, o, t)
        return
    m[L.X_PHASE] = L.EXPANDING
    if length > 1:
        m[L.X_RACE] = t + 1
        m[L.X_STATE] = L.EXP
        change(m, o, 0, t + 1, L.EXP, origin)


@part
def _write_m(m: L.Memory, o: L.Memory, time: int, word: int, origin: int) -> None:
    i = m[L.M_IN] & L.RING
    m[L.M_TIME + i] = time
    m[L.M_WORD + i] = word
    m[L.M_ORIGIN + i] = origin
    m[L.M_IN] += 1
    put_word(m, o, L.MQ, time, word, origin)


@part
def _emit(
    m: L.Memory, cfgw: L.Memory, o: L.Memory, d: L.Memory, base: int, time: int, lost: bool
) -> None:
    """The expander emits in cycle ``time``; the word reaches M unless it is ``lost`` (F18)."""
    origin = m[L.X_ORIGIN]
    if m[L.X_PHASE] == L.EXPANDING:
        word = mop.next_word(m)
        if not lost:
            d[time + 2 - base] += occupies(m, word)
        m[L.X_T] = time + 1
        if m[L.P_LEFT] == 0:
            _mop_done(m, cfgw, o, time)
    else:
        word = m[L.X_WORD]
        if lost:
            d[time + 2 - base] -= occupies(m, word)
        _pop(m, time)
    if lost:
        put(m, o, L.FAULT_COLLISION, time, origin)
    else:
        _write_m(m, o, time, word, origin)


@part
def feed(
    m: L.Memory,
    push: L.Memory,
    cfgw: L.Memory,
    brisc: L.Memory,
    sync: L.Memory,
    o: L.Memory,
    d: L.Memory,
    base: int,
    until: int,
) -> bool:
    """Bring about the next write to M, if it is before ``until``; whether there was one."""
    while True:
        i = m[L.M_IN]
        room = L.NEVER
        if i - m[L.M_OUT] < m[L.M_DEPTH]:
            room = m[L.M_POP + ((i - m[L.M_DEPTH]) & L.RING)] + 1
        tb = L.NEVER
        row = m[L.B_NEXT] - m[L.B_BASE]
        if row < brisc.shape[0]:
            tb = max(brisc[row, 0], m[L.B_LAST] + 1, room)
        if m[L.X_PHASE] == L.EMPTY:
            _fetch(m, push, sync, o, d, base, until)
        t = L.NEVER
        if m[L.X_PHASE] != L.EMPTY and m[L.X_T] < until:
            t = m[L.X_T]
        if t < until and m[L.X_PHASE] == L.HEAD:
            if m[L.X_KIND] == L.MOP_CFG:
                put_word(m, o, L.INGEST, t, m[L.X_WORD], m[L.X_ORIGIN])
                m[L.MASK_HI] = m[L.X_WORD] & 0xFFFF
                _pop(m, t)
                continue
            if m[L.X_KIND] == L.MOP:
                if tb >= t:  # what M holds in cycle t is settled
                    _try_mop(m, cfgw, o, room, until)
                    continue
                t = L.NEVER  # the BRISC word goes first
        t = max(t, room)
        if min(t, tb) >= until:
            return False
        if tb <= t:
            k = m[L.B_NEXT]
            m[L.B_NEXT] = k + 1
            m[L.B_LAST] = tb
            put(m, o, L.BRISC_ACCEPT, tb, -1 - k)
            d[tb + 2 - base] += occupies(m, brisc[row, 1])
            _write_m(m, o, tb, brisc[row, 1], -1 - k)
            if tb == t:
                _emit(m, cfgw, o, d, base, t, True)
        else:
            _emit(m, cfgw, o, d, base, t, False)
        return True


@part
def finish(
    m: L.Memory,
    push: L.Memory,
    cfgw: L.Memory,
    sync: L.Memory,
    o: L.Memory,
    d: L.Memory,
    base: int,
    until: int,
) -> None:
    """Whatever else happens before ``until``, once ``feed`` finds nothing more."""
    while _accept(m, push, o, d, base, until):
        pass
    _configure(m, cfgw, o, until, m[L.X_RACE] if m[L.X_PHASE] == L.EXPANDING else L.NEVER)
    if m[L.MOP_UNTIL] < L.NEVER:
        k = m[L.F_POP]
        while k < m[L.F_IN]:
            word = push[k - m[L.F_BASE], 1]
            if (m[L.FLAG + (word >> 24)] & L.KIND) == L.MOP:
                break
            k += 1
        if k < m[L.F_IN]:
            _mop_arrives(m, sync, o, d, base, k)
        else:
            _acknowledge(m, sync, o, until - 1)
            if m[L.MOP_OPEN]:
                d[m[L.MOP_UNTIL] + 2 - base] -= L.MOP_BIT
                m[L.MOP_OPEN] = 0
    _go_idle(m, o, until)
    for which in range(2):
        if m[L.LV_T + which] < until:
            flush(m, o, which)
