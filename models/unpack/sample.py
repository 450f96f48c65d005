# SPDX-License-Identifier: Apache-2.0
"""The plan of an instruction, from what it samples (sections 3, 5 to 8)."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack import sample_nop, sample_source, sample_target
from tilepath.models.unpack.faults import Flag
from tilepath.models.unpack.formats import datum_quarters
from tilepath.models.unpack.plan import AS_IT_WAS, OPCODE_NOP, Kind
from tilepath.models.unpack.settings import Sampled, read


@part
def _reset(plan: Record) -> None:
    """What not every instruction sets."""
    plan.faults = 0
    plan.new_context = plan.new_row = plan.new_bank = AS_IT_WAS
    plan.flips = 0
    plan.clear_value = 0
    source, target = plan.source, plan.target
    source.compressed = source.bounded = source.tilize = 0
    source.count = 0
    source.reads_exponents = source.forced_exponent = 0
    target.shift = 0
    target.to_dst = target.transposes = target.col_shift = target.burst_rows = 0


@part
def _count_context(settings: Record, plan: Record, sampled: Sampled, context: int) -> None:
    """The context counter after one that has used ``context`` (U8)."""
    after = (context + 1) & 7
    count = read(sampled.config, plan.state, settings.fields[plan.unit].context_count)
    plan.new_context = after if after < 1 << count else 0


@part
def _set_context(settings: Record, plan: Record, sampled: Sampled, pointers: Record) -> None:
    """Context and WhichADC (5.1; A10), and what becomes of the context counter."""
    word = plan.word
    plan.multi = (word >> 7) & 1
    ctx = 0
    plan.ctx, plan.adc = ctx, plan.thread
    if plan.multi:
        fields = settings.fields[plan.unit]
        uses_counter = (word >> 3) & 1
        context = pointers.context[plan.thread] if uses_counter else (word >> 10) & 7
        offset = read(sampled.thread_config, plan.thread, fields.context_offset)
        ctx = (context + offset) & 7  # U7
        adc = (word >> 8) & 3
        if adc == 3:
            adc = 0
            plan.faults |= Flag.CONTEXT_ADC
        plan.ctx, plan.adc = ctx, adc
        if uses_counter:
            _count_context(settings, plan, sampled, ctx)
    if plan.unit == 1 and ctx >= 2:
        plan.faults |= Flag.CONTEXT_RANGE


@part
def _set_formats(settings: Record, plan: Record, sampled: Sampled) -> None:
    """Formats, and what is compressed, upsampled, tilized or for Dst (5.1)."""
    fields = settings.fields[plan.unit]
    config, bank, ctx = sampled.config, plan.state, plan.ctx
    source, target = plan.source, plan.target
    # all eight contexts have formats and two flags (U9)
    if plan.multi and read(config, bank, fields.ovrd_format):
        source.in_format = read(config, bank, fields.context_in[ctx])
        target.out_format = read(config, bank, fields.context_out[ctx])
    else:
        source.in_format = read(config, bank, fields.tile_format)
        target.out_format = read(config, bank, fields.out_format)
    if plan.multi:
        uncompressed = read(config, bank, fields.disable_compress[ctx >> 2]) >> (ctx & 3) & 1
        to_dst = read(config, bank, fields.context_if_sel[ctx >> 2]) >> (ctx & 3) & 1
    else:
        uncompressed = read(config, bank, fields.tile_uncompressed)
        to_dst = read(config, bank, fields.if_sel)
    target.to_dst = to_dst if plan.unit == 0 else 0
    source.quarters = datum_quarters(source.in_format)
    if not uncompressed:
        if source.quarters == 1:
            plan.faults |= Flag.COMPRESSED_BFP2
        else:
            source.compressed = 1
    rate = read(config, bank, fields.upsample_rate)
    target.zeros = settings.upsample_zeros[rate]
    target.interleave = read(config, bank, fields.interleave)
    target.plain = source.compressed == 0 and target.zeros == 0
    if read(config, bank, fields.tileize):
        if source.compressed or rate != 0 or source.quarters < 4:
            plan.faults |= Flag.TILIZE_COMBO
        else:
            source.tilize = 1


@part
def _set_pointers(settings: Record, plan: Record, sampled: Sampled) -> None:
    """What becomes of src_bank and src_row (6; U43)."""
    fields = settings.fields[plan.unit]
    row = 16 * read(sampled.thread_config, plan.thread, fields.set_base)
    if plan.flips:
        plan.new_bank = 1 - plan.bank
        plan.new_row = row
    elif read(sampled.config, plan.state, fields.set_upd):
        plan.new_row = (plan.target.src_row + 16 + row) & 63


@part
def _sample_regular(settings: Record, plan: Record, sampled: Sampled, pointers: Record) -> None:
    word = plan.word
    plan.flips = (word >> 6) & 1
    plan.z0 = (word >> 15) & 3
    plan.y0 = (word >> 17) & 3
    plan.z1 = (word >> 19) & 3  # A17
    plan.y1 = (word >> 21) & 3
    plan.target.all_zero = (word >> 4) & 1
    _set_context(settings, plan, sampled, pointers)
    _set_formats(settings, plan, sampled)
    sample_target.set_conversion(settings, plan, sampled)
    sample_source.set_rate(settings, plan, sampled)
    sample_source.set_rows(settings, plan, sampled)
    rsi = sample_source.set_sections(settings, plan, sampled)
    if plan.source.compressed:
        sample_source.set_compressed(settings, plan, sampled, rsi)
    else:
        sample_source.set_uncompressed(settings, plan, sampled)
    sample_target.set_address(settings, plan, sampled)
    sample_target.set_rows(settings, plan, sampled, pointers)
    _set_pointers(settings, plan, sampled)
    to_srca = plan.unit == 0 and plan.target.to_dst == 0
    if settings.spare_unpacr and to_srca and plan.flips and pointers.sel_dst:
        plan.faults |= Flag.SPARE_UNPACR


@part
def sample(
    settings: Record, plan: Record, sampled: Sampled, pointers: Record, thread: int, word: int
) -> None:
    """Fill the plan of an UNPACR or UNPACR_NOP from the state as it is; changes no state.

    ``pointers``: of the unpacker that the word names.
    """
    _reset(plan)
    plan.unit = (word >> 23) & 1
    plan.thread = thread
    plan.word = word
    plan.bank = pointers.bank
    fields = settings.fields[plan.unit]
    plan.state = read(sampled.thread_config, thread, fields.state_id)
    if word >> 24 == OPCODE_NOP:
        sample_nop.sample(settings, plan, sampled)
        return
    if word & 0x4020:
        plan.faults |= Flag.RESERVED_BIT
    if word & 1 == 0:
        plan.faults |= Flag.NOT_LAST
    if (word >> 1) & 1:  # U3
        plan.kind = Kind.FLUSH
    elif (word >> 13) & 1:
        plan.kind = Kind.INCREMENT
        _count_context(settings, plan, sampled, pointers.context[thread])
    else:
        plan.kind = Kind.REGULAR
        _sample_regular(settings, plan, sampled, pointers)


@part
def leave(plan: Record, pointers: Record) -> None:
    """What the instruction leaves behind at the end of the sampling cycle (6, 7)."""
    if plan.new_context != AS_IT_WAS:
        pointers.context[plan.thread] = plan.new_context
    if plan.new_row != AS_IT_WAS:
        pointers.row[plan.thread] = plan.new_row
    if plan.new_bank != AS_IT_WAS:
        pointers.bank = plan.new_bank
    if plan.kind == Kind.REGULAR:
        pointers.sel_dst = plan.target.to_dst
