# SPDX-License-Identifier: Apache-2.0
"""How the account is written by the parts of the model, as they go.

They work word by word, each in cycles of its own. What one of them knows by itself it writes as a
row at once; what it does in a cycle it tells as a bit of that cycle, for ``timing_walk``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from tilepath.engine.compiled import account
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.frontend.untimed_mop import LOOP_DEFECT
from tilepath.models.frontend.untimed_replay import BUFFER_WORDS


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
def new_row(thread: Record, kind: Record, cycle: int) -> Record:
    """Another row of ``kind``, with its cycle and thread."""
    row = account.new_row(kind, cycle)
    row.thread = thread.memory.thread
    return row


@compiled
def mop_ingested(thread: Record, output: Record, cycle: int, word: int, length: int) -> None:
    """A MOP is taken from the FIFO, and its expansion is laid out."""
    mop = thread.mop
    row = new_row(thread, output.account.mop, cycle)
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
    row = new_row(thread, output.account.emitted, cycle)
    row.word = word
    row.place = mop.pattern_length * mop.passes - mop.words_left
    tell(output, cycle, Told.EMITTED)


@compiled
def brisc_accepted(thread: Record, output: Record, cycle: int, word: int, offered: int) -> None:
    """BRISC's word, offered from cycle ``offered`` on, enters M."""
    row = new_row(thread, output.account.brisc, cycle)
    row.word = word
    row.waited = cycle - offered
    tell(output, cycle, Told.BRISC_IN)


@compiled
def config_written(thread: Record, output: Record, cycle: int, index: int, datum: int) -> None:
    """A word is written to MopCfg."""
    row = new_row(thread, output.account.write, cycle)
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
    account.add_row(output.account.replay, row)
    tell(output, cycle, Told.STARTED)


@compiled
def word_stored(thread: Record, output: Record, cycle: int, word: int, source: int) -> None:
    """The session records ``word``, in the slot before the present index."""
    memory = thread.memory
    memory.recorded |= 1 << ((thread.replay.index - 1) & (BUFFER_WORDS - 1))
    row = new_row(thread, output.account.stored, cycle)
    row.word = word
    row.mode = memory.replay.mode
    row.source = source
    row.last = thread.replay.words_left == 0


@compiled
def replay_ended(thread: Record, output: Record, cycle: int) -> None:
    """The last word has been played or recorded."""
    row = thread.memory.replay
    row.cycle, row.ends = cycle, True
    account.add_row(output.account.replay, row)
