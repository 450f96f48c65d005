# SPDX-License-Identifier: Apache-2.0
"""The account of the address counters: what each command was, did and met, a row each.

The model keeps it where it is asked to (``compiled``); a row's cycle is that of the command.
Numbers: ``thread`` and ``set`` 0, 1, 2, ``target`` as in ``TARGETS``, ``counter`` 0 to 7 for X Y Z
W of channel 0, then of channel 1 (of ``touched`` and writes 0 to 3, beside ``channel``); a bit set
has bit k for number k. A *writer* is a port: unpackers, packers, REG2FLOP, threads, in the order in
which their commands apply (A13).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of, new_row
from tilepath.engine.compiled.compiled_io import given
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa.boundary.adc import BOUNDARY, SETS, TARGETS
from tilepath.models.adc import timing_state
from tilepath.models.adc.untimed_commands import TARGET, counters_of, override_of
from tilepath.models.adc.untimed_state import (
    COUNTERS,
    INSTRUCTIONS,
    PACKERS,
    SHAPE,
    TOUCHED,
    Command,
)
from tilepath.models.fields import get

WRITERS: Final = len(BOUNDARY.inputs)

# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_LARGEST: Final = (np.int64, COUNTERS)  # values of X, Y, Z, W (A1)
WORD: Final = record(  # at a thread's port (A2 to A8)
    cycle=np.uint32,
    instruction=np.uint32,  # the word
    largest=_LARGEST,
    thread=np.uint8,
    faults=np.uint8,  # ``untimed_commands.WordFault``
)
_UPDATE, _PACKED, _WRITE = (
    given(BOUNDARY.stream(name), wide=True) for name in ("unpack", "pack", "flop")
)
UNPACK: Final = record(cycle=np.uint32, update=_UPDATE)  # an unpacker's update (A11)
PACK: Final = record(cycle=np.uint32, update=_PACKED)  # the packers' (P18)
FLOP: Final = record(cycle=np.uint32, write=_WRITE, largest=_LARGEST)  # REG2FLOP's write (C14)
TOUCH: Final = record(  # a counter that a command touched (docs/adc.md, section 2)
    cycle=np.uint32,
    touched=TOUCHED,
    largest=np.uint32,  # of the counter (A1)
    live=np.uint32,  # the counter and its checkpoint as before the cycle
    checkpoint=np.uint32,
    command=np.uint8,  # a ``Command``
    thread=np.int8,  # of an instruction or an UNPACR; -1: none
    number=np.uint8,  # how many commands of the cycle touched it before this one (A13)
    last=np.uint8,  # whether none of the cycle did after it
)
_COMMAND: Final = record(  # of a writer in a cycle
    command=np.int64,  # a ``Command``
    sets=np.int64,
    targets=np.int64,
    named=np.int64,  # counters that it could touch with other values
    counters=np.int64,  # those that it touches
)
PAIR: Final = record(  # two commands of a cycle, in the order in which they apply (A13)
    cycle=np.uint32,
    conflicts=np.uint16,  # of the cycle: bit 3 * set + target
    writer=(np.uint8, 2),
    first=_COMMAND,
    second=_COMMAND,
)
CYCLE: Final = record(  # a cycle with a command
    cycle=np.uint32,
    conflict=np.uint16,  # as stream ``conflict`` has it (A13)
    writers=np.uint8,  # whose command was carried out; a word is even if it touches nothing (A7)
    faults=np.uint8,  # ``untimed_commands.UnitFault``
)
CHANGE: Final = record(  # a counter that is another after the cycle, as the levels show it
    cycle=np.uint32,
    value=(np.uint32, 2),  # live, checkpoint
    largest=np.uint32,  # (A1)
    set=np.uint8,
    target=np.uint8,
    counter=np.uint8,
    changed=np.uint8,  # which of its values are: bit 0 live, bit 1 checkpoint
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "word": WORD, "unpack": UNPACK, "pack": PACK, "flop": FLOP,
    "touch": TOUCH, "pair": PAIR, "cycle": CYCLE, "change": CHANGE,
}  # fmt: skip
# Most rows of a cycle: an unpacker touches 4 counters of 2 sets, the packers 4 of 3, a word 12
_TOUCHES: Final = 2 * 4 + SETS * 4 + 1 + SETS * len(TARGETS) * 4
_MOST: Final = {
    "word": SETS, "touch": _TOUCHES, "pair": WRITERS * (WRITERS - 1) // 2, "change": _TOUCHES,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

_LAST: Final = record(cycle=np.int64, row=np.int64)  # of a counter: its last row in TOUCH
MEMORY: Final = record(
    writers=np.int64,  # of the cycle at hand: whose command is carried out, a bit each
    commands=(_COMMAND, WRITERS),
    last=(_LAST, SHAPE),
)
CYCLES: Final = 10_000  # with commands in a pass; a change of the one before may show first
ACCOUNT: Final = account_of(KINDS, CYCLES + 1, _MOST, MEMORY)


def begin(memory: Records) -> None:
    """Put what is kept between rows as it is before cycle 0."""
    memory["last"]["cycle"] = -1


# ── How rows are told while the commands of a cycle apply ────────────────────────────────────────

_YZ = 0b0110_0110  # the counters that updates can touch


@compiled
def word_row(
    account: Record, timing: Record, state: Record, thread: int, word: int, faults: int
) -> None:
    """A word of a thread, and what it touched."""
    row = new_row(account.word, timing.cycle)
    row.instruction, row.thread, row.faults = word, thread, faults
    row.largest = state.largest
    command, override = INSTRUCTIONS[word >> 24].command, override_of(word)
    if command >= 0:
        of_set = thread if override == 0 else override - 1
        named = INSTRUCTIONS[word >> 24].named
        if command == Command.SETADC:
            named = counters_of(word)
        _carried_out(
            account, timing_state.ISSUE + thread, command, 1 << of_set, get(word, TARGET), named
        )
        _touch_rows(account, timing, state, timing_state.ISSUE + thread, thread)


@compiled
def unpack_row(account: Record, timing: Record, state: Record, update: Record) -> None:
    """An unpacker's update, and what it touched."""
    row = new_row(account.unpack, timing.cycle)
    row.update = update
    if update.thread < SETS and update.adc < SETS:
        sets = 1 << update.thread | 1 << update.adc
        _carried_out(account, timing_state.UNPACK, Command.UNPACK, sets, 1 << update.unpacker, _YZ)
        _touch_rows(account, timing, state, timing_state.UNPACK, update.thread)


@compiled
def pack_row(account: Record, timing: Record, state: Record, update: Record) -> None:
    """The packers' update, and what it touched."""
    row = new_row(account.pack, timing.cycle)
    row.update = update
    _carried_out(account, timing_state.PACK, Command.PACK, update.sets, 1 << PACKERS, _YZ)
    _touch_rows(account, timing, state, timing_state.PACK, -1)


@compiled
def flop_row(account: Record, timing: Record, state: Record, write: Record) -> None:
    """REG2FLOP's write, and what it touched."""
    row = new_row(account.flop, timing.cycle)
    row.write = write
    counter = COUNTERS * write.channel + write.counter
    row.largest = state.largest
    if state.touched_count != 0:
        of_set, target = 1 << write.thread, 1 << write.select
        _carried_out(account, timing_state.FLOP, Command.FLOP, of_set, target, 1 << counter)
        _touch_rows(account, timing, state, timing_state.FLOP, -1)


@part
def _carried_out(
    account: Record, writer: int, command: int, sets: int, targets: int, named: int
) -> None:
    memory = account.memory
    memory.writers |= 1 << writer
    one = memory.commands[writer]
    one.command = command
    one.sets = sets
    one.targets = targets
    one.named = named
    one.counters = 0


@compiled
def _touch_rows(account: Record, timing: Record, state: Record, writer: int, thread: int) -> None:
    """Add the rows of the command at hand, which ``_carried_out`` has noted."""
    memory = account.memory
    one = memory.commands[writer]
    for number in range(state.touched_count):
        place = state.touched[number]
        at = (place.set, place.target, place.channel, place.counter)
        last = memory.last[at]
        row = new_row(account.touch, timing.cycle)
        row.touched = place
        row.largest = state.largest[place.counter]
        row.live = timing.shown_live[at]
        row.checkpoint = timing.shown_checkpoint[at]
        row.command, row.thread = one.command, thread
        row.number, row.last = 0, True
        if last.cycle == timing.cycle:
            before = account.touch.rows[last.row]
            before.last = False
            row.number = before.number + 1
        last.cycle, last.row = timing.cycle, account.touch.count - 1
        one.counters |= 1 << COUNTERS * place.channel + place.counter


@compiled
def cycle_rows(account: Record, timing: Record) -> None:
    """All commands of the cycle have applied: how they met."""
    memory = account.memory
    row = new_row(account.cycle, timing.cycle)
    row.conflict = timing.conflicts
    row.writers = memory.writers
    row.faults = timing.unit_faults
    if memory.writers & (memory.writers - 1) != 0:
        for first in range(WRITERS - 1):
            for second in range(first + 1, WRITERS):
                if memory.writers >> first & memory.writers >> second & 1:
                    pair = new_row(account.pair, timing.cycle)
                    pair.writer[0], pair.writer[1] = first, second
                    pair.first, pair.second = memory.commands[first], memory.commands[second]
                    pair.conflicts = timing.conflicts
    memory.writers = 0


@part
def change_row(
    account: Record, timing: Record, state: Record, place: tuple[int, int, int, int], changed: int
) -> None:
    """A counter or its checkpoint is another after the cycle at hand."""
    row = new_row(account.change, timing.cycle)
    row.set, row.target = place[0], place[1]
    row.counter = COUNTERS * place[2] + place[3]
    row.changed = changed
    row.value[0] = state.live[place]
    row.value[1] = state.checkpoint[place]
    row.largest = state.largest[place[3]]
