# SPDX-License-Identifier: Apache-2.0
"""Coverage of the replay expander.

Source: frontend-config section 7, paragraph Replay; F13 to F16. An operation counts when it is
complete: a record session or playback cut off by the end of the run covers nothing.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.frontend.coverage.layout import (
    COUNT_0_1_MORE,
    FROM_BRISC,
    FROM_MOP,
    KINDS,
    M_POP,
    MODES,
    MOP_STATES,
    OP_REPLAY,
    PASS,
    PLAY,
    REPLAY_STATES,
    RQ,
    i64,
)
from tilepath.tb.frontend.coverage.timeline import I64, U8, U32, kind_of
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
_RECORDING = ("rec", "rec_exec")

# F15: 0 and more than 32 are bins of their own.
_UNSUPPORTED = "counts above 32 are outside blackhole's default constraints (F15)"
_BLACKHOLE = ("blackhole",)
COUNT = GROUP.add(
    "replay.mode_x_count",
    MODES,
    ("0", "1", "2", "3-30", "31", "32", "33", "34-62", "63"),
    exclude=tuple(
        Exclude((None, count), _UNSUPPORTED, _BLACKHOLE) for count in ("33", "34-62", "63")
    ),
)
# The chain of section 7 goes on with wraps{0,1,2}; but these follow from count and index, so that
# they are crossed with the mode alone.
COUNT_INDEX = GROUP.add(
    "replay.mode_x_count_x_index",
    MODES,
    ("0", "1", "2", "31", "32", "33", "63"),
    ("0", "1", "31"),
    exclude=tuple(Exclude((None, count, None), _UNSUPPORTED, _BLACKHOLE) for count in ("33", "63")),
)
# Steps from slot 31 to slot 0 inside one operation
WRAPS = GROUP.add(
    "replay.mode_x_wraps",
    MODES,
    ("0", "1", "2"),
    # From index 31 a second wrap takes 34 words, and a count of 0 stands for 32.
    exclude=(Exclude((None, "2"), _UNSUPPORTED, _BLACKHOLE),),
)
LOAD_EXEC = GROUP.add("replay.load_x_exec", ("load0", "load1"), ("exec0", "exec1"))
R_LEVEL = GROUP.add(
    "replay.state_x_r_level",
    REPLAY_STATES,
    ("0", "1", "2"),
    # PLAY is entered with a write to R. After it R holds a word at the start of each cycle: at
    # level 1 one word is written and at most one leaves, at level 2 at most one leaves.
    exclude=(Exclude(("play", "0"), "playback never finds R empty"),),
)
MOP_REPLAY = GROUP.add("replay.mop_state_x_replay_state", MOP_STATES, REPLAY_STATES)
RECORDED = GROUP.add(
    "replay.recorded_source_x_kind",
    ("fifo", "mop", "brisc"),
    KINDS,
    _RECORDING,
    # What passes the expander unexpanded is neither: it pops MOP and MOP_CFG words itself.
    exclude=(
        Exclude(("fifo", "mop", None), "a MOP in the FIFO is expanded"),
        Exclude(("fifo", "mop_cfg", None), "a MOP_CFG in the FIFO is not emitted"),
    ),
)
REC_END = GROUP.add(
    "replay.rec_ended_at", ("fifo_word", "mid_expansion", "expansion_end", "brisc"), _RECORDING
)
# Cycles in which a session found M empty
REC_GAP = GROUP.add("replay.rec_gap", _RECORDING, COUNT_0_1_MORE)
# An operation starts in the cycle after the one before it ended
BACK_TO_BACK = GROUP.add("replay.back_to_back", MODES, MODES)
PLAY_PLAY = GROUP.add("replay.play_back_to_back", ("1", ">1"), ("1", ">1"))
# Playback in the cycle after a session's last word, from that word's slot or another
READ_AFTER_WRITE = GROUP.add("replay.read_after_write", _RECORDING, ("same_slot", "other_slot"))
# Slots of a session against those of the session before
OVERLAP = GROUP.add("replay.region_overlap", ("disjoint", "same", "covers", "inside", "partial"))
PLAYED = GROUP.add("replay.played_kind", KINDS)
PLAYED_FROM = GROUP.add("replay.played_slots", ("never_recorded", "partly_recorded", "recorded"))

# Places in a thread's memory
OP: Final = 0  # mode + 1 of the running operation; 0: none
INDEX: Final = 1
FIELD: Final = 2  # count field
N: Final = 3
LEFT: Final = 4
GAP: Final = 5
LAST_OP: Final = 6  # mode + 1, and n, of the operation before
LAST_N: Final = 7
ENDED: Final = 8  # it ended in the cycle before
REGION: Final = 9  # slots of the last session, all slots recorded since reset: bit sets
WRITTEN: Final = 10
LAST_SLOT: Final = 11
COUNT0: Final = 12  # words of a count of 0, from the profile
MEMORY: Final = 16


@kernel
def _region(index: int, n: int) -> int:
    """Bit set of the slots that an operation touches."""
    if n >= 32:
        return 0xFFFFFFFF
    bits = ((1 << n) - 1) << index
    return (bits | bits >> 32) & 0xFFFFFFFF


@kernel
def _start(word: int, mem: I64, counts: I64) -> None:
    """A REPLAY leaves M in PASS."""
    load = word & 1
    execute = word >> 1 & 1
    mode = load + (load & execute)
    counts[LOAD_EXEC + load * 2 + execute] += 1
    mem[INDEX] = word >> 14 & 0x1F
    mem[FIELD] = word >> 4 & 0x3F
    n = mem[FIELD] if mem[FIELD] else mem[COUNT0]
    if mem[ENDED]:
        counts[BACK_TO_BACK + (mem[LAST_OP] - 1) * 3 + mode] += 1
        if mode == 0 and mem[LAST_OP] == 1:
            before = 0 if mem[LAST_N] == 1 else 2
            counts[PLAY_PLAY + before + (0 if n == 1 else 1)] += 1
        elif mode == 0:
            other = 0 if mem[LAST_SLOT] == mem[INDEX] else 1
            counts[READ_AFTER_WRITE + (mem[LAST_OP] - 2) * 2 + other] += 1
    mem[OP] = mode + 1
    mem[N] = n
    mem[LEFT] = n
    mem[GAP] = 0
    if mode == 0:
        slots = _region(mem[INDEX], n)
        known = 2 if slots & ~mem[WRITTEN] == 0 else (1 if slots & mem[WRITTEN] else 0)
        counts[PLAYED_FROM + known] += 1


@kernel
def _ended_region(mem: I64, counts: I64) -> None:
    new = _region(mem[INDEX], mem[N])
    old = mem[REGION]
    if old:
        at = 4
        if new & old == 0:
            at = 0
        elif new == old:
            at = 1
        elif new & old == old:
            at = 2
        elif new & old == new:
            at = 3
        counts[OVERLAP + at] += 1
    mem[REGION] = new


@kernel
def _end(mem: I64, counts: I64) -> None:
    """The running operation is complete."""
    mode = mem[OP] - 1
    field = mem[FIELD]
    at = min(field, 3)
    if field > 30:
        at = 4 + min(field - 31, 3) + (1 if field == 63 else 0)
    counts[COUNT + mode * 9 + at] += 1
    index = 2 if mem[INDEX] == 31 else (mem[INDEX] if mem[INDEX] < 2 else -1)
    listed = at if at < 3 else (at - 1 if 4 <= at <= 6 else (6 if at == 8 else -1))
    if listed >= 0 and index >= 0:
        counts[COUNT_INDEX + (mode * 7 + listed) * 3 + index] += 1
    counts[WRAPS + mode * 3 + (mem[INDEX] + mem[N] - 1) // 32] += 1
    if mode > 0:
        counts[REC_GAP + (mode - 1) * 3 + min(mem[GAP], 2)] += 1
        _ended_region(mem, counts)
        mem[LAST_SLOT] = (mem[INDEX] + mem[N] - 1) % 32
    mem[LAST_OP] = mem[OP]
    mem[LAST_N] = mem[N]
    mem[OP] = 0


@kernel
def _record(word: int, source: int, mem: I64, counts: I64) -> None:
    """A word leaves M into the buffer."""
    mode = mem[OP] - 2
    where = 2 if source == FROM_BRISC else (1 if source >= FROM_MOP else 0)
    counts[RECORDED + (where * 4 + kind_of(word)) * 2 + mode] += 1
    mem[WRITTEN] |= 1 << (mem[INDEX] + mem[N] - mem[LEFT]) % 32
    if mem[LEFT] == 1:
        counts[REC_END + source * 2 + mode] += 1
    mem[LEFT] -= 1


@kernel
def count_replay(
    ev: U32,
    rq: U32,
    mop: U8,
    replay: U8,
    m: U8,
    r: U8,
    popped: U32,
    source: U8,
    mem: I64,
    counts: I64,
) -> None:
    """Count the points of this group over a block of cycles."""
    for t in range(len(ev)):
        e = i64(ev[t])
        state = i64(replay[t])
        counts[R_LEVEL + state * 3 + i64(r[t])] += 1
        counts[MOP_REPLAY + i64(mop[t]) * 4 + state] += 1
        word = i64(popped[t])
        playing = False
        if state == PASS:
            if e & M_POP and word >> 24 == OP_REPLAY:
                _start(word, mem, counts)
                playing = mem[OP] == 1
        elif state == PLAY:
            playing = e & RQ != 0 and mem[OP] == 1
        elif mem[OP] > 1:
            if e & M_POP:
                _record(word, i64(source[t]), mem, counts)
            elif m[t] == 0:
                mem[GAP] += 1
        if playing:
            counts[PLAYED + kind_of(i64(rq[t]))] += 1
            mem[LEFT] -= 1
        mem[ENDED] = 0
        if mem[OP] and mem[LEFT] == 0:
            _end(mem, counts)
            mem[ENDED] = 1
