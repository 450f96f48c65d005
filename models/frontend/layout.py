# SPDX-License-Identifier: Apache-2.0
"""The memory of one thread: one flat int64 array, and the names of its places.

One flat array keeps the kernels' argument lists short and lets one type signature serve all of
them. Counts and indices of words are absolute (since reset); a ring of 64 entries holds what is
still needed of them, at ``index & 63``. Times are cycles; ``NEVER`` is later than any.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants
from tilepath.isa.profiles import Profile

Memory = np.ndarray[Any, Any]

NEVER: Final = 1 << 62
RING: Final = 63
LOW32: Final = 0xFFFFFFFF

# Profile
FIFO_DEPTH: Final = 0
M_DEPTH: Final = 1
R_DEPTH: Final = 2
COUNT0: Final = 3
B2B_FREE: Final = 4
# FIFO: words offered before row 0 of the push array, accepted, popped; time of the last accept
F_BASE: Final = 5
F_IN: Final = 6
F_POP: Final = 7
F_LAST: Final = 8
# MOP expander: what it holds, the earliest cycle for it, its word, kind and origin
X_PHASE: Final = 9
X_T: Final = 10
X_WORD: Final = 11
X_KIND: Final = 12
X_ORIGIN: Final = 13
X_FREE: Final = 14  # first cycle for a word that is no MOP
X_MOP_FREE: Final = 15  # first cycle for a MOP
X_RACE: Final = 16  # first cycle in which a MopCfg write races with the expansion
X_STATE: Final = 17  # mop_state as last recorded
X_IDLE: Final = 18  # cycle in which TRANS turns IDLE unless a MOP comes first; 0: not in TRANS
MASK_HI: Final = 19
# Pattern of one pass of the expansion, and the position in it
P_LENGTH: Final = 20
P_PASSES: Final = 21
P_SLOT: Final = 22  # place that the last pass fills with P_LAST instead; -1: none
P_LAST: Final = 23
P_AT: Final = 24
P_PASS: Final = 25
P_LEFT: Final = 26
# Union of the times in which a MOP is in the FIFO or expanding
MOP_UNTIL: Final = 27  # last cycle of the MOP seen last; NEVER while that is not known
MOP_OPEN: Final = 28  # the union's falling edge is still to come
MOP_SEEN: Final = 29  # words below this index have been looked at
# BRISC, mop_sync, MopCfg and ready: rows dropped so far, next row, time of the last answer
B_BASE: Final = 30
B_NEXT: Final = 31
B_LAST: Final = 32
S_ROW: Final = 33
S_LAST: Final = 34
C_ROW: Final = 35
G_ROW: Final = 36  # ready: last row whose cycle has come
# Queues M and R: words in, words out; time of the last issue
M_IN: Final = 37
M_OUT: Final = 38
R_IN: Final = 39
R_OUT: Final = 40
I_LAST: Final = 41
# Replay expander
E_STATE: Final = 42
E_INDEX: Final = 43
E_LEFT: Final = 44
E_EXEC: Final = 45
E_ORIGIN: Final = 46
E_LAST: Final = 47  # time of its last action
# Level changes held back because their cycle may lie beyond the block: time, value, origin
LV_T: Final = 48
LV_V: Final = 50
LV_O: Final = 52
# Functional expander: next word, next MopCfg write
N_WORD: Final = 54
N_WRITE: Final = 55
X_MOP: Final = 56  # origin of the MOP ingested last
# Write pointers into the arena of output records, one per stream below
WP: Final = 64

# Rings and tables
ACCEPTED: Final = 128  # FIFO words: accept time
POPPED: Final = 192  # FIFO words: pop time
M_TIME: Final = 256  # M words: write time
M_WORD: Final = 320
M_ORIGIN: Final = 384
M_POP: Final = 448  # M words: pop time
R_TIME: Final = 512  # R words: write time
R_WORD: Final = 576
R_ORIGIN: Final = 640
ISSUED: Final = 704  # R words: issue time
BUFFER: Final = 768
CFG: Final = 800
FLAG: Final = 816  # per opcode: kind, and ILLEGAL
CLASS: Final = 1072  # per opcode: what a queued word adds to the occupancy counters
PATTERN: Final = 1328  # at most 128 iterations of 5 words (template 0)
SIZE: Final = PATTERN + 640

# Kinds of word
PLAIN: Final = 0
MOP: Final = 1
MOP_CFG: Final = 2
REPLAY: Final = 3
NOP: Final = 4
KIND: Final = 7
ILLEGAL: Final = 8

# X_PHASE
EMPTY: Final = 0
HEAD: Final = 1
EXPANDING: Final = 2

# States as the status stream shows them
IDLE: Final = 0
EXP: Final = 1
TRANS: Final = 2
PASS: Final = 0
PLAY: Final = 1
REC: Final = 2

# Streams in the arena, and the 32-bit words of a record of each: cycle, fields, origin (2 words)
ACCEPT: Final = 0
BRISC_ACCEPT: Final = 1
SYNC_ACK: Final = 2
INGEST: Final = 3
MQ: Final = 4
RQ: Final = 5
ISSUE: Final = 6
FAULT_ILLEGAL: Final = 7
FAULT_COLLISION: Final = 8
FAULT_RACE: Final = 9
MOP_STATE: Final = 10
REPLAY_STATE: Final = 11
WIDTH: Final = (3, 3, 3, 4, 4, 4, 5, 3, 3, 3, 4, 4)

# Occupancy counters, packed in an int64: ten of six bits (a counting REPLAY, then the classes of
# qstatus bits 2 to 10), then one bit for the MOP union.
COUNTER_BITS: Final = 6
COUNTERS: Final = 10
MOP_BIT: Final = 1 << (COUNTER_BITS * COUNTERS)
# Block-class bit (B0 to B8) behind each of qstatus bits 2 to 10 (F22)
_CLASS_OF_BIT: Final = (5, 4, 3, 2, 7, 1, 0, 8, 6)

_KINDS: Final = {
    constants.OP_MOP: MOP,
    constants.OP_MOP_CFG: MOP_CFG,
    constants.OP_REPLAY: REPLAY,
    constants.OP_NOP: NOP,
}


def _class_increment(blocks: int) -> int:
    return sum(
        ((blocks >> block) & 1) << (COUNTER_BITS * (place + 1))
        for place, block in enumerate(_CLASS_OF_BIT)
    )


def new_memory(profile: Profile) -> npt.NDArray[np.int64]:
    """Memory of one thread after reset: int64, shape (SIZE,).

    Raises ``ValueError`` when a depth of the profile is beyond what rings and counters hold.
    """
    depths = (profile.fifo_depth, profile.m_depth, profile.r_depth)
    if min(depths) < 1 or sum(depths) + 1 >= 1 << COUNTER_BITS:
        raise ValueError(f"queue depths {depths}: want each at least 1 and at most 62 in total")
    if not 1 <= profile.replay_count0 <= 64:
        raise ValueError(f"replay_count0 {profile.replay_count0}: want 1 to 64")
    memory = np.zeros(SIZE, dtype=np.int64)
    memory[[FIFO_DEPTH, M_DEPTH, R_DEPTH]] = depths
    memory[COUNT0] = profile.replay_count0
    memory[B2B_FREE] = profile.mop_b2b_free
    # Nothing has happened before cycle 0.
    memory[[F_LAST, B_LAST, S_LAST, I_LAST, E_LAST, MOP_UNTIL]] = -1
    memory[LV_T : LV_T + 2] = -1
    for ring in (POPPED, M_POP, ISSUED):
        memory[ring : ring + RING + 1] = -1
    for opcode in range(256):
        illegal = ILLEGAL if constants.MUST_NOT_ISSUE[opcode] else 0
        memory[FLAG + opcode] = _KINDS.get(opcode, PLAIN) | illegal
        memory[CLASS + opcode] = _class_increment(constants.QUEUE_CLASS[opcode])
    if memory[CLASS + np.array(list(_KINDS))].any():
        raise ValueError("the tables of isa/ give a front-end instruction a block class")
    return memory
