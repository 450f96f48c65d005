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
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

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
from tilepath.models.machine.addresses import checked
from tilepath.models.machine.cores import STATE_RESET, semaphore_word
from tilepath.models.machine.records import Words, as_choice, as_integer, as_words, quick_words
from tilepath.models.machine.schedule import EARLIEST, Player, Schedule, as_schedule
from tilepath.models.machine.state import IDLE, PASSES, PLAYER, RUN, Code, Does, Mode, Program
from tilepath.models.machine.waits import reason

if TYPE_CHECKING:
    from tilepath.models.machine.machine import Machine

_DRAWN: Final = 256  # passes at once, of a seed
DEFAULT_LIMIT: Final = 1_000_000_000
_LARGEST_LIMIT: Final = 1 << 62
_FIRST_ROOM: Final = 1024  # words of a queue
Order = str | Sequence[int] | int | Schedule
Items = Iterable[I.Item | int]
_ItemsOfRows = Sequence[I.Item | None]

_made: Any = namedtuple  # its names are not known to types
_Ended: Final = _made("_Ended", PLAYER.names)
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


class _Given(NamedTuple):
    """A core's items, checked, as the loop takes them; pushes behind one another are one row.

    ``items``: of each row, of pushed words ``None``.
    """

    items: list[I.Item | None]
    rows: npt.NDArray[np.int64]
    words: Words


def _given(machine: Machine, thread: int, program: Items) -> _Given:
    if not isinstance(program, I.CoreProgram):
        return _checked(machine, thread, program)
    found: _Given | None = program.made.get((machine.profile, thread))
    if found is None:
        found = program.made[machine.profile, thread] = _checked(machine, thread, program)
    return found


def _checked(machine: Machine, thread: int, program: Items) -> _Given:
    items: list[I.Item | None] = []
    rows: list[tuple[int, int, int, int]] = []
    pushed: list[int] = []
    begun = 0  # words that rows push

    def push(end: int) -> None:
        nonlocal begun
        if end > begun:
            items.append(None)
            rows.append((Does.PUSH, begun, end, 0))
            begun = end

    words = quick_words(program)
    for item in program if words is None else ():
        if item.__class__ is int:
            pushed.append(item)
        elif isinstance(item, I.Push):
            pushed += item.words if isinstance(item.words, tuple) else as_words(item.words).tolist()
        elif isinstance(item, I.Item):
            push(len(pushed))
            rows.append(_row(machine, thread, item))
            items.append(item)
        else:
            pushed += as_words(item).tolist()
    words = as_words(pushed) if words is None else words
    push(words.size)
    return _Given(items, np.array(rows, np.int64).reshape(-1, 4), words)


def _row(machine: Machine, thread: int, item: I.Item) -> tuple[int, int, int, int]:
    """An item as the loop takes it; ``ValueError`` if the core cannot do it."""
    if isinstance(item, I.Store):
        value = as_integer("value", item.value, 32)
        _, (kind, of, number) = checked(machine, thread, item.address)
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
    if not isinstance(order, str | int | Schedule) and sorted(order) == list(everyone):
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
    given = [_given(machine, thread, program) for thread, program in enumerate(programs)]
    runs = np.zeros(1, RUN)
    runs["limit"], runs["by_priority"] = math.ceil(min(limit, _LARGEST_LIMIT)), by_priority
    ends = [*itertools.accumulate((len(one.rows) for one in given), initial=0)]
    firsts = itertools.accumulate((one.words.size for one in given), initial=0)
    players = runs["players"][0, : len(given)]
    players["at"], players["end"], players["first"] = ends[:-1], ends[1:], [*firsts][:-1]
    program = Program(
        runs,
        np.zeros((THREADS, _FIRST_ROOM), np.uint32),
        np.concatenate([IDLE.items, *(one.rows for one in given)]),
        np.concatenate([IDLE.words, *(one.words for one in given)]),
    )
    items = [item for one in given for item in one.items]
    return _played(machine, items, program, passes, scheduled)


def _played(
    machine: Machine,
    items: _ItemsOfRows,
    program: Program,
    passes: Callable[[], bytes],
    scheduled: Player | None,
) -> Run:
    runs = program.runs
    # for each word of a run with a hook: reading fields of a record is slow
    hooked, resumes, turn, steps = (runs[name] for name in ("hooked", "resumes", "thread", "steps"))
    players = runs["players"][0]
    heads = players["head"]
    code: int = Code.PASSES
    while True:
        if code == Code.PASSES and scheduled is not None:
            scheduled.draw()
        elif code == Code.PASSES:
            drawn = np.frombuffer(passes(), np.uint8).reshape(-1, THREADS)
            rows = len(drawn) if len(drawn) > 1 else PASSES
            runs["row"], runs["rows"], runs["passes"][0, :rows] = 0, rows, drawn
        hooked[0] = machine.on_issue is not None
        code = machine._go_on(program, Mode.RUN, by=scheduled)
        if code == Code.QUEUE:
            program = program._replace(queue=np.concatenate([program.queue] * 2, axis=1))
        elif code == Code.HOOK:
            thread = turn.item()
            machine.on_issue(thread, program.queue.item(thread, heads.item(thread)))
            resumes[0] = 1
        elif code == Code.STORE:
            item: Any = items[players["at"].item(turn.item())]
            machine.store(turn.item(), item.address, item.value)
        elif code == Code.LIMIT:
            return Run("limit", (), steps.item())
        elif code == Code.STILL:
            break
    ended = [*map(_Ended._make, players.tolist())]
    stuck = [] if scheduled is None else [*scheduled.waiting()]
    if not stuck and all(
        one.head == one.tail and not one.latch and one.at == one.end and one.word == one.last
        for one in ended
    ):
        return Run("done", (), steps.item())
    waiting: list[Waiting] = []
    for thread, player in enumerate(ended):
        waiting += _waiting(machine, items, program, thread, player)
        waiting += [
            Waiting(thread, isa.named_word(word), why) for of, word, why in stuck if of == thread
        ]
    return Run("deadlock", tuple(waiting), steps.item())


def _waiting(
    machine: Machine, items: _ItemsOfRows, program: Program, thread: int, player: Any
) -> Iterator[Waiting]:
    """What a thread stands still with: its first word, and its core's item."""
    if player.head < player.tail:
        word = int(program.queue[thread, player.head])
        held = player.latch and INSTRUCTIONS[word >> 24].block_class & player.holds
        text = _latch_text(machine, player, thread) if held else reason(word, player.awaits)
        yield Waiting(thread, isa.named_word(word), text)
    elif player.latch:
        yield Waiting(thread, "", _latch_text(machine, player, thread))
    poll = items[player.at] if player.at < player.end else None
    if isinstance(poll, I.Poll):
        value = machine.read_semaphore(poll.semaphore)
        yield Waiting(thread, str(poll), f"{semaphore_name(poll.semaphore)} is {value}")


def _latch_text(machine: Machine, player: Any, thread: int) -> str:
    word, seen = player.latched, player.seen
    if player.latch == Kind.STALLWAIT:
        condition = stallwait_text(player.what, seen)
    elif player.latch == Kind.SEMWAIT:
        mask, cond = get(word, F.SEMWAIT_SEM_MASK), get(word, F.SEMWAIT_COND)
        condition = semwait_text(machine.semaphores, mask, cond)
    else:
        stream = stream_of(machine._control.record, thread, get(word, F.STREAMWAIT_STREAM_SEL))
        cond = get(word, F.STREAMWAIT_COND_IDX)
        condition = streamwait_text(int(stream), cond, seen, player.target)
    return latch_text(Kind(player.latch).name, player.holds & ALL_CLASSES, condition)
