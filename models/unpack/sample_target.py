# SPDX-License-Identifier: Apache-2.0
"""How datums are converted and where they go (sections 5.4 and 5.5), with the faults of that."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models import format_codes as C
from tilepath.models.unpack import formats
from tilepath.models.unpack.convert import Conversion, conversion_of
from tilepath.models.unpack.faults import Flag, WriteFlag
from tilepath.models.unpack.plan import LOW32
from tilepath.models.unpack.settings import Sampled, counter, read


@part
def _format_faults(plan: Record) -> int:
    """Return the faults of the pair of formats (U23, U45, U54, U55)."""
    code, out = plan.source.in_format, plan.target.out_format
    flags = 0
    reserved = formats.is_reserved(code) or formats.is_reserved(out)
    if reserved:
        flags |= Flag.FORMAT_CODE
    elif code != out and code != C.FP32:
        flags |= Flag.FORMAT_PAIR
    converted = out == C.FP32 or out == C.TF32
    converted = converted or out == C.BF16 or out == C.FP16
    if code == C.FP32 and not reserved and not converted:
        flags |= Flag.FORMAT_FP32
    converts = plan.target.to_dst == 0 and plan.target.all_zero == 0  # U23: to Src, if at all
    if converts and code == out and plan.target.wide:
        flags |= Flag.FORMAT_SRC
    return flags


@part
def set_conversion(settings: Record, plan: Record, sampled: Sampled) -> None:
    """How a datum is converted, and where its exponent comes from (5.2, 5.4)."""
    fields = settings.fields[plan.unit]
    config, bank = sampled.config, plan.state
    source, target = plan.source, plan.target
    target.wide = formats.is_wide(target.out_format)
    target.conversion = conversion_of(
        source.in_format,
        target.out_format,
        read(config, bank, fields.e4m3),
        settings.e5m2_fill,
        read(config, bank, fields.unsigned),
    )
    if target.conversion >= Conversion.BFP:
        if source.quarters == 2:
            target.shift = 4
        elif source.quarters == 1:
            target.shift = 6
        if read(config, bank, fields.force_exp):
            source.forced_exponent = read(config, bank, fields.shared_exp)
        else:
            source.reads_exponents = 1
            if source.quarters < 4 and read(config, bank, fields.tile_no_exponents):
                plan.faults |= Flag.BFP_ALIAS
    plan.faults |= _format_faults(plan)


@part
def set_address(settings: Record, plan: Record, sampled: Sampled) -> None:
    """OutAddr of the first slot (U28, U29)."""
    unit, bank = plan.unit, plan.state
    fields, config, target = settings.fields[unit], sampled.config, plan.target
    # A10: the thread's own set
    address = (
        read(config, bank, fields.out_base)
        + counter(sampled.live, plan.thread, unit, 1, 1) * read(config, bank, fields.y_stride)
        + counter(sampled.live, plan.thread, unit, 1, 2) * read(config, bank, fields.z_stride)
        + counter(sampled.live, plan.thread, unit, 1, 3) * read(config, bank, fields.w_stride)
    ) & LOW32
    shift = formats.address_shift(target.out_format)
    if address & ((1 << shift) - 1):
        plan.faults |= Flag.OUT_ALIGN
    address >>= shift
    if plan.multi and unit == 0:
        dest = read(config, bank, fields.dest[plan.ctx & 3])
        if target.to_dst or read(config, bank, fields.add_dest):
            address = (address + dest) & LOW32
        else:
            address = dest
    target.out_addr = address
    if address & 15:
        plan.faults |= Flag.OUT_ROW
    if unit == 0 and address < 64:
        plan.faults |= Flag.OUT_LOW


@part
def _set_dst_rows(plan: Record, haloize: int, shift_amount: int) -> None:
    target = plan.target
    target.address_add = -64
    target.address_mask = 0xFF if target.ovrd else 0x3FFF
    target.block_bits = 6 if target.wide and target.access.swizzle else 7  # 4 or 8 rows
    if haloize or (plan.source.tilize == 0 and shift_amount):
        plan.faults |= Flag.DST_MODES
    if target.ovrd:
        plan.faults |= Flag.DST_OVRD


@part
def _burst_rows(settings: Record, plan: Record, sampled: Sampled) -> int:
    """Rows of a burst into SrcA (U33)."""
    source = plan.source
    lines = source.want
    if settings.burst_throttle:
        fields = settings.fields[plan.unit]
        if source.quarters == 1:
            mode = 0
        elif source.tilize:
            mode = 2
        elif read(sampled.config, plan.state, fields.ovrd_throttle):
            mode = read(sampled.config, plan.state, fields.throttle)
        else:
            mode = 3 if source.quarters == 4 else 2
        lines = 8 if mode == 2 and source.quarters >= 8 else 1 << mode
    return min(max(lines * 4 // source.quarters, 1), 8)  # type: ignore[no-any-return]


@part
def _set_srca_rows(plan: Record, haloize: int, shift_amount: int) -> None:
    source, target = plan.source, plan.target
    target.transposes = haloize
    target.block_bits = 8 if haloize else 0  # 16 rows
    target.address_add = -64
    if target.ovrd == 0:
        target.address_add += 16 * target.src_row
    target.address_mask = 0x3FF
    first = (target.out_addr + target.address_add) >> 4
    if source.compressed == 0 and source.count > 16 and first % target.burst_rows:
        plan.faults |= Flag.BURST
    if source.tilize == 0:
        target.col_shift = shift_amount
        target.address_add -= shift_amount


@part
def set_rows(settings: Record, plan: Record, sampled: Sampled, pointers: Record) -> None:
    """Which register row an OutAddr is (5.5)."""
    fields = settings.fields[plan.unit]
    config, bank, target = sampled.config, plan.state, plan.target
    target.src_row = pointers.row[plan.thread]
    target.ovrd = 0
    target.block_bits = 0
    haloize = read(config, bank, fields.haloize)
    if plan.unit == 1:
        target.address_add = 16 * target.src_row
        target.address_mask = 0x3FF
        if haloize:
            plan.faults |= Flag.TRANSPOSE_SRCB
        return
    target.ovrd = read(sampled.thread_config, plan.thread, fields.set_ovrd)
    target.access.remap = settings.dst_remap & read(config, bank, fields.remap)
    target.access.swizzle = settings.dst_remap & read(config, bank, fields.swizzle)
    shift_amount = read(config, bank, fields.shift_amount[plan.ctx & 3])
    if target.to_dst:
        _set_dst_rows(plan, haloize, shift_amount)
    else:
        target.burst_rows = _burst_rows(settings, plan, sampled)
        _set_srca_rows(plan, haloize, shift_amount)
        target.row_end = 20
        target.row_fault = WriteFlag.SRCA_ROW
        if target.ovrd:
            target.row_end = 68
            target.row_fault = WriteFlag.SRCA_ROW_HIGH if settings.row_high else 0
