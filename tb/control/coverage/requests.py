# SPDX-License-Identifier: Apache-2.0
"""Derived columns: what holds the word that a thread offers, and who competes for what.

Source: docs/control.md sections 3 to 7. Kept for it: until when the scalar unit is occupied.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ADDDMAREG,
    BANK,
    CLASSES,
    COND,
    CONFIG,
    EV,
    FW,
    GEV,
    GLOBAL_BASE,
    HELD,
    HOLD,
    HOLDS,
    I64,
    ILLEGAL,
    INSIDE,
    INSIDE_NOW,
    ISSUED,
    KIND,
    LATCH,
    LATCHED,
    MULDMAREG,
    MUTEX,
    MUTEXES,
    NO_RESOURCE,
    NOP,
    OFFERED,
    PER_THREAD,
    PIPE,
    READY,
    REG2FLOP,
    REQ,
    REQM,
    RISC_DONE,
    RISC_ON,
    RSEM,
    RSEM_DONE,
    RSEM_ON,
    SBUSY,
    SCALAR_UNIT,
    STALLWAIT,
    STREAMWAIT,
    STREAMWRCFG,
    SYNC,
    U32,
    UNAVAILABLE,
    UNIT,
    VALID,
    WORD,
    WRCFG,
    i64,
)
from tilepath.tb.control.coverage.words import resource, two_operand_cycles

_NEVER: Final = 1 << 62
MATRIX: Final = UNIT + 3

# Places in the memory
_FREE: Final = 0  # scalar unit: free from this cycle on; owner; a REG2FLOP that is to write Config
_OWNER: Final = 1
_FLOP: Final = 2
MEMORY: Final = 3


@kernel
def _banks_taken(c: U32, t: int, n: int) -> int:
    """The banks that thread n's word waits for and that the Matrix Unit does not have (M8)."""
    base = n * PER_THREAD
    return i64(c[t, base + COND]) >> 7 & i64(c[t, base + CLASSES]) >> 16 & 3


@kernel
def _available(c: U32, t: int, n: int, kind: int, wanted: int, free: bool) -> bool:
    """Whether resource ``wanted`` is available to thread n (docs/control.md section 3)."""
    if wanted == CONFIG:
        stages = i64(c[t, PIPE])
        if kind == STREAMWRCFG:
            return stages & 1 == 0 or c[t, SBUSY] == 0
        return stages & (6 if kind == WRCFG else 14) == 0
    if wanted == SCALAR_UNIT:
        return free
    if wanted >= MUTEXES:
        mutex = i64(c[t, MUTEX]) >> 3 * (wanted - MUTEXES) & 7
        return mutex & 1 == 0 or mutex >> 1 == n
    if wanted >= UNIT:
        ready = i64(c[t, READY]) >> (wanted - UNIT) & 1 != 0
        return ready and not (wanted == MATRIX and _banks_taken(c, t, n))
    return True


@kernel
def _held(c: U32, t: int, n: int, kind: int, inside: bool) -> int:
    """Rules 2 and 3 for the word that thread n offers."""
    if kind == ILLEGAL:
        return 0
    base = n * PER_THREAD
    held = (INSIDE if inside else 0) | (HOLD if i64(c[t, HOLDS]) >> n & 1 else 0)
    latch = i64(c[t, base + LATCH])
    if latch & 1:
        block = latch >> 3 & 0x1FF
        always = STALLWAIT <= kind <= STREAMWAIT or (kind == NOP and block == 0x1FF)
        if always or i64(c[t, base + CLASSES]) & block:
            held |= LATCHED
    return held


@kernel
def requests(c: U32, t: int, now: int, mem: I64) -> None:
    """HELD of each thread, and who competes for what."""
    request, mutexes = 0, 0
    if i64(c[t, FW]) & VALID and mem[_FLOP]:
        mem[_FREE], mem[_FLOP] = now, 0
    free = now >= mem[_FREE]
    for n in range(3):
        base = n * PER_THREAD
        if not i64(c[t, base + EV]) & OFFERED:
            continue
        inside = not free and mem[_OWNER] == n
        if inside:
            c[t, base + EV] |= INSIDE_NOW
        kind, word = i64(c[t, base + KIND]), i64(c[t, base + WORD])
        held = _held(c, t, n, kind, inside)
        wanted = resource(kind, word)
        if wanted < 0:
            held |= NO_RESOURCE
        elif not _available(c, t, n, kind, wanted, free):
            held |= UNAVAILABLE
            if wanted == MATRIX and _banks_taken(c, t, n):
                held |= BANK
        elif held == 0:
            if wanted >= MUTEXES:
                mutexes |= 1 << 3 * (wanted - MUTEXES) + n
            elif wanted >= SCALAR_UNIT:
                request |= 1 << 8 + 3 * (wanted - SCALAR_UNIT) + n
            else:
                request |= 1 << 4 * wanted + n
        c[t, base + HELD] = held
    events = i64(c[t, GEV])
    if events & RISC_ON and not events & RISC_DONE and i64(c[t, PIPE]) & 14 == 0:
        request |= 1 << 4 * CONFIG + 3
    if events & RSEM_ON and not events & RSEM_DONE and i64(c[t, RSEM]) >> 4 & 1:
        request |= 1 << 4 * SYNC + 3
    c[t, REQ], c[t, REQM] = request, mutexes


@kernel
def occupy(c: U32, t: int, now: int, mem: I64) -> None:
    """The scalar unit takes an instruction."""
    for n in range(3):
        base = n * PER_THREAD
        if not i64(c[t, base + EV]) & ISSUED:
            continue
        kind, word = i64(c[t, base + KIND]), i64(c[t, base + WORD])
        if resource(kind, word) != SCALAR_UNIT:
            continue
        mem[_OWNER], mem[_FLOP] = n, 0
        if kind in (ADDDMAREG, MULDMAREG):
            mem[_FREE] = now + two_operand_cycles(word)
        elif kind == REG2FLOP:
            writes = word >> 20 & 3 == 0 and word >> 6 & 0x7F < GLOBAL_BASE - 64
            mem[_FLOP] = 1 if writes else 0
            mem[_FREE] = _NEVER if writes else now + 2
        else:
            mem[_FREE] = now + 1
