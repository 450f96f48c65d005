# SPDX-License-Identifier: Apache-2.0
"""The account of the front end: what happened to words, MOPs and REPLAYs, a row each.

The model keeps it where it is asked to (``models.account``). Rows of a kind are in the order of
cycles within a thread and a step. Numbers: ``thread`` 0 to 2, ``mop_state`` as in the stream
``status``, ``replay_state`` a ``Replaying``, ``mode`` one without PASS; kinds of words are those of
``WordKind``; slots are bit sets of 32; cycles count, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.isa.constants import OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.models.jit import part
from tilepath.models.records import record


class WordKind(IntEnum):
    """What a word is to the front end, by its opcode."""

    MOP = 0
    MOP_CFG = 1
    PLAIN = 2
    REPLAY = 3
    NONE = 4  # there is no word


class Replaying(IntEnum):
    """State of the replay expander, recording apart by Exec (F13)."""

    PASS = 0
    PLAY = 1
    REC = 2
    REC_EXEC = 3


class Source(IntEnum):
    """Where a word in M came from (F13, F18)."""

    FIFO = 0
    MOP = 1  # more words of the expansion follow
    MOP_END = 2
    BRISC = 3


class Event(IntEnum):
    """What a MopCfg write may be close to (F7, F21)."""

    INGEST_T0 = 0
    INGEST_T1 = 1
    REQUEST = 2
    ACKNOWLEDGE = 3


@part
def kind_of(word: int) -> int:
    """``WordKind`` of a 32-bit word."""
    opcode = word >> 24
    if opcode == OP_MOP:
        return WordKind.MOP
    if opcode == OP_MOP_CFG:
        return WordKind.MOP_CFG
    return WordKind.REPLAY if opcode == OP_REPLAY else WordKind.PLAIN


# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "thread": np.uint8}

QUEUES: Final = record(  # cycles one after the other in which nothing of this changes (F19, F20)
    **_WHEN,  # of the first; a step ends it
    cycles=np.uint32,  # how many
    fifo=np.uint8,  # words in the queues, at the start of the cycle
    m=np.uint8,
    r=np.uint8,
    accepted=np.uint8,  # kind of the word written to the FIFO
    popped=np.uint8,  # whether the MOP expander takes a word from it
    refused=np.uint8,  # whether a word stands at the port of the full FIFO
    replay_state=np.uint8,
    played=np.uint8,  # kind of the word that a playback writes to R (F14)
    ready=np.uint8,  # issue_ready
    issued=np.uint8,  # 0: no word leaves R, 1: a legal one, 2: an illegal one (F17)
)
STATES: Final = record(  # the same (F22)
    **_WHEN,
    cycles=np.uint32,
    qstatus=np.uint32,
    fallen=np.uint32,  # bits of qstatus that were 1 in the cycle before the first, and are 0 now
    mop_state=np.uint8,
    replay_state=np.uint8,
)
MOP: Final = record(  # a MOP ingested (F1 to F8, F12)
    **_WHEN,
    word=np.uint32,
    length=np.uint32,  # words of its expansion
    mask=np.uint32,  # MaskHi above MaskLo
    counts=(np.uint32, 2),  # MopCfg[0], MopCfg[1]
    words=(np.uint32, 7),  # MopCfg[2] to MopCfg[8]
    mop_cfgs=np.uint32,  # MOP_CFG words since the MOP before
    configured=np.uint8,  # whether there was a MOP_CFG since reset
    waited=np.uint8,  # whether it waited for room in M
    defect=np.uint8,  # whether the loop count got 128 more (F3)
)
MOP_CFG: Final = record(  # a MOP_CFG taken (F8)
    **_WHEN,
    value=np.uint16,
    after=np.int8,  # template of the MOP that the FIFO gave just before it; -1: another word
)
EMITTED: Final = record(  # a REPLAY that an expansion wrote to M
    **_WHEN,
    word=np.uint32,
    place=np.uint32,  # in the expansion, from 1
    replay_state=np.uint8,  # in the cycle of the write
)
TRANS: Final = record(  # a cycle in TRANS (F11), and the expansion that it follows
    **_WHEN,
    length=np.uint32,
    replay_at=np.uint32,  # place in it of its last REPLAY without Load, from 1; 0: it has none
    replay_count=np.uint8,  # count field of that
    template=np.uint8,
    defect=np.uint8,
    waited=np.uint8,
    held=np.uint8,  # whether it found M full
    head=np.uint8,  # kind of the FIFO's head
    m=np.uint8,
    r=np.uint8,
    leaves=np.uint8,  # whether the gate is ready, or an illegal word leaves R
)
PENALTY: Final = record(  # a word that found TRANS (F11)
    **_WHEN,  # for a MOP of TRANS, for others, which lose a cycle, of the cycle after
    mop=np.uint8,  # whether it is a MOP
    ingested=np.uint8,  # whether that is ingested
    m=np.uint8,
    replay_state=np.uint8,
)
REPLAY: Final = record(  # a REPLAY carried out: the first cycle (F13 to F16)
    **_WHEN,
    word=np.uint32,
    length=np.uint32,  # words to play or to record
    slots=np.uint32,
    recorded=np.uint32,  # slots recorded since reset
    after_length=np.uint32,
    mode=np.uint8,
    after=np.uint8,  # mode of the operation that ended in the cycle before; PASS: none did
    after_slot=np.uint8,  # the last slot of that
)
STORED: Final = record(  # a word recorded (F13)
    **_WHEN,
    word=np.uint32,
    mode=np.uint8,
    source=np.uint8,  # a ``Source``
    last=np.uint8,  # whether it ends the session
)
REPLAYED: Final = record(  # a REPLAY's last cycle
    **_WHEN,
    word=np.uint32,
    length=np.uint32,
    gap=np.uint32,  # cycles in which a session found M empty
    slots=np.uint32,
    slots_before=np.uint32,  # of the session before; 0: there was none
    mode=np.uint8,
)
BRISC: Final = record(  # a BRISC word accepted (F18)
    **_WHEN,
    word=np.uint32,
    waited=np.uint32,  # for room in M
    mop_state=np.uint8,
    replay_state=np.uint8,
    lost=np.uint8,  # 0: no word is, 1: one that passed through, 2: the first of a MOP, 3: a later
)
SYNC: Final = record(  # a mop_sync requested, or acknowledged (F21)
    **_WHEN,
    waited=np.uint32,
    acknowledged=np.uint8,
    mop_state=np.uint8,
    queued=np.uint8,  # MOPs in the FIFO
    accepted=np.uint8,  # kind of the word written to the FIFO
)
WRITE: Final = record(  # a MopCfg write (F7)
    **_WHEN,
    datum=np.uint32,
    index=np.uint8,
    mop_state=np.uint8,
)
NEAR: Final = record(  # a MopCfg write and another event in the same cycle, or one after the other
    **_WHEN,  # of the later
    event=np.uint8,  # an ``Event``
    distance=np.int8,  # cycle of the write less that of the event
)
FAULT: Final = record(  # a cycle with faults
    **_WHEN,
    faults=np.uint8,  # bit 0 illegal (F17), bit 1 mopcfg_race (F7), bit 2 collision (F18)
    opcode=np.uint8,  # of the illegal word
    ready=np.uint8,  # issue_ready
)
STICKY: Final = record(  # a fault that sticks shows
    **_WHEN,
    faults=np.uint8,  # those that show then: bit 0 mopcfg_race, bit 1 collision
)
# Kind → its rows; which the model writes as it goes, and which are found cycle by cycle afterwards
AT_ONCE: Final[Mapping[str, np.dtype[Any]]] = {
    "mop": MOP, "emitted": EMITTED, "replay": REPLAY, "stored": STORED, "replayed": REPLAYED,
    "brisc": BRISC, "write": WRITE,
}  # fmt: skip
AFTERWARDS: Final[Mapping[str, np.dtype[Any]]] = {
    "queues": QUEUES, "states": STATES, "mop_cfg": MOP_CFG, "trans": TRANS, "penalty": PENALTY,
    "sync": SYNC, "near": NEAR, "fault": FAULT, "sticky": STICKY,
}  # fmt: skip
KINDS: Final = {**AT_ONCE, **AFTERWARDS}
# Most rows of a cycle: a MOP and another word; request and acknowledge; three events and a write
MOST: Final = {"penalty": 2, "sync": 2, "near": 9}

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

FIFO_KINDS: Final = 64  # a power of two above the depth of any FIFO

MEMORY: Final = record(
    thread=np.int64,
    # of the replay expander: slots that are recorded, of the last session; the last operation
    recorded=np.int64,
    session=np.int64,
    word=np.int64,
    length=np.int64,
    slots=np.int64,
    gap=np.int64,
    mode=np.int64,
    ended=np.int64,  # cycle in which the operation before ended; -1: there was none
    ended_mode=np.int64,
    ended_length=np.int64,
    ended_slot=np.int64,
    waited=np.bool_,  # the MOP at hand waited for M
    # of the cycle at hand: rows looked at
    status_row=np.int64,
    qstatus_row=np.int64,
    ready_row=np.int64,
    rows=record(**dict.fromkeys(("ingest", *AT_ONCE), np.int64)),
    # and what is so at its start
    kinds=(np.uint8, FIFO_KINDS),  # of the words in the FIFO
    accepted=np.int64,  # words of the FIFO since reset
    popped=np.int64,
    mops=np.int64,  # in the FIFO
    m=np.int64,
    r=np.int64,
    mop_state=np.int64,
    replay_state=np.int64,
    executes=np.bool_,  # the session
    qstatus=np.int64,
    qstatus_before=np.int64,
    ready=np.int64,
    stands=np.bool_,  # a word stands at the port
    asked=np.int64,  # cycle of the last mop_sync request
    sticky=np.int64,
    pulsed=np.int64,  # faults that stick up to the cycle before
    queues=np.int64,  # the row at hand, as one number
    states=np.int64,
    lost=np.bool_,  # the cycle before was lost to TRANS
    # of MOPs
    after=np.int64,  # template of the MOP that the FIFO gave last; -1: another word
    mop_cfgs=np.int64,
    configured=np.bool_,
    template=np.int64,  # of the MOP ingested last
    length_of_mop=np.int64,
    defect=np.int64,
    waited_mop=np.int64,
    held=np.bool_,
    replay_at=np.int64,
    replay_count=np.int64,
    # cycle of the last write to MopCfg, and of the last of each ``Event``
    written=np.int64,
    events=(np.int64, len(Event)),
)
