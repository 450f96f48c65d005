# SPDX-License-Identifier: Apache-2.0
"""Rows of the account: what instructions sample, of levels and configuration.

Whoever calls has asked ``keeps``; ``number``: of the unpacker.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.account import new_row
from tilepath.models.jit import kernel, part
from tilepath.models.kernel_io import Outputs
from tilepath.models.records import Record
from tilepath.models.unpack import sample_source
from tilepath.models.unpack.account import Form, Register
from tilepath.models.unpack.cycle_account import file_of, form_of, reset_beside
from tilepath.models.unpack.cycle_state import Model, plan_at
from tilepath.models.unpack.plan import LOW32
from tilepath.models.unpack.settings import WORDS, Sampled, counter, read

_REGISTERS: Final = len(Register)


@part
def _differs(model: Model, number: int) -> bool:
    for place in range(WORDS.shape[1]):
        word = WORDS[number, place]
        if model.config[0, word] != model.config[1, word]:
            return True
    return False


@kernel
def sampled(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """An instruction, whose plan is made, and whose traces are not left yet."""
    account, timing = out.account[0], model.timing[0]
    unit = timing.units[number]
    plan, pointers = plan_at(model.values[0].units[number], unit.sampled), model.values[0].pointers
    memory = account.memory
    mine = memory.units[number]
    thread, form = plan.thread, form_of(plan)
    row = new_row(account.sampled, cycle)
    row.unpacker, row.thread, row.word = number, thread, plan.word
    row.form, row.state, row.bank = form, plan.state, plan.bank
    row.differs = _differs(model, number)
    row.matrix_bank = timing.matrix_bank >> number & 1
    row.owners = model.join[0].shown.owner >> 2 * number & 3
    row.context = pointers[number].context[thread]
    fields = model.values[0].settings.fields[number]
    row.context_count = read(model.config, plan.state, fields.context_count)
    row.tied = row.compressed = 0
    row.since = row.since_regular = LOW32
    row.after_unpacker, row.after_thread = memory.phase_unpacker, memory.phase_thread
    row.after_compressed, row.after_flip = memory.phase_compressed, mine.flip
    if mine.regular >= 0:
        row.since_regular = cycle - mine.regular
    mine.sampled[thread] = cycle
    if form > Form.FLUSH:
        return
    row.tied = timing.units[1 - number].unpacr.here
    row.compressed = form == Form.REGULAR and plan.source.compressed != 0
    if memory.phase >= 0:
        row.since = cycle - memory.phase
    memory.phase = cycle + 2 if row.compressed else cycle
    memory.phase_unpacker, memory.phase_thread = number, thread
    memory.phase_compressed = row.compressed
    if form == Form.REGULAR:
        mine.regular, mine.flip = cycle, plan.flips
        _regular(model, account, number, cycle)
    if form == Form.INCREMENT or (form == Form.REGULAR and plan.multi and plan.word >> 3 & 1):
        mine.used[thread], mine.used_by[thread] = cycle, form
        if mine.reset[thread] == cycle - 1:
            reset_beside(account, number, thread, -1, cycle)


@part
def _tells(model: Model, plan: Record) -> int:
    """A bit set of ``Register``: contexts whose number differs in one bit have another value."""
    fields, bank = model.values[0].settings.fields[plan.unit], plan.state
    config, found = model.config, (1 << _REGISTERS) - 1
    for bit in range(3):
        ctx, other = plan.ctx, plan.ctx ^ 1 << bit
        same = 0
        if read(config, bank, fields.tile_base[ctx]) == read(config, bank, fields.tile_base[other]):
            same |= 1 << Register.BASE
        if read(config, bank, fields.context_in[ctx]) == read(
            config, bank, fields.context_in[other]
        ) and read(config, bank, fields.context_out[ctx]) == read(
            config, bank, fields.context_out[other]
        ):
            same |= 1 << Register.FORMAT
        sel, off = fields.context_if_sel, fields.disable_compress
        if (read(config, bank, sel[ctx >> 2]) >> (ctx & 3)) & 1 == (
            read(config, bank, sel[other >> 2]) >> (other & 3)
        ) & 1:
            same |= 1 << Register.IF_SEL
        if (read(config, bank, off[ctx >> 2]) >> (ctx & 3)) & 1 == (
            read(config, bank, off[other >> 2]) >> (other & 3)
        ) & 1:
            same |= 1 << Register.UNCOMPRESSED
        if bit < 2:  # the others are of four contexts
            ctx, other = ctx & 3, other & 3
            if read(config, bank, fields.tile_offset[ctx]) == read(
                config, bank, fields.tile_offset[other]
            ):
                same |= 1 << Register.OFFSET
            if read(config, bank, fields.context_x[ctx]) == read(
                config, bank, fields.context_x[other]
            ):
                same |= 1 << Register.X_DIM
            if read(config, bank, fields.dest[ctx]) == read(config, bank, fields.dest[other]):
                same |= 1 << Register.DEST
            if read(config, bank, fields.shift_amount[ctx]) == read(
                config, bank, fields.shift_amount[other]
            ):
                same |= 1 << Register.SHIFT
        found &= ~same
    return found


@kernel
def _regular(model: Model, account: Record, number: int, cycle: int) -> None:
    values = model.values[0]
    plan = plan_at(values.units[number], model.timing[0].units[number].sampled)
    source, target, config, bank = plan.source, plan.target, model.config, plan.state
    fields = values.settings.fields[number]
    row = new_row(account.regular, cycle)
    row.unpacker, row.thread, row.word = number, plan.thread, plan.word
    row.first, row.count = source.first & LOW32, 0
    row.pointer[0] = row.pointer[1] = 0
    if source.compressed == 0:
        row.count = source.count
        row.pointer[0] = 4 * sample_source.datum_pointer(source)
        row.pointer[1] = sample_source.exponent_pointer(source)
    row.limit, row.fifo, row.out_addr = source.limit, source.fifo, target.out_addr
    live, adc, thread = model.counters[0].live, plan.adc, plan.thread
    row.counters[0] = counter(live, adc, number, 0, 0)
    row.counters[1] = counter(live, adc, number, 0, 1)
    row.counters[2] = counter(live, thread, number, 0, 2)
    row.counters[3] = counter(live, thread, number, 0, 3)
    row.x1 = counter(live, adc, number, 1, 0)
    row.x_dim = sample_source.x_dim(
        values.settings, plan, Sampled(config, model.thread_config, live)
    )
    row.offset = read(config, bank, fields.tile_offset[plan.ctx & 3])
    row.stride = source.stride // 4 if source.tilize else 0
    row.y_dim, row.z_dim = read(config, bank, fields.tile_y), read(config, bank, fields.tile_z)
    row.w_dim, row.blobs = read(config, bank, fields.tile_w), read(config, bank, fields.tile_blobs)
    row.digest = read(config, bank, fields.tile_digest)
    row.context = values.pointers[number].context[thread]
    row.context_count = read(config, bank, fields.context_count)
    row.context_offset = read(model.thread_config, thread, fields.context_offset)
    row.ctx, row.tells = plan.ctx, 0
    row.by_context = 0
    if plan.multi:
        row.tells = _tells(model, plan)
        row.by_context = read(config, bank, fields.ovrd_format)
    row.in_format, row.out_format = source.in_format, target.out_format
    row.conversion, row.quarters, row.file = target.conversion, source.quarters, file_of(plan)
    row.compressed, row.reads_exponents = source.compressed, source.reads_exponents
    row.forced = read(config, bank, fields.force_exp)
    row.no_exponents = read(config, bank, fields.tile_no_exponents)
    row.throttle = read(config, bank, fields.throttle)
    row.rate = read(config, bank, fields.upsample_rate)
    row.zeros, row.interleave = target.zeros, target.interleave
    row.tilize, row.transposes, row.row_w = source.tilize, target.transposes, source.row_w
    row.col_shift, row.wide = target.col_shift, target.wide
    row.add_dest, row.moves = read(config, bank, fields.add_dest), 0
    if counter(live, thread, number, 1, 1) and read(config, bank, fields.y_stride):
        row.moves |= 1
    if counter(live, thread, number, 1, 2) and read(config, bank, fields.z_stride):
        row.moves |= 2
    if counter(live, thread, number, 1, 3) and read(config, bank, fields.w_stride):
        row.moves |= 4
    row.dst_map = read(config, bank, fields.swizzle) | read(config, bank, fields.remap) << 1
    row.bank, row.src_row = plan.bank, target.src_row
    row.burst_rows = target.burst_rows
    row.ovrd_throttle = read(config, bank, fields.ovrd_throttle)
    row.behind_dst = values.pointers[number].sel_dst
    row.ovrd, row.set_upd = target.ovrd, read(config, bank, fields.set_upd)
    row.set_base = read(model.thread_config, thread, fields.set_base)
