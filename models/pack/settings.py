# SPDX-License-Identifier: Apache-2.0
"""What the path of a packer's datums works with, from the configuration (section 4: mode)."""

from __future__ import annotations

from typing import Final, NamedTuple

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models import format_codes as C
from tilepath.models.pack import early, late
from tilepath.models.pack import fields as F
from tilepath.models.pack.early import Container, Early, is_integer, is_wide
from tilepath.models.pack.fields import Config, ThreadConfig, read

_FP16_INFINITY: Final = 0xFFFF


class Pair(NamedTuple):
    """Formats of the late conversion: FROM and TO."""

    from_: int
    to: int


class Sampled(NamedTuple):
    """What an instruction samples."""

    config: Config
    thread_config: ThreadConfig
    bank: int  # StateID of its thread


@part
def inner_format(config: Config, bank: int) -> int:
    """IF (P19)."""
    if read(config, bank, F.DSTACC_OVERRIDE):
        return read(config, bank, F.DSTACC_VAL)
    return read(config, bank, F.DSTACC)


@part
def rounds_10b(config: Config, bank: int, inner: int, pair: Pair, r10_fp16: int) -> int:
    """Round_10b_mant, where it has an effect (P20, P22, P56, P57)."""
    round10 = read(config, bank, F.ROUND_10B)
    if inner == C.FP16 or (inner == C.BF16 and pair.from_ == C.FP16):
        return round10 & r10_fp16
    if inner == C.BF16 and not (pair.from_ == C.TF32 and pair.to == C.FP16):
        return 0
    return round10


@part
def narrows(inner: int, conversion: int, round10: int, from_: int, r10_fp16: int) -> bool:
    """Whether TF32 values are narrowed to FP16 behind ReLU (P22 (a), P57)."""
    tf32 = conversion == Early.ROUND_TF32 or conversion == Early.FLUSH_TF32
    fp16 = inner == C.FP16 or (from_ == C.FP16 and r10_fp16 != 0)
    return tf32 and round10 != 0 and fp16


@compiled
def set_reading(mode: Record, parameters: Record, sampled: Sampled, pair: Pair) -> None:
    """Early conversion (P19 to P23, P56, P57)."""
    config, bank = sampled.config, sampled.bank
    inner = inner_format(config, bank)
    round10 = rounds_10b(config, bank, inner, pair, parameters.r10_fp16)
    mode.inner = inner
    mode.wide = read(config, bank, F.READ_32B)
    mode.ignores_valid = read(config, bank, F.ZERO_FLAG_DISABLED)
    mode.conversion = early.conversion_of(
        inner,
        mode.wide,
        read(config, bank, F.READ_RAW),
        round10,
        read(config, bank, F.READ_UNSIGNED),
    )
    mode.shift = 0
    if read(config, bank, F.DESCALE_ENABLE):
        mode.shift = read(config, bank, F.DESCALE_VALUE) & 31
    mode.read_container = early.container_of(inner, mode.conversion)
    mode.narrows = narrows(inner, mode.conversion, round10, pair.from_, parameters.r10_fp16)
    mode.container = Container.FP16 if mode.narrows else mode.read_container


@part
def minus_infinity(mode: Record) -> int:
    """What a masked datum becomes in edge mode 1 (P25)."""
    container = mode.read_container
    if container == Container.WIDE:
        return 0xFF800000
    if container == Container.INT32:
        return 0xFFFFFFFF
    if container == Container.BF16 or (container == Container.RAW and not _is_e5(mode)):
        return 0xFF80
    if container == Container.INT8:
        return 0xFF
    if mode.conversion == Early.ROUND_E5M6:
        return 0xFFF0
    if mode.conversion == Early.TRUNCATE_E5M7:
        return 0xFFF8
    return 0xFF00 if mode.conversion == Early.TRUNCATE_FP8 else _FP16_INFINITY


@part
def _is_e5(mode: Record) -> bool:
    """Whether the exponent of a 16-bit datum has 5 bits; BFP4a and BFP2a as IF count as that."""
    inner: int = mode.inner
    container: int = mode.container
    return container == Container.FP16 or inner in (C.BFP4A, C.BFP2A)


@part
def is_masked(mode: Record) -> bool:
    """Whether some row of the row sets in use has a mask other than FFFF (P69)."""
    for plane in range(16):
        row_set = (mode.face_mapping >> (2 * plane)) & 3 if mode.face_enable else mode.row_set
        for row in range(16):
            if mode.masks[(mode.row_mappings[row_set] >> (2 * row)) & 3] != 0xFFFF:
                return True
    return False


@part
def set_edges(mode: Record, sampled: Sampled, packer: int) -> None:
    """Edge masks and tile position (P25, P26, P59)."""
    config, bank = sampled.config, sampled.bank
    mode.edges = 0
    for k in range(4):
        mode.masks[k] = read(config, bank, F.EDGE_MASK, k)
        mode.row_mappings[k] = read(config, bank, F.ROW_MAPPING, k)
        if mode.masks[k] != 0xFFFF:
            mode.edges = 1
    mode.face_enable = read(config, bank, F.FACE_ENABLE)
    face_set = (read(config, bank, F.FACE_SELECT) >> (2 * packer)) & 3
    mode.face_mapping = read(config, bank, F.FACE_MAPPING, face_set)
    mode.row_set = (read(config, bank, F.ROW_SELECT) >> (2 * packer)) & 3
    mode.z_offset = read(config, bank, F.DST_Z_OFFSET, packer)
    mode.masked_value = minus_infinity(mode) if read(config, bank, F.EDGE_MODE) else 0
    mode.reads_per_plane = read(config, bank, F.READS_PER_XY_PLANE, packer)
    mode.transposed = read(config, bank, F.YZ_TRANSPOSED, packer)
    mode.masked = is_masked(mode)


@part
def set_relu(mode: Record, parameters: Record, sampled: Sampled) -> None:
    """ReLU (P24)."""
    config, bank = sampled.config, sampled.bank
    container = mode.read_container
    mode.relu = read(config, bank, F.APPLY_RELU) & 3
    mode.relu_threshold = read(config, bank, F.RELU_THRESHOLD)
    mode.sign = 1 << 15
    mode.relu_cut = 0
    if is_wide(container):
        mode.sign = 1 << 31
        mode.relu_threshold <<= 16
    elif container == Container.INT8:
        mode.sign = 0 if read(config, bank, F.READ_UNSIGNED) else 1 << 7
    if is_integer(container):
        mode.relu = min(mode.relu, 1)
    if parameters.relu_max_cmp19 and container == Container.WIDE:
        mode.relu_cut = 13


@compiled
def set_exponents(mode: Record, sampled: Sampled, block: int, from_: int) -> None:
    """Histogram, threshold and downsampling (P27)."""
    config, bank, thread_config = sampled.config, sampled.bank, sampled.thread_config
    mode.counts = 0
    for thread in range(thread_config.shape[0]):
        mode.counts |= thread_config[thread, F.ACC_STATS] & 1
    wide = is_wide(mode.container)
    mode.exponent_lsb = 23 if wide else 7
    mode.exponent_mask = 0xFF
    if mode.container == Container.INT16 or mode.container == Container.INT8:
        mode.exponent_lsb = 0
    elif not wide and _is_e5(mode):
        mode.exponent_lsb = 10
        mode.exponent_mask = 0x1F
    e8 = from_ == C.FP32 or C.TF32 <= from_ <= C.BFP4
    e5 = C.FP16 <= from_ <= C.BFP4A or from_ == C.FP8
    mode.threshold = 0
    if read(config, bank, F.THRESHOLD_ENABLE, block) and (e8 or e5):
        mode.threshold = read(config, bank, F.THRESHOLD, block)
    mode.threshold_mask = 0xFF if e8 else 0x1F
    mode.threshold_lsb = 23 if e8 else 26
    mode.threshold_left = 0 if wide else (24 if mode.container == Container.INT8 else 16)
    mask = read(config, bank, F.DOWNSAMPLE_MASK, block)
    mode.downsample = mask if mask else 0xFFFF


@part
def container_in_l1(from_: int) -> int:
    """``Container`` of a datum that comes from L1 (P16)."""
    if from_ == C.FP32 or from_ == C.TF32:
        return Container.WIDE
    if from_ == C.BF16 or from_ in C.BFP:
        return Container.BF16
    if from_ == C.FP16 or from_ == C.FP8 or from_ in C.BFPA:
        return Container.FP16
    if from_ == C.INT16:
        return Container.INT16
    if from_ == C.INT8:
        return Container.INT8
    return Container.INT32 if from_ == C.INT32 else Container.RAW


@part
def is_compressing(config: Config, bank: int, parameters: Record, packer: int, block: int) -> int:
    """Whether a packer compresses (P42)."""
    if parameters.compress_ovrd and read(config, bank, F.ALL_COMPRESS_OVRD):
        return 1 - ((read(config, bank, F.ALL_COMPRESS) >> packer) & 1)
    return 1 - read(config, bank, F.DISABLE_COMPRESS, block)


@part
def container_from_dst(mode: Record, from_: int) -> int:
    """``Container`` behind the early conversion; FP32 and INT32 are what FROM says (P23)."""
    copied = mode.wide and mode.conversion == Early.KEEP_WIDE and mode.inner != C.TF32
    if copied and (from_ == C.FP32 or from_ == C.INT32):
        return Container.WIDE if from_ == C.FP32 else Container.INT32
    return mode.container  # type: ignore[no-any-return]


@compiled
def set_output(
    mode: Record, parameters: Record, sampled: Sampled, packer: int, block: int, pair: Pair
) -> None:
    """Late conversion, lines, compression and accumulation (P28 to P31, P40, P42, P64)."""
    config, bank = sampled.config, sampled.bank
    from_l1 = packer == 0 and read(config, bank, F.L1_SOURCE) != 0
    from_, to = pair
    container = container_in_l1(from_) if from_l1 else container_from_dst(mode, from_)
    mode.late_container = container
    mode.late_inner = from_ if from_l1 else (C.FP16 if mode.narrows else mode.inner)
    mode.to = to
    bits = late.element_bits(to)
    mode.bits = bits
    mode.bfp = to in C.SHARED
    mode.unit = 16 if bits < 8 else 128 // bits
    mode.low_bits = 0xFFFF if mode.bfp else (1 << bits) - 1
    e4m3 = parameters.e4m3 & read(config, bank, F.E4M3)
    mode.target = late.target_of(to, e4m3)
    if is_integer(container) or container == Container.RAW:
        mode.target = late.Late.LOW_BITS
    mode.own_exponents = read(config, bank, F.DIS_SHARED_EXP, block)
    mode.compresses = is_compressing(config, bank, parameters, packer, block)
    accumulated = to == C.FP32 or to == C.FP16 or to == C.BF16 or to == C.INT32
    wanted = read(config, bank, F.L1_ACC, block) != 0
    mode.accumulate = wanted and accumulated and not mode.compresses


@compiled
def set_mode(mode: Record, parameters: Record, sampled: Sampled, packer: int, block: int) -> None:
    """All of it; ``block``: words between packer 0's block and the one that counts."""
    config, bank = sampled.config, sampled.bank
    pair = Pair(read(config, bank, F.FROM, block), read(config, bank, F.TO, block))
    set_reading(mode, parameters, sampled, pair)
    set_edges(mode, sampled, packer)
    set_relu(mode, parameters, sampled)
    set_exponents(mode, sampled, block, pair.from_)
    set_output(mode, parameters, sampled, packer, block, pair)
