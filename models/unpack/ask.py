# SPDX-License-Identifier: Apache-2.0
"""What a word would do if it came now, and what it leaves behind beside its data.

The model itself begins with that; stimulus asks nothing else. ``states`` has one
``untimed_words.STATE``.
"""

from __future__ import annotations

from typing import NamedTuple

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.models.adc import untimed_commands
from tilepath.models.unpack import l1_walk
from tilepath.models.unpack.convert import Conversion, conversion_of
from tilepath.models.unpack.faults import ReadFlag, WriteFlag
from tilepath.models.unpack.formats import datum_quarters
from tilepath.models.unpack.plan import OPCODE_NOP, OPCODE_UNPACR, Kind
from tilepath.models.unpack.sample import leave, sample
from tilepath.models.unpack.sample_source import resolve_compressed, set_sections
from tilepath.models.unpack.settings import Sampled, read


class Model(NamedTuple):
    """The unpackers without time, as kernels take them; ``counters``: what ``live`` is of."""

    states: Records
    sampled: Sampled
    l1: l1_walk.Words
    counters: Records


@part
def _read_rsi(state: Record, plan: Record, l1: l1_walk.Words) -> None:
    """First datum and count of a compressed instruction."""
    source, result = plan.source, state.result
    first, end = l1_walk.rsi_entry(l1, source.rsi_first), 0
    if not l1_walk.has_rsi(l1, source.rsi_first):
        result.read_faults |= ReadFlag.RSI
    if source.bounded == 0:
        end = l1_walk.rsi_entry(l1, source.rsi_end)
        if not l1_walk.has_rsi(l1, source.rsi_end):
            result.read_faults |= ReadFlag.RSI
    resolve_compressed(source, first, end)
    if source.count == 0 and plan.flips:
        result.write_faults |= WriteFlag.EMPTY_FLIP


@compiled
def ask(model: Model, thread: int, word: int) -> None:
    """Make the plan of a word, with what the RSI says; only what is at hand changes."""
    ask_for(model, model.states[0].plan, thread, word)


@part
def ask_for(model: Model, plan: Record, thread: int, word: int) -> None:
    """Make a plan, wherever it is, as ``ask`` does."""
    state = model.states[0]
    result, pointers = state.result, state.pointers[(word >> 23) & 1]
    result.read_faults = result.write_faults = 0
    sample(state.settings, plan, model.sampled, pointers, thread, word)
    if plan.kind == Kind.REGULAR and plan.source.compressed:
        _read_rsi(state, plan, model.l1)


@compiled
def pass_by(model: Model, thread: int, word: int) -> None:
    """What a word of any kind does to pointers and counters, as if it had no data."""
    if word >> 24 != OPCODE_UNPACR and word >> 24 != OPCODE_NOP:
        untimed_commands.execute(model.counters[0], thread, word)
        return
    state = model.states[0]
    plan, pointers = state.plan, state.pointers[(word >> 23) & 1]
    sample(state.settings, plan, model.sampled, pointers, thread, word)
    leave(plan, pointers)
    if plan.kind == Kind.REGULAR:
        untimed_commands.unpack_update(model.counters[0], plan.unit, plan)


@compiled
def ask_sections(model: Model, bank: int, unit: int, ctx: int, multi: int, code: int) -> int:
    """Make as much of a plan as says where a compressed tile of a format is; returns the RSI."""
    settings, plan = model.states[0].settings, model.states[0].plan
    source, sampled = plan.source, model.sampled
    plan.unit, plan.state, plan.ctx, plan.multi = unit, bank, ctx, multi
    source.quarters, source.compressed = datum_quarters(code), 1
    forced = read(sampled.config, bank, settings.fields[unit].force_exp)
    source.reads_exponents = conversion_of(code, code, 0, 0, 0) >= Conversion.BFP and not forced
    return set_sections(settings, plan, sampled)
