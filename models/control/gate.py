# SPDX-License-Identifier: Apache-2.0
"""Wait gates: what holds the offered words, who wins what they ask for, and what issuing starts.

``offers``: int64 rows (cycle, word), the three threads' one behind the other.
"""

from __future__ import annotations

from tilepath.models.control import config_unit, scalar_unit
from tilepath.models.control import layout as L
from tilepath.models.control import words as W
from tilepath.models.control.records import put1, put2, put_fault, put_latch
from tilepath.models.jit import part

_RISC = 3


@part
def take_offer(m: L.Memory, offers: L.Memory, thread: int, t: int) -> None:
    """The thread's next word, if it is offered in cycle ``t``."""
    at = L.T + thread * L.SIZE_T
    if m[at + L.HAVE] or t < m[at + L.NEXT] or t <= m[at + L.ISSUED]:
        return
    row = m[at + L.ROW]
    if row >= m[at + L.END]:
        m[at + L.NEXT] = L.NEVER
        return
    if offers[row, 0] > t:
        m[at + L.NEXT] = offers[row, 0]
        return
    word = offers[row, 1]
    opcode = word >> 24
    m[at + L.ROW] = row + 1
    m[at + L.HAVE] = 1
    m[at + L.WORD] = word
    m[at + L.ORIGIN] = 4 * m[at + L.TAKEN] + thread
    m[at + L.TAKEN] += 1
    m[at + L.W_KIND] = m[L.KIND + opcode]
    m[at + L.W_CLASS] = m[L.CLASS + opcode]
    resource = m[L.RESOURCE + opcode]
    if resource == 0 and (word >> 23) & 1:
        resource = 1  # the other unpacker
    elif resource == L.MUTEX:
        slot = W.mutex_slot(word)
        resource = L.MUTEX + slot if slot >= 0 else L.NONE
    m[at + L.W_RES] = resource


@part
def _waits(m: L.Memory, s: L.Memory, thread: int, t: int, risc: bool) -> bool:
    """Whether the thread's valid latch goes on waiting after cycle ``t``."""
    at = L.T + thread * L.SIZE_T
    kind = m[at + L.L_KIND]
    what = m[at + L.L_WHAT]
    if kind == 1:
        busy = m[L.BUSY] & what
        if what & 0x400 and risc:
            busy |= 0x400
        if what & 0x1000 and (m[L.P_ON] or m[L.OCCUPIED + (t & 7)] & 0x3E):
            busy |= 0x1000
        waits: bool = busy != 0
        return waits
    if kind == 2:
        return W.semaphores_hold(m, what)
    register = s[W.stream_place(m, thread, what)]
    below: bool = W.stream_count(what, register) < m[at + L.L_TARGET]
    return below


@part
def latches(m: L.Memory, s: L.Memory, o: L.Memory, t: int, risc: bool) -> None:
    """Evaluate the valid latches, and show those that changed."""
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        if m[at + L.L_KIND] == 0 or m[at + L.L_SET] >= t:
            continue
        if m[at + L.L_SET] == t - 1:
            if m[at + L.L_KIND] == 3:
                low = m[at + L.L_TARGET]
                m[at + L.L_TARGET] = W.stream_target(m, thread, m[at + L.L_WHAT], low)
            put_latch(m, o, thread, t, 1)
        m[at + L.L_MET] = 0 if _waits(m, s, thread, t, risc) else 1


@part
def clear_latches(m: L.Memory, t: int) -> None:
    """End of cycle ``t``: latches whose condition was met are gone."""
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        if m[at + L.L_MET]:
            m[at + L.L_MET] = 0
            m[at + L.L_KIND] = 0
            m[at + L.L_GONE] = t + 1
            m[L.ACTIVE] = max(m[L.ACTIVE], t + 2)


@part
def show_gone(m: L.Memory, o: L.Memory, t: int) -> None:
    """Latches that are not valid any more from cycle ``t`` on."""
    for thread in range(3):
        if m[L.T + thread * L.SIZE_T + L.L_GONE] == t:
            put_latch(m, o, thread, t, 0)


@part
def holder(m: L.Memory, thread: int, t: int) -> int:
    """What holds the offered word: 0 nothing but its resource, 2 or 3: that rule of section 3."""
    at = L.T + thread * L.SIZE_T
    if m[at + L.W_KIND] == L.ILLEGAL:
        return 0
    if m[L.S_WHO] == thread and m[L.S_T] < t < m[L.S_END]:
        return 2
    if m[at + L.L_KIND] and m[at + L.W_CLASS] & m[at + L.L_HOLD]:
        return 3
    return 0


@part
def available(m: L.Memory, thread: int, t: int) -> bool:
    """Whether the resource of the thread's word is available to it in cycle ``t``."""
    at = L.T + thread * L.SIZE_T
    resource = m[at + L.W_RES]
    free: bool = True
    if resource < L.SCALAR:
        free = (m[L.READY] >> resource) & 1 != 0
    elif resource == L.SCALAR:
        free = t >= m[L.S_END]
    elif resource < L.CONFIG:
        owner = m[L.OWNER + resource - L.MUTEX]
        free = owner == 0 or owner == thread + 1
    elif resource == L.CONFIG:
        if m[at + L.W_KIND] == L.STREAMWRCFG:
            free = config_unit.prepare_free(m)
        else:
            free = t >= config_unit.free_from(m, m[at + L.W_KIND])
    return free


@part
def ask(m: L.Memory, t: int) -> None:
    """Note for each thread the resource that it asks for; -1: no word, or it is held."""
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        m[at + L.ASKS] = -1
        if m[at + L.HAVE] and holder(m, thread, t) == 0 and available(m, thread, t):
            m[at + L.ASKS] = m[at + L.W_RES]


@part
def wins(m: L.Memory, who: int, resource: int, config: bool, sync: bool) -> bool:
    """Whether nobody before ``who``, counted from the pointer, asks too; ``who`` 3 are the cores.

    ``config``, ``sync``: the cores ask for these. The pointer stays: see ``advance``.
    """
    count = 4 if resource >= L.CONFIG else 3
    first = m[L.POINTER + resource]
    other = first
    while other != who:
        if other == _RISC:
            if (resource == L.CONFIG and config) or (resource == L.SYNC and sync):
                return False
        elif m[L.T + other * L.SIZE_T + L.ASKS] == resource:
            return False
        other = (other + 1) % count
    return True


@part
def decide(m: L.Memory, config: bool, sync: bool) -> None:
    """Note which threads issue."""
    for thread in range(3):
        at = L.T + thread * L.SIZE_T
        resource = m[at + L.ASKS]
        m[at + L.WON] = 0
        if resource == L.NONE or (resource >= 0 and wins(m, thread, resource, config, sync)):
            m[at + L.WON] = 1


@part
def advance(m: L.Memory, who: int, resource: int) -> None:
    """``who`` has won: the pointer stands behind it (C24)."""
    if resource != L.NONE:
        m[L.POINTER + resource] = (who + 1) % (4 if resource >= L.CONFIG else 3)


@part
def _latch(m: L.Memory, thread: int, t: int, kind: int, word: int) -> None:
    """A wait issues."""
    at = L.T + thread * L.SIZE_T
    block = (word >> 15) & 0x1FF
    if block == 0:
        block = 0x040  # C10
    m[at + L.L_KIND] = kind - L.STALLWAIT + 1
    m[at + L.L_SET] = t
    m[at + L.L_BLOCK] = block
    m[at + L.L_HOLD] = block | L.ANY_WAIT | (L.IS_NOP if block == 0x1FF else 0)
    m[at + L.L_WHAT] = W.wait_what(kind, word)
    m[at + L.L_TARGET] = (word >> 4) & 0x3FF if kind == L.STREAMWAIT else 0
    m[at + L.L_ORIGIN] = m[at + L.ORIGIN]


@part
def _mutex(m: L.Memory, thread: int, kind: int, word: int, origin: int) -> None:
    slot = W.mutex_slot(word)
    if slot < 0:
        return
    owner = m[L.OWNER + slot]
    new = owner
    if kind == L.ATGETM:
        new = thread + 1
    elif owner == thread + 1:
        new = 0
    if new != owner:
        m[L.OWNER + slot] = new
        m[L.MUTEX_DIRTY] = 1
        m[L.MUTEX_ORIGIN] = origin


@part
def issue(m: L.Memory, o: L.Memory, thread: int, t: int) -> None:
    """The thread's word issues in cycle ``t``."""
    at = L.T + thread * L.SIZE_T
    word = m[at + L.WORD]
    kind = m[at + L.W_KIND]
    resource = m[at + L.W_RES]
    origin = m[at + L.ORIGIN]
    m[at + L.HAVE] = 0
    m[at + L.ISSUED] = t
    m[L.ACTIVE] = max(m[L.ACTIVE], t + 5)
    put1(m, o, thread * L.O_THREAD + L.O_ISSUE, t, origin, word)
    faults = W.faults_of(m, thread, kind, word)
    if faults:
        put_fault(m, o, thread, t, origin, faults)
        if faults & L.F_CFG_OOB and m[L.STICKY] == 0:
            m[L.STICKY] = 1
            m[L.STICKY_ORIGIN] = origin
    if resource < L.SCALAR:
        put2(m, o, L.O_UNIT + resource, t, origin, thread, word)
        if resource < 3:
            v = L.V + resource * L.SIZE_V
            m[v] = t
            m[v + 1] = thread
            m[v + 2] = word & 0x1FF
            m[v + 3] = origin
    elif resource == L.SCALAR:
        scalar_unit.issue(m, t, kind, thread, word, origin)
    elif resource == L.CONFIG:
        config_unit.issue(m, t, kind, thread, word, 0, 0, origin)
    elif resource == L.SYNC:
        if kind <= L.STREAMWAIT:
            _latch(m, thread, t, kind, word)
        else:
            m[L.SO_T] = t
            m[L.SO_KIND] = kind
            m[L.SO_WORD] = word
            m[L.SO_ORIGIN] = origin
    elif kind == L.ATGETM or kind == L.ATRELM:
        _mutex(m, thread, kind, word, origin)
    elif kind == L.ADC:
        put1(m, o, thread * L.O_THREAD + L.O_ADC, t, origin, word)
    elif kind == L.SETC16 and (word >> 16) & 0xFF < L.THD_WORDS:
        m[at + L.X_T] = t
        m[at + L.X_INDEX] = (word >> 16) & 0xFF
        m[at + L.X_VALUE] = word & 0xFFFF
        m[at + L.X_ORIGIN] = origin
