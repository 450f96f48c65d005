# SPDX-License-Identifier: Apache-2.0
"""Rows of the account: what instructions read and write, and what they wait for.

Whoever calls has asked ``keeps``; ``number``: of the unpacker.
"""

from __future__ import annotations

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.compiled_io import Outputs
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.unpack import SLOTS, WRITES
from tilepath.models.unpack import convert, l1_walk, sample_source
from tilepath.models.unpack.account import File
from tilepath.models.unpack.cycle_state import Model, beat_at, plan_at
from tilepath.models.unpack.plan import is_zerosrc
from tilepath.models.unpack.settings import wide
from tilepath.models.unpack.timing_state import NONE, entry_at, instruction_at

# --- fetch


@part
def _begin(fetch: Record, source: Record) -> None:
    """The first request for datums of an instruction, or that of its RSI entries."""
    fetch.groups = fetch.dropped = fetch.cut = 0
    fetch.left.drop, fetch.left.items = source.drop, source.items
    limit = 16 * source.limit
    fetch.wrapped[0] = 4 * sample_source.datum_pointer(source) > limit
    fetch.wrapped[1] = sample_source.exponent_pointer(source) > limit
    fetch.wrapped[2] = 8 * sample_source.delta_pointer(source) > limit


@part
def _fetched(account: Record, number: int, fetch: Record, source: Record, cycle: int) -> None:
    row = new_row(account.fetched, cycle)
    row.unpacker, row.source, row.fetch = number, source, fetch


@compiled
def starts(model: Model, out: Outputs, number: int, due: int, end: int, cycle: int) -> None:
    """RSI entries of instruction ``due`` are read; ``end``: that of the end."""
    account, plan = out.account[0], plan_at(model.values[0].units[number], due)
    memory, source = account.memory, plan.source
    row = new_row(account.starts, cycle)
    row.unpacker, row.plan = number, plan
    row.end = NONE if source.bounded else end
    if source.count == 0:
        nothing = memory.units[number].nothing
        _begin(nothing, source)
        _fetched(account, number, nothing, source, cycle)


@part
def _items(fetch: Record, run: int) -> bool:
    """A datum and its zeros of an instruction that counts its items; whether that was the last."""
    left = fetch.left
    for k in range(run + 1):
        if left.drop > 0:
            left.drop -= 1
            if left.drop == 0:
                fetch.dropped = 1 if k < run else 2
        else:
            left.items -= 1
            if left.items == 0:
                fetch.cut = k < run
                return True
    return False


@part
def _datums(
    account: Record, number: int, plan: Record, beat: Record, l1: l1_walk.Words, cycle: int
) -> bool:
    """Rows of the datums of a beat that are needed; whether it is the last of its instruction."""
    memory, source, target = account.memory, plan.source, plan.target
    fetch = memory.units[number].fetch
    file = File.DST if target.to_dst else number
    left = beat.count
    exponent_bits, fraction = convert.parts(source.in_format, target.conversion)
    for of_run in range(beat.run_count):
        run = beat.runs[of_run]
        for k in range(run.count):
            row = new_row(account.datum, cycle)
            row.unpacker = number
            row.bits = l1_walk.datum_bits(source, run.datum + k * source.quarters, l1)
            row.exponent = l1_walk.exponent(source, run.exponent + k, l1)
            row.nibble = 0
            if source.compressed:
                row.nibble = l1_walk.nibble(run.delta + k, l1)
            row.in_format, row.out_format = source.in_format, target.out_format
            row.conversion, row.file = target.conversion, file
            row.fraction, row.exponent_bits = fraction, exponent_bits
            row.compressed, row.all_zero = source.compressed, target.all_zero
            left -= 1
            if source.bounded and _items(fetch, 0 if target.all_zero else wide(row.nibble)):
                if left == 0:
                    _pass(fetch, beat)
                return True
    if beat.ends == 0:
        _pass(fetch, beat)
    return beat.ends != 0  # type: ignore[no-any-return]


@part
def _pass(fetch: Record, beat: Record) -> None:
    """What lies between this beat and the next."""
    fetch.groups += beat.passes >> l1_walk.GROUP & 1
    for kind in range(3):
        fetch.wrapped[kind] |= (beat.passes >> kind & 1) << 1


@compiled
def requested(
    model: Model, out: Outputs, number: int, read_row: Record, at_port: int, cycle: int
) -> None:
    """A request at the port; ``at_port``: its entry, if it is for datums."""
    account, timing = out.account[0], model.timing[0]
    row = new_row(account.request, cycle)
    row.unpacker, row.latency = number, timing.latency
    row.lines, row.rsi_lines = read_row.count, read_row.rsi_count
    row.want = row.ends = 0
    if at_port == NONE:
        return
    unit, values = timing.units[number], model.values[0].units[number]
    instruction = entry_at(unit, at_port).instruction
    plan = plan_at(values, instruction)
    mine = account.memory.units[number]
    if mine.fetching != instruction:
        mine.fetching = instruction
        _begin(mine.fetch, plan.source)
    row.want = instruction_at(unit, instruction).want
    row.ends = _datums(account, number, plan, beat_at(values, at_port), model.l1, cycle)
    if row.ends:
        _fetched(account, number, mine.fetch, plan.source, cycle)


# --- write


@compiled
def stepped(
    model: Model, out: Outputs, number: int, instruction: int, step: Record, cycle: int
) -> None:
    """A step of an instruction goes, or (``step`` as it was) waits no more."""
    account, unit = out.account[0], model.timing[0].units[number]
    memory, values = account.memory, model.values[0].units[number]
    mine, plan = memory.units[number], plan_at(values, instruction)
    if step.writes:
        row = new_row(account.step, cycle)
        row.unpacker, row.plan, row.stalled = number, plan, mine.stalled
        row.parts, row.groups = step.parts, 0
        row.begins = mine.writing != instruction
        row.follows = instruction_at(unit, instruction).follows
        least, largest = 1 << 15, 0
        for group in range(len(WRITES)):
            row.first_row[group] = row.last_row[group] = 0
            if step.masks[group]:
                first, last = _ends(step.masks[group])
                address = step.address + SLOTS * group
                row.first_row[group] = (address + first) >> 4
                row.last_row[group] = (address + last) >> 4
                row.groups |= 1 << group
                least = min(least, (address + first) >> 4)
                largest = (address + last) >> 4
        row.rows[0], row.rows[1] = least, largest
        mine.writing = instruction
    mine.stalled = 0


@part
def _ends(mask: int) -> tuple[int, int]:
    """Numbers of the lowest and the highest bit."""
    first, last = 0, SLOTS - 1
    while (mask >> first) & 1 == 0:
        first += 1
    while (mask >> last) & 1 == 0:
        last -= 1
    return first, last


@compiled
def waits(out: Outputs, number: int) -> None:
    """A step or token waits for its bank in this cycle."""
    out.account[0].memory.units[number].stalled += 1


@compiled
def token(out: Outputs, number: int, plan: Record, cycle: int) -> None:
    """A token goes."""
    account = out.account[0]
    memory = account.memory
    if is_zerosrc(plan):
        row = new_row(account.clear, cycle)
        row.unpacker, row.plan, row.waited = number, plan, memory.units[number].stalled
    memory.units[number].stalled = 0


@compiled
def setreg(out: Outputs, number: int, plan: Record, before: int, value: int, cycle: int) -> None:
    """SETREG has its effect; ``before``: the accumulator."""
    row = new_row(out.account[0].setreg, cycle)
    row.unpacker, row.plan, row.before, row.value = number, plan, before, value
