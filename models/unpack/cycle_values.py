# SPDX-License-Identifier: Apache-2.0
"""What the instructions sample, read and write, in the cycle in which time says so."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Outputs
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.adc import untimed_commands
from tilepath.models.unpack import (
    cycle_account,
    cycle_account_fetch,
    cycle_outputs,
    l1_walk,
    timing_fetch,
    timing_issue,
    timing_write,
    to_registers,
)
from tilepath.models.unpack.cycle_state import Model, beat_at, keeps, plan_at, step_at
from tilepath.models.unpack.faults import ReadFlag, WriteFlag
from tilepath.models.unpack.plan import Kind, is_overlay, is_zerosrc
from tilepath.models.unpack.sample import leave, sample
from tilepath.models.unpack.sample_source import resolve_compressed
from tilepath.models.unpack.settings import Sampled, wide
from tilepath.models.unpack.timing_state import (
    NONE,
    UNPACKERS,
    Awaits,
    Work,
    entry_at,
    instruction_at,
    is_unpackers,
    queued_at,
)

# --- sampling (sections 3, 6)


@part
def _sample(model: Model, out: Outputs, number: int, issued: Record, cycle: int) -> Record:
    """The plan of the word at hand; its number is that of the next instruction."""
    values, unit = model.values[0], model.timing[0].units[number]
    plan: Record = plan_at(values.units[number], unit.next_number)
    pointers = values.pointers[number]
    sampled = Sampled(model.config, model.thread_config, model.counters[0].live)
    sample(values.settings, plan, sampled, pointers, issued.thread, issued.word)
    if keeps(out):
        cycle_account.sampled(model, out, number, cycle)
    leave(plan, pointers)
    model.join[0].pointers_by[number] = issued.origin
    return plan


@part
def _enqueue(unit: Record, issued: Record, plan: Record, cycle: int) -> None:
    """Tell time what it has to know of an instruction."""
    instruction = timing_issue.enqueue(unit, issued, plan.kind, cycle)
    instruction.flips, instruction.bank = plan.flips, plan.bank
    instruction.format = plan.target.out_format
    kind = plan.kind
    if kind == Kind.REGULAR:
        source = plan.source
        instruction.want, instruction.bounded = source.want, source.bounded
        instruction.work = Work.BEATS if source.count else Work.TOKEN
        if source.compressed:
            timing_issue.await_rsi(instruction)
    elif kind == Kind.NOP or kind == Kind.RESERVED:
        instruction.work = Work.NOTHING
    elif is_overlay(plan) or kind == Kind.SETREG:
        instruction.work = Work.EFFECT
    else:
        instruction.work = Work.TOKEN
        if is_zerosrc(plan):
            instruction.awaits = Awaits.OWN_BANK if plan.wait_unpacr else Awaits.MATRIX_BANK


@part
def _leave(model: Model, number: int, gone: Record) -> None:
    """An instruction is over, or a word that is not queued."""
    timing = model.timing[0]
    gone.here = 0
    timing.busy[gone.thread, number] -= 1
    timing.changed_by = gone.origin


@part
def _sample_unpacr(model: Model, out: Outputs, number: int, cycle: int) -> None:
    timing = model.timing[0]
    unit = timing.units[number]
    issued = unit.unpacr
    plan = _sample(model, out, number, issued, cycle)
    is_regular = plan.kind == Kind.REGULAR
    long_phase = is_regular and plan.source.compressed != 0
    timing_issue.follow_sample(timing, number, cycle, long_phase)
    if is_regular:
        _enqueue(unit, issued, plan, cycle)
        return
    cycle_outputs.raise_fault(model.join[0], number, plan, issued.origin)
    timing_issue.end_phase(unit)
    _leave(model, number, issued)


@part
def _end_phase(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """The increments of the counters, in the last cycle of the phase of a Regular UNPACR (A14)."""
    unit = model.timing[0].units[number]
    plan = plan_at(model.values[0].units[number], queued_at(unit, unit.sampled - 1))
    cycle_outputs.command(out, cycle, unit.unpacr.origin, number, plan)
    untimed_commands.unpack_update(model.counters[0], number, plan)
    timing_issue.end_phase(unit)


@part
def sample_issued(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """What is sampled in this cycle, and the end of an address phase."""
    unit = model.timing[0].units[number]
    if unit.unpacr.sampled == cycle:
        _sample_unpacr(model, out, number, cycle)
    elif unit.nop.here and unit.nop.sampled == cycle:
        plan = _sample(model, out, number, unit.nop, cycle)
        _enqueue(unit, unit.nop, plan, cycle)
        unit.nop.here = 0
    if unit.unpacr.last == cycle:
        _end_phase(model, out, number, cycle)


# --- fetch (section 4)


@part
def load(model: Model, number: int, cycle: int) -> None:
    """The head of the queue moves to the fetch stage, if it may."""
    unit, values = model.timing[0].units[number], model.values[0].units[number]
    loaded = timing_issue.load(unit, cycle)
    if loaded == NONE:
        return
    plan, instruction = plan_at(values, loaded), instruction_at(unit, loaded)
    model.timing[0].changed_by = instruction.origin
    cycle_outputs.raise_fault(model.join[0], number, plan, instruction.origin)
    if instruction.work == Work.BEATS:
        l1_walk.begin(plan.source, values.cursor)


@part
def _decide_beat(model: Model, number: int, lines: int, cycle: int) -> None:
    unit, values = model.timing[0].units[number], model.values[0].units[number]
    beat = beat_at(values, unit.tail)
    l1_walk.next_beat(plan_at(values, unit.fetching), values.cursor, lines, beat)
    timing_fetch.decide_beat(unit, cycle, beat.ends)


@part
def _have_effect(model: Model, out: Outputs, number: int, done: int, cycle: int) -> None:
    """An OverlayClear or SETREG has its effect; a Nop ends likewise."""
    unit, values, join = model.timing[0].units[number], model.values[0], model.join[0]
    plan, instruction = plan_at(values.units[number], done), instruction_at(unit, done)
    if is_overlay(plan):
        cycle_outputs.put_overlay(out, number, plan, cycle, instruction.origin)
    elif plan.kind == Kind.SETREG:
        before = values.pointers[number].acc
        writes, value = to_registers.set_register(plan, values.pointers[number])
        if keeps(out):
            cycle_account_fetch.setreg(out, number, plan, before, value, cycle)
        join.pointers_by[number] = instruction.origin
        if writes:
            address = to_registers.register_address(plan, join.setreg_base[plan.reg_select])
            cycle_outputs.put_setreg(out, number, address, value, cycle, instruction.origin)
    _leave(model, number, instruction)


@part
def fetch(model: Model, out: Outputs, cycle: int) -> None:
    """Beats of both unpackers, of which one may leave the other less; tokens; effects."""
    units = model.timing[0].units
    want0 = timing_fetch.lines_wanted(units[0], cycle)
    want1 = timing_fetch.lines_wanted(units[1], cycle)
    for number in range(UNPACKERS):
        mine, other = (want1, want0) if number else (want0, want1)
        if mine:
            _decide_beat(model, number, timing_fetch.grant(mine, other), cycle)
        elif not timing_fetch.does_token(units[number], cycle):
            done = timing_fetch.does_effect(units[number], cycle)
            if done != NONE:
                _have_effect(model, out, number, done, cycle)


@part
def _read_rsi(model: Model, out: Outputs, number: int, due: int, answered: int, cycle: int) -> int:
    """RSI entries as they are in this cycle; returns ``ReadFlag`` bits."""
    unit = model.timing[0].units[number]
    source, instruction = (
        plan_at(model.values[0].units[number], due).source,
        instruction_at(unit, due),
    )
    first, end = l1_walk.rsi_entry(model.l1, source.rsi_first), 0
    has_all = l1_walk.has_rsi(model.l1, source.rsi_first)
    if source.bounded == 0:
        end = l1_walk.rsi_entry(model.l1, source.rsi_end)
        has_all = has_all and l1_walk.has_rsi(model.l1, source.rsi_end)
    resolve_compressed(source, first, end)
    if keeps(out):
        cycle_account_fetch.starts(model, out, number, due, end, cycle)
    instruction.work = Work.BEATS if source.count else Work.TOKEN
    timing_issue.rsi_answered(instruction, answered)
    return 0 if has_all else ReadFlag.RSI


@part
def request(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """What an unpacker requests at L1's port in this cycle, RSI entries or a beat or both."""
    timing, values = model.timing[0], model.values[0].units[number]
    unit = timing.units[number]
    due = timing_issue.rsi_at_port(unit, cycle)
    at_port = timing_fetch.beat_at_port(unit, cycle)
    if due == NONE and at_port == NONE:
        return
    answered = timing_fetch.answer(unit, timing.latency, cycle)
    faults = 0
    origin = wide(0)
    read = cycle_outputs.put_read(out, number, cycle)
    if due != NONE:
        origin = instruction_at(unit, due).origin
        cycle_outputs.request_rsi(read, plan_at(values, due).source)
        faults |= _read_rsi(model, out, number, due, answered, cycle)
    if at_port != NONE:
        entry = entry_at(unit, at_port)
        plan, beat = plan_at(values, entry.instruction), beat_at(values, at_port)
        origin = instruction_at(unit, entry.instruction).origin
        cycle_outputs.request_beat(read, plan.source, beat)
        faults |= l1_walk.read_beat(plan, beat, model.l1)
        timing_fetch.beat_answered(entry, answered)
    if keeps(out):
        cycle_account_fetch.requested(model, out, number, read, at_port, cycle)
    read.origin = origin
    if faults:
        cycle_outputs.put_read_fault(out, number, faults, cycle, origin)


# --- write (section 4)


@part
def _next_step(model: Model, number: int, at_head: int) -> None:
    """Values of the next step, and the counts that time needs of it."""
    unit, values = model.timing[0].units[number], model.values[0].units[number]
    instruction = entry_at(unit, at_head).instruction
    plan = plan_at(values, instruction)
    if values.writing != instruction:
        values.writing = instruction
        to_registers.begin(plan, values.writer)
    if values.writing_entry != at_head:
        values.writing_entry = at_head
        to_registers.begin_beat(values.writer)
    step = step_at(values, unit.steps)
    to_registers.next_step(plan, values.writer, beat_at(values, at_head), step)
    timing_write.expect(unit, step)


@part
def _token_faults(model: Model, number: int, plan: Record, cycle: int) -> int:
    """Return the faults of a token that goes in this cycle."""
    unit = model.timing[0].units[number]
    if plan.kind == Kind.REGULAR and plan.source.compressed and plan.flips:
        return WriteFlag.EMPTY_FLIP
    if not is_zerosrc(plan):
        return 0
    faults = 0
    if plan.both_banks and not (is_unpackers(unit, 0, cycle) and is_unpackers(unit, 1, cycle)):
        faults |= WriteFlag.ZEROSRC_MATRIX
    if model.join[0].is_clearing:
        faults |= WriteFlag.ZEROSRC_RACE
    return faults


@part
def write(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """The write stage."""
    unit = model.timing[0].units[number]
    at_head = timing_write.entry_at_head(unit, cycle)
    if at_head == NONE:
        return
    entry = entry_at(unit, at_head)
    if entry.is_token:
        plan = plan_at(model.values[0].units[number], entry.instruction)
        matrix_bank = (model.timing[0].matrix_bank >> number) & 1
        effect = timing_write.make_token(unit, matrix_bank, cycle)
        if effect != NONE:
            timing_write.effect_at(unit, effect).faults |= _token_faults(model, number, plan, cycle)
        if keeps(out):
            if effect == NONE:
                cycle_account_fetch.waits(out, number)
            else:
                cycle_account_fetch.token(out, number, plan, cycle)
        return
    if unit.has_step == 0:
        _next_step(model, number, at_head)
    goes = timing_write.make_step(unit, cycle)
    if keeps(out):
        if goes:
            step = step_at(model.values[0].units[number], unit.steps - 1)
            cycle_account_fetch.stepped(model, out, number, entry.instruction, step, cycle)
        else:
            cycle_account_fetch.waits(out, number)


@part
def pauses(model: Model, cycle: int) -> bool:
    """Whether unpacker 0 changes Dst at the end of this cycle."""
    timing = model.timing[0]
    unit, values = timing.units[0], model.values[0].units[0]
    if not timing_write.effect_due(unit, cycle):
        return False
    effect = timing_write.effect_at(unit, unit.effects_done)
    if effect.step == NONE or step_at(values, effect.step).writes == 0:
        return False
    timing.pause_by = instruction_at(unit, effect.instruction).origin
    return bool(plan_at(values, effect.instruction).target.to_dst)


@part
def take_effect(model: Model, out: Outputs, number: int, lost: int, cycle: int) -> None:
    """What goes through to the registers at the end of this cycle.

    ``lost``: what the Matrix Unit writes, as ``cycle_matrix.write`` returns it.
    """
    unit, values = model.timing[0].units[number], model.values[0]
    if not timing_write.effect_due(unit, cycle):
        return
    effect = timing_write.next_effect(unit)
    instruction = instruction_at(unit, effect.instruction)
    plan = plan_at(values.units[number], effect.instruction)
    if number == 0:
        model.timing[0].stale_by = instruction.origin
    if effect.step != NONE:
        step = step_at(values.units[number], effect.step)
        if step.writes:
            if effect.is_second == 0:
                cycle_outputs.put_step(out, number, plan, step, cycle, instruction.origin)
            rows = lost & 15 if lost >> 4 == 2 * number + plan.bank else to_registers.NO_ROWS
            to_registers.store(plan, step, values.registers, effect.is_second != 0, rows)
            if plan.target.to_dst:
                cycle_outputs.put_changes(out, plan, step, effect.is_second != 0, cycle)
    elif is_zerosrc(plan):
        to_registers.clear(plan, values.registers)
        cycle_outputs.put_clear(out, number, plan, cycle, instruction.origin)
    if effect.faults:
        cycle_outputs.put_write_fault(out, number, effect.faults, cycle, instruction.origin)
    if effect.ends:
        _leave(model, number, instruction)
