# SPDX-License-Identifier: Apache-2.0
"""Faults of a PACR (section 10 of the contract)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models import format_codes as C
from tilepath.models.adc.untimed_state import Counter
from tilepath.models.pack import addresses, early
from tilepath.models.pack import fields as F
from tilepath.models.pack.addresses import Counters, counter
from tilepath.models.pack.early import Container, Early
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.fields import read
from tilepath.models.pack.late import element_bits
from tilepath.models.pack.sample import (
    MOST_ZEROS,
    block_of,
    is_long_zero_write,
    is_strided,
    mask_of,
)
from tilepath.models.pack.settings import Pair, Sampled, rounds_10b
from tilepath.models.pack.state import COLUMNS, DST_ROWS, LANES, Kind, Source

_BAD_MASKS: Final = 1 << 6 | 1 << 9 | 1 << 0xB | 1 << 0xD | 1 << 0xE
_RESERVED: Final = sum(1 << code for code in range(16) if code not in C.ALL)
_ELEMENTS: Final = sum(1 << code for code in C.ALL if element_bits(code) < 8)
"""Formats for L1 alone: pairs of P28 do not have them."""
_FLOATS: Final = sum(1 << code for code in C.FLOATS)
_INTEGERS: Final = sum(1 << code for code in C.INTEGERS)


@part
def _one_of(codes: int, code: int) -> bool:
    return (codes >> code) & 1 != 0


@part
def mode_faults(state: Record, sampled: Sampled, word: int, number: int) -> int:
    """Return faults of a mode that changes under an open tile, whoever changes it (P68)."""
    mode, packer = state.modes[number], state.packers[number]
    block = block_of(state.parameters, number, word)
    from_ = read(sampled.config, sampled.bank, F.FROM, block)
    accumulate = read(sampled.config, sampled.bank, F.L1_ACC, block)
    formats = packer.to != mode.to or packer.input_format != from_
    path = packer.compresses != mode.compresses or packer.accumulate != accumulate
    packer.to = mode.to
    packer.input_format = from_
    packer.compresses = mode.compresses
    packer.accumulate = accumulate
    is_open = packer.streams[Kind.DATA].needs_new == 0
    return Flag.OPEN_CHANGE if is_open and (formats or path) else 0


@part
def word_faults(state: Record, sampled: Sampled, word: int) -> int:
    """Return faults of the instruction itself, and of what all packers share or see."""
    config, bank, parameters = sampled.config, sampled.bank, state.parameters
    faults = 0
    for number in range(parameters.packers):
        faults |= mode_faults(state, sampled, word, number)
    if parameters.lanes == 1 and _one_of(_BAD_MASKS, mask_of(parameters, word)):
        faults |= Flag.MASK
    ignored = F.get(word, F.ROW_PAD_ZERO) | F.get(word, F.CTXT_CTRL)
    if not parameters.bh_fields:
        ignored |= F.get(word, F.CFG_CONTEXT) | F.get(word, F.DST_ACCESS_MODE)
    if ignored:
        faults |= Flag.FIELDS
    if read(config, bank, F.GASKET_SRND) | read(config, bank, F.PACKER_SRND):
        faults |= Flag.STOCHASTIC
    if read(config, bank, F.DESCALE_MODE):
        faults |= Flag.DESCALE_MODE
    return faults


@part
def count_faults(parameters: Record, live: Counters, of_set: int, word: int) -> int:
    """P14."""
    x0 = counter(live, of_set, 0, Counter.X)
    x1 = counter(live, of_set, 1, Counter.X)
    most = parameters.max_datums
    if is_long_zero_write(parameters, word, x0, x1):
        most = MOST_ZEROS
    if F.get(word, F.FLUSH) or 0 <= x1 - x0 + 1 <= most:
        return 0
    return Flag.COUNT


@part
def _is_early_undefined(config: F.Config, bank: int, mode: Record, round10: int) -> bool:
    """A cell of P20 without a value; ``round10``: Round_10b_mant has an effect."""
    raw = read(config, bank, F.READ_RAW)
    unsigned = read(config, bank, F.READ_UNSIGNED)
    if mode.inner == C.BF16 and read(config, bank, F.ROUND_10B) and not raw:
        return not round10
    return early.is_undefined(mode.inner, mode.wide, raw, round10, unsigned)


@part
def _go_together(mode: Record, from_: int) -> bool:
    """IF and FROM (P23)."""
    if mode.narrows:
        return from_ == C.FP16
    if mode.inner == from_:
        return True
    conversion = mode.conversion
    if conversion == Early.KEEP_WIDE and mode.wide and mode.inner != C.TF32:
        return from_ == C.FP32 or from_ == C.INT32
    tf32 = conversion == Early.ROUND_TF32 or conversion == Early.FLUSH_TF32
    if tf32 or mode.inner == C.TF32:
        return from_ == C.FP32 or from_ == C.TF32
    return mode.container == Container.BF16 and (from_ == C.BF16 or from_ == C.BFP8)


@compiled
def dst_faults(mode: Record, parameters: Record, sampled: Sampled, block: int) -> int:
    """Return faults of values that come from Dst."""
    config, bank = sampled.config, sampled.bank
    from_ = read(config, bank, F.FROM, block)
    pair = Pair(from_, mode.to)
    round10 = rounds_10b(config, bank, mode.inner, pair, parameters.r10_fp16)
    faults = 0
    if _is_early_undefined(config, bank, mode, round10):
        faults |= Flag.EARLY
    if not _go_together(mode, from_):
        faults |= Flag.PAIR_IF
    apply = read(config, bank, F.APPLY_RELU)
    negative = read(config, bank, F.RELU_THRESHOLD) >> 15
    if apply > 3 or (apply >= 2 and (negative or _one_of(_INTEGERS, mode.inner))):
        faults |= Flag.RELU
    if read(config, bank, F.EDGE_MODE):
        if _one_of(_INTEGERS, mode.inner):
            faults |= Flag.EDGE_INT
        if mode.masked and mode.bfp and mode.relu == 0:
            faults |= Flag.EDGE_NEGINF_BFP
    if read(config, bank, F.THRESHOLD_ENABLE, block) and from_ == C.BFP2A:
        faults |= Flag.THRESHOLD
    if mode.edges and not 1 <= mode.reads_per_plane <= 16:
        faults |= Flag.READS_PER_PLANE
    return faults


@part
def row_faults(
    parameters: Record, plan: Record, sampled: Sampled, live: Counters, of_set: int, word: int
) -> int:
    """Return faults of the rows of Dst that are read."""
    config, bank = sampled.config, sampled.bank
    faults = 0
    if addresses.channel_bytes(config, bank, live, of_set, 0) & 15:
        faults |= Flag.ALIGN
    if parameters.lanes == 1:
        return faults | (Flag.WRAP if plan.datum + plan.count > DST_ROWS * COLUMNS else 0)
    first = plan.datum >> 4
    strided = is_strided(parameters, word)
    wanted = counter(live, of_set, 1, Counter.X) - counter(live, of_set, 0, Counter.X) + 1
    if min(wanted, parameters.max_datums) > COLUMNS - (plan.datum & 15):
        faults |= Flag.ROW_END
    for lane in range(LANES):
        beyond = first + lane * plan.lane_rows >= DST_ROWS
        if (plan.lanes >> lane) & 1 and beyond and plan.count > 0:
            faults |= Flag.WRAP
    if strided:
        if not (read(config, bank, F.REMAP) & read(config, bank, F.SWIZZLE)):
            faults |= Flag.STRIDED
    elif (plan.lanes << (first & 3)) > 15:
        faults |= Flag.INTF_GROUP
    return faults


@part
def late_faults(mode: Record, from_: int) -> int:
    """Return faults of FROM and TO (P28)."""
    codes = 1 << mode.inner | 1 << from_
    pair = _one_of(_FLOATS & ~_ELEMENTS, from_) and _one_of(_FLOATS, mode.to)
    same = _one_of(_INTEGERS, from_) and from_ == mode.to
    bad = codes & (_ELEMENTS | _RESERVED) != 0 or _one_of(_RESERVED, mode.to)
    faults = 0
    if bad or not (pair or same):
        faults |= Flag.PAIR_LATE
    if from_ == C.FP32 and mode.to == C.TF32:
        faults |= Flag.LATE_TF32
    return faults


@part
def output_faults(mode: Record, sampled: Sampled, block: int) -> int:
    """Return faults of groups, accumulation and compression."""
    config, bank = sampled.config, sampled.bank
    faults = 0
    if mode.bfp and mode.own_exponents:
        faults |= Flag.DIS_SHARED_EXP
    if read(config, bank, F.L1_ACC, block):
        if not (mode.to <= C.FP16 or mode.to == C.BF16 or mode.to == C.INT32):
            faults |= Flag.ACC_FORMAT
        if mode.compresses:
            faults |= Flag.ACC_COMPRESS
    if mode.compresses and (mode.to == C.BFP2 or mode.to == C.BFP2A):
        faults |= Flag.COMPRESS_BFP2
    return faults


@part
def address_faults(
    parameters: Record, sampled: Sampled, packer: int, block: int, size: int, byte: int
) -> int:
    """Return faults of strides and L1 addresses; ``size`` of a datum and ``byte`` in bytes."""
    config, bank = sampled.config, sampled.bank
    faults = 0
    limit = read(config, bank, F.LIMIT, F.LIMITS[packer])
    fifo = read(config, bank, F.FIFO, F.LIMITS[packer])
    if fifo and addresses.is_relative(config, bank, parameters, packer, 0):
        faults |= Flag.RELATIVE_FIFO
    if limit and not fifo:
        faults |= Flag.LIMIT_FIFO
    strides = (
        read(config, bank, F.YSTRIDE0)
        | read(config, bank, F.ZSTRIDE0)
        | read(config, bank, F.WSTRIDE0)
    )
    xstride = read(config, bank, F.XSTRIDE0) & 15
    if strides & (size - 1) or (xstride and xstride != size):
        faults |= Flag.STRIDE
    ignored = (
        read(config, bank, F.PER_XY_PLANE, packer)
        | read(config, bank, F.XYS_PER_TILE, packer)
        | read(config, bank, F.AUTO_CTXT_INC, packer)
    )
    if ignored:
        faults |= Flag.COUNTERS
    if read(config, bank, F.L1_SOURCE, 0 if packer == 0 else block):
        ambiguous = read(config, bank, F.L1_SOURCE_ADDR, block) and byte >= 1 << 13
        if packer > 0 or ambiguous:
            faults |= Flag.L1_SOURCE
    return faults


@part
def tile_faults(packer: Record, plan: Record, thread: int) -> int:
    """Return faults of going on with a tile; keep what the next instruction compares with."""
    faults = 0
    exponents = plan.sections[Kind.EXPONENT]
    row_starts = plan.sections[Kind.RSI]
    if packer.streams[Kind.DATA].needs_new == 0:
        if packer.thread != thread:
            faults |= Flag.THREADS
        if packer.exponent_section != exponents or packer.row_section != row_starts:
            faults |= Flag.OPEN_CHANGE
    packer.thread = thread
    packer.exponent_section = exponents
    packer.row_section = row_starts
    return faults


@compiled
def packer_faults(
    state: Record, sampled: Sampled, live: Counters, of_set: int, thread: int, word: int,
    packer: int,
) -> int:  # fmt: skip
    """All that one packer of the mask has to say."""
    config, bank, parameters = sampled.config, sampled.bank, state.parameters
    mode, plan = state.modes[packer], state.plans[packer]
    block = block_of(parameters, packer, word)
    from_ = read(config, bank, F.FROM, block)
    byte = addresses.input_bytes(config, bank, live, of_set)
    faults = output_faults(mode, sampled, block)
    if parameters.bh_fields and read(config, bank, F.AUTO_LAST, block):
        faults |= Flag.FIELDS
    faults |= address_faults(parameters, sampled, packer, block, plan.datum_bytes, byte)
    faults |= tile_faults(state.packers[packer], plan, thread)
    if plan.source == Source.DST:
        faults |= dst_faults(mode, parameters, sampled, block)
        faults |= row_faults(parameters, plan, sampled, live, of_set, word)
    if not F.get(word, F.FLUSH):
        faults |= late_faults(mode, from_)
    return faults
