# SPDX-License-Identifier: Apache-2.0
"""Per-cycle columns of one thread, rebuilt from its recorded streams.

A column has one element a cycle of the block: the event word (``layout``), states, queue levels at
the start of the cycle, the kind of the FIFO's head, and the words that move in the cycle. Element
values of word columns mean nothing where the event word lacks the event.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.models.jit import kernel, part
from tilepath.tb.frontend.coverage.layout import (
    ACCEPT,
    BRISC_ACCEPT,
    COLLISION,
    EMIT,
    EXP,
    FIFO_DEPTH,
    FIFO_POP,
    FROM_BRISC,
    FROM_FIFO,
    FROM_MOP,
    FROM_MOP_END,
    IDLE,
    INGEST,
    ISSUE,
    KIND_EMPTY,
    KIND_MOP,
    KIND_MOP_CFG,
    KIND_PLAIN,
    KIND_REPLAY,
    M_DEPTH,
    M_POP,
    MQ,
    OFFER,
    OP_MOP,
    OP_MOP_CFG,
    OP_REPLAY,
    PASS,
    PUSH,
    R_DEPTH,
    REC,
    REC_EXEC,
    RQ,
    TRANS,
    i64,
)

U32 = NDArray[np.uint32]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]

# Places in a thread's memory
F_AT: Final = 0  # FIFO: index of the head, number of words, MOP words among them
F_N: Final = 1
F_MOPS: Final = 2
M_AT: Final = 3
M_N: Final = 4
R_N: Final = 5
PENDING: Final = 6  # word on the push port, and whether it still waits
OFFERED: Final = 7
EXEC: Final = 8  # Exec bit of the record session
EMITTED: Final = 9  # the expander emitted in the cycle before
READY_WAS: Final = 10  # last values of the level streams
MOP_WAS: Final = 11
REPLAY_WAS: Final = 12
QSTATUS_WAS: Final = 13
F_RING: Final = 16
M_RING: Final = F_RING + FIFO_DEPTH
M_FROM: Final = M_RING + M_DEPTH
MEMORY: Final = M_FROM + M_DEPTH


@kernel
def mark(ev: U32, rows: U32, start: int, bit: int) -> None:
    """Set ``bit`` in the cycles of ``rows``."""
    for i in range(len(rows)):
        ev[rows[i, 0] - start] |= bit


@kernel
def mark_words(ev: U32, words: U32, rows: U32, start: int, bit: int) -> None:
    """Set ``bit``, and the word column, in the cycles of ``rows``."""
    for i in range(len(rows)):
        t = rows[i, 0] - start
        ev[t] |= bit
        words[t] = rows[i, 1]


@kernel
def mark_faults(ev: U32, rows: U32, start: int, bits: U32) -> None:
    """Set ``bits[k]`` in the cycles of ``rows`` whose k-th field is not 0."""
    for i in range(len(rows)):
        for k in range(len(bits)):
            if rows[i, 1 + k]:
                ev[rows[i, 0] - start] |= bits[k]


@kernel
def hold(column: Any, rows: U32, field: int, start: int, mem: I64, place: int) -> None:
    """Fill ``column`` with a field of a level stream; ``mem[place]`` carries its last value."""
    at = 0
    value = mem[place]
    for i in range(len(rows)):
        t = rows[i, 0] - start
        column[at:t] = value
        at = t
        value = i64(rows[i, field])
    column[at:] = value
    mem[place] = value


@part
def kind_of(word: int) -> int:
    """Kind of a 32-bit word, by its opcode."""
    opcode = word >> 24
    if opcode == OP_MOP:
        return KIND_MOP
    if opcode == OP_MOP_CFG:
        return KIND_MOP_CFG
    return KIND_REPLAY if opcode == OP_REPLAY else KIND_PLAIN


@part
def _fifo(e: int, t: int, push: U32, accepted: U8, mem: I64) -> None:
    """Pop, then write; a word offered once stays until it is accepted."""
    if e & FIFO_POP and mem[F_N] > 0:
        if kind_of(mem[F_RING + mem[F_AT]]) == KIND_MOP:
            mem[F_MOPS] -= 1
        mem[F_AT] = (mem[F_AT] + 1) % FIFO_DEPTH
        mem[F_N] -= 1
    if e & PUSH:
        mem[PENDING] = push[t]
        mem[OFFERED] = 1
    if e & ACCEPT:
        mem[OFFERED] = 0
        accepted[t] = kind_of(mem[PENDING])
        if mem[F_N] < FIFO_DEPTH:
            mem[F_RING + (mem[F_AT] + mem[F_N]) % FIFO_DEPTH] = mem[PENDING]
            mem[F_N] += 1
            if accepted[t] == KIND_MOP:
                mem[F_MOPS] += 1


@part
def _m_pops(e: int, state: int, mem: I64) -> bool:
    """Whether the replay expander takes M's head (docs/frontend.md section 2)."""
    if mem[M_N] == 0:
        return False
    if state == PASS:
        word = mem[M_RING + mem[M_AT]]
        # A load leaves M without a write to R; everything else leaves with one.
        if word >> 24 == OP_REPLAY and word & 1:
            mem[EXEC] = word >> 1 & 1
            return True
        return e & RQ != 0
    if state == REC_EXEC:
        return e & RQ != 0
    return state == REC


@part
def _m_queue(e: int, state: int, word: int, mem: I64) -> None:
    """Pop, then write with the word's source."""
    if e & M_POP:
        mem[M_AT] = (mem[M_AT] + 1) % M_DEPTH
        mem[M_N] -= 1
    if e & MQ and mem[M_N] < M_DEPTH:
        tail = (mem[M_AT] + mem[M_N]) % M_DEPTH
        mem[M_N] += 1
        mem[M_RING + tail] = word
        source = FROM_FIFO
        if e & BRISC_ACCEPT:  # wins against the expander (F18)
            source = FROM_BRISC
        elif state == EXP or e & INGEST:
            source = FROM_MOP
        mem[M_FROM + tail] = source


@kernel
def track(
    ev: U32,
    push: U32,
    mq: U32,
    mop: U8,
    replay: U8,
    fifo: U8,
    m: U8,
    r: U8,
    head: U8,
    mops: U8,
    accepted: U8,
    popped: U32,
    source: U8,
    mem: I64,
) -> None:
    """Fill the derived columns, and the derived bits of ``ev``, from the recorded ones."""
    for t in range(len(ev)):
        e = i64(ev[t])
        state = min(i64(mop[t]), TRANS)
        mop[t] = state
        if state == TRANS and mem[EMITTED] and mem[M_N] > 0:
            # The word emitted a cycle ago was the last of its expansion.
            tail = (mem[M_AT] + mem[M_N] - 1) % M_DEPTH
            if mem[M_FROM + tail] == FROM_MOP:
                mem[M_FROM + tail] = FROM_MOP_END
        if replay[t] == REC and mem[EXEC]:
            replay[t] = REC_EXEC
        fifo[t] = mem[F_N]
        m[t] = mem[M_N]
        r[t] = mem[R_N]
        mops[t] = mem[F_MOPS]
        head[t] = kind_of(mem[F_RING + mem[F_AT]]) if mem[F_N] > 0 else KIND_EMPTY
        if e & COLLISION or (e & MQ and not e & BRISC_ACCEPT):
            e |= EMIT
        if e & INGEST or (e & EMIT and state == IDLE):
            e |= FIFO_POP
        if e & PUSH or mem[OFFERED]:
            e |= OFFER
        if _m_pops(e, i64(replay[t]), mem):
            e |= M_POP
            popped[t] = mem[M_RING + mem[M_AT]]
            source[t] = mem[M_FROM + mem[M_AT]]
        _fifo(e, t, push, accepted, mem)
        _m_queue(e, state, i64(mq[t]), mem)
        mem[EMITTED] = e & EMIT
        level = mem[R_N] + (1 if e & RQ else 0) - (1 if e & ISSUE else 0)
        mem[R_N] = min(max(level, 0), R_DEPTH)
        ev[t] = e
