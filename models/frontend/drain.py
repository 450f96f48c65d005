# SPDX-License-Identifier: Apache-2.0
"""From M to issue: replay expander, queue R and the issue port, word by word with time stamps.

Each word's cycle is the latest of the cycles its conditions ask for. What would happen at or after
``until`` is left for a later call: every condition known now stays true, so nothing is lost.
"""

from __future__ import annotations

from tilepath.models.frontend import layout as L
from tilepath.models.frontend.records import change, occupies, put, put_word
from tilepath.models.jit import part


@part
def _next_ready(m: L.Memory, ready: L.Memory, time: int) -> int:
    """First cycle at or after ``time`` with issue_ready; ``ready`` has rows (cycle, level)."""
    row = m[L.G_ROW]
    while row + 1 < ready.shape[0] and ready[row + 1, 0] <= time:
        row += 1
    m[L.G_ROW] = row
    while ready[row, 1] == 0:
        row += 1
        if row >= ready.shape[0]:
            return L.NEVER
        time = ready[row, 0]
    return time


@part
def _issue(m: L.Memory, ready: L.Memory, o: L.Memory, d: L.Memory, base: int, until: int) -> None:
    """Let words leave R."""
    while m[L.R_OUT] < m[L.R_IN]:
        j = m[L.R_OUT] & L.RING
        word = m[L.R_WORD + j]
        flags = m[L.FLAG + (word >> 24)]
        t = max(m[L.R_TIME + j], m[L.I_LAST]) + 1
        if flags < L.ILLEGAL:
            # Of the levels before ``base`` only the last may be left: had an earlier one let the
            # word go, it would be gone.
            t = _next_ready(m, ready, t)
        if t >= until:
            return
        m[L.R_OUT] += 1
        m[L.I_LAST] = t
        m[L.ISSUED + j] = t
        d[t + 2 - base] -= m[L.CLASS + (word >> 24)]
        origin = m[L.R_ORIGIN + j]
        p = m[L.WP + L.ISSUE]
        o[p] = t
        o[p + 1] = word
        o[p + 2] = flags >> 3
        o[p + 3] = origin & L.LOW32
        o[p + 4] = (origin >> 32) & L.LOW32
        m[L.WP + L.ISSUE] = p + 5
        if flags >= L.ILLEGAL:
            put(m, o, L.FAULT_ILLEGAL, t, origin)


@part
def _write_r(m: L.Memory, o: L.Memory, time: int, word: int, origin: int) -> None:
    j = m[L.R_IN] & L.RING
    m[L.R_TIME + j] = time
    m[L.R_WORD + j] = word
    m[L.R_ORIGIN + j] = origin
    m[L.R_IN] += 1
    put_word(m, o, L.RQ, time, word, origin)


@part
def _play(m: L.Memory, o: L.Memory, d: L.Memory, base: int, time: int) -> None:
    """One word of a playback goes to R."""
    word = m[L.BUFFER + m[L.E_INDEX]]
    m[L.E_INDEX] = (m[L.E_INDEX] + 1) & 31
    m[L.E_LEFT] -= 1
    _write_r(m, o, time, word, m[L.E_ORIGIN])
    d[time + 2 - base] += m[L.CLASS + (word >> 24)]
    if m[L.E_LEFT] == 0:
        d[time + 2 - base] -= 1  # the REPLAY counted from its arrival to here
        if m[L.E_STATE] == L.PLAY:
            m[L.E_STATE] = L.PASS
            change(m, o, 1, time + 1, L.PASS, m[L.E_ORIGIN])


@part
def _record(
    m: L.Memory, o: L.Memory, d: L.Memory, base: int, time: int, word: int, origin: int
) -> None:
    """One word is recorded, whatever it is (F13)."""
    m[L.BUFFER + m[L.E_INDEX]] = word
    m[L.E_INDEX] = (m[L.E_INDEX] + 1) & 31
    m[L.E_LEFT] -= 1
    if m[L.E_EXEC]:
        _write_r(m, o, time, word, origin)
        d[time + 2 - base] += m[L.CLASS + (word >> 24)] - occupies(m, word)
    else:
        d[time + 2 - base] -= occupies(m, word)
    if m[L.E_LEFT] == 0:
        m[L.E_STATE] = L.PASS
        change(m, o, 1, time + 1, L.PASS, m[L.E_ORIGIN])
        if m[L.E_EXEC]:
            d[time + 2 - base] -= 1


@part
def _pass(
    m: L.Memory, o: L.Memory, d: L.Memory, base: int, time: int, word: int, origin: int
) -> None:
    """A word leaves M in state PASS: it goes on, starts a recording or starts a playback."""
    if (m[L.FLAG + (word >> 24)] & L.KIND) != L.REPLAY:
        _write_r(m, o, time, word, origin)
        return
    count = (word >> 4) & 63
    m[L.E_LEFT] = count if count > 0 else m[L.COUNT0]
    m[L.E_INDEX] = (word >> 14) & 31
    m[L.E_ORIGIN] = origin
    if word & 1:
        m[L.E_EXEC] = word & 2
        m[L.E_STATE] = L.REC
        change(m, o, 1, time + 1, L.REC, origin)
        return
    if m[L.E_LEFT] > 1:
        m[L.E_STATE] = L.PLAY
        change(m, o, 1, time + 1, L.PLAY, origin)
    _play(m, o, d, base, time)


@part
def drain(m: L.Memory, ready: L.Memory, o: L.Memory, d: L.Memory, base: int, until: int) -> None:
    """Take the words in M as far as they get before cycle ``until``."""
    while True:
        _issue(m, ready, o, d, base, until)
        j = m[L.R_IN]
        room = L.NEVER
        if j - m[L.R_OUT] < m[L.R_DEPTH]:
            room = m[L.ISSUED + ((j - m[L.R_DEPTH]) & L.RING)] + 1
        state = m[L.E_STATE]
        t = m[L.E_LAST] + 1
        if state == L.PLAY:
            t = max(t, room)
            if t >= until:
                return
            m[L.E_LAST] = t
            _play(m, o, d, base, t)
            continue
        i = m[L.M_OUT] & L.RING
        if m[L.M_OUT] == m[L.M_IN]:
            return
        t = max(t, m[L.M_TIME + i] + 1)
        word = m[L.M_WORD + i]
        if state == L.REC:
            to_r = m[L.E_EXEC] != 0
        else:
            to_r = (m[L.FLAG + (word >> 24)] & L.KIND) != L.REPLAY or (word & 1) == 0
        if to_r:
            t = max(t, room)
        if t >= until:
            return
        m[L.M_POP + i] = t
        m[L.M_OUT] += 1
        m[L.E_LAST] = t
        if state == L.REC:
            _record(m, o, d, base, t, word, m[L.M_ORIGIN + i])
        else:
            _pass(m, o, d, base, t, word, m[L.M_ORIGIN + i])
