# SPDX-License-Identifier: Apache-2.0
"""Three threads and their cores played against one another, without time: ``Machine.run``.

A thread has the items of its core, a queue of words that left its front end, and a latch, which a
wait sets and which holds words behind it by their class (C10, C12, C21). A *step* is one word
executed, one latch gone at the end of a queue, or one item of the core; words go into the queue
as there is room for them. ``loop`` does all that; here is what it is given, and what is said of
those that stand still.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tilepath import isa
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import ALL_CLASSES, INSTRUCTIONS, Kind
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
from tilepath.models.machine.cores import STATE_RESET, semaphore_word
from tilepath.models.machine.records import Words, as_choice, as_integer, as_words, quick_words
from tilepath.models.machine.schedule import EARLIEST, Player, Schedule, as_schedule
from tilepath.models.machine.state import PASSES, RUN, Code, Does, Mode, Program
from tilepath.models.machine.waits import reason

if TYPE_CHECKING:
    from tilepath.models.machine.machine import Machine

_DRAWN: Final = 256  # passes at once, of a seed
DEFAULT_LIMIT: Final = 1_000_000_000
_LARGEST_LIMIT: Final = 1 << 62
_FIRST_ROOM: Final = 1024  # words of a queue
Order = str | Sequence[int] | int | Schedule
Items = Iterable[I.Item | int]

_PLACES: Final = {
    "l1": Does.L1,
    "stream": Does.STREAM,
    "mop_cfg": Does.MOP_CFG,
    "gpr": Does.GPR,
    "config": Does.CONFIG,
    "thread_config": Does.THREAD_CONFIG,
}


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


class _Given:
    """The items of all cores, checked, as rows of the loop's; pushes behind one another are one."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.items: list[I.Item | None] = []  # of each row; of pushed words none
        self.rows: list[tuple[int, int, int, int]] = []
        self.words: list[Words] = []
        self.count = 0

    def add(self, thread: int, program: Items) -> None:
        """The items of a core."""
        words: list[int] = []  # since the last item
        quick = quick_words(program)
        for item in program if quick is None else ():
            if item.__class__ is int:
                words.append(item)
            elif isinstance(item, I.Push):
                words += as_words(item.words).tolist()
            elif isinstance(item, I.Item):
                row = _row(self.machine, thread, item)
                if words:
                    self._push(as_words(words))
                    words.clear()
                self.items.append(item)
                self.rows.append(row)
            else:
                words += as_words(item).tolist()
        self._push(as_words(words) if quick is None else quick)

    def _push(self, words: Words) -> None:
        if words.size:
            self.items.append(None)
            self.rows.append((Does.PUSH, self.count, self.count + words.size, 0))
            self.words.append(words)
            self.count += words.size


def _row(machine: Machine, thread: int, item: I.Item) -> tuple[int, int, int, int]:
    """An item as the loop takes it; ``ValueError`` if the core cannot do it."""
    if isinstance(item, I.Store):
        value = as_integer("value", item.value, 32)
        kind, of, number = place_of(machine, thread, item.address)
        if kind == "push":
            raise ValueError(f"{item}: words are pushed by Push")
        if kind == "semaphore":
            opcode = constants.OP_SEMGET if value & 1 else constants.OP_SEMPOST
            return Does.CHANGE, semaphore_word(opcode, number), 0, 0
        if kind == "config" and number == STATE_RESET:
            return Does.OTHER, 0, 0, 0
        return _PLACES[kind], of, number, value
    if isinstance(item, I.MopCfg):
        index = as_choice("MopCfg", item.index, len(machine.mop_cfg[0]))
        return Does.MOP_CFG, thread, index, as_integer("value", item.value, 32)
    if isinstance(item, I.Sync):
        return Does.SYNC, 0, 0, 0
    assert not isinstance(item, I.Push)
    semaphore = as_choice("semaphore", item.semaphore, len(machine.semaphores))
    if isinstance(item, I.Poll):
        value = as_integer("value", item.value, 32)
        if item.relation not in I.RELATIONS:
            raise ValueError(f"{item}: choose from {', '.join(I.RELATIONS)}")
        return Does.POLL, semaphore, tuple(I.RELATIONS).index(item.relation), value
    opcode = constants.OP_SEMPOST if isinstance(item, I.Post) else constants.OP_SEMGET
    return Does.CHANGE, semaphore_word(opcode, semaphore), 0, 0


def _orders(order: Order) -> tuple[Callable[[], bytes], bool]:
    """The threads of a pass or of several, and whether always the first that can goes on."""
    everyone = range(THREADS)
    if isinstance(order, str) and order == "round":
        return partial(bytes, everyone), False
    if isinstance(order, int) and not isinstance(order, bool):
        draw = random.Random(order).choice
        permutations = tuple(map(bytes, itertools.permutations(everyone)))
        return lambda: b"".join(draw(permutations) for _ in range(_DRAWN)), False
    if not isinstance(order, str | int) and sorted(order) == list(everyone):
        return partial(bytes, tuple(order)), True
    raise ValueError(f'no order {order!r}: choose from "round", three threads in order, a seed')


def run(machine: Machine, programs: Sequence[Items], order: Order, limit: int) -> Run:
    """See ``Machine.run``."""
    if len(programs) > THREADS:
        raise ValueError(f"{len(programs)} programs: there are {THREADS} threads")
    scheduled = None
    if isinstance(order, Schedule):
        order = as_schedule(order)
        if order.which != EARLIEST:
            if machine.on_issue is not None:
                raise ValueError(f"schedule {order}: words issue without on_issue")
            scheduled = Player(machine, order)
        order = "round"
    passes, by_priority = _orders(order)
    given = _Given(machine)
    runs: Any = np.zeros(1, RUN)
    the_run = runs[0]
    the_run.limit = math.ceil(min(limit, _LARGEST_LIMIT))
    the_run.by_priority = by_priority
    for thread in range(THREADS):
        player = the_run.players[thread]
        player.at = len(given.rows)
        if thread < len(programs):
            given.add(thread, programs[thread])
        player.end = len(given.rows)
    program = Program(
        runs,
        np.zeros((THREADS, _FIRST_ROOM), np.uint32),
        np.array(given.rows, np.int64).reshape(-1, 4),
        np.concatenate([np.zeros(0, np.uint32), *given.words]),
    )
    return _played(machine, given, program, passes, scheduled)


def _played(
    machine: Machine,
    given: _Given,
    program: Program,
    passes: Callable[[], bytes],
    scheduled: Player | None,
) -> Run:
    runs = program.runs
    the_run: Any = runs[0]
    # for each word of a run with a hook: reading fields of a record is slow
    hooked, resumes, turn = (runs[name] for name in ("hooked", "resumes", "thread"))
    heads = runs["players"]["head"]
    code: int = Code.PASSES
    while True:
        if code == Code.PASSES and scheduled is not None:
            scheduled.draw()
        elif code == Code.PASSES:
            drawn = np.frombuffer(passes(), np.uint8).reshape(-1, THREADS)
            the_run.row, the_run.rows = 0, len(drawn) if len(drawn) > 1 else PASSES
            the_run.passes[: the_run.rows] = drawn
        hooked[0] = machine.on_issue is not None
        code = machine._play(program, Mode.RUN, by=scheduled)
        if code == Code.QUEUE:
            program = program._replace(queue=np.concatenate([program.queue] * 2, axis=1))
        elif code == Code.HOOK:
            thread = turn.item()
            machine.on_issue(thread, program.queue.item(thread, heads.item(0, thread)))
            resumes[0] = 1
        elif code == Code.STORE:
            thread = int(the_run.thread)
            item: Any = given.items[the_run.players[thread].at]
            machine.store(thread, item.address, item.value)
        elif code == Code.LIMIT:
            return Run("limit", (), int(the_run.steps))
        elif code == Code.STILL:
            break
    waiting: list[Waiting] = []
    stuck = [] if scheduled is None else [*scheduled.waiting()]
    idle = not stuck
    for thread in range(THREADS):
        player = the_run.players[thread]
        queued = player.head < player.tail
        idle &= not (queued or player.latch) and player.at == player.end
        idle &= player.word == player.last
        waiting += _waiting(machine, given, program, thread)
        for of, word, why in stuck:
            if of == thread:
                waiting.append(Waiting(thread, isa.named_word(word), why))
    return Run("done" if idle else "deadlock", tuple(waiting), int(the_run.steps))


def _waiting(machine: Machine, given: _Given, program: Program, thread: int) -> Iterator[Waiting]:
    """What a thread stands still with: its first word, and its core's item."""
    player: Any = program.runs[0].players[thread]
    latch = int(player.latch)
    if player.head < player.tail:
        word = int(program.queue[thread, player.head])
        held = latch and INSTRUCTIONS[word >> 24].block_class & player.holds
        text = _latch_text(machine, player, thread) if held else reason(word, int(player.awaits))
        yield Waiting(thread, isa.named_word(word), text)
    elif latch:
        yield Waiting(thread, "", _latch_text(machine, player, thread))
    poll = given.items[player.at] if player.at < player.end else None
    if isinstance(poll, I.Poll):
        value = machine.read_semaphore(poll.semaphore)
        yield Waiting(thread, str(poll), f"{semaphore_name(poll.semaphore)} is {value}")


def _latch_text(machine: Machine, player: Any, thread: int) -> str:
    word, seen = int(player.latched), int(player.seen)
    if player.latch == Kind.STALLWAIT:
        condition = stallwait_text(int(player.what), seen)
    elif player.latch == Kind.SEMWAIT:
        mask, cond = get(word, F.SEMWAIT_SEM_MASK), get(word, F.SEMWAIT_COND)
        condition = semwait_text(machine.semaphores, mask, cond)
    else:
        stream = stream_of(machine._control.record, thread, get(word, F.STREAMWAIT_STREAM_SEL))
        cond = get(word, F.STREAMWAIT_COND_IDX)
        condition = streamwait_text(int(stream), cond, seen, int(player.target))
    return latch_text(Kind(int(player.latch)).name, int(player.holds) & ALL_CLASSES, condition)
