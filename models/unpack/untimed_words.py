# SPDX-License-Identifier: Apache-2.0
"""A word of the unpackers without time: its plan, and what it does to registers and pointers."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import compiled, part, shared
from tilepath.engine.compiled.records import Record, record
from tilepath.models.adc import untimed_commands
from tilepath.models.unpack import l1_walk, rows, to_registers
from tilepath.models.unpack.ask import Model, ask, ask_for
from tilepath.models.unpack.faults import WriteFlag
from tilepath.models.unpack.plan import PLAN, POINTERS, Kind, is_overlay, is_zerosrc
from tilepath.models.unpack.sample import leave
from tilepath.models.unpack.settings import SETTINGS, wide

# What came of an instruction, as the kernel tells it
RESULT: Final = record(
    read_faults=np.int64,
    write_faults=np.int64,
    writes=np.int64,  # something was written to the registers
    not_met=np.int64,
    sets_register=np.int64,
    address=np.int64,
    value=np.int64,
)
STATE: Final = record(
    settings=SETTINGS,
    pointers=(POINTERS, 2),
    registers=to_registers.REGISTERS,
    matrix_bank=(np.uint8, 2),
    setreg_base=(np.uint32, 2),
    # of the instruction at hand
    plan=PLAN,
    cursor=l1_walk.CURSOR,
    beat=l1_walk.BEAT,
    writer=to_registers.WRITER,
    step=to_registers.STEP,
    result=RESULT,
)


@part
def _flip(state: Record, plan: Record) -> None:
    """The bank of before goes to the Matrix Unit."""
    registers = state.registers
    if plan.flips:
        if registers.owner[plan.unit, plan.bank]:
            state.result.write_faults |= WriteFlag.FLIP_OWNER
        registers.owner[plan.unit, plan.bank] = 1
        registers.implied[plan.unit, plan.bank] = plan.target.out_format


@part
def _walk(state: Record, plan: Record, l1: l1_walk.Words, stores: bool) -> None:
    """Every datum of a Regular UNPACR, beat by beat; those up to the first write, to be told of."""
    beat, step, result = state.beat, state.step, state.result
    if rows.are_whole(plan, l1):
        result.writes = 1
        if stores:
            result.write_faults |= rows.copy(plan, l1, state.registers.src)
        return
    source = plan.source
    lines = l1_walk.most_lines(source)
    l1_walk.begin(source, state.cursor)
    to_registers.begin(plan, state.writer)
    is_over = source.count == 0
    while not is_over:
        l1_walk.next_beat(plan, state.cursor, lines, beat)
        result.read_faults |= l1_walk.read_beat(plan, beat, l1)
        to_registers.begin_beat(state.writer)
        step.ends_beat = 0
        while step.ends_beat == 0:
            to_registers.next_step(plan, state.writer, beat, step)
            result.write_faults |= step.faults
            if step.writes:
                result.writes = 1
                if not stores:
                    return
                step.parts = 1
                to_registers.store(plan, step, state.registers, False, to_registers.NO_ROWS)
        is_over = step.ends != 0


@part
def _zero_waits(state: Record, plan: Record) -> bool:
    """Whether a ZEROSRC would have to wait for a bank (U58)."""
    awaited = plan.bank if plan.wait_unpacr else wide(state.matrix_bank[plan.unit])
    return bool(state.registers.owner[plan.unit, awaited])


@part
def _regular(state: Record, plan: Record, l1: l1_walk.Words) -> None:
    result = state.result
    _walk(state, plan, l1, True)
    if result.writes and state.registers.owner[plan.unit, plan.bank]:  # U42
        result.not_met = 1


@part
def _zero_src(state: Record, plan: Record) -> None:
    owner, unit = state.registers.owner, plan.unit
    if _zero_waits(state, plan):
        state.result.not_met = 1
    if plan.both_banks and (owner[unit, 0] or owner[unit, 1]):
        state.result.write_faults |= WriteFlag.ZEROSRC_MATRIX
    to_registers.clear(plan, state.registers)


@part
def _setreg(state: Record, plan: Record) -> None:
    result = state.result
    writes, value = to_registers.set_register(plan, state.pointers[plan.unit])
    if writes:
        base = wide(state.setreg_base[plan.reg_select])
        result.sets_register = 1
        result.address = to_registers.register_address(plan, base)
        result.value = value


@shared
def sample_word(model: Model, plan: Record, thread: int, word: int) -> None:
    """A word issues: make its plan, wherever that is, and do what follows from that alone."""
    ask_for(model, plan, thread, word)
    leave(plan, model.states[0].pointers[plan.unit])
    if plan.kind == Kind.REGULAR:
        untimed_commands.unpack_update(model.counters[0], plan.unit, plan)


@shared
def execute_plan(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Do the rest of what was sampled; whether anything but the state came of it."""
    result = state.result
    result.writes = result.not_met = result.sets_register = 0
    if plan.kind == Kind.REGULAR:
        _regular(state, plan, l1)
    elif is_zerosrc(plan):
        _zero_src(state, plan)
    elif plan.kind == Kind.SETREG:
        _setreg(state, plan)
    _flip(state, plan)
    faults = plan.faults | result.read_faults | result.write_faults
    return bool(faults | result.not_met | result.sets_register) or is_overlay(plan)


@compiled
def execute_word(model: Model, thread: int, word: int) -> bool:
    """Execute a word; whether anything but the state came of it."""
    state = model.states[0]
    sample_word(model, state.plan, thread, word)
    return execute_plan(state, state.plan, model.l1)


@shared
def _writes(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Whether what was sampled would write something to the registers."""
    state.result.writes = 0
    if plan.kind == Kind.REGULAR:
        _walk(state, plan, l1, False)
    return bool(state.result.writes)


@compiled
def would_write(model: Model, thread: int, word: int) -> bool:
    """Whether a word would write something to the registers; only what is at hand changes."""
    state = model.states[0]
    ask(model, thread, word)
    return _writes(state, state.plan, model.l1)


@part
def is_early(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Whether what was sampled has to wait for a bank of the Matrix Unit's (U42, U58)."""
    if is_zerosrc(plan):
        return _zero_waits(state, plan)
    return bool(state.registers.owner[plan.unit, plan.bank]) and _writes(state, plan, l1)
