# SPDX-License-Identifier: Apache-2.0
"""The account of the front end: what happened to words, MOPs and REPLAYs, a row each.

The model keeps it where it is asked to (``compiled``). Rows of a kind are in the order of
cycles within a thread and a step. Numbers: ``thread`` 0 to 2, ``mop_state`` as in the stream
``status``, ``replay_state`` a ``Replaying``, ``mode`` one without PASS; kinds of words are those of
``WordKind``; slots are bit sets of 32; cycles count, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import add_row, new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.constants import OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.models.frontend.untimed_mop import LOOP_DEFECT
from tilepath.models.frontend.untimed_replay import BUFFER_WORDS


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

EXPANSION: Final = record(  # of the MOP ingested last, as far as it has come
    length=np.uint32,  # words
    replay_at=np.uint32,  # place of its last REPLAY without Load, from 1; 0: it has none yet
    replay_count=np.uint8,  # count field of that
    template=np.uint8,
    defect=np.uint8,
    waited=np.uint8,  # as of the MOP
    held=np.uint8,  # whether it found M full
)
CYCLES: Final = record(  # cycles one after the other in which nothing of this changes
    cycle=np.uint32,  # the first; a step ends it
    cycles=np.uint32,  # how many
    thread=np.uint8,
    # words in the queues, at the start of the cycle (F19, F20)
    fifo=np.uint8,
    mops=np.uint8,  # those of the FIFO that are MOPs
    head=np.uint8,  # kind of its first
    m=np.uint8,
    r=np.uint8,
    accepted=np.uint8,  # kind of the word written to the FIFO
    popped=np.uint8,  # whether the MOP expander takes a word from it
    refused=np.uint8,  # whether a word stands at the port of the full FIFO
    played=np.uint8,  # kind of the word that a playback writes to R (F14)
    ready=np.uint8,  # issue_ready
    issued=np.uint8,  # 0: no word leaves R, 1: a legal one, 2: an illegal one (F17)
    opcode=np.uint8,  # of that
    mop_state=np.uint8,
    replay_state=np.uint8,
    qstatus=np.uint32,  # (F22)
    expansion=EXPANSION,  # before the cycle
    ingested=np.uint8,  # 0: nothing, 1 and 2: a MOP of template 0, 1; 3: a MOP_CFG (F8)
    value=np.uint16,  # of the MOP_CFG
    requested=np.uint8,  # mop_sync (F21)
    acknowledged=np.uint8,
    written=np.uint8,  # MopCfg (F7)
    faults=np.uint8,  # bit 0 illegal (F17), bit 1 mopcfg_race (F7), bit 2 collision (F18)
    sticky=np.uint8,  # faults that stick and show: bit 0 mopcfg_race, bit 1 collision
    event=np.uint32,  # the cycle itself, if anything happens that is counted once
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
EMITTED: Final = record(  # a REPLAY that an expansion wrote to M
    **_WHEN,
    word=np.uint32,
    place=np.uint32,  # in the expansion, from 1
    replay_state=np.uint8,  # in the cycle of the write
)
REPLAY: Final = record(  # a REPLAY carried out: its first cycle, and its last (F13 to F16)
    **_WHEN,
    word=np.uint32,
    length=np.uint32,  # words to play or to record
    slots=np.uint32,
    recorded=np.uint32,  # slots recorded since reset, before it
    gap=np.uint32,  # cycles in which a session found M empty
    mode=np.uint8,
    ends=np.uint8,  # whether this is the last cycle
)
STORED: Final = record(  # a word recorded (F13)
    **_WHEN,
    word=np.uint32,
    mode=np.uint8,
    source=np.uint8,  # a ``Source``
    last=np.uint8,  # whether it ends the session
)
BRISC: Final = record(  # a BRISC word accepted (F18)
    **_WHEN,
    word=np.uint32,
    waited=np.uint32,  # for room in M
    mop_state=np.uint8,
    replay_state=np.uint8,
    lost=np.uint8,  # 0: no word is, 1: one that passed through, 2: the first of a MOP, 3: a later
)
WRITE: Final = record(  # a MopCfg write (F7)
    **_WHEN,
    datum=np.uint32,
    index=np.uint8,
    mop_state=np.uint8,
)
# Kind → its rows; those that the model writes as it goes, and all
AT_ONCE: Final[Mapping[str, np.dtype[Any]]] = {
    "mop": MOP, "emitted": EMITTED, "replay": REPLAY, "stored": STORED, "brisc": BRISC,
    "write": WRITE,
}  # fmt: skip
KINDS: Final = {**AT_ONCE, "thread": CYCLES}

MOP_CFG_TAKEN: Final = 3

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

FIFO_KINDS: Final = 64  # a power of two above the depth of any FIFO

MEMORY: Final = record(
    thread=np.int64,
    # of the replay expander: slots that are recorded; the last operation
    recorded=np.int64,
    replay=REPLAY,
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
    ready=np.int64,
    stands=np.bool_,  # a word stands at the port
    row=CYCLES,  # of the cycle at hand, or the one before, whose number is, from 1; 0: none goes on
    row_number=np.int64,
    # of MOPs
    mop_cfgs=np.int64,
    configured=np.bool_,
    expansion=EXPANSION,
)

# ── How rows are told ────────────────────────────────────────────────────────────────────────────
# The parts of the model work word by word, each in cycles of its own. What one of them knows by
# itself it writes as a row at once; what it does in a cycle it tells as a bit of that cycle, for
# ``timing_walk``.


class Told(IntEnum):
    """What is told of a cycle: a bit each, and where kinds of words and an opcode begin."""

    OFFERED = 1 << 0  # a word, at the push port
    REQUESTED = 1 << 1  # mop_sync
    ACKNOWLEDGED = 1 << 2
    ACCEPTED = 1 << 3  # a word, by the FIFO
    POPPED = 1 << 4  # from the FIFO
    INGESTED = 1 << 5  # a MOP or MOP_CFG
    M_IN = 1 << 6
    M_OUT = 1 << 7
    R_IN = 1 << 8
    ISSUED = 1 << 9
    ILLEGAL = 1 << 10
    RACE = 1 << 11
    COLLISION = 1 << 12
    BRISC_IN = 1 << 13
    WRITTEN = 1 << 14  # MopCfg
    STARTED = 1 << 15  # a REPLAY
    EMITTED = 1 << 16  # a REPLAY, by an expansion
    PLAYED = 1 << 17
    ACCEPTED_KIND = 20
    PLAYED_KIND = 24
    OPCODE = 32  # of the word that left R
    # what is counted once
    EVENT = INGESTED | REQUESTED | ACKNOWLEDGED | WRITTEN | ILLEGAL | RACE | COLLISION


_SLOTS: Final = (1 << BUFFER_WORDS) - 1


@part
def tell(output: Record, cycle: int, what: int) -> None:
    """``what`` happens in ``cycle``."""
    if output.kept:
        output.told[cycle - output.first] |= what


@part
def _row(thread: Record, kind: Record, cycle: int) -> Record:
    """Another row of ``kind``, with its cycle and thread."""
    row = new_row(kind, cycle)
    row.thread = thread.memory.thread
    return row


@compiled
def mop_ingested(thread: Record, output: Record, cycle: int, word: int, length: int) -> None:
    """A MOP is taken from the FIFO, and its expansion is laid out."""
    mop = thread.mop
    row = _row(thread, output.account.mop, cycle)
    row.word = word
    row.length = length
    row.mask = mop.mask_hi << 16 | word & 0xFFFF
    row.counts[0], row.counts[1] = mop.mop_cfg[0], mop.mop_cfg[1]
    for slot in range(7):
        row.words[slot] = mop.mop_cfg[2 + slot]
    row.defect = mop.passes > LOOP_DEFECT
    row.waited = thread.memory.waited
    thread.memory.waited = False
    tell(output, cycle, Told.INGESTED)


@compiled
def replay_emitted(thread: Record, output: Record, cycle: int, word: int) -> None:
    """An expansion writes ``word``, a REPLAY, to M."""
    mop = thread.mop
    row = _row(thread, output.account.emitted, cycle)
    row.word = word
    row.place = mop.pattern_length * mop.passes - mop.words_left
    tell(output, cycle, Told.EMITTED)


@compiled
def brisc_accepted(thread: Record, output: Record, cycle: int, word: int, offered: int) -> None:
    """BRISC's word, offered from cycle ``offered`` on, enters M."""
    row = _row(thread, output.account.brisc, cycle)
    row.word = word
    row.waited = cycle - offered
    tell(output, cycle, Told.BRISC_IN)


@compiled
def config_written(thread: Record, output: Record, cycle: int, index: int, datum: int) -> None:
    """A word is written to MopCfg."""
    row = _row(thread, output.account.write, cycle)
    row.index = index
    row.datum = datum
    tell(output, cycle, Told.WRITTEN)


@part
def _slots(first: int, length: int) -> int:
    """Bit set of the slots from ``first`` on."""
    if length >= BUFFER_WORDS:
        return _SLOTS
    bits = ((1 << length) - 1) << first
    return (bits | bits >> BUFFER_WORDS) & _SLOTS


@compiled
def replay_started(thread: Record, output: Record, cycle: int, word: int) -> None:
    """A REPLAY starts to play or to record; the expander has its state."""
    replay, row = thread.replay, thread.memory.replay
    row.cycle, row.thread, row.word = cycle, thread.memory.thread, word
    row.length, row.slots = replay.words_left, _slots(replay.index, replay.words_left)
    row.recorded = thread.memory.recorded
    row.mode, row.gap, row.ends = replay.state + replay.executes, 0, False
    add_row(output.account.replay, row)
    tell(output, cycle, Told.STARTED)


@compiled
def word_stored(thread: Record, output: Record, cycle: int, word: int, source: int) -> None:
    """The session records ``word``, in the slot before the present index."""
    memory = thread.memory
    memory.recorded |= 1 << ((thread.replay.index - 1) & (BUFFER_WORDS - 1))
    row = _row(thread, output.account.stored, cycle)
    row.word = word
    row.mode = memory.replay.mode
    row.source = source
    row.last = thread.replay.words_left == 0


@compiled
def replay_ended(thread: Record, output: Record, cycle: int) -> None:
    """The last word has been played or recorded."""
    row = thread.memory.replay
    row.cycle, row.ends = cycle, True
    add_row(output.account.replay, row)
