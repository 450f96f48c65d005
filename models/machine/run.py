# SPDX-License-Identifier: Apache-2.0
"""Three threads and their cores played against one another, without time: ``Machine.run``.

A thread has the items of its core, a queue of words that left its front end, and a latch, which a
wait sets and which holds words behind it by their class (C10, C12, C21). A *step* is one word
executed, one latch gone at the end of a queue, or one item of the core; words go into the queue
as there is room for them.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tilepath import isa
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.instructions import ALL_CLASSES, Kind
from tilepath.models.control.state import stream_of
from tilepath.models.control.waiting_text import (
    latch_text,
    semaphore_name,
    semwait_text,
    stallwait_text,
    streamwait_text,
)
from tilepath.models.fields import get
from tilepath.models.machine import items as I
from tilepath.models.machine.addresses import place_of
from tilepath.models.machine.records import LARGEST_WORD, Fault, as_choice, as_integer, as_words
from tilepath.models.machine.waits import ASKS, CLASSES, LATCHES, awaited, holds

if TYPE_CHECKING:
    from tilepath.models.machine.machine import Machine

QUEUE_WORDS: Final = 32
"""A core pushes while its thread's queue has fewer words: what it stores stays near them."""
DEFAULT_LIMIT: Final = 1_000_000_000
# of STALLWAIT's conditions those that can be busy without time: banks that are another unit's
_BANKS: Final = tuple(
    (1 << first + file, file, owner)
    for first, owner in (
        (constants.STALL_COND_SRCA_UNPACK_BANK, 1),
        (constants.STALL_COND_SRCA_MATH_BANK, 0),
    )
    for file in (0, 1)
)
_ANY_BANK: Final = sum(bit for bit, _, _ in _BANKS)
Order = str | Sequence[int] | int
Program = Iterable[I.Item | int]


class Waiting(NamedTuple):
    """What stands still at the end of a run.

    ``thread``: 0 to 2. ``word``: a word in assembly with its digits, or an item of the thread's
    core as it is written; empty: a wait with nothing behind it. ``reason``: what it waits for.
    """

    thread: int
    word: str
    reason: str

    def __str__(self) -> str:
        return f"thread {self.thread}: {self.word}: {self.reason}".replace(": :", ":")


@dataclass(frozen=True)
class Run:
    """How a run ended.

    Attributes:
        end: ``"done"``: nothing is left; ``"deadlock"``: nothing can go on; ``"limit"``.
        waiting: of a deadlock, who waits for what, by thread.
        steps: words executed and items done.
    """

    end: str
    waiting: tuple[Waiting, ...]
    steps: int


class _Latch(NamedTuple):
    opcode: int
    word: int
    holds: int  # classes, with ANY_WAIT and IS_NOP
    what: int  # a STALLWAIT's conditions
    target: int  # a STREAMWAIT's, composed when it was set (C11)


@cache
def _stallwait(word: int) -> _Latch:
    what = values.latch_what(Kind.STALLWAIT, word)
    return _Latch(constants.OP_STALLWAIT, word, holds(word), what, 0)


class _Thread:
    """A thread: its core's items, the words that left its front end, its latch."""

    def __init__(self, machine: Machine, number: int, program: Program) -> None:
        self.machine, self.number = machine, number
        self.queue: deque[int] = deque()
        self.latch: _Latch | None = None
        self.items = deque(_merged(machine, number, program))
        self.words: Any = np.zeros(0, np.uint32)  # of the Push at hand, those to come

    def play(self) -> Iterator[bool]:
        """A step after the other: whether there was one to do."""
        machine, number, queue = self.machine, self.number, self.queue
        tables = machine._hazards.tables
        while True:
            if not queue:
                self._refill()
            latch = self.latch
            if latch is not None and self._met(latch):
                self.latch = latch = None
                if not queue:
                    yield True
                    continue
            if queue:
                word = queue[0]
                opcode = word >> 24
                if latch is None or not CLASSES[opcode] & latch.holds:
                    if opcode in LATCHES:
                        del queue[0]
                        self.latch = self._latch_of(opcode, word)
                        yield True
                        continue
                    if not ASKS[opcode] or not awaited(machine, number, word):
                        del queue[0]
                        if machine.on_issue is not None:
                            machine.on_issue(number, word)
                        unit = tables[number][opcode]
                        if unit is not None:
                            names = unit(machine, number, word)
                            if names:
                                machine.faults += [Fault(name, number, word) for name in names]
                        yield True
                        continue
            self._refill()
            moved = bool(self.items) and not len(self.words) and self._do(self.items[0])
            yield moved
            while not moved and self.idle:
                yield False

    # --- waits

    def _latch_of(self, opcode: int, word: int) -> _Latch | None:
        """The latch of a wait that issues; its faults are told once. ``None``: it is over."""
        machine, number = self.machine, self.number
        if machine.on_issue is not None:
            machine.on_issue(number, word)
        names = machine._hazards.look(number, word)
        machine.faults += [Fault(name, number, word) for name in names]
        if opcode == constants.OP_STALLWAIT:
            latch = _stallwait(word)
            return latch if latch.what & _ANY_BANK else None  # nothing else is busy
        effect = machine._control.execute_checked(number, word)
        if effect is not None:
            machine.faults += [Fault(name, number, word) for name in effect.faults]
        target = 0
        if opcode == constants.OP_STREAMWAIT:
            cond, low = get(word, F.STREAMWAIT_COND_IDX), get(word, F.STREAMWAIT_TARGET_LO)
            target = int(values.stream_target(self._state, number, cond, low))
        return _Latch(opcode, word, holds(word), 0, target)

    @property
    def _state(self) -> Any:
        return self.machine._control.record

    def _busy(self) -> int:
        """Conditions of STALLWAIT: nothing is busy without time but banks (C17)."""
        unpackers, matrix, busy = self.machine.unpack, self.machine.matrix, 0
        for bit, file, owner in _BANKS:
            bank = (unpackers.src_bank if owner else matrix.matrix_bank).item(file)
            busy |= bit if unpackers.src_owner.item(file, bank) == owner else 0
        return busy

    def _met(self, latch: _Latch) -> bool:
        if latch.opcode == constants.OP_STALLWAIT:
            return not latch.what & self._busy()
        if latch.opcode == constants.OP_SEMWAIT:
            effect = self.machine._control.execute_checked(self.number, latch.word)
            return effect is None or effect.met
        return self._count(latch) >= latch.target

    def _count(self, latch: _Latch) -> int:
        cond = get(latch.word, F.STREAMWAIT_COND_IDX)
        select = get(latch.word, F.STREAMWAIT_STREAM_SEL)
        return int(values.stream_count(self._state, self.number, cond, select))

    def _latch_text(self, latch: _Latch) -> str:
        word = latch.word
        if latch.opcode == constants.OP_STALLWAIT:
            condition = stallwait_text(latch.what, self._busy())
        elif latch.opcode == constants.OP_SEMWAIT:
            mask, cond = get(word, F.SEMWAIT_SEM_MASK), get(word, F.SEMWAIT_COND)
            condition = semwait_text(self.machine.semaphores, mask, cond)
        else:
            select = get(word, F.STREAMWAIT_STREAM_SEL)
            stream = int(stream_of(self._state, self.number, select))
            cond = get(word, F.STREAMWAIT_COND_IDX)
            condition = streamwait_text(stream, cond, self._count(latch), latch.target)
        return latch_text(LATCHES[latch.opcode], latch.holds & ALL_CLASSES, condition)

    # --- the core

    def _refill(self) -> None:
        """Push the words that come next, while there is room."""
        while (room := QUEUE_WORDS - len(self.queue)) > 0:
            if len(self.words):
                some, self.words = self.words[:room], self.words[room:]
                self.queue.extend(self.machine.expand(self.number, some).tolist())
            elif self.items and isinstance(push := self.items[0], I.Push):
                self.words = np.array(push.words, np.uint32)
                self.items.popleft()
            else:
                return

    def _do(self, item: I.Item) -> bool:
        machine = self.machine
        if isinstance(item, I.Push):
            return False  # there is no room
        if isinstance(item, I.Poll):
            if not item.met(machine.read_semaphore(item.semaphore)):
                return False
        elif isinstance(item, I.Sync):
            if self.queue or self.latch is not None:
                return False
            machine._hazards.settle(self.number)
        elif isinstance(item, I.Store):
            machine.store(self.number, item.address, item.value)
        elif isinstance(item, I.MopCfg):
            machine.write_mop_cfg(self.number, item.index, item.value)
        elif isinstance(item, I.Post):
            machine.post_semaphore(item.semaphore, self.number)
        elif isinstance(item, I.Get):
            machine.get_semaphore(item.semaphore, self.number)
        self.items.popleft()
        return True

    # --- what stands still

    @property
    def idle(self) -> bool:
        """Whether nothing is left of it."""
        return not (self.queue or self.items or len(self.words)) and self.latch is None

    def waiting(self) -> Iterator[Waiting]:
        """What it stands still with: its first word, and its core's item."""
        if self.queue:
            word = self.queue[0]
            name = isa.named_word(word)
            if self.latch is not None and CLASSES[word >> 24] & self.latch.holds:
                yield Waiting(self.number, name, self._latch_text(self.latch))
            else:
                yield Waiting(self.number, name, awaited(self.machine, self.number, word))
        elif self.latch is not None:
            yield Waiting(self.number, "", self._latch_text(self.latch))
        if self.items and isinstance(poll := self.items[0], I.Poll):
            value = self.machine.read_semaphore(poll.semaphore)
            reason = f"{semaphore_name(poll.semaphore)} is {value}"
            yield Waiting(self.number, str(poll), reason)


def _merged(machine: Machine, thread: int, program: Program) -> Iterator[I.Item]:
    """The items, checked; pushes that follow one another are one."""
    words: list[int] = []
    for item in program:
        if item.__class__ is int:
            words.append(item)
        elif isinstance(item, I.Push):
            words += as_words(item.words)
        elif isinstance(item, I.Item):
            _check(machine, thread, item)
            if words:
                yield _push(words)
                words = []
            yield item
        else:
            words += as_words(item)
    if words:
        yield _push(words)


def _push(words: list[int]) -> I.Push:
    if min(words) < 0 or max(words) > LARGEST_WORD:
        as_words(words)  # refuses it
    return I.Push(tuple(words))


def _check(machine: Machine, thread: int, item: I.Item) -> None:
    """``ValueError`` for an item that the core cannot do."""
    if isinstance(item, I.Store):
        as_integer("value", item.value, 32)
        if place_of(machine, thread, item.address).kind == "push":
            raise ValueError(f"{item}: words are pushed by Push")
    elif isinstance(item, I.MopCfg):
        as_choice("MopCfg", item.index, len(machine.mop_cfg[0]))
        as_integer("value", item.value, 32)
    elif isinstance(item, I.Poll | I.Post | I.Get):
        as_choice("semaphore", item.semaphore, len(machine.semaphores))
        if isinstance(item, I.Poll):
            as_integer("value", item.value, 32)
            if item.relation not in I.RELATIONS:
                raise ValueError(f"{item}: choose from {', '.join(I.RELATIONS)}")


def _orders(order: Order) -> tuple[Iterator[tuple[int, ...]], bool]:
    """The threads of each pass, and whether the first that can go on is always the next."""
    everyone = tuple(range(THREADS))
    if isinstance(order, str) and order == "round":
        return itertools.repeat(everyone), False
    if isinstance(order, int) and not isinstance(order, bool):
        permutations = tuple(itertools.permutations(everyone))
        return iter(partial(random.Random(order).choice, permutations), None), False
    if not isinstance(order, str | int) and sorted(order) == list(everyone):
        return itertools.repeat(tuple(order)), True
    raise ValueError(f'no order {order!r}: choose from "round", three threads in order, a seed')


def run(machine: Machine, programs: Sequence[Program], order: Order, limit: int) -> Run:
    """See ``Machine.run``."""
    if len(programs) > THREADS:
        raise ValueError(f"{len(programs)} programs: there are {THREADS} threads")
    passes, by_priority = _orders(order)
    given = [*programs, *[()] * (THREADS - len(programs))]
    threads = [_Thread(machine, number, program) for number, program in enumerate(given)]
    plays = [thread.play().__next__ for thread in threads]
    steps = 0
    while steps < limit:
        before = steps
        for number in next(passes):
            if plays[number]():
                steps += 1
                if by_priority:
                    break
        if steps == before:
            break
    else:
        return Run("limit", (), steps)
    waiting = tuple(one for thread in threads for one in thread.waiting())
    idle = all(thread.idle for thread in threads)
    return Run("done" if idle else "deadlock", waiting, steps)
