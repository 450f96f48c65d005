# SPDX-License-Identifier: Apache-2.0
"""Input levels and stream writes by date, and the output levels."""

from __future__ import annotations

from tilepath.models.control import layout as L
from tilepath.models.control.records import put1, put2
from tilepath.models.jit import part


@part
def refresh(m: L.Memory, rows: L.Memory, row: int, t: int) -> None:
    """Bring a level up to cycle ``t``; ``row``: its place in ``m`` (next row, its cycle, value)."""
    while m[row + 1] <= t:
        n = m[row]
        m[row + 2] = rows[n, 1]
        m[row] = n + 1
        m[row + 1] = rows[n + 1, 0] if n + 1 < rows.shape[0] else L.NEVER


@part
def write_streams(m: L.Memory, s: L.Memory, writes: L.Memory, t: int) -> None:
    """Perform the writes to stream registers that show in cycle ``t``: those made before."""
    while m[L.SW_NEXT] < t:
        n = m[L.SW_ROW]
        s[writes[n, 1] * L.STREAM_REGS + writes[n, 2]] = writes[n, 3]
        m[L.SW_ROW] = n + 1
        m[L.SW_NEXT] = writes[n + 1, 0] if n + 1 < writes.shape[0] else L.NEVER


@part
def show_state(m: L.Memory, o: L.Memory, t: int) -> None:
    """Semaphores, mutexes and sticky faults, if they are different from cycle ``t`` on."""
    if m[L.SEM_DIRTY]:
        m[L.SEM_DIRTY] = 0
        value = 0
        most = 0
        for n in range(8):
            value |= m[L.SEM_VALUE + n] << (4 * n)
            most |= m[L.SEM_MAX + n] << (4 * n)
        put2(m, o, L.O_SEMAPHORES, t, m[L.SEM_ORIGIN], value, most)
    if m[L.MUTEX_DIRTY]:
        m[L.MUTEX_DIRTY] = 0
        value = 0
        for n in range(4):
            owner = m[L.OWNER + n]
            if owner:
                value |= (1 | (owner - 1) << 1) << (3 * n)
        if value != m[L.MUTEX_SHOWN]:
            m[L.MUTEX_SHOWN] = value
            put1(m, o, L.O_MUTEXES, t, m[L.MUTEX_ORIGIN], value)
    if m[L.STICKY] != m[L.STICKY_SHOWN]:
        m[L.STICKY_SHOWN] = 1
        put1(m, o, L.O_STICKY, t, m[L.STICKY_ORIGIN], 1)


@part
def show_units(m: L.Memory, o: L.Memory, t: int) -> None:
    """What is in the config unit and in the scalar unit in cycle ``t``."""
    stages = m[L.OCCUPIED + (t & 7)] | m[L.P_ON]
    if stages != m[L.PIPE_SHOWN]:
        m[L.PIPE_SHOWN] = stages
        origin = m[L.E_ORIGIN] if m[L.E_T] == t - 1 else L.NOBODY
        put1(m, o, L.O_CONFIG_PIPE, t, origin, stages)
    inside = 0
    if m[L.S_T] < t <= m[L.S_END]:
        inside = 1 | m[L.S_WHO] << 1
    if inside != m[L.SCALAR_SHOWN]:
        m[L.SCALAR_SHOWN] = inside
        put2(m, o, L.O_SCALAR, t, m[L.S_ORIGIN], inside & 1, inside >> 1)


@part
def next_cycle(m: L.Memory, t: int) -> int:
    """The next cycle in which anything can happen: the next one, or when an input changes."""
    if t < m[L.ACTIVE] or t < m[L.S_END]:
        return t + 1
    wake = min(m[L.BUSY_NEXT], m[L.READY_NEXT], m[L.STALL_NEXT], m[L.SW_NEXT] + 1)
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        if m[at + L.HAVE] == 0:
            wake = min(wake, m[at + L.NEXT])
    if m[L.A_NEXT] > t:
        wake = min(wake, m[L.A_NEXT])
    if m[L.B_NEXT] > t:
        wake = min(wake, m[L.B_NEXT])
    following: int = max(wake, t + 1)
    return following
