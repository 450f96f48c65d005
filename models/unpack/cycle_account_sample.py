# SPDX-License-Identifier: Apache-2.0
"""Rows of the account: what instructions sample, of levels and configuration.

Whoever calls has asked ``keeps``; ``number``: of the unpacker.
"""

from __future__ import annotations

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.compiled_io import Outputs
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack import sample_source
from tilepath.models.unpack.cycle_account import reset_beside
from tilepath.models.unpack.cycle_state import Model, plan_at
from tilepath.models.unpack.plan import Kind
from tilepath.models.unpack.settings import WORDS, Sampled, counter, read, read_all


@part
def _differs(model: Model, number: int) -> bool:
    for place in range(WORDS.shape[1]):
        word = WORDS[number, place]
        if model.config[0, word] != model.config[1, word]:
            return True
    return False


@part
def _regular(
    account: Record, values: Record, plan: Record, seen: Sampled, number: int, cycle: int
) -> None:
    row = new_row(account.regular, cycle)
    thread, pointers = plan.thread, values.pointers[number]
    row.unpacker, row.plan = number, plan
    read_all(row.seen, values.settings.fields[number], seen, plan.state, thread)
    row.pointer[0] = 4 * sample_source.datum_pointer(plan.source)
    row.pointer[1] = sample_source.exponent_pointer(plan.source)
    for place in range(8):
        of_set = plan.adc if place < 2 or place == 4 else thread
        row.counters[place] = counter(seen.live, of_set, number, place >> 2, place & 3)
    row.x_dim = sample_source.x_dim(values.settings, plan, seen)
    row.context, row.behind_dst = pointers.context[thread], pointers.sel_dst


@compiled
def sampled(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """An instruction, whose plan is made, and whose traces are not left yet."""
    account, timing, values = out.account[0], model.timing[0], model.values[0]
    unit = timing.units[number]
    plan = plan_at(values.units[number], unit.sampled)
    seen = Sampled(model.config, model.thread_config, model.counters[0].live)
    mine, kind, thread = account.memory.units[number], plan.kind, plan.thread
    row = new_row(account.sampled, cycle)
    row.unpacker, row.word, row.kind, row.thread = number, plan.word, kind, thread
    row.state, row.bank, row.compressed = plan.state, plan.bank, plan.source.compressed
    row.flips = kind == Kind.REGULAR and plan.flips != 0
    row.context = values.pointers[number].context[thread]
    counts = values.settings.fields[number].context_count
    row.context_count = read(seen.config, plan.state, counts)
    row.differs = _differs(model, number)
    row.matrix_bank = timing.matrix_bank >> number & 1
    row.owners = model.join[0].shown.owner >> 2 * number & 3
    row.tied = kind <= Kind.FLUSH and timing.units[1 - number].unpacr.here != 0
    mine.sampled[thread] = cycle
    if kind > Kind.FLUSH:
        return
    if kind == Kind.REGULAR:
        _regular(account, values, plan, seen, number, cycle)
    if kind == Kind.INCREMENT or (kind == Kind.REGULAR and plan.multi and plan.word >> 3 & 1):
        mine.used[thread], mine.used_by[thread] = cycle, kind
        if mine.reset[thread] == cycle - 1:
            reset_beside(account, number, thread, -1, cycle)
