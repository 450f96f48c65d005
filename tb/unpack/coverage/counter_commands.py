# SPDX-License-Identifier: Apache-2.0
"""Commands to the address counters, by writer, as the unit's coverage follows them.

Block ``adc`` has all of this in its model's account; the unit's coverage works it out here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import layout_of
from tilepath.models.adc.untimed_state import Command
from tilepath.models.jit import part
from tilepath.tb.adc.coverage.labels import COUNTERS, OPS, WRITERS, YZ
from tilepath.tb.adc.coverage.labels import share_a_counter as _share

if TYPE_CHECKING:

    def i64(value: Any) -> int:
        """A record's field as the signed integer that kernels calculate with."""
        return int(value)

else:
    i64 = np.int64

I64 = NDArray[np.int64]

N_PLACES: Final = 9
"""Sets and targets: place 3 · set + target."""
YZ_PLACE: Final = np.array([YZ.index(c) if c in YZ else -1 for c in COUNTERS])
SETADC, SETADCXY, SETADCZW, SETADCXX, INCADCXY, INCADCZW, ADDRCRXY, ADDRCRZW = range(8)
UNPACK: Final = 8
OP_OF: Final = np.full(256, -1, np.int64)
"""Opcode → number of the instruction; -1: none of the eight."""
OP_OF[[layout_of(op).opcode for op in OPS]] = range(len(OPS))
FIRST_THREAD: Final = 3
"""Among the writers."""

# What a command does to a counter that it touches
SET: Final = 0
INCREMENT: Final = 1
RELOAD: Final = 2  # checkpoint += amount, live = checkpoint

_UNPACK_PORT: Final = 0
_XY: Final = np.array((0, 1, 4, 5))
_ALL_YZ: Final = 0b0110_0110
_N: Final = N_PLACES * len(COUNTERS)
# Bit 3 · s + k for each s in the first bit set and each k in the second
_PRODUCT: Final = np.array(
    [[sum(t << 3 * s for s in range(3) if m >> s & 1) for t in range(8)] for m in range(8)]
)


def share_a_counter(one: int, other: int) -> bool:
    """Whether there is a counter that both kinds can write."""
    return _share(Command(one).name.lower(), Command(other).name.lower())


def tops(zw_width: int) -> I64:
    """The largest value of a counter of dimension 0 … 3 (A1)."""
    widths: I64 = np.array((18, 13, zw_width, zw_width), np.int64)
    return (1 << widths) - 1


@part
def target_of(word: int) -> int:
    """Targets of an instruction, one bit each (A7)."""
    return word >> 21 & 7


@part
def override_of(op: int, word: int) -> int:
    """ThreadOverride; SETADCXX has none (A3)."""
    if op == SETADCXX:
        return 0
    return word >> (16 if op == SETADC else 18) & 3


@part
def counter_of(word: int) -> int:
    """SETADC: number of the counter."""
    return (word >> 20 & 1) * 4 + (word >> 18 & 3)


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


@part
def product(sets: int, targets: int) -> int:
    """Places of these sets and targets, one bit each."""
    return i64(_PRODUCT[sets, targets])


@part
def share(now: Commands, once: I64, twice: I64) -> None:
    """Find the counters that one command of the cycle touches, and several: bits by place."""
    once[:] = 0
    twice[:] = 0
    for w in range(len(WRITERS)):
        if now.kind[w] >= 0:
            places = product(now.sets[w], now.targets[w])
            for place in range(N_PLACES):
                if places >> place & 1:
                    twice[place] |= once[place] & now.touched[w]
                    once[place] |= now.touched[w]


class Memory(NamedTuple):
    """Of each counter, 8 · place + number, what touched it last ([..., 0]) and before ([..., 1]).

    ``kind``: -1 where nothing did. ``cycle``: of the run. ``foreign``, ``thread``: as in
    :class:`Commands`.
    """

    kind: I64
    cycle: I64
    foreign: I64
    thread: I64

    @classmethod
    def after_reset(cls) -> Memory:
        """Nothing touched any counter."""
        return cls(*(np.full((_N, 2), -1, np.int64) for _ in range(4)))


@part
def remember(
    counter: int, kind: int, cycle: int, foreign: int, thread: int, memory: Memory
) -> None:
    """A command touches a counter."""
    memory.kind[counter, 1], memory.kind[counter, 0] = memory.kind[counter, 0], kind
    memory.cycle[counter, 1], memory.cycle[counter, 0] = memory.cycle[counter, 0], cycle
    memory.foreign[counter, 1], memory.foreign[counter, 0] = memory.foreign[counter, 0], foreign
    memory.thread[counter, 1], memory.thread[counter, 0] = memory.thread[counter, 0], thread


@part
def is_chain(counter: int, w: int, cycle: int, now: Commands, memory: Memory) -> bool:
    """Unpacker update, SETADC.., INCADC.. of one thread, cycle after cycle, at a counter."""
    kind, before, thread = now.kind[w], memory.kind[counter, 0], now.thread[w]
    return (
        (kind in (INCADCXY, INCADCZW))
        and SETADC <= before < SETADCXX
        and memory.kind[counter, 1] == UNPACK
        and cycle - memory.cycle[counter, 0] == 1
        and cycle - memory.cycle[counter, 1] == 2
        and thread == memory.thread[counter, 0]
        and thread == memory.thread[counter, 1]
    )
