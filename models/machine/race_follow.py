# SPDX-License-Identifier: Apache-2.0
"""Behind each step of a schedule: what its actor knows now, and what it has touched.

What orders: a word's issue and its effect, words of a thread in a unit, waits and what ends them,
semaphores, mutexes, banks, ``sync``. ``schedule_loop`` calls ``follow`` and ``end_latch``.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as C
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values, values
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.control.state import GPRS, state_id, wide
from tilepath.models.fields import get
from tilepath.models.machine import race_clocks as S
from tilepath.models.machine import race_places as places
from tilepath.models.machine.hazards import GIVEN, GIVES_BACK, config_words, is_of_config, is_scalar
from tilepath.models.machine.race_clocks import (
    ALL_BITS,
    Clock,
    begin,
    change,
    copy,
    end_late,
    happen,
    join,
    learn,
    learn_late,
    occur,
    store,
    touch,
    touch_by,
    wait_for,
)
from tilepath.models.machine.schedule_units import CONDITIONS, MATRIX_ROOM, PACKING_ROOM, Actor
from tilepath.models.machine.state import BANK, L1, Does, Program, Told
from tilepath.models.machine.step import UNITS
from tilepath.models.machine.waits import SRC_WAITS
from tilepath.models.unpack.plan import Kind as Unpacks
from tilepath.models.unpack.plan import is_zerosrc

_ITEM: Final = 4  # in an ident: it is no word
_MATRIX: Final = int(Actor.M)


@part
def _bank(file: int, bank: int) -> int:
    return S.BANKS + 2 * file + bank


# --- units


@part
def _begin_unit(queues: Record, tracks: Record, unit: int, thread: int) -> int:
    """A unit has done its first word, whose issue it is behind; returns who it is."""
    actor, slot = 3 * unit + thread, (queues.rings[unit].head - 1) % S.SLOTS
    clock = tracks.clocks[actor]
    join(clock, tracks.given[unit, slot])
    for other in range(THREADS):  # in front of it in the queue
        if other != thread:
            learn(tracks, S.DONE + 3 * unit + other, 0, clock)
    begin(tracks, actor, tracks.given_idents[unit, slot])
    return actor


@part
def _end_unit(queues: Record, tracks: Record, actor: int, gives_back: bool) -> None:
    unit, thread = actor // 3, actor % 3
    slot, gate = (queues.rings[unit].head - 1) % S.SLOTS, S.GATES + thread
    for kind in range(2 if gives_back else 1):
        happen(tracks, S.DONE + actor, kind, actor, gate, tracks.given[unit, slot, gate])


@compiled
def _unpack(its: Record, l1: L1, queues: Record, tracks: Record, cells: Records, unit: int) -> None:
    state, ring = its.unpack[0], queues.rings[unit]
    plan = queues.unpacking[unit, (ring.head - 1) % S.SLOTS].plan
    actor, reader = _begin_unit(queues, tracks, unit, plan.thread), S.READS + 3 * unit + plan.thread
    clock = tracks.clocks[actor]
    awaited = -1
    if plan.kind == Unpacks.REGULAR:
        join(tracks.clocks[reader], tracks.given[unit, (ring.head - 1) % S.SLOTS])
        begin(tracks, reader, tracks.idents[actor])
        places.read_lines(its, l1, plan, tracks, cells, reader)
        join(clock, tracks.clocks[reader])
        awaited = plan.bank if state.result.writes else -1
    elif is_zerosrc(plan):
        awaited = plan.bank if plan.wait_unpacr else wide(state.matrix_bank[unit])
    if awaited >= 0:
        wait_for(tracks, _bank(unit, awaited), 1, 0, clock)
    places.fill_rows(its, plan, tracks, cells, actor)
    if plan.flips:
        touch(tracks, cells, S.OWNER + 2 * unit + plan.bank, actor, True)
        occur(tracks, _bank(unit, plan.bank), 0, actor)
    _end_unit(queues, tracks, actor, False)


@compiled
def _calculate(its: Record, queues: Record, tracks: Record, cells: Records) -> None:
    ring, plan, state = queues.rings[Actor.M], its.matrix[0].plan, its.control[0]
    one = queues.matrix[(ring.head - 1) % MATRIX_ROOM]
    thread, word = one.thread, one.word
    actor = _begin_unit(queues, tracks, Actor.M, thread)
    places.read_config(tracks, cells, thread, state_id(state, thread), word, 0, actor)
    places.calculate(plan, tracks, cells, actor)
    for file in range(2):
        if (plan.releases >> file) & 1:
            touch(tracks, cells, S.OWNER + 2 * file + plan.banks[file], actor, True)
            occur(tracks, _bank(file, plan.banks[file]), 1, actor)
        if (plan.flips >> file) & 1:
            touch(tracks, cells, S.POINTER + file, actor, True)
    gives_back = queues.letter == 0 or (GIVES_BACK[word >> 24] and get(word, GIVEN) != 0)
    _end_unit(queues, tracks, actor, gives_back)


# --- cores


@part
def _push(queues: Record, tracks: Record, own: Record, core: int) -> None:
    """Words that a core has pushed since it did something else know what it knows."""
    pushed = queues.issued[core] + own.tail - own.head
    if pushed > tracks.pushed[core] and tracks.changed[core]:
        slot = tracks.mark_tail[core] % S.MARKS
        tracks.marks[core, slot] = tracks.pushed[core]
        tracks.mark_sent[core, slot] = tracks.sent[core]
        join(tracks.mark_clocks[core, slot], tracks.clocks[S.CORES + core])
        tracks.mark_tail[core] += 1
        tracks.changed[core] = 0
    tracks.pushed[core] = pushed


@compiled
def _core(
    its: Record, queues: Record, program: Program, tracks: Record, cells: Records, core: int
) -> None:
    own = program.runs[0].players[core]
    done, number = own.at != tracks.at[core], own.at - 1
    tracks.at[core] = own.at
    if not done or program.items[number, 0] == Does.PUSH:
        _push(queues, tracks, own, core)
        return
    item, actor = program.items[number], S.CORES + core
    does, of, index, value = item[0], item[1], item[2], item[3]
    clock = tracks.clocks[actor]
    begin(tracks, actor, 8 * number + _ITEM + core)
    tracks.changed[core] = 1
    if does == Does.POLL:
        touch(tracks, cells, S.SEMAPHORE + of, actor, False)
        if index != 1:
            wait_for(tracks, of, 0, value, clock)
        if index != 0:
            wait_for(tracks, of, 1, value - (1 if index == 1 else 0), clock)
    elif does == Does.SYNC:
        for unit in range(4):
            join(clock, tracks.clocks[3 * unit + core])
        join(clock, tracks.clocks[S.GATES + core])
        join(clock, tracks.pending[core])
        join(clock, tracks.clocks[S.STORES + core])
        learn_late(tracks, clock, clock)
    elif does == Does.CHANGE:
        change(its, tracks, cells, actor, INSTRUCTIONS[of >> 24].kind, of)
    elif does == Does.L1:
        touch(tracks, cells, S.L1_LINE + (index >> 4), actor, True)
    elif does == Does.GPR:
        touch(tracks, cells, S.GPR + GPRS * of + index, actor, True)
    elif does == Does.STREAM:
        join(tracks.streams, clock)
    elif does == Does.CONFIG or does == Does.THREAD_CONFIG:
        if queues.letter:
            slot = tracks.sent[core] % S.SLOTS
            join(tracks.sent_clocks[core, slot], clock)
            tracks.sent_idents[core, slot] = tracks.idents[actor]
            tracks.sent[core] += 1
        else:
            bank = 3 if does == Does.THREAD_CONFIG else of
            learn_late(tracks, clock, clock)
            store(its, tracks, cells, actor, of, bank, index)


@compiled
def _arrive(its: Record, queues: Record, tracks: Record, cells: Records, core: int) -> None:
    """A store of a core has arrived."""
    slot, actor = (queues.rings[Actor.S0 + core].head - 1) % S.SLOTS, S.STORES + core
    item, clock = queues.stores[core, slot], tracks.clocks[actor]
    join(clock, tracks.sent_clocks[core, slot])
    learn_late(tracks, clock, clock)
    begin(tracks, actor, tracks.sent_idents[core, slot])
    bank = 3 if item[0] == Does.THREAD_CONFIG else item[1]
    store(its, tracks, cells, actor, item[1], bank, item[2])


# --- gates


@part
def _know(tracks: Record, thread: int, number: int, block_class: int) -> None:
    """What is in front of a word: what its core did, the wait that held it, late writes."""
    clock = tracks.clocks[S.GATES + thread]
    while tracks.mark_head[thread] < tracks.mark_tail[thread]:
        slot = tracks.mark_head[thread] % S.MARKS
        if tracks.marks[thread, slot] > number:
            break
        join(clock, tracks.mark_clocks[thread, slot])
        tracks.gate_sent[thread] = tracks.mark_sent[thread, slot]
        tracks.mark_head[thread] += 1
    if tracks.holds[thread] & block_class:
        join(clock, tracks.pending[thread])
        tracks.holds[thread] = 0
    for other in range(THREADS):  # the second word behind it
        behind = tracks.late[other] + (1 if other == thread else 0)
        if tracks.late[other] > 0 and tracks.before[thread, other] >= behind:
            done = tracks.clocks[S.LATE + other, S.LATE + other]
            clock[S.LATE + other] = max(clock[S.LATE + other], done)


@part
def _pass_banks(its: Record, tracks: Record, clock: Clock, word: int) -> None:
    """The Matrix Unit takes a word: nothing gives banks back before it, its banks are there."""
    for other in range(THREADS):
        learn(tracks, S.DONE + 3 * Actor.M + other, 1, clock)
    for file in range(2):
        if (SRC_WAITS[word >> 24] >> file) & 1:
            bank = wide(its.unpack[0].matrix_bank[file])
            wait_for(tracks, _bank(file, bank), 0, 1, clock)


@part
def _configure(
    its: Record, queues: Record, tracks: Record, cells: Records, thread: int, kind: int, word: int
) -> None:
    """A word of the config unit, or REG2FLOP: registers and words of Config; some are late."""
    actor, late = S.GATES + thread, queues.late
    clock = tracks.clocks[actor]
    first, count = config_words(kind, word)
    bank = state_id(its.control[0], thread)
    learn_late(tracks, clock, clock)
    if kind == Kind.RDCFG:
        touch(tracks, cells, S.GPR + GPRS * thread + get(word, F.RDCFG_GPR), actor, True)
    gpr = values.wrcfg_gpr(word) if kind == Kind.WRCFG else values.flop_gpr(word)
    for n in range(count):
        if kind == Kind.WRCFG or kind == Kind.REG2FLOP:
            touch(tracks, cells, S.GPR + GPRS * thread + gpr + n, actor, False)
        shown = first + n + (BANK * bank if first < C.CFG_GLOBAL_BASE else 0)
        if kind == Kind.RDCFG:
            touch(tracks, cells, shown, actor, False)
        if kind == Kind.RMWCIB or kind == Kind.REG2FLOP:
            store(its, tracks, cells, actor, thread, bank, first + n)
    if late.count > 0 and late.first == first and kind != Kind.RDCFG and kind != Kind.RMWCIB:
        end_late(tracks, cells)
        join(tracks.clocks[S.LATE + thread], clock)
        begin(tracks, S.LATE + thread, tracks.idents[actor])
        tracks.late[thread] = clock[actor]
        tracks.late_thread, tracks.late_first, tracks.late_count = thread, first, count
        for n in range(count):
            for at in range(2):
                tracks.late_words[at, n] = late.written[at, n]


@part
def _to_unit(
    its: Record, queues: Record, tracks: Record, cells: Records, thread: int, unit: int, word: int
) -> None:
    """A unit has taken a word, with what that samples."""
    actor = S.GATES + thread
    number, context = _MATRIX, 0
    if unit == Told.UNPACK:
        number = (word >> 23) & 1
        last = queues.rings[number].tail - 1
        context = queues.unpacking[number, last % S.SLOTS].plan.ctx
    elif unit == Told.PACK:
        number = Actor.P
    if unit == Told.UNPACK or (unit == Told.PACK and queues.letter == 0):
        bank = state_id(its.control[0], thread)
        places.read_config(tracks, cells, thread, bank, word, context & 7, actor)
    slot = (queues.rings[number].tail - 1) % S.SLOTS
    copy(tracks.given[number, slot], tracks.clocks[actor])
    tracks.given_idents[number, slot] = tracks.idents[actor]


@compiled
def _issue(
    its: Record, queues: Record, program: Program, tracks: Record, cells: Records, thread: int
) -> None:
    own, number, actor = (
        program.runs[0].players[thread],
        queues.issued[thread] - 1,
        S.GATES + thread,
    )
    word = wide(program.queue[thread, own.head - 1])
    instruction, unit, clock = INSTRUCTIONS[word >> 24], UNITS[word >> 24], tracks.clocks[actor]
    kind = instruction.kind
    _know(tracks, thread, number, instruction.block_class)
    if unit == Told.MATRIX:
        _pass_banks(its, tracks, clock, word)
    mutex = sync_values.mutex_place(word) if Kind.ATGETM <= kind <= Kind.ATRELM else -1
    if mutex >= 0 and kind == Kind.ATGETM:
        join(clock, tracks.mutexes[mutex])
    begin(tracks, actor, 8 * number + thread)
    if Kind.STALLWAIT <= kind <= Kind.STREAMWAIT:
        tracks.latch_sent[thread] = tracks.gate_sent[thread]
        tracks.latch_idents[thread] = tracks.idents[actor]
    elif unit == Told.UNPACK or unit == Told.PACK or unit == Told.MATRIX:
        _to_unit(its, queues, tracks, cells, thread, unit, word)
    elif Kind.SEMINIT <= kind <= Kind.SEMGET:
        change(its, tracks, cells, actor, kind, word)
    elif mutex >= 0 and kind == Kind.ATRELM:
        join(tracks.mutexes[mutex], clock)
    elif kind == Kind.SETC16:
        if get(word, F.SETC16_CFG_INDEX) < C.THD_WORDS:
            store(its, tracks, cells, actor, thread, 3, get(word, F.SETC16_CFG_INDEX))
    elif is_of_config(kind):
        _configure(its, queues, tracks, cells, thread, kind, word)
    elif is_scalar(kind) and values.result_gpr(kind, word) >= 0:
        place = S.GPR + GPRS * thread + values.result_gpr(kind, word)
        touch(tracks, cells, place, actor, True)
    for other in range(THREADS):
        tracks.before[thread, other] = clock[S.GATES + other]


@compiled
def end_latch(its: Record, own: Record, tracks: Record, cells: Records, thread: int) -> None:
    """A latch is over: what the words that it held know."""
    pending, actor = tracks.pending[thread], S.GATES + thread
    join(pending, tracks.clocks[actor])
    tracks.holds[thread] = own.holds
    ident, word, unpack = tracks.latch_idents[thread], own.latched, its.unpack[0]
    if own.latch == Kind.STALLWAIT:
        for unit in range(len(CONDITIONS)):
            if (own.what >> wide(CONDITIONS[unit])) & 1:
                join(pending, tracks.clocks[3 * unit + thread])
        if (own.what >> C.STALL_COND_CFG_PIPE) & 1:
            learn_late(tracks, pending, pending)
        if (own.what >> C.STALL_COND_TRISC_CFG) & 1:
            sent = tracks.latch_sent[thread]
            pending[S.STORES + thread] = max(pending[S.STORES + thread], sent)
        for file in range(2):
            if (own.what >> (C.STALL_COND_SRCA_UNPACK_BANK + file)) & 1:
                bank = wide(unpack.pointers[file].bank)
                wait_for(tracks, _bank(file, bank), 1, 0, pending)
            if (own.what >> (C.STALL_COND_SRCA_MATH_BANK + file)) & 1:
                place, bank = S.POINTER + file, wide(unpack.matrix_bank[file])
                touch_by(tracks, cells[place], place, actor, pending, ident, False, ALL_BITS)
                wait_for(tracks, _bank(file, bank), 0, 1, pending)
    elif own.latch == Kind.STREAMWAIT:
        join(pending, tracks.streams)
    else:
        cond = get(word, F.SEMWAIT_COND)
        for number in range(S.BANKS):
            if (get(word, F.SEMWAIT_SEM_MASK) >> number) & 1 == 0:
                continue
            if (cond >> C.SEM_COND_ZERO) & 1:
                wait_for(tracks, number, 0, 1, pending)
            if (cond >> C.SEM_COND_MAX) & 1:
                most = wide(its.control[0].semaphores[number].maximum) - 1
                wait_for(tracks, number, 1, most, pending)
                place = S.MAXIMUM + number
                touch_by(tracks, cells[place], place, actor, pending, ident, False, ALL_BITS)
            place = S.SEMAPHORE + number
            touch_by(tracks, cells[place], place, actor, pending, ident, False, ALL_BITS)


@compiled
def follow(
    its: Record, l1: L1, queues: Record, program: Program, tracks: Record, cells: Records
) -> None:
    """An actor has gone on."""
    actor = queues.actor
    if queues.late.count == 0 and tracks.late_count > 0:
        end_late(tracks, cells)
    if actor >= Actor.G0:
        _issue(its, queues, program, tracks, cells, actor - Actor.G0)
    elif actor >= Actor.K0:
        _core(its, queues, program, tracks, cells, actor - Actor.K0)
    elif Actor.S0 <= actor <= Actor.S2:
        _arrive(its, queues, tracks, cells, actor - Actor.S0)
    elif actor == Actor.M:
        _calculate(its, queues, tracks, cells)
    elif actor == Actor.P:
        one = queues.packing[(queues.rings[actor].head - 1) % PACKING_ROOM]
        packer = _begin_unit(queues, tracks, Actor.P, one.thread)
        if queues.letter:
            bank = state_id(its.control[0], one.thread)
            places.read_config(tracks, cells, one.thread, bank, one.word, 0, packer)
        places.pack(its.walk[0], tracks, cells, packer)
        _end_unit(queues, tracks, packer, False)
    elif actor <= Actor.U1:
        _unpack(its, l1, queues, tracks, cells, actor)
