# SPDX-License-Identifier: Apache-2.0
"""How the rows of the account are written while the commands of a cycle apply."""

from __future__ import annotations

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.adc import SETS
from tilepath.models.adc.account import WRITERS
from tilepath.models.adc.timing_state import FLOP, ISSUE, PACK, UNPACK
from tilepath.models.adc.untimed_commands import TARGET, counters_of, override_of
from tilepath.models.adc.untimed_state import COUNTERS, INSTRUCTIONS, PACKERS, Command
from tilepath.models.fields import get

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
        _carried_out(account, ISSUE + thread, command, 1 << of_set, get(word, TARGET), named)
        _touch_rows(account, timing, state, ISSUE + thread, thread)


@compiled
def unpack_row(account: Record, timing: Record, state: Record, update: Record) -> None:
    """An unpacker's update, and what it touched."""
    row = new_row(account.unpack, timing.cycle)
    row.update = update
    if update.thread < SETS and update.adc < SETS:
        sets = 1 << update.thread | 1 << update.adc
        _carried_out(account, UNPACK, Command.UNPACK, sets, 1 << update.unpacker, _YZ)
        _touch_rows(account, timing, state, UNPACK, update.thread)


@compiled
def pack_row(account: Record, timing: Record, state: Record, update: Record) -> None:
    """The packers' update, and what it touched."""
    row = new_row(account.pack, timing.cycle)
    row.update = update
    _carried_out(account, PACK, Command.PACK, update.sets, 1 << PACKERS, _YZ)
    _touch_rows(account, timing, state, PACK, -1)


@compiled
def flop_row(account: Record, timing: Record, state: Record, write: Record) -> None:
    """REG2FLOP's write, and what it touched."""
    row = new_row(account.flop, timing.cycle)
    row.write = write
    counter = COUNTERS * write.channel + write.counter
    row.largest = state.largest
    if state.touched_count != 0:
        of_set, target = 1 << write.thread, 1 << write.select
        _carried_out(account, FLOP, Command.FLOP, of_set, target, 1 << counter)
        _touch_rows(account, timing, state, FLOP, -1)


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
