# SPDX-License-Identifier: Apache-2.0
"""Units with queues, for ``schedule_loop``: each goes on with its first word, when it is chosen."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.machine import schedule_state as S
from tilepath.models.machine.loop import do_item
from tilepath.models.machine.schedule_state import Actor
from tilepath.models.machine.state import L1, Code
from tilepath.models.machine.step import calculate_matrix, memory_of, tell_pack, tell_unpack
from tilepath.models.pack.instruction_walk import L1Lines
from tilepath.models.pack.untimed import gather, scatter
from tilepath.models.unpack.plan import Kind
from tilepath.models.unpack.untimed import execute_plan, is_early


@part
def count(queues: Record, actor: int) -> int:
    """Words in an actor's queue."""
    ring = queues.rings[actor]
    return ring.tail - ring.head  # type: ignore[no-any-return]


@part
def come(queues: Record, actor: int, thread: int) -> int:
    """A word of a unit issues; returns its number."""
    ring = queues.rings[actor]
    ring.tail += 1
    queues.under_way[actor, thread] += 1
    return ring.tail - 1  # type: ignore[no-any-return]


@part
def _leave(queues: Record, actor: int, thread: int) -> None:
    """The first word of a unit has taken effect."""
    queues.rings[actor].head += 1
    queues.under_way[actor, thread] -= 1


# --- L1 as it was when an unpacker read it


@part
def keep(queues: Record, l1: L1Lines, line: int) -> None:
    """A line of L1 is about to be written."""
    if queues.marked == 0 or line >= l1.shape[0]:
        return
    if queues.kept == S.LINES_ROOM:  # they read later, which they may as well
        for unit in range(2):
            for number in range(queues.rings[unit].head, queues.rings[unit].tail):
                queues.unpacking[unit, number % S.UNPACKING_ROOM].read_at = S.NOT_YET
        queues.kept = queues.marked = 0
        return
    queues.kept_lines[queues.kept] = line
    for n in range(4):
        queues.kept_words[queues.kept, n] = l1[line, n]
    queues.kept += 1


@part
def _swap(queues: Record, l1: L1Lines, number: int) -> None:
    line = queues.kept_lines[number]
    for n in range(4):
        now = l1[line, n]
        l1[line, n] = queues.kept_words[number, n]
        queues.kept_words[number, n] = now


# --- whose turn it may be


@part
def unpack(its: Record, l1: L1, queues: Record, unit: int) -> int:
    """An unpacker goes on with its first word, if the bank is there."""
    ring = queues.rings[unit]
    if ring.head == ring.tail:
        return Code.STILL
    state, one = its.unpack[0], queues.unpacking[unit, ring.head % S.UNPACKING_ROOM]
    plan = one.plan
    if is_early(state, plan, l1):
        return Code.STILL
    state.result.read_faults, state.result.write_faults = one.read_faults, one.write_faults
    lines, first = memory_of(its, l1).l1, queues.kept
    if one.read_at != S.NOT_YET:
        first = one.read_at
        queues.marked -= 1
    for number in range(queues.kept - 1, first - 1, -1):
        _swap(queues, lines, number)
    told = execute_plan(state, plan, l1)
    for number in range(first, queues.kept):
        _swap(queues, lines, number)
    if queues.marked == 0:
        queues.kept = 0
    its.work += plan.source.count
    if told:
        tell_unpack(its, plan, plan.thread, plan.word)
    _leave(queues, unit, plan.thread)
    return Code.MOVED


@part
def read_l1(queues: Record, unit: int) -> int:
    """An unpacker reads the L1 of its next word, before or while it waits for a bank."""
    ring, of = queues.rings[Actor.R0 + unit], queues.rings[unit]
    ring.head = max(ring.head, of.head)
    while ring.head < of.tail:
        one = queues.unpacking[unit, ring.head % S.UNPACKING_ROOM]
        ring.head += 1
        if one.plan.kind == Kind.REGULAR:
            one.read_at = queues.kept
            queues.marked += 1
            return Code.MOVED
    return Code.STILL


@part
def pack(its: Record, l1: L1, queues: Record) -> int:
    """The packers go on with their first word."""
    ring = queues.rings[Actor.P]
    if ring.head == ring.tail:
        return Code.STILL
    one, memory = queues.packing[ring.head % S.PACKING_ROOM], memory_of(its, l1)
    thread, word, walk = one.thread, one.word, its.walk[0]
    if queues.letter:
        sample_config(its, one)
    gather(its.pack[0], walk, one.config, one.thread_config, one.live, memory, thread, word)
    for number in range(walk.line_count):
        keep(queues, memory.l1, walk.lines[number].line)
    tell_pack(its, scatter(its.pack[0], walk, memory), thread, word)
    _leave(queues, Actor.P, thread)
    return Code.MOVED


@part
def sample_config(its: Record, one: Record) -> None:
    """A word of the packers samples the configuration."""
    state = its.control[0]
    for index in range(constants.CFG_WORDS):
        one.config[0, index] = state.config[0, index]
        one.config[1, index] = state.config[1, index]
    for index in range(constants.THD_WORDS):
        for thread in range(THREADS):
            one.thread_config[thread, index] = state.thread_config[thread, index]


@part
def calculate(its: Record, queues: Record) -> int:
    """The Matrix Unit goes on with its first word."""
    ring = queues.rings[Actor.M]
    if ring.head == ring.tail:
        return Code.STILL
    one = queues.matrix[ring.head % S.MATRIX_ROOM]
    calculate_matrix(its, one.thread, one.word)
    _leave(queues, Actor.M, one.thread)
    return Code.MOVED


@part
def configure(its: Record, late: Record) -> int:
    """Units see the write that is in the config pipeline."""
    if late.count == 0:
        return Code.STILL
    for bank in range(2):
        for n in range(late.count):
            its.control[0].config[bank, late.first + n] = late.written[bank, n]
    late.count = 0
    return Code.MOVED


@part
def store(its: Record, l1: L1, queues: Record, own: Record, core: int) -> int:
    """A core's store arrives."""
    ring = queues.rings[Actor.S0 + core]
    if ring.head == ring.tail:
        return Code.STILL
    configure(its, queues.late)
    do_item(its, l1, own, queues.stores[core, ring.head % S.STORES_ROOM], core)
    own.at -= 1  # the core has gone on before
    ring.head += 1
    return Code.MOVED
