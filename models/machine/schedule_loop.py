# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of schedules: units have queues, and who goes on next is anybody's choice.

A word that issues goes to its unit's queue, with what it samples then; it takes effect when the
unit goes on. What is sampled at issue and what later is as in the cycle contracts
(docs/missing-waits.md has the table). Expanders, latches, items and effects are those of ``loop``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.adc.untimed_state import SHAPE
from tilepath.models.control import values
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.control.state import wide
from tilepath.models.fields import get
from tilepath.models.machine import loop, step
from tilepath.models.machine import schedule_units as units
from tilepath.models.machine.hazards import GIVEN, GIVES_BACK, config_words
from tilepath.models.machine.race_follow import end_latch, follow
from tilepath.models.machine.schedule_units import Actor
from tilepath.models.machine.state import L1, Code, Does, Program, Told, unpackers
from tilepath.models.machine.waits import ASKS, NOTHING, UNIT_FULL, awaited, awaited_by_matrix
from tilepath.models.pack.untimed import move_counters
from tilepath.models.unpack.untimed_words import sample_word

_COUNTERS: Final = math.prod(SHAPE)  # all sets', targets' and channels'
_CFG_PIPE: Final = 1 << constants.STALL_COND_CFG_PIPE
_STORES: Final = 1 << constants.STALL_COND_TRISC_CFG
_MAY_BE_BUSY: Final = (
    loop.BANKS | _CFG_PIPE | _STORES | sum(1 << int(bit) for bit in units.CONDITIONS)
)


# --- cores


@part
def _is_quiet(queues: Record, own: Record, thread: int) -> bool:
    """Whether all that a core has given its thread is done."""
    busy = own.head < own.tail or own.latch != 0 or units.count(queues, Actor.S0 + thread) > 0
    for unit in range(len(units.CONDITIONS)):
        busy |= queues.under_way[unit, thread] > 0
    return not (busy or (queues.late.count > 0 and queues.late.thread == thread))


@part
def _core(its: Record, l1: L1, queues: Record, program: Program, thread: int) -> int:
    """A core pushes words while there is room, or does its next item."""
    own = program.runs[0].players[thread]
    at, word, tail = own.at, own.word, own.tail
    code = loop.refill(its, own, program, thread)
    if code != Code.STILL:
        return code
    if own.at != at or own.word != word or own.tail != tail:
        return Code.MOVED
    if own.at == own.end or own.word < own.last:
        return Code.STILL
    item = program.items[own.at]
    does = item[0]
    if does == Does.SYNC and not _is_quiet(queues, own, thread):
        return Code.STILL
    if does == Does.CONFIG or does == Does.THREAD_CONFIG:
        if queues.letter:
            return _send(queues, own, item, thread)
        units.configure(its, queues.late)
    elif does == Does.L1:
        units.keep(queues, step.memory_of(its, l1).l1, item[2] >> 4)
    return loop.do_item(its, l1, own, item, thread)


@part
def _send(queues: Record, own: Record, item: npt.NDArray[np.int64], thread: int) -> int:
    """A store is under way, and the core goes on."""
    ring = queues.rings[Actor.S0 + thread]
    if ring.tail - ring.head == units.STORES_ROOM:
        return Code.STILL
    for n in range(4):
        queues.stores[thread, ring.tail % units.STORES_ROOM, n] = item[n]
    ring.tail += 1
    own.at += 1
    return Code.MOVED


# --- wait gates


@part
def _is_latch_over(its: Record, queues: Record, own: Record, thread: int) -> bool:
    if own.latch != Kind.STALLWAIT:
        return loop.is_met(its, own, thread)
    busy: int = loop.banks_busy(its)
    for unit in range(len(units.CONDITIONS)):
        if queues.under_way[unit, thread] > 0:
            busy |= 1 << wide(units.CONDITIONS[unit])
    if queues.late.count > 0:
        busy |= _CFG_PIPE
    if units.count(queues, Actor.S0 + thread) > 0:
        busy |= _STORES
    own.seen = busy
    return bool(own.what & busy == 0)


@part
def _matrix_takes(queues: Record) -> bool:
    """Whether there is room for a word, and none under way that may give a bank back."""
    ring = queues.rings[Actor.M]
    for number in range(ring.head, ring.tail):
        word = queues.matrix[number % units.MATRIX_ROOM].word
        if not queues.letter or (GIVES_BACK[word >> 24] and get(word, GIVEN)):
            return False
    return bool(ring.tail - ring.head < units.MATRIX_ROOM)


@part
def _awaits(its: Record, l1: L1, queues: Record, thread: int, word: int) -> int:
    """What a word that no latch holds waits for at the gate."""
    unit = step.UNITS[word >> 24]
    is_full = False
    if unit == Told.UNPACK:
        is_full = units.count(queues, (word >> 23) & 1) == units.UNPACKING_ROOM
    elif unit == Told.PACK:
        is_full = units.count(queues, Actor.P) == units.PACKING_ROOM
    elif unit == Told.MATRIX:
        found = awaited_by_matrix(its, word)
        if found != NOTHING:
            return found
        is_full = not _matrix_takes(queues)
    elif ASKS[word >> 24]:
        return awaited(its, l1, thread, word)
    return UNIT_FULL if is_full else NOTHING


@part
def _gate(its: Record, l1: L1, queues: Record, program: Program, thread: int) -> int:
    """The next word of a thread issues, if nothing holds it."""
    own = program.runs[0].players[thread]
    if own.head == own.tail:
        return Code.STILL
    word = wide(program.queue[thread, own.head])
    if own.latch != 0 and INSTRUCTIONS[word >> 24].block_class & own.holds:
        return Code.STILL
    own.awaits = _awaits(its, l1, queues, thread, word)
    if own.awaits != NOTHING:
        return Code.STILL
    own.head += 1
    late = queues.late
    if queues.issued[thread] > late.marks[thread]:  # the second one behind it
        units.configure(its, late)
    queues.issued[thread] += 1
    kind, unit = INSTRUCTIONS[word >> 24].kind, step.UNITS[word >> 24]
    if Kind.STALLWAIT <= kind <= Kind.STREAMWAIT:
        loop.set_latch(its, own, thread, kind, word, _MAY_BE_BUSY)
    elif unit == Told.UNPACK or unit == Told.PACK or unit == Told.MATRIX:
        step.look(its, thread, word)
        _queue(its, l1, queues, thread, unit, word)
    elif Kind.WRCFG <= kind <= Kind.STREAMWRCFG or (
        kind == Kind.REG2FLOP and values.flop_writes_config(word)
    ):
        _issue_config(its, l1, queues, thread, kind, word)
    else:
        step.execute(its, l1, thread, word)
    return Code.MOVED


@part
def _queue(its: Record, l1: L1, queues: Record, thread: int, unit: int, word: int) -> None:
    """A unit takes a word, with what it samples at once."""
    if unit == Told.MATRIX:
        of_matrix = queues.matrix[units.come(queues, Actor.M, thread) % units.MATRIX_ROOM]
        of_matrix.word, of_matrix.thread = word, thread
    elif unit == Told.PACK:
        of_pack = queues.packing[units.come(queues, Actor.P, thread) % units.PACKING_ROOM]
        of_pack.word, of_pack.thread = word, thread
        units.sample_config(its, of_pack)
        now, then = its.counters[0].live.reshape(_COUNTERS), of_pack.live.reshape(_COUNTERS)
        for n in range(_COUNTERS):
            then[n] = now[n]
        move_counters(step.packers(its), thread, word)
    else:
        number, result = (word >> 23) & 1, its.unpack[0].result
        one = queues.unpacking[number, units.come(queues, number, thread) % units.UNPACKING_ROOM]
        sample_word(unpackers(its, l1), one.plan, thread, word)
        one.read_faults, one.write_faults = result.read_faults, result.write_faults
        one.read_at = units.NOT_YET


@part
def _issue_config(its: Record, l1: L1, queues: Record, thread: int, kind: int, word: int) -> None:
    """A word that writes Config; what three kinds of them write units see later."""
    late, config = queues.late, its.control[0].config
    units.configure(its, late)
    first, count = config_words(kind, word)
    if count == 0 or kind == Kind.RMWCIB or kind == Kind.RDCFG or kind == Kind.REG2FLOP:
        step.execute(its, l1, thread, word)
        return
    for bank in range(2):
        for n in range(count):
            late.written[bank, n] = config[bank, first + n]
    step.execute(its, l1, thread, word)
    late.first, late.count, late.thread = first, count, thread
    for bank in range(2):
        for n in range(count):
            before = late.written[bank, n]
            late.written[bank, n] = config[bank, first + n]
            config[bank, first + n] = before
    for other in range(THREADS):
        late.marks[other] = queues.issued[other]


# --- whose turn it is


@part
def _act(its: Record, l1: L1, queues: Record, program: Program, actor: int) -> int:
    if actor >= Actor.G0:
        return _gate(its, l1, queues, program, actor - Actor.G0)
    if actor >= Actor.K0:
        return _core(its, l1, queues, program, actor - Actor.K0)
    if actor >= Actor.R0:
        return units.read_l1(queues, actor - Actor.R0)
    if actor == Actor.C:
        return units.configure(its, queues.late)
    if actor >= Actor.S0:
        core = actor - Actor.S0
        return units.store(its, l1, queues, program.runs[0].players[core], core)
    if actor == Actor.M:
        return units.calculate(its, queues)
    if actor == Actor.P:
        return units.pack(its, l1, queues)
    return units.unpack(its, l1, queues, actor)


@part
def _first(its: Record, l1: L1, queues: Record, program: Program) -> int:
    """The first actor of the order at hand that can go on does."""
    code: int = Code.STILL
    for place in range(units.ACTORS):
        queues.actor = wide(queues.orders[queues.row, place])
        code = _act(its, l1, queues, program, queues.actor)
        if code != Code.STILL:
            break
    return code


@compiled
def play_schedule(
    states: Records, l1: L1, many: Records, followed: Records, cells: Records, program: Program
) -> int:
    """Go on in the orders that are given, until nothing moves or Python has to do something."""
    its, queues, tracks, run = states[0], many[0], followed[0], program.runs[0]
    while True:
        if run.steps >= run.limit:
            return Code.LIMIT
        if loop.is_full(its):
            return Code.FULL
        if queues.left == 0:
            if queues.rows > 1:
                queues.row += 1
                if queues.row >= queues.rows:
                    return Code.PASSES
            queues.left = queues.spans[queues.row]
        code = _first(its, l1, queues, program)
        if code != Code.MOVED:
            return code
        run.steps += 1
        queues.left -= 1
        if len(cells):
            follow(its, l1, queues, program, tracks, cells)
        for thread in range(THREADS):
            own = run.players[thread]
            if own.latch != 0 and _is_latch_over(its, queues, own, thread):
                if len(cells):
                    end_latch(its, own, tracks, cells, thread)
                own.latch = 0
