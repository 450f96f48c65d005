# SPDX-License-Identifier: Apache-2.0
"""What holds the words that are offered, in words: for the report of a run that stands still."""

from __future__ import annotations

from tilepath import isa
from tilepath.engine.compiled.compiled_io import Rows, look
from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants
from tilepath.models.control import cycle_gate, cycle_latch, values
from tilepath.models.control.cycle_latch import LatchKind
from tilepath.models.control.instructions import THREADS, Kind, Resource
from tilepath.models.control.state import MUTEXES, semaphore_table, stream_of
from tilepath.models.control.waiting_text import (
    latch_text,
    semwait_text,
    stallwait_text,
    streamwait_text,
)


@compiled
def _seen(blocks: Records, thread: int, cycle: int) -> tuple[int, int, int, int]:
    """What the thread's gate sees in ``cycle``.

    The rule of section 3 that holds its word, if one does; the conditions of STALLWAIT; and if a
    STREAMWAIT is latched, the stream that it means and the count that it compares.
    """
    block = blocks[0]
    gate = block.gates[thread]
    rule = cycle_gate.NOT_HELD
    if gate.offered.valid:
        rule = cycle_gate.holder(block, thread, cycle)
        if rule == cycle_gate.NOT_HELD and not cycle_gate.available(block, thread, cycle):
            rule = cycle_gate.RESOURCE_RULE
    conditions = cycle_latch.conditions(block, thread, cycle)
    stream = count = 0
    if gate.latch.kind == LatchKind.STREAMWAIT:
        what = gate.latch.what
        cond, select = cycle_latch.stream_cond(what), cycle_latch.stream_select(what)
        stream = stream_of(block.state, thread, select)
        count = values.stream_count(block.state, thread, cond, select)
    return rule, conditions, stream, count


def _streamwait(latch: Record, stream: int, count: int) -> str:
    cond = cycle_latch.stream_cond(int(latch.what))
    # A word that waits behind the latch came after its first cycle: the target is there.
    return streamwait_text(stream, cond, count, int(latch.target))


def _latch(blocks: Records, thread: int, conditions: int, stream: int, count: int) -> str:
    latch = blocks[0].gates[thread].latch
    what = int(latch.what)
    if latch.kind == LatchKind.STALLWAIT:
        condition = stallwait_text(what, conditions)
    elif latch.kind == LatchKind.SEMWAIT:
        table = semaphore_table(blocks[0].state)
        mask, cond = cycle_latch.sem_mask(what), cycle_latch.sem_cond(what)
        condition = semwait_text(table, mask, cond, blocks[0].sync_unit.lost)
    else:
        condition = _streamwait(latch, stream, count)
    return latch_text(LatchKind(int(latch.kind)).name, int(latch.mask), condition)


def _inside(unit: Record) -> str:
    return f"{isa.named_word(int(unit.word))}, issued in cycle {int(unit.issued_in)}"


def _config(unit: Record, kind: int, cycle: int) -> str:
    if kind == Kind.STREAMWRCFG:
        word = isa.named_word(int(unit.prepare.word))
        return f"config unit: {word} is in the prepare phase, stream_busy is 1"
    free = unit.wrcfg_from if kind == Kind.WRCFG else unit.others_from
    return f"config unit: what is in it must go first, free from cycle {max(int(free), cycle)}"


def _banks(taken: int) -> list[str]:
    """What a word for the Matrix Unit waits for, by the bits of ``busy``."""
    first = constants.STALL_COND_SRCA_MATH_BANK
    return [
        f"waits for the Matrix Unit's bank of Src{file}, which is the unpackers'"
        for bit, file in enumerate("AB", first)
        if taken >> bit & 1
    ]


def _resource(block: Record, thread: int, cycle: int) -> str:
    offered = block.gates[thread].offered
    resource = int(offered.resource)
    if resource < Resource.SCALAR:
        lacks = _banks(int(block.gates[thread].busy & offered.banks))
        if not int(block.unit_ready) >> resource & 1:
            lacks = [f"unit {Resource(resource).name} not ready", *lacks]
        return "; ".join(lacks)
    if resource == Resource.SCALAR:
        unit = block.scalar_unit
        return f"scalar unit busy: thread {int(unit.thread)} is inside {_inside(unit)}"
    if resource < Resource.CONFIG:
        place = resource - Resource.MUTEX
        return f"mutex {MUTEXES[place]} held by thread {int(block.state.mutex_owners[place])}"
    return _config(block.config_unit, int(offered.kind), cycle)


def _reason(blocks: Records, thread: int, cycle: int) -> str:
    """Why the thread's word is held in ``cycle``; empty if it is not."""
    rule, *seen = map(int, _seen(blocks, thread, cycle))
    if rule == cycle_gate.SCALAR_RULE:
        return f"inside {_inside(blocks[0].scalar_unit)}"
    if rule == cycle_gate.HOLD_RULE:
        return f"hold: an unpacker's instruction of thread {thread} is in its address phase"
    if rule == cycle_gate.LATCH_RULE:
        return _latch(blocks, thread, *seen)
    return _resource(blocks[0], thread, cycle) if rule == cycle_gate.RESOURCE_RULE else ""


def describe(blocks: Records, inputs: Rows, cycle: int) -> list[str]:
    """One line for each thread whose word, and each port of the cores whose access, is held.

    ``blocks``: the block at the start of ``cycle``; ``inputs``: what it has not used yet.
    """
    block = blocks[0]
    lines = []
    for thread in range(THREADS):
        reason = _reason(blocks, thread, cycle)
        if reason:
            word = isa.named_word(int(block.gates[thread].offered.word))
            lines.append(f"thread {thread}: {word}: {reason}")
    if block.risc.offered < cycle and cycle > block.risc.done_in:
        access = look(inputs.risc)
        what = "write" if access.write else "read"
        reason = "waits for its turn"
        if cycle < block.config_unit.others_from:
            reason = _config(block.config_unit, Kind.RISC, cycle)
        address = int(access.address)
        lines.append(f"risc: {what} of configuration address {address}: {reason}")
    if block.risc_sem.offered < cycle and cycle > block.risc_sem.done_in:
        access = look(inputs.risc_sem)
        what = "get" if access.get else "post"
        number = int(access.index)
        lines.append(f"risc_sem: {what} of semaphore {number}: waits for its turn")
    return lines
