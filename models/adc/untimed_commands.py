# SPDX-License-Identifier: Apache-2.0
"""What each command does to the counters, without time; A1 … P18 are numbers of decisions.

There are four commands: an instruction at a thread's port, the unpackers' update, the packers'
update and REG2FLOP's write. Each is a function of the state (``untimed_state.STATE``) and of the
command; it returns the command's faults and leaves in ``state.touched`` the counters it touched:
an instruction where ``list_touched`` is called, too.

A *place* is where a counter is in ``state.live`` and ``state.checkpoint``: (set, target, channel,
X Y Z or W); in ``state.touched`` it is a record, ``untimed_state.TOUCHED``.

``thread`` of streams ``unpack`` and ``flop`` is the number of a set, and so is ``adc`` of
``unpack``: WhichADC (A10).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.engine.description.boundary import fault_bits
from tilepath.isa.boundary.adc import FAULTS, SETS, TARGETS, UNIT_FAULTS
from tilepath.models.adc.untimed_state import (
    CHANNELS,
    COUNTERS,
    FIXED_WIDTHS,
    INSTRUCTIONS,
    PACKERS,
    PLACES,
    Action,
    Command,
    Counter,
)
from tilepath.models.fields import Field, get, instruction_field, placed

Place: TypeAlias = tuple[int, int, int, int]
Counters: TypeAlias = npt.NDArray[np.uint32]

_TARGETS: Final = len(TARGETS)

WordFault: Final = fault_bits("WordFault", FAULTS)
"""Faults of an instruction, a bit each, by the fields of stream ``fault``: ``WordFault.EMPTY``."""
UnitFault: Final = fault_bits("UnitFault", UNIT_FAULTS)
"""Faults of the other commands likewise, by those of ``unit_fault``."""

TARGET: Final = instruction_field("SETADC_TARGET")  # where all eight have it, as the next one
MASK: Final = instruction_field("SETADCXY_MASK")
CHANNEL: Final = instruction_field("SETADC_CHANNEL")
COUNTER: Final = instruction_field("SETADC_XYZW")
_LARGEST: Final = np.array([(1 << width) - 1 for width in (*FIXED_WIDTHS, 0, 0)], np.uint32)


# By channel the fields of an ADDR_MOD_PACK word (P18), which are where they are in every section
_ADDR_MODS: Final = tuple(
    tuple(
        placed(isa.config_field(f"ADDR_MOD_PACK_SEC0_{name[0]}{side}{name[1:]}"))
        for name in ("YIncr", "YCR", "YClear", "ZIncr", "ZClear")
    )
    for side in ("src", "dst")
)


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
def override_of(word: int) -> int:
    """ThreadOverride (A3); 0 in a word that has none."""
    instruction = INSTRUCTIONS[word >> 24]
    override: int = (word >> instruction.override_lsb) & instruction.override_ones
    return override


@part
def mask_of(word: int) -> int:
    """The mask of a word; all of it where it has none."""
    mask: int = get(word, MASK) | INSTRUCTIONS[word >> 24].unmasked
    return mask


@part
def amount_of(word: int, place: int) -> int:
    """What a word has for counter ``place``, 4 * channel + counter; 0 where it has nothing."""
    instruction = INSTRUCTIONS[word >> 24]
    amount: int = (np.uint32(word) >> instruction.lsb[place]) & instruction.ones[place]
    return amount


@part
def counters_of(word: int) -> int:
    """The counters of a target that a word is for, a bit each."""
    instruction = INSTRUCTIONS[word >> 24]
    if instruction.command == Command.SETADC:  # the counter that the word names
        return 1 << (COUNTERS * get(word, CHANNEL) + get(word, COUNTER))
    mask = mask_of(word)  # two bits a channel: X and Y, or Z and W (docs/adc.md, section 2)
    pairs = mask & 0b0011 | (mask & 0b1100) << 2
    counters: int = (pairs | pairs << 2) & instruction.named
    return counters


@part
def execute(state: Record, thread: int, word: int) -> int:
    """A word at the port of a thread (A2 to A8); returns its ``WordFault`` bits."""
    command, action = INSTRUCTIONS[word >> 24].command, INSTRUCTIONS[word >> 24].action
    if command < 0:
        return WordFault.ILLEGAL  # A8
    override, targets = override_of(word), get(word, TARGET)
    largest_zw = state.largest[Counter.Z]
    of_set = thread if override == 0 else override - 1
    for target in range(_TARGETS):
        if (targets >> target) & 1:  # A7: bit k is TARGETS[k], any combination
            live, checkpoint = state.live[of_set, target], state.checkpoint[of_set, target]
            if action == Action.INCREASE:
                _increase_all(live, word, largest_zw)
            else:
                _set_all(live, checkpoint, word, action == Action.RELOAD, largest_zw)
    faults = 0
    if command == Command.SETADC and override != 0 and get(word, COUNTER) == Counter.X:
        faults |= WordFault.X_OVERRIDE  # A2
    if targets == 0 or mask_of(word) == 0:
        faults |= WordFault.EMPTY  # A7
    return faults


@part
def _increase_all(live: Counters, word: int, largest_zw: int) -> None:
    """Live += increment (A6), of a target's counters as one vector: of others it is 0."""
    for channel in range(CHANNELS):
        for counter in range(COUNTERS):
            amount = amount_of(word, COUNTERS * channel + counter)
            largest = np.uint32(largest_zw) if counter >= Counter.Z else _LARGEST[counter]
            live[channel, counter] = (live[channel, counter] + amount) & largest


@part
def _set_all(
    live: Counters, checkpoint: Counters, word: int, reloads: bool, largest_zw: int
) -> None:
    """Live = checkpoint = value (A2, A5), or checkpoint + increment (A4), as one vector."""
    counters = np.uint32(counters_of(word))
    for channel in range(CHANNELS):
        for counter in range(COUNTERS):
            place = COUNTERS * channel + counter
            largest = np.uint32(largest_zw) if counter >= Counter.Z else _LARGEST[counter]
            was, kept = live[channel, counter], checkpoint[channel, counter]
            before = kept if reloads else np.uint32(0)
            after = np.uint32(np.uint32(before + amount_of(word, place)) & largest)
            is_chosen = counters & np.uint32(1 << place)
            live[channel, counter] = after if is_chosen else was
            checkpoint[channel, counter] = after if is_chosen else kept


@part
def list_touched(state: Record, thread: int, word: int) -> None:
    """Write to ``state.touched`` what a word touches; an increment of 0 touches no counter."""
    override, action = override_of(word), INSTRUCTIONS[word >> 24].action
    of_set = thread if override == 0 else override - 1
    state.touched_count = 0
    for target in range(_TARGETS):
        for place in range(PLACES):
            amount = amount_of(word, place)
            is_chosen = get(word, TARGET) >> target & counters_of(word) >> place & 1
            if is_chosen and (action != Action.INCREASE or amount != 0):
                where = (of_set, target, place // COUNTERS, place % COUNTERS)
                _touch(state, where, action, amount)


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
                _apply_addr_mod(state, update.addr_mod, of_set, channel, _ADDR_MODS[channel])


@part
def _apply_addr_mod(
    state: Record, word: int, of_set: int, channel: int, fields: tuple[Field, ...]
) -> None:
    """P18 on one channel of the packers in one set; Clear wins over everything."""
    y_increment, y_cr, y_clear, z_increment, z_clear = fields
    y = (of_set, PACKERS, channel, Counter.Y)
    if get(word, y_clear) != 0:
        _set(state, y, 0, Action.CLEAR)
    elif get(word, y_cr) != 0:
        _increase_checkpoint(state, y, get(word, y_increment))  # A12
    else:
        _increase(state, y, get(word, y_increment))
    z = (of_set, PACKERS, channel, Counter.Z)
    if get(word, z_clear) != 0:
        _set(state, z, 0, Action.CLEAR)
    else:
        _increase(state, z, get(word, z_increment))  # Z has no CR


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
