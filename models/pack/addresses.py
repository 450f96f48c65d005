# SPDX-License-Identifier: Apache-2.0
"""Addresses: datums in Dst and in L1, and the tile (P9 to P16, P32 to P38, P50, P53).

``live``: the counters of ``models.adc``. Bytes of addresses wrap at 32 bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.adc.untimed_state import PACKERS as TARGET
from tilepath.models.adc.untimed_state import Counter
from tilepath.models.pack import fields as F
from tilepath.models.pack.fields import Config, read, wide
from tilepath.models.pack.state import LOW17, LOW32, Kind

Counters = npt.NDArray[np.uint32]

_DST_DATUMS: Final = 0x3FFF
_SOURCE_BYTES: Final = 0x1FFFFF
_LOW18: Final = 0x3FFFF


@part
def counter_set(thread: int, word: int) -> int:
    """The set of counters that an instruction uses (P9)."""
    chosen = F.get(word, F.ADDR_CNT_CONTEXT) if F.get(word, F.OVRD_THREAD_ID) else thread
    return 0 if chosen == 3 else chosen


@part
def counter(live: Counters, of_set: int, channel: int, which: int) -> int:
    """A counter of the packers."""
    return wide(live[of_set, TARGET, channel, which])


@part
def datum_bytes(input_format: int) -> int:
    """Bytes of a datum as addresses count them, by FROM (P10)."""
    return max(4 >> (input_format & 3), 1)


@part
def column_mask(size: int) -> int:
    """What X is taken modulo, less 1."""
    return 16 // size - 1


_SUMMANDS: Final = (
    (F.BASE0, F.YSTRIDE0, F.ZSTRIDE0, F.WSTRIDE0),
    (F.BASE1, F.YSTRIDE1, F.ZSTRIDE1, F.WSTRIDE1),
)


@part
def channel_bytes(config: Config, bank: int, live: Counters, of_set: int, channel: int) -> int:
    """Bytes that base, Y, Z and W of a channel count: of reads (P10), of writes (P33)."""
    base, y, z, w = _SUMMANDS[channel]
    return (
        read(config, bank, base)
        + counter(live, of_set, channel, Counter.Y) * read(config, bank, y)
        + counter(live, of_set, channel, Counter.Z) * read(config, bank, z)
        + counter(live, of_set, channel, Counter.W) * read(config, bank, w)
    ) & LOW32


@part
def input_bytes(config: Config, bank: int, live: Counters, of_set: int) -> int:
    """Bytes of the first datum (P10, P11)."""
    x = counter(live, of_set, 0, Counter.X) * (read(config, bank, F.XSTRIDE0) & 15)
    return (channel_bytes(config, bank, live, of_set, 0) + x) & LOW32


@part
def dst_datum(byte: int, x: int, size: int, offset: int) -> int:
    """Number of a datum in Dst, 16 x row + column (P10, P12)."""
    mask = column_mask(size)
    return ((byte // size & ~mask) + (x & mask) + (offset << 4)) & _DST_DATUMS


@part
def source_byte(byte: int, x: int, size: int, high: int) -> int:
    """Address of a datum in L1 (P16); ``high``: L1_source_addr."""
    line = ((high << 18) + (byte & 0x3FFFF)) & ~15
    return (line + size * (x & column_mask(size))) & _SOURCE_BYTES


@part
def tile_unit(config: Config, bank: int, block: int) -> int:
    """L1_Dest_addr and the header, in units of 16 bytes (P32)."""
    header = 1 - read(config, bank, F.SUB_HEADER, block)
    return (read(config, bank, F.L1_DEST, block) + header) & LOW32


@part
def output_units(config: Config, bank: int, live: Counters, of_set: int, parameters: Record) -> int:
    """What channel 1 adds to the address of a tile (P33)."""
    total = channel_bytes(config, bank, live, of_set, 1)
    if parameters.ch1_offset18:
        total &= _LOW18
    return total >> 4 if parameters.yzw_shr4 else total & ~15


@part
def is_relative(config: Config, bank: int, parameters: Record, packer: int, first: int) -> bool:
    """Whether a packer's address is relative to packer 0's (P33); ``first``: packer 0's block."""
    return packer > 0 and parameters.relative != 0 and tile_unit(config, bank, first) >> 31 != 0


@part
def plain_address(
    config: Config, bank: int, state: Record, packer: int, block: int, units: int
) -> int:
    """Unit of 16 bytes in which a tile begins, 32 bits, if it is not wrapped (P33)."""
    address = tile_unit(config, bank, block)
    if is_relative(config, bank, state.parameters, packer, 0):
        address += tile_unit(config, bank, 0)
    address += units
    if read(config, bank, F.ADD_OFFSET, block):
        address += wide(state.offsets[packer])
    return address & LOW32


@part
def tile_address(
    config: Config, bank: int, state: Record, packer: int, block: int, units: int
) -> int:
    """Unit of 16 bytes in which a tile begins, 32 bits (P33, P34)."""
    address = plain_address(config, bank, state, packer, block, units)
    if address > 2 * read(config, bank, F.LIMIT, F.LIMITS[packer]) + 1:
        address -= 2 * read(config, bank, F.FIFO, F.LIMITS[packer])
    return address & LOW32


@part
def set_sections(
    config: Config, bank: int, plan: Record, block: int, address: int, mode: Record
) -> None:
    """The first line of each stream (P33, P36, P37)."""
    plan.sections[Kind.RSI] = read(config, bank, F.ROW_START_SIZE, block)
    plan.sections[Kind.EXPONENT] = read(config, bank, F.EXP_SIZE, block)
    plan.lines[Kind.RSI] = address & LOW17
    if mode.compresses:
        address += plan.sections[Kind.RSI]
    plan.lines[Kind.EXPONENT] = address & LOW17
    if mode.to & 2:
        address += plan.sections[Kind.EXPONENT]
    plan.lines[Kind.DATA] = address & LOW17
