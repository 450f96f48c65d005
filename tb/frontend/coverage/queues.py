# SPDX-License-Identifier: Apache-2.0
"""Coverage of everything around the expanders: queues, mop_sync, BRISC, issue, faults, qstatus.

Source: frontend-config section 7, paragraph FIFO; F7, F17 to F22.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel, part
from tilepath.tb.frontend.coverage.layout import (
    ACCEPT,
    BRISC,
    BRISC_ACCEPT,
    COLLISION,
    EXP,
    FIFO_DEPTH,
    FIFO_POP,
    ILLEGAL,
    INGEST,
    ISSUE,
    KIND_MOP,
    KINDS,
    M_DEPTH,
    MOP_STATES,
    MOPCFG,
    NO_YES,
    OFFER,
    OP_RESOURCEDECL,
    RACE,
    READY,
    REPLAY_STATES,
    SYNC,
    SYNC_ACK,
    TRANS,
    i64,
)
from tilepath.tb.frontend.coverage.timeline import I64, U8, U32, kind_of
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()

LEVEL = GROUP.add("fifo.level", ("0", "1", "2-30", "31", "32"))
PUSH_POP = GROUP.add(
    "fifo.level_x_push_x_pop",
    ("0", "1", "2-30", "31", "32"),
    ("no_push", "push"),
    ("no_pop", "pop"),
    exclude=(
        Exclude(("0", None, "pop"), "an empty FIFO has no head to pop"),
        # F19: ready means fewer than 32 words at the start of the cycle.
        Exclude(("32", "push", None), "a full FIFO accepts nothing, even with a pop"),
    ),
)
PUSH_FULL = GROUP.add("fifo.push_while_full", ("no_pop", "pop"))
ACCEPTED = GROUP.add("fifo.accepted_kind", KINDS)
M_LEVEL = GROUP.add("m.level", ("0", "1", "2-6", "7", "8"))

SYNC_IN = GROUP.add(
    "sync.requested_in",
    ("idle", "mop_queued", "exp", "exp_mop_queued", "trans", "trans_mop_queued"),
)
SYNC_ACKED = GROUP.add(
    "sync.acked_in_x_wait",
    ("idle", "trans"),
    ("0", ">0"),
    # Refused in the cycle before, so that a MOP was queued or the state EXP. Either the MOP was
    # popped in that cycle, or EXP ended with it: both lead to EXP or TRANS, never to IDLE.
    exclude=(Exclude(("idle", ">0"), "what holds a mop_sync up ends in TRANS"),),
)
# F21: a word accepted in the cycle of the acknowledge is not in the FIFO yet
SYNC_ACCEPT = GROUP.add("sync.acked_with_mop_accept", NO_YES)
# Cycle of a MopCfg write less that of the request, or of the acknowledge
SYNC_DISTANCE = GROUP.add("sync.edge_x_mopcfg_distance", ("request", "ack"), ("-1", "0", "+1"))

READY_R = GROUP.add("issue.ready_x_r_level", ("ready0", "ready1"), ("0", "1", "2"))
ISSUED = GROUP.add(
    "issue.illegal_x_ready",
    ("legal", "illegal"),
    ("ready0", "ready1"),
    exclude=(Exclude(("legal", "ready0"), "a legal word leaves only with issue_ready"),),
)
BRISC_EXPANDER = GROUP.add("brisc.kind_x_mop_state", KINDS, MOP_STATES)
BRISC_REPLAY = GROUP.add("brisc.accepted_in_replay_state", REPLAY_STATES)
BRISC_WAIT = GROUP.add("brisc.wait_for_m", NO_YES)
BRISC_LOST = GROUP.add("brisc.word_lost", ("passed_through", "mop_first", "mop_later"))

FAULT = GROUP.add("fault.kind", ("illegal", "mopcfg_race", "collision"))
FAULTS = GROUP.add(
    "fault.together",
    (
        "illegal",
        "mopcfg_race",
        "illegal+mopcfg_race",
        "collision",
        "illegal+collision",
        "mopcfg_race+collision",
        "all",
    ),
)
ILLEGAL_WORD = GROUP.add(
    "fault.illegal_word_x_ready",
    ("mop", "mop_cfg", "unassigned", "replay", "resourcedecl"),
    ("ready0", "ready1"),
)
STICKY = GROUP.add("fault.sticky", ("mopcfg_race", "collision", "both"))
WRITES = GROUP.add(
    "mopcfg.index_x_mop_state",
    ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9-15"),
    MOP_STATES,
)

_CLASSES = ("thcon", "xmov", "unpack", "pack", "cfg", "sync", "tdma", "sfpu", "math")
_OWN_BITS = ("replay_busy", "mop_busy", *_CLASSES)
# 0 to 1 and back to 0, counted at the second change. Bit 12 is constant 0 (F22): no bin.
TOGGLED = GROUP.add(
    "qstatus.bit_toggled",
    (*_OWN_BITS, "sfpu_cc", *(f"any_{bit}" for bit in _OWN_BITS), "any_sfpu_cc"),
)
# Bits seen set while the FSMs show a state; qstatus is a cycle older than the states (F22).
MOP_BITS = GROUP.add("qstatus.mop_state_x_bit_set", MOP_STATES, _OWN_BITS)
REPLAY_BITS = GROUP.add("qstatus.replay_state_x_bit_set", REPLAY_STATES, _OWN_BITS)
MOP_BUSY = GROUP.add(
    "qstatus.mop_state_x_mop_busy",
    MOP_STATES,
    ("0", "1"),
    # A cycle earlier the state was EXP, or a MOP was in the FIFO and was ingested.
    exclude=(
        Exclude(("exp", "0"), "the expander was busy, or about to be, a cycle earlier"),
        Exclude(("trans", "0"), "the expander was busy, or about to be, a cycle earlier"),
    ),
)
REPLAY_BUSY = GROUP.add(
    "qstatus.replay_state_x_replay_busy",
    REPLAY_STATES,
    ("0", "1"),
    # A cycle earlier the state was the same, or the REPLAY that started it was in M and counted.
    exclude=(
        Exclude(("play", "0"), "playback, or its REPLAY in M, counted a cycle earlier"),
        Exclude(("rec_exec", "0"), "the session, or its REPLAY in M, counted a cycle earlier"),
    ),
)

# Places in a thread's memory
SYNC_WAITS: Final = 0  # cycles since the pending mop_sync was requested
BRISC_WAITS: Final = 1
LAST_SYNC: Final = 2  # requested, acknowledged, MopCfg written in the cycle before
LAST_ACK: Final = 3
LAST_WRITE: Final = 4
LAST_QSTATUS: Final = 5
MEMORY: Final = 8

# Places in what was seen in how many cycles: FIFO's level with push and pop, M's level, and the
# bits of qstatus that are the thread's own with the states of both expanders
_SEEN_FIFO: Final = 0
_SEEN_M: Final = _SEEN_FIFO + 4 * (FIFO_DEPTH + 1)
_SEEN_STATES: Final = _SEEN_M + M_DEPTH + 1
_STATES: Final = len(REPLAY_STATES)
SEEN: Final = _SEEN_STATES + (1 << len(_OWN_BITS)) * len(MOP_STATES) * _STATES


@kernel
def _five(level: int, depth: int) -> int:
    if level >= depth - 1:
        return 4 - (depth - level)
    return min(level, 2)


@part
def _levels(e: int, fifo: int, m: int, accepted: int, seen: I64, counts: I64) -> None:
    pop = 1 if e & FIFO_POP else 0
    seen[_SEEN_FIFO + fifo * 4 + (2 if e & ACCEPT else 0) + pop] += 1
    seen[_SEEN_M + m] += 1
    if e & OFFER and fifo == FIFO_DEPTH:
        counts[PUSH_FULL + pop] += 1
    if e & ACCEPT:
        counts[ACCEPTED + accepted] += 1


@part
def _sync(e: int, state: int, mops: int, accepted: int, mem: I64, counts: I64) -> None:
    if e & SYNC:
        mem[SYNC_WAITS] = 0
        counts[SYNC_IN + state * 2 + (1 if mops > 0 else 0)] += 1
    if e & SYNC_ACK:
        at = 0 if state != TRANS else 2
        counts[SYNC_ACKED + at + min(mem[SYNC_WAITS], 1)] += 1
        counts[SYNC_ACCEPT + (1 if e & ACCEPT and accepted == KIND_MOP else 0)] += 1
    mem[SYNC_WAITS] += 1


@part
def _sync_distance(e: int, mem: I64, counts: I64) -> None:
    for edge in range(2):
        at = SYNC_DISTANCE + edge * 3
        now = e & (SYNC_ACK if edge else SYNC)
        if now and mem[LAST_WRITE]:
            counts[at] += 1
        if e & MOPCFG:
            if now:
                counts[at + 1] += 1
            if mem[LAST_SYNC + edge]:
                counts[at + 2] += 1
        mem[LAST_SYNC + edge] = now
    mem[LAST_WRITE] = e & MOPCFG


@part
def _brisc(e: int, state: int, replay: int, word: int, mem: I64, counts: I64) -> None:
    if e & BRISC:
        mem[BRISC_WAITS] = 0
    if e & BRISC_ACCEPT:
        counts[BRISC_EXPANDER + kind_of(word) * 3 + state] += 1
        counts[BRISC_REPLAY + replay] += 1
        counts[BRISC_WAIT + min(mem[BRISC_WAITS], 1)] += 1
    if e & COLLISION:
        counts[BRISC_LOST + (1 if e & INGEST else (2 if state == EXP else 0))] += 1
    mem[BRISC_WAITS] += 1


@part
def _issue(e: int, r: int, word: int, counts: I64) -> None:
    ready = 1 if e & READY else 0
    counts[READY_R + ready * 3 + r] += 1
    if e & ISSUE:
        illegal = 1 if e & ILLEGAL else 0
        counts[ISSUED + illegal * 2 + ready] += 1
        if illegal:
            kind = 4 if word >> 24 == OP_RESOURCEDECL else kind_of(word)
            counts[ILLEGAL_WORD + kind * 2 + ready] += 1
    faults = (1 if e & ILLEGAL else 0) + (2 if e & RACE else 0) + (4 if e & COLLISION else 0)
    if faults:
        counts[FAULTS + faults - 1] += 1
        for k in range(3):
            counts[FAULT + k] += faults >> k & 1


@kernel
def _qstatus(value: int, state: int, replay: int, cycles: int, counts: I64) -> None:
    for bit in range(11):
        if value >> bit & 1:
            counts[MOP_BITS + state * 11 + bit] += cycles
            counts[REPLAY_BITS + replay * 11 + bit] += cycles
    counts[MOP_BUSY + state * 2 + (value >> 1 & 1)] += cycles
    counts[REPLAY_BUSY + replay * 2 + (value & 1)] += cycles


@kernel
def count_seen(seen: I64, counts: I64) -> None:
    """Count what :func:`count_queues` has seen in how many cycles, and forget it."""
    for fifo in range(FIFO_DEPTH + 1):
        at = _five(fifo, FIFO_DEPTH)
        for k in range(4):
            cycles = seen[_SEEN_FIFO + fifo * 4 + k]
            counts[LEVEL + at] += cycles
            counts[PUSH_POP + at * 4 + k] += cycles
    for m in range(M_DEPTH + 1):
        counts[M_LEVEL + _five(m, M_DEPTH)] += seen[_SEEN_M + m]
    for which in range(SEEN - _SEEN_STATES):
        cycles = seen[_SEEN_STATES + which]
        if cycles:
            state = which % (_STATES * len(MOP_STATES)) // _STATES
            _qstatus(which // (_STATES * len(MOP_STATES)), state, which % _STATES, cycles, counts)
    seen[:] = 0


@kernel
def count_queues(
    ev: U32,
    mq: U32,
    issue: U32,
    mop: U8,
    replay: U8,
    fifo: U8,
    m: U8,
    r: U8,
    mops: U8,
    accepted: U8,
    qstatus: U32,
    mem: I64,
    seen: I64,
    counts: I64,
) -> None:
    """Count the per-cycle points of this group over a block of cycles.

    Levels and states are added to ``seen``, for :func:`count_seen`.
    """
    for t in range(len(ev)):
        e = i64(ev[t])
        state = i64(mop[t])
        kind = i64(accepted[t])
        _levels(e, i64(fifo[t]), i64(m[t]), kind, seen, counts)
        _sync(e, state, i64(mops[t]), kind, mem, counts)
        if e & (SYNC | SYNC_ACK | MOPCFG):
            _sync_distance(e, mem, counts)
        else:
            mem[LAST_SYNC : LAST_WRITE + 1] = 0
        _brisc(e, state, i64(replay[t]), i64(mq[t]), mem, counts)
        _issue(e, i64(r[t]), i64(issue[t]), counts)
        which = (i64(qstatus[t]) & 0x7FF) * len(MOP_STATES) + state
        seen[_SEEN_STATES + which * _STATES + i64(replay[t])] += 1


@kernel
def count_changes(
    qstatus: U32, sticky: U32, writes: U32, mop: U8, start: int, mem: I64, counts: I64
) -> None:
    """Count what is seen in the records themselves: qstatus, sticky bits, MopCfg writes."""
    for i in range(len(qstatus)):
        value = i64(qstatus[i, 1])
        fallen = mem[LAST_QSTATUS] & ~value
        if fallen:
            for bit in range(25):
                if bit != 12:  # it has no bin
                    counts[TOGGLED + (bit if bit < 12 else bit - 1)] += fallen >> bit & 1
        mem[LAST_QSTATUS] = value
    for i in range(len(sticky)):
        bits = i64(sticky[i, 1] != 0) + 2 * i64(sticky[i, 2] != 0)
        if bits:
            counts[STICKY + bits - 1] += 1
    for i in range(len(writes)):
        index = min(i64(writes[i, 1]), 9)
        counts[WRITES + index * 3 + i64(mop[writes[i, 0] - start])] += 1
