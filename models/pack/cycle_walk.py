# SPDX-License-Identifier: Apache-2.0
"""What instructions and their steps do to values, called for in the cycle in which they do it."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.constants import OP_PACR
from tilepath.models.pack import (
    addresses,
    checks,
    instruction_walk,
    lines,
    row_to_datums,
    sample,
    setreg,
)
from tilepath.models.pack import cycle_account as account
from tilepath.models.pack import fields as F
from tilepath.models.pack.cycle_mode import mode_words
from tilepath.models.pack.cycle_state import LINE_RING, Model, as_int, copy_words
from tilepath.models.pack.faults import RunFlag
from tilepath.models.pack.settings import Sampled, set_mode
from tilepath.models.pack.state import KINDS, LANES, Kind, Source
from tilepath.models.pack.timing_issue import change_path, enqueue
from tilepath.models.pack.timing_rows import begin_step, request_source
from tilepath.models.pack.timing_state import ISSUE_RING, UNDER_WAY_RING, instruction
from tilepath.models.pack.timing_state import step as step_at


@part
def packers_of(parameters: Record, word: int) -> int:
    """Bit mask of the packers that an instruction goes to."""
    if word >> 24 == OP_PACR:
        everyone = (1 << parameters.packers) - 1
        named: int = sample.packers_of(parameters, sample.mask_of(parameters, word)) & everyone
        return named
    return 0 if setreg.is_load(parameters, word) else setreg.packers_of(parameters, word)


# --- sampling (section 4)


@part
def number_mode(join: Record, parameters: Record, sampled: Sampled, word: int) -> None:
    """Number the instruction's mode: as that of the PACR before, unless it is another mode."""
    mode_words(join.words_of_new, parameters, sampled, word)
    for k in range(join.mode_words.shape[0]):
        if join.words_of_new[k] != join.mode_words[k]:
            join.mode_number += 1
            break
    for k in range(join.mode_words.shape[0]):
        join.mode_words[k] = join.words_of_new[k]


@part
def sample_modes(model: Model, sampled: Sampled, head: Record, kept: Record) -> None:
    """The mode, which is that of the PACR before where the configuration is."""
    join, state, word = model.join[0], model.sampling[0], head.word
    parameters = state.parameters
    seen = (join.config_writes << 1 | sampled.bank) << 2 | F.get(word, F.CFG_CONTEXT)
    if seen != join.config_seen:
        join.config_seen = seen
        number_mode(join, parameters, sampled, word)
        for number in range(parameters.packers):
            block = sample.block_of(parameters, number, word)
            set_mode(state.modes[number], parameters, sampled, number, block)
    head.mode = join.mode_number
    if head.mode != join.mode_kept:  # nobody departs to the mode that is there already
        join.mode_kept = head.mode
        for number in range(parameters.packers):
            kept.modes[number] = state.modes[number]
        remapped = parameters.dst_remap != 0
        kept.access.remap = F.read(sampled.config, sampled.bank, F.REMAP) if remapped else 0
        kept.access.swizzle = F.read(sampled.config, sampled.bank, F.SWIZZLE) if remapped else 0


@part
def sample_pacr(model: Model, sampled: Sampled, head: Record, kept: Record) -> None:
    """A PACR's modes, plans and faults, from what is registered now."""
    state, live = model.sampling[0], model.live
    parameters, word = state.parameters, head.word
    of_set = addresses.counter_set(head.thread, word)
    sample_modes(model, sampled, head, kept)
    head.faults = checks.word_faults(state, sampled, word)
    head.faults |= checks.count_faults(parameters, live, of_set, word)
    for number in range(parameters.packers):
        if (head.packers >> number) & 1:
            sample.set_plan(state, sampled, live, of_set, word, number)
            head.faults |= checks.packer_faults(
                state, sampled, live, of_set, head.thread, word, number
            )
            plan = state.plans[number]
            kept.plans[number] = plan
            needs_new(state.packers[number], plan.last)


@part
def needs_new(packer: Record, closes: int) -> None:
    """Whether the streams need an address after an instruction, in the order of sampling."""
    for kind in range(KINDS):
        packer.streams[kind].needs_new = closes


@part
def sample_setreg(model: Model, sampled: Sampled, head: Record, kept: Record) -> None:
    """A PACR_SETREG's address and value."""
    state, passed = model.sampling[0], model.walk[0]
    if setreg.is_load(state.parameters, head.word):
        setreg.load(state, head.word)
        head.is_load = 1
        return
    instruction_walk.begin(passed)
    setreg.write(state, sampled.config, sampled.bank, head.word, passed)
    head.faults = passed.faults
    head.writes = passed.writes
    head.address = passed.address
    head.written = passed.written
    for number in range(state.parameters.packers):
        if (head.packers >> number) & 1:
            plan = kept.plans[number]
            plan.source = Source.ZEROS
            plan.count = plan.done = plan.read = 0
            plan.last = 1
            plan.closes_row = 0
            needs_new(state.packers[number], 1)


@part
def sample_issue(model: Model, head: Record, number: int) -> None:
    """An instruction is sampled in the cycle after its issue."""
    kept = model.join[0].samples[number & (ISSUE_RING - 1)]
    bank = as_int(model.thread_config[head.thread, F.STATE_ID]) & 1
    sampled = Sampled(model.config, model.thread_config, bank)
    is_new = model.sampling[0].packers[0].streams[Kind.DATA].needs_new
    head.is_load = 0
    head.is_pacr = head.word >> 24 == OP_PACR
    if head.is_pacr:
        sample_pacr(model, sampled, head, kept)
    else:
        sample_setreg(model, sampled, head, kept)
    if len(model.account):
        account.sampled_instruction(model, sampled, head, number, is_new)


# --- departure


@part
def change_modes(model: Model, kept: Record) -> None:
    """The mode of the packers becomes that of the instruction that departs."""
    timing, state, join, passed = model.timing[0], model.walking[0], model.join[0], model.walk[0]
    state.access.remap = kept.access.remap
    state.access.swizzle = kept.access.swizzle
    for number in range(timing.packer_count):
        mode, packer = state.modes[number], timing.packers[number]
        to, compress = mode.to, mode.compresses
        state.modes[number] = kept.modes[number]
        if mode.to != to or mode.compresses != compress:
            instruction_walk.begin(passed)
            lines.change_format(mode, state.packers[number], number, passed)
            hold_lines(join, passed, number)
            if len(model.account):
                account.format_changed(model.account[0], number)
        change_path(packer, mode.to, mode.wide, mode.compresses, mode.accumulate)


@part
def send(model: Model, head: Record, number: int) -> None:
    """What has departed goes to its packers."""
    timing, join = model.timing[0], model.join[0]
    kept = join.samples[number & (ISSUE_RING - 1)]
    for packer in range(timing.packer_count):
        if (head.packers >> packer) & 1:
            plan = kept.plans[packer]
            place = timing.packers[packer].instructions_end & (UNDER_WAY_RING - 1)
            join.plans[packer, place] = plan
            enqueue(timing.packers[packer], head, plan.source, plan.count == 0, plan.last)


# --- steps (sections 5 and 6)


@part
def hold_lines(join: Record, passed: Record, number: int) -> None:
    """Lines of the walk wait for the cycles in which they go to L1."""
    for k in range(passed.line_count):
        line = passed.lines[k]
        held = join.held[number, line.kind]
        new = held.lines[held.tail & (LINE_RING - 1)]
        held.tail += 1
        new.line = line.line
        new.faults = line.faults
        copy_words(new.words, line.words)


@part
def take_addresses(model: Model, number: int) -> int:
    """The streams' new addresses; returns the data stream's, or -1."""
    state = model.walking[0]
    packer = state.packers[number]
    takes = packer.streams[Kind.DATA].needs_new
    instruction_walk.take_addresses(state.modes[number], packer, state.plans[number])
    return packer.streams[Kind.DATA].line if takes else -1


@part
def begin(model: Model, number: int, cycle: int) -> bool:
    """A packer's next step, as it asks for its rows; whether it reads a line as source."""
    timing, state, join, passed = model.timing[0], model.walking[0], model.join[0], model.walk[0]
    packer = timing.packers[number]
    step = begin_step(packer)
    plan = state.plans[number]
    if join.begins[number]:
        state.plans[number] = join.plans[number, packer.first_instruction & (UNDER_WAY_RING - 1)]
        if len(model.account):
            account.begins(model, number)
        if instruction(packer, packer.first_instruction).is_pacr:
            step.data_line = take_addresses(model, number)
    instruction_walk.begin(passed)
    held, read = state.packers[number].element_count, plan.read
    step.is_last = instruction_walk.run_step(state, model.memory, number, passed)
    if len(model.account):
        account.worked(model, number, held, read, join.begins[number], cycle)
    join.begins[number] = step.is_last
    join.behind[number] = (passed.run_faults & RunFlag.EDGE_POSITION) != 0
    hold_lines(join, passed, number)
    made = passed.steps[0]
    step.elements = made.kept
    step.op_count = made.op_count
    for k in range(made.op_count):
        step.ops[k] = passed.ops[k]
    join.answered[number] = cycle
    if plan.source == Source.DST and plan.count > 0:
        step.lanes = plan.lanes
        copy_words(step.rows, made.rows)
        join.exponent_count[number] = made.count
        copy_words(join.exponents[number], passed.exponents)
    return plan.source == Source.L1 and plan.count > 0  # type: ignore[no-any-return]


@part
def read_source(model: Model, number: int, cycle: int) -> int:
    """The step's line is read; returns its number."""
    join, passed = model.join[0], model.walk[0]
    latency = max(join.l1_latency, 1)
    join.answered[number] = request_source(model.timing[0], cycle, latency)
    if passed.run_faults & RunFlag.SOURCE_RANGE:
        join.run_faults[number] |= RunFlag.SOURCE_RANGE
    return passed.steps[0].line  # type: ignore[no-any-return]


# --- the histogram, ten cycles after a row was granted


@part
def count_later(model: Model, lanes: int, due: int) -> None:
    """Rows that are granted are counted at the end of cycle ``due``."""
    timing, join = model.timing[0], model.join[0]
    for lane in range(LANES):
        if (lanes >> lane) & 1:
            number = lane if timing.packer_count > 1 else 0
            place = 0
            if timing.packer_count == 1:
                enabled = step_at(timing.packers[0], timing.packers[0].steps_made).lanes
                place = sample.lane_count(enabled & ((1 << lane) - 1))
            new = join.counted[lane, join.counted_tail[lane] & 15]
            join.counted_tail[lane] += 1
            new.due = due
            new.packer = number
            new.count = join.exponent_count[number]
            for k in range(new.count):
                new.exponents[k] = join.exponents[number, place * new.count + k]


@part
def count_now(model: Model, cycle: int) -> None:
    """Rows whose time has come are counted."""
    join, state = model.join[0], model.walking[0]
    for lane in range(LANES):
        if join.counted_head[lane] < join.counted_tail[lane]:
            row = join.counted[lane, join.counted_head[lane] & 15]
            if row.due == cycle:
                join.counted_head[lane] += 1
                row_to_datums.count_exponents(
                    state.modes[row.packer], state, row.packer, row.exponents, row.count
                )
