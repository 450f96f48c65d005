# SPDX-License-Identifier: Apache-2.0
"""The cores' two ports, and the operations of the sync unit that act one cycle after they won.

Rows: ``risc`` (cycle, write, address, data), ``risc_sem`` (cycle, write, index, get).
"""

from __future__ import annotations

from tilepath.models.control import config_unit
from tilepath.models.control import layout as L
from tilepath.models.control import words as W
from tilepath.models.control.records import put1, put2, put3
from tilepath.models.jit import part


@part
def risc_offered(m: L.Memory, t: int) -> bool:
    """Whether an access is at the configuration port in cycle ``t``, that of ``done`` included."""
    offered: bool = m[L.A_NEXT] <= t or t <= m[L.A_DONE]
    return offered


@part
def risc_asks(m: L.Memory, t: int) -> bool:
    """Whether it asks for the config unit, and that is available."""
    return m[L.A_NEXT] <= t and t > m[L.A_DONE] and t >= config_unit.free_from(m, L.RISC)


@part
def risc_wins(m: L.Memory, rows: L.Memory, t: int) -> None:
    """The access has won the config unit: made, and done, in the next cycle."""
    n = m[L.A_ROW]
    config_unit.issue(
        m, t, L.RISC, 3, rows[n, 2], rows[n, 3], rows[n, 1], 4 * m[L.A_TAKEN] + 3
    )  # fmt: skip
    m[L.A_ROW] = n + 1
    m[L.A_NEXT] = rows[n + 1, 0] if n + 1 < rows.shape[0] else L.NEVER
    m[L.A_TAKEN] += 1
    m[L.A_DONE] = t + 1
    m[L.ACTIVE] = max(m[L.ACTIVE], t + 5)


@part
def _sem_taken(m: L.Memory, rows: L.Memory, done: int) -> None:
    n = m[L.B_ROW]
    m[L.B_ROW] = n + 1
    m[L.B_NEXT] = rows[n + 1, 0] if n + 1 < rows.shape[0] else L.NEVER
    m[L.B_TAKEN] += 1
    m[L.B_DONE] = done
    m[L.ACTIVE] = max(m[L.ACTIVE], done + 2)


@part
def sem_asks(m: L.Memory, o: L.Memory, rows: L.Memory, t: int) -> bool:
    """Whether a semaphore write asks for the sync unit; a read is answered at once."""
    if m[L.B_NEXT] > t or t <= m[L.B_DONE]:
        return False
    n = m[L.B_ROW]
    if rows[n, 1]:
        return True
    put1(m, o, L.O_RISC_SEM_DONE, t, -1 - m[L.B_TAKEN], m[L.SEM_VALUE + rows[n, 2]])
    _sem_taken(m, rows, t)
    return False


@part
def sem_wins(m: L.Memory, rows: L.Memory, t: int) -> None:
    """The semaphore write has won the sync unit."""
    n = m[L.B_ROW]
    m[L.SO_T] = t
    m[L.SO_KIND] = L.SEMGET if rows[n, 3] else L.SEMPOST
    m[L.SO_WORD] = 4 << rows[n, 2]
    m[L.SO_ORIGIN] = -1 - m[L.B_TAKEN]
    _sem_taken(m, rows, t + 1)


@part
def write_sync(m: L.Memory, o: L.Memory, t: int) -> None:
    """End of cycle ``t``: the semaphore operation that won in the cycle before."""
    if m[L.SO_T] != t - 1:
        return
    if W.change_semaphores(m, m[L.SO_KIND], m[L.SO_WORD]):
        m[L.SEM_DIRTY] = 1
        m[L.SEM_ORIGIN] = m[L.SO_ORIGIN]
    if m[L.SO_ORIGIN] < 0:
        put1(m, o, L.O_RISC_SEM_DONE, t, m[L.SO_ORIGIN], 0)


@part
def write_setc16(m: L.Memory, o: L.Memory, t: int) -> None:
    """End of cycle ``t``: SETC16 of the cycle before; stays over a write of the cores."""
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        if m[at + L.X_T] == t - 1:
            index = m[at + L.X_INDEX]
            value = m[at + L.X_VALUE]
            put2(m, o, thread * L.O_THREAD + L.O_SETC16, t, m[at + L.X_ORIGIN], index, value)
            m[L.THD + thread * L.THD_WORDS + index] = value


@part
def views(m: L.Memory, o: L.Memory, t: int) -> None:
    """What the units read in the entry cycle of a word."""
    for unit in range(3):
        v = L.V + unit * L.SIZE_V
        if m[v] == t - 1:
            thread = m[v + 1]
            index = m[v + 2]
            data = 0
            if index < 256:
                data = W.read_config(m, W.state_id(m, thread), index)
            elif index - 256 < L.THD_WORDS:
                data = m[L.THD + thread * L.THD_WORDS + index - 256]
            put3(m, o, L.O_VIEW + unit, t, m[v + 3], thread, index, data)
