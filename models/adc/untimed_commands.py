# SPDX-License-Identifier: Apache-2.0
"""What each command does to the counters, without time; A1 … P18 are numbers of decisions.

There are four commands: an instruction at a thread's port, the unpackers' update, the packers'
update and REG2FLOP's write. Each is a function of the state (``untimed_state.STATE``) and of the
command; it returns the command's faults and leaves in ``state.touched`` the counters it touched.

A *place* is where a counter is in ``state.live`` and ``state.checkpoint``: (set, target, channel,
X Y Z or W); in ``state.touched`` it is a record, ``untimed_state.TOUCHED``.

``thread`` of streams ``unpack`` and ``flop`` is the number of a set, and so is ``adc`` of
``unpack``: WhichADC (A10).
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.engine.description.boundary import fault_bits
from tilepath.isa.boundary.adc import FAULTS, SETS, TARGETS, UNIT_FAULTS
from tilepath.models.adc.untimed_state import CHANNELS, PACKERS, Action, Counter, Kind

Place: TypeAlias = tuple[int, int, int, int]

_TARGETS: Final = len(TARGETS)


WordFault: Final = fault_bits("WordFault", FAULTS)
"""Faults of an instruction, a bit each, by the fields of stream ``fault``: ``WordFault.EMPTY``."""
UnitFault: Final = fault_bits("UnitFault", UNIT_FAULTS)
"""Faults of the other commands likewise, by those of ``unit_fault``."""


@part
def read(word: int, field: Record) -> int:
    """A field of a word; 0 where the word has no such field."""
    value: int = (word >> field.lsb) & field.ones
    return value


# ── One counter ──────────────────────────────────────────────────────────────────────────────────


@part
def _touch(state: Record, place: Place, action: int, amount: int) -> None:
    """The command at hand touches this counter (docs/adc.md, section 2, says which are)."""
    touched = state.touched[state.touched_count]
    touched.set, touched.target, touched.channel, touched.counter = place
    touched.action, touched.amount = action, amount
    state.touched_count += 1


@part
def _set(state: Record, place: Place, value: int, action: int = Action.SET) -> None:
    """Live = checkpoint = value (A5, P18), truncated to the width (A1)."""
    counter = place[3]
    state.live[place] = value & state.largest[counter]
    state.checkpoint[place] = state.live[place]
    _touch(state, place, action, value)


@part
def _increase(state: Record, place: Place, increment: int) -> None:
    """Live += increment; the checkpoint stays (A5, A6, A11, P18).

    An increment of 0 does not touch the counter. Sums wrap at the counter's width (A1), Z's
    too (A15).
    """
    if increment != 0:
        counter = place[3]
        state.live[place] = (state.live[place] + increment) & state.largest[counter]
        _touch(state, place, Action.INCREASE, increment)


@part
def _increase_checkpoint(state: Record, place: Place, increment: int) -> None:
    """Checkpoint += increment, then live = checkpoint (A4, A12)."""
    counter = place[3]
    total = state.checkpoint[place] + increment
    state.checkpoint[place] = total & state.largest[counter]
    state.live[place] = state.checkpoint[place]
    _touch(state, place, Action.RELOAD, increment)


# ── The four commands ────────────────────────────────────────────────────────────────────────────


@part
def execute(state: Record, thread: int, word: int) -> int:
    """A word at the port of a thread (A2 to A8); returns its ``WordFault`` bits."""
    state.touched_count = 0
    instruction = state.instructions[word >> 24]
    if instruction.kind == Kind.NONE:
        return WordFault.ILLEGAL  # A8

    override = read(word, instruction.thread_override)
    of_set = thread if override == 0 else override - 1  # A3
    targets = read(word, instruction.target)
    for target in range(_TARGETS):
        if (targets >> target) & 1:  # A7: bit k is TARGETS[k], any combination
            if instruction.kind == Kind.SETADC:
                _execute_setadc(state, instruction, word, of_set, target)
            else:
                _execute_operands(state, instruction, word, of_set, target)

    faults = 0
    if instruction.kind == Kind.SETADC:
        named = read(word, instruction.counter)
        if named == Counter.X and override != 0:
            faults |= WordFault.X_OVERRIDE  # A2
    has_mask = instruction.mask.ones != 0
    if targets == 0 or (has_mask and read(word, instruction.mask) == 0):
        faults |= WordFault.EMPTY  # A7
    return faults


@part
def _execute_setadc(
    state: Record, instruction: Record, word: int, of_set: int, target: int
) -> None:
    """SETADC on one target: the counter is the one that the word names.

    Its value has all 18 bits, those of the override among them (A2).
    """
    channel, counter = read(word, instruction.channel), read(word, instruction.counter)
    _set(state, (of_set, target, channel, counter), read(word, instruction.value))


@part
def _execute_operands(
    state: Record, instruction: Record, word: int, of_set: int, target: int
) -> None:
    """Any other instruction on one target: a value for each of two or four counters."""
    for number in range(instruction.operand_count):
        operand = instruction.operands[number]
        if (word & operand.mask) != operand.mask:  # a counter left out by the mask
            continue
        place = (of_set, target, operand.channel, operand.counter)
        value = read(word, operand.value)
        if instruction.kind == Kind.SET:
            _set(state, place, value)  # A5
        elif instruction.kind == Kind.INCADC:
            _increase(state, place, value)  # A6
        else:
            _increase_checkpoint(state, place, value)  # A4


@part
def unpack_update(state: Record, unpacker: int, update: Record) -> int:
    """Add what an unpacker's ``update``, or its plan, says (A11); returns ``UnitFault`` bits."""
    state.touched_count = 0
    if update.thread >= SETS or update.adc >= SETS:
        return UnitFault.UNPACK_THREAD
    for of_set in range(SETS):  # a set once, where ``thread`` and ``adc`` are the same
        if of_set == update.thread or of_set == update.adc:
            _increase(state, (of_set, unpacker, 0, Counter.Y), update.y0)
            _increase(state, (of_set, unpacker, 0, Counter.Z), update.z0)
            _increase(state, (of_set, unpacker, 1, Counter.Y), update.y1)
            _increase(state, (of_set, unpacker, 1, Counter.Z), update.z1)
    return 0


@part
def pack_update(state: Record, update: Record) -> None:
    """The packers' update after a PACR, by an ADDR_MOD_PACK word (P18); it has no faults.

    ``update``: fields of stream ``pack``.
    """
    state.touched_count = 0
    for of_set in range(SETS):
        if (update.sets >> of_set) & 1:
            for channel in range(CHANNELS):
                _apply_addr_mod(state, update.addr_mod, of_set, channel)


@part
def _apply_addr_mod(state: Record, word: int, of_set: int, channel: int) -> None:
    """P18 on one channel of the packers in one set; Clear wins over everything."""
    fields = state.addr_mod[channel]
    y = (of_set, PACKERS, channel, Counter.Y)
    if read(word, fields.y_clear) != 0:
        _set(state, y, 0, Action.CLEAR)
    elif read(word, fields.y_cr) != 0:
        _increase_checkpoint(state, y, read(word, fields.y_increment))  # A12
    else:
        _increase(state, y, read(word, fields.y_increment))
    z = (of_set, PACKERS, channel, Counter.Z)
    if read(word, fields.z_clear) != 0:
        _set(state, z, 0, Action.CLEAR)
    else:
        _increase(state, z, read(word, fields.z_increment))  # Z has no CR


@part
def flop(state: Record, write: Record) -> int:
    """REG2FLOP's write of a live value or of a checkpoint alone (C14); returns ``UnitFault`` bits.

    ``write``: fields of stream ``flop``.
    """
    state.touched_count = 0
    faults = 0
    if write.thread >= SETS:
        faults |= UnitFault.FLOP_THREAD
    if write.select >= _TARGETS:
        faults |= UnitFault.FLOP_SELECT
    if faults == 0:
        place = (write.thread, write.select, write.channel, write.counter)
        value = write.value & state.largest[write.counter]
        if write.checkpoint:
            state.checkpoint[place] = value
        else:
            state.live[place] = value
        _touch(state, place, Action.WRITE, write.value)
    return faults
