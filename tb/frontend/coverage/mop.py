# SPDX-License-Identifier: Apache-2.0
"""Coverage of the MOP expander: both templates, the transition, and crosses with the neighbours.

Source: frontend-config section 7, paragraphs T1, T0, "MOP->next" and "Highest-value crosses".
MopCfg and MaskHi are those of the ingest cycle (F7, F8); lengths are counted, not computed.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.frontend.coverage.layout import (
    BRISC_ACCEPT,
    EMIT,
    EXP,
    FIFO_POP,
    HEADS,
    INGEST,
    ISSUE,
    KIND_EMPTY,
    KIND_MOP,
    M_DEPTH,
    MODES,
    MOPCFG,
    OP_MOP_CFG,
    OP_REPLAY,
    PLAY,
    READY,
    REPLAY_STATES,
    TRANS,
    i64,
)
from tilepath.tb.frontend.coverage.template import CFG, MASK_HI, T1_BUG, ingest_t0, ingest_t1
from tilepath.tb.frontend.coverage.timeline import I64, U8, U32
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
_TEMPLATES = ("t0", "t1")

T0_LENGTH = GROUP.add("t0.length", ("1", "2", "3-639", "640"))
T1_LENGTH = GROUP.add("t1.length", ("0", "1", "2", "3-32638", "32639"))
MASK_HI_AGE = GROUP.add("t0.mask_hi", ("reset", "fresh", "stale", "two_mop_cfg"))
MOP_CFG_AFTER_MOP = GROUP.add("t0.mop_cfg_after_mop", _TEMPLATES)
INGEST_DISTANCE = GROUP.add("mopcfg.ingest_distance", _TEMPLATES, ("-1", "0", "+1"))
_NOT_EMPTY = (
    # The last word of the expansion was written to M in the cycle before TRANS (in a collision:
    # BRISC's word was). A word written in t is in M in t+1, whatever else is popped in t.
    Exclude((None, "1", "0"), "the last emitted word is still in M during TRANS"),
    Exclude((None, "2", "0"), "the last emitted word is still in M during TRANS"),
    Exclude((None, ">2", "0"), "the last emitted word is still in M during TRANS"),
)
NEXT = GROUP.add(
    "mop_next.kind_x_length_x_m_level",
    HEADS,
    ("0", "1", "2", ">2"),
    ("0", "1-7", "8"),
    exclude=_NOT_EMPTY,
)
# Hidden: in the cycle after the lost one the replay expander still has something to write.
PENALTY = GROUP.add("mop_next.penalty", ("skipped", "mop_waits_for_m", "hidden", "visible"))
# The last REPLAY that plays; in an expansion of one word it is "last".
LAST_REPLAY = GROUP.add(
    "mop_next.last_replay_position_x_count", ("first", "middle", "last"), ("1", "2", ">2")
)
BUG_STALL = GROUP.add(
    "cross.bug_x_m_backpressure",
    ("bug", "no_bug"),
    ("none", "ingest", "expansion", "both"),
)
REC_REPLAY = GROUP.add("cross.replay_state_x_mop_emits_replay", REPLAY_STATES, MODES)
TRANS_STALL = GROUP.add("cross.trans_x_issue", ("issue_stalled", "issuing", "r_empty"), HEADS)

# Places in a thread's memory, after those of ``template``
TEMPLATE: Final = 16  # of the MOP ingested last
LENGTH: Final = 17  # words emitted for it
AT_INGEST: Final = 18  # it waited for M as the FIFO's head / while expanding
IN_EXPANSION: Final = 19
REPLAY_AT: Final = 20  # position + 1 and count field of its last playing REPLAY
REPLAY_N: Final = 21
MOP_CFGS: Final = 22  # MOP_CFG words since the last MOP / since reset
MOP_CFG_EVER: Final = 23
AFTER_MOP: Final = 24  # template + 1, if the FIFO's last pop was a MOP
LAST_INGEST: Final = 25  # template + 1, if a MOP was ingested in the cycle before
LAST_WRITE: Final = 26  # MopCfg was written in the cycle before
HEAD_WAITED: Final = 27  # a MOP waited for M in the cycle before
LOST_CYCLE: Final = 28  # the cycle before was lost to TRANS, with a word waiting
MEMORY: Final = 32


@kernel
def _length_bins(mem: I64, counts: I64) -> None:
    length = mem[LENGTH]
    if mem[TEMPLATE]:
        at = 4 if length == 32639 else min(length, 3)
        counts[T1_LENGTH + at] += 1
    elif length > 0:
        at = 3 if length == 640 else min(length - 1, 2)
        counts[T0_LENGTH + at] += 1


@kernel
def _transition(e: int, m: int, r: int, head: int, mem: I64, counts: I64) -> None:
    """One cycle in TRANS: the expansion before it is complete."""
    _length_bins(mem, counts)
    length = mem[LENGTH]
    m_bin = 0 if m == 0 else (2 if m == M_DEPTH else 1)
    counts[NEXT + (head * 4 + min(length, 3)) * 3 + m_bin] += 1
    if head == KIND_MOP:
        counts[PENALTY + (0 if e & INGEST else 1)] += 1
    elif head != KIND_EMPTY:
        mem[LOST_CYCLE] = 1
    if mem[REPLAY_AT] > 0:
        position = 2 if mem[REPLAY_AT] == length else (0 if mem[REPLAY_AT] == 1 else 1)
        n = mem[REPLAY_N]
        counts[LAST_REPLAY + position * 3 + (n - 1 if 1 <= n <= 2 else 2)] += 1
    if mem[TEMPLATE]:
        stall = mem[AT_INGEST] + 2 * mem[IN_EXPANSION]
        counts[BUG_STALL + (0 if mem[T1_BUG] else 4) + stall] += 1
    issue = 2
    if r > 0:
        issue = 1 if e & (READY | ISSUE) else 0
    counts[TRANS_STALL + issue * 5 + head] += 1


@kernel
def _ingest(word: int, mem: I64, counts: I64, by_template: I64) -> None:
    """MOP_CFG or MOP popped from the FIFO."""
    if word >> 24 == OP_MOP_CFG:
        if mem[AFTER_MOP]:
            counts[MOP_CFG_AFTER_MOP + mem[AFTER_MOP] - 1] += 1
        mem[AFTER_MOP] = 0
        mem[MASK_HI] = word & 0xFFFF
        mem[MOP_CFGS] += 1
        mem[MOP_CFG_EVER] = 1
        return
    template = word >> 23 & 1
    if template:
        ingest_t1(word, mem, by_template)
    else:
        ingest_t0(word, mem, by_template)
        # MaskHi matters beyond 16 iterations only, and a stale one if it is not 0.
        if word >> 16 & 0x7F >= 16:
            if not mem[MOP_CFG_EVER]:
                counts[MASK_HI_AGE] += 1
            elif mem[MOP_CFGS] > 0:
                counts[MASK_HI_AGE + (1 if mem[MOP_CFGS] == 1 else 3)] += 1
            elif mem[MASK_HI]:
                counts[MASK_HI_AGE + 2] += 1
    mem[TEMPLATE] = template
    mem[LENGTH] = 0
    mem[REPLAY_AT] = 0
    mem[AT_INGEST] = mem[HEAD_WAITED]
    mem[IN_EXPANSION] = 0
    mem[MOP_CFGS] = 0
    mem[AFTER_MOP] = template + 1


@kernel
def _emit(e: int, word: int, replay: int, mem: I64, counts: I64) -> None:
    """A word of an expansion; in a collision it never becomes visible."""
    mem[LENGTH] += 1
    if e & BRISC_ACCEPT or word >> 24 != OP_REPLAY:
        return
    mode = 0
    if word & 1:
        mode = 1 + (word >> 1 & 1)
    else:
        mem[REPLAY_AT] = mem[LENGTH]
        mem[REPLAY_N] = word >> 4 & 0x3F
    counts[REC_REPLAY + replay * 3 + mode] += 1


@kernel
def _distance(e: int, template: int, mem: I64, counts: I64) -> None:
    """Cycles from a MOP's ingest to a MopCfg write: the write at -1 is the last one it sees."""
    if template and mem[LAST_WRITE]:
        counts[INGEST_DISTANCE + (template - 1) * 3] += 1
    if e & MOPCFG:
        if template:
            counts[INGEST_DISTANCE + (template - 1) * 3 + 1] += 1
        if mem[LAST_INGEST]:
            counts[INGEST_DISTANCE + (mem[LAST_INGEST] - 1) * 3 + 2] += 1
    mem[LAST_INGEST] = template
    mem[LAST_WRITE] = e & MOPCFG


@kernel
def count_mop(
    ev: U32,
    ingest: U32,
    mq: U32,
    mop: U8,
    replay: U8,
    m: U8,
    r: U8,
    head: U8,
    writes: U32,
    mem: I64,
    counts: I64,
    by_template: I64,
) -> None:
    """Count the points of this group, and those of ``template``, over a block of cycles."""
    row = 0
    for t in range(len(ev)):
        e = i64(ev[t])
        state = i64(mop[t])
        level = i64(m[t])
        if mem[LOST_CYCLE]:
            hidden = level > 0 or replay[t] == PLAY
            counts[PENALTY + (2 if hidden else 3)] += 1
            mem[LOST_CYCLE] = 0
        if state == TRANS:
            _transition(e, level, i64(r[t]), i64(head[t]), mem, counts)
        template = 0
        if e & INGEST:
            word = i64(ingest[t])
            _ingest(word, mem, counts, by_template)
            if word >> 24 != OP_MOP_CFG:
                template = mem[TEMPLATE] + 1
        elif e & FIFO_POP:
            mem[AFTER_MOP] = 0
        if level == M_DEPTH and state == EXP:
            mem[IN_EXPANSION] = 1
        if e & EMIT and (state == EXP or template):
            _emit(e, i64(mq[t]), i64(replay[t]), mem, counts)
        mem[HEAD_WAITED] = (
            level == M_DEPTH and state != EXP and head[t] == KIND_MOP and not e & FIFO_POP
        )
        if template or e & MOPCFG or mem[LAST_INGEST] or mem[LAST_WRITE]:
            _distance(e, template, mem, counts)
        if e & MOPCFG:
            if writes[row, 1] <= 8:
                mem[CFG + i64(writes[row, 1])] = writes[row, 2]
            row += 1
