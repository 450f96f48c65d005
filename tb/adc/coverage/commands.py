# SPDX-License-Identifier: Apache-2.0
"""The commands of one cycle, by writer, as they leave their ports (docs/adc.md section 2)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.isa import config_field
from tilepath.models.jit import part
from tilepath.tb.adc.coverage.layout import (
    ADDRCRXY,
    FIRST_THREAD,
    FLOP,
    I64,
    INCADCXY,
    INCADCZW,
    OP_OF,
    PACK,
    SETADC,
    SETADCXX,
    UNPACK,
    WRITERS,
    counter_of,
    i64,
    override_of,
    target_of,
)

# What a command does to a counter that it touches
SET: Final = 0
INCREMENT: Final = 1
RELOAD: Final = 2  # checkpoint += amount, live = checkpoint
CLEAR: Final = 3

_UNPACK_PORT, _PACK_PORT, _FLOP_PORT = range(FIRST_THREAD)
_XY: Final = np.array((0, 1, 4, 5))
_ALL_YZ: Final = 0b0110_0110

PACK_FIELDS: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
_PACK_PLACES: Final = tuple(config_field(f"ADDR_MOD_PACK_SEC0_{name}") for name in PACK_FIELDS)
_PACK_LSB: Final = np.array([field.lsb for field in _PACK_PLACES])
_PACK_BITS: Final = np.array([(1 << field.width) - 1 for field in _PACK_PLACES])
"""By channel, first those of Y, then those of Z."""


class Commands(NamedTuple):
    """Commands that carry out something, by writer.

    ``kind`` is -1 where there is none. ``sets``, ``targets`` and ``touched`` are bit sets; what a
    command touches is their product. ``named`` are the counters it could touch with other values.
    ``thread``: who issued it, or an unpacker update's thread. ``foreign``: an instruction for
    another thread's set. ``action`` and ``amount`` are by counter as well; the amount counts where
    it is added.
    """

    kind: I64
    sets: I64
    targets: I64
    touched: I64
    named: I64
    thread: I64
    foreign: I64
    action: I64
    amount: I64

    @classmethod
    def none(cls) -> Commands:
        """No command."""
        kind, sets, targets, touched, named, thread, foreign = (
            np.full(len(WRITERS), -1 if column == 0 else 0, np.int64) for column in range(7)
        )
        action, amount = (np.zeros((len(WRITERS), 8), np.int64) for _ in range(2))
        return cls(kind, sets, targets, touched, named, thread, foreign, action, amount)


@part
def pack_field(addr_mod: int, place: int) -> int:
    """A field of an ADDR_MOD_PACK word, by its place in ``PACK_FIELDS``."""
    return addr_mod >> i64(_PACK_LSB[place]) & i64(_PACK_BITS[place])


@part
def of_unpack(record: Any, now: Commands) -> None:
    """The command of an unpacker update, if it carries out anything."""
    thread, adc = i64(record.thread), i64(record.adc)
    if thread == 3 or adc == 3:
        return
    w = _UNPACK_PORT
    increments = (i64(record.y0), i64(record.z0), i64(record.y1), i64(record.z1))
    now.kind[w] = UNPACK
    now.sets[w] = 1 << thread | 1 << adc
    now.targets[w] = 1 << i64(record.unpacker)
    now.thread[w] = thread
    touched = 0
    for k in range(4):
        number = (k >> 1) * 4 + 1 + (k & 1)
        now.action[w, number] = INCREMENT
        now.amount[w, number] = increments[k]
        touched |= (1 if increments[k] else 0) << number
    now.touched[w] = touched
    now.named[w] = _ALL_YZ


@part
def of_pack(record: Any, now: Commands) -> None:
    """The command of a packer update."""
    w = _PACK_PORT
    addr_mod = i64(record.addr_mod)
    now.kind[w] = PACK
    now.sets[w] = i64(record.sets)
    now.targets[w] = 4
    now.thread[w] = -1
    touched = 0
    for channel in range(2):
        for z in range(2):
            place = 6 + 2 * channel if z else 3 * channel
            number = 4 * channel + 1 + z
            incr = pack_field(addr_mod, place)
            reload = 0 if z else pack_field(addr_mod, place + 1)
            clear = pack_field(addr_mod, place + (1 if z else 2))
            now.action[w, number] = CLEAR if clear else (RELOAD if reload else INCREMENT)
            now.amount[w, number] = incr
            touched |= (1 if incr or reload or clear else 0) << number
    now.touched[w] = touched
    now.named[w] = _ALL_YZ


@part
def of_flop(record: Any, now: Commands) -> None:
    """The command of a REG2FLOP, if it carries out anything."""
    thread, select = i64(record.thread), i64(record.select)
    if thread == 3 or select == 3:
        return
    w = _FLOP_PORT
    number = i64(record.channel) * 4 + i64(record.counter)
    now.kind[w] = FLOP
    now.sets[w] = 1 << thread
    now.targets[w] = 1 << select
    now.touched[w] = now.named[w] = 1 << number
    now.thread[w] = -1
    now.action[w, number] = SET


@part
def of_word(word: int, thread: int, now: Commands) -> None:
    """The command of an instruction, if the word is one."""
    op = i64(OP_OF[word >> 24])
    if op < 0:
        return
    w = FIRST_THREAD + thread
    override = override_of(op, word)
    chosen = override - 1 if override else thread
    now.kind[w] = op
    now.sets[w] = 1 << chosen
    now.targets[w] = target_of(word)
    now.thread[w] = thread
    now.foreign[w] = chosen != thread
    if op in (SETADC, SETADCXX):
        touched = 0b0001_0001 if op == SETADCXX else 1 << counter_of(word)
        now.touched[w] = now.named[w] = touched
        now.action[w] = SET
        return
    increments = op in (INCADCXY, INCADCZW)
    action = RELOAD if op >= ADDRCRXY else (INCREMENT if increments else SET)
    first = 2 * (op & 1) if op >= INCADCXY else 2 * (op - 1)  # ..XY: 0, ..ZW: 2
    touched = named = 0
    for k in range(4):
        number = i64(_XY[k]) + first
        value = word >> (6 + 3 * k) & 7
        now.action[w, number] = action
        now.amount[w, number] = value
        touches = value != 0 if increments else word >> k & 1 == 1
        named |= 1 << number
        touched |= (1 if touches else 0) << number
    now.touched[w] = touched
    now.named[w] = named
