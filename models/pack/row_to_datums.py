# SPDX-License-Identifier: Apache-2.0
"""From a row of Dst to datums in their container: all stages up to the threshold.

Early conversion, edge mask (P25), ReLU (P24), narrowing (P22, P57, P60), histogram and threshold
(P27), tile position (P26, P51, P59), downsampling.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.dst_rows import LOW_HALF
from tilepath.models.pack.early import Early, early, narrow
from tilepath.models.pack.fields import wide

Dst = npt.NDArray[np.uint16]
Valid = npt.NDArray[np.uint8]
Exponents = npt.NDArray[np.uint8]
Values = npt.NDArray[np.uint32]


@part
def edge_mask(mode: Record, packer: Record, rows: int, walk: Record) -> int:
    """The mask of a row of the tile, ``rows`` on: bit c lets column c pass (P25, P51)."""
    y, z = packer.y, packer.z
    if mode.transposed:
        z += rows
    else:
        y += rows
    row_set = mode.row_set
    if mode.face_enable:
        row_set = (mode.face_mapping >> (2 * ((z + mode.z_offset) & 15))) & 3
    section = (mode.row_mappings[row_set] >> (2 * (y & 15))) & 3
    mask: int = mode.masks[section]
    if walk.accounts:
        edge = walk.edges[walk.edge_count]
        walk.edge_count += 1
        edge.face_enable, edge.row_set = mode.face_enable, row_set
        edge.section, edge.mask = section, mask
    return mask


@part
def relu(mode: Record, value: int) -> int:
    """ReLU in a mode from 1 to 3; the threshold is a number of sign and magnitude (P24)."""
    if value & mode.sign:
        return 0
    threshold: int = mode.relu_threshold
    limit = -(threshold & ~mode.sign) if threshold & mode.sign else threshold
    if mode.relu == 2 and value <= limit:
        return 0
    if mode.relu == 3 and value >> mode.relu_cut > limit >> mode.relu_cut:
        return threshold
    return value


@part
def count_exponents(
    mode: Record, state: Record, packer: int, exponents: Exponents, count: int
) -> None:
    """Histogram and maximum (P27)."""
    greatest = wide(state.maximum[packer])
    for k in range(count):
        greatest = max(greatest, wide(exponents[k]))
    state.maximum[packer] = greatest
    if mode.counts:
        for k in range(count):
            place = exponents[k] & 31
            if state.bins[packer, place] < 255:
                state.bins[packer, place] += 1


@part
def exponent_for_threshold(mode: Record, value: int) -> int:
    """What the threshold is compared with (P27)."""
    exponent: int = (value << mode.threshold_left >> mode.threshold_lsb) & mode.threshold_mask
    return exponent


@part
def keep_above_threshold(mode: Record, value: int) -> int:
    """The exponent threshold (P27)."""
    return value if exponent_for_threshold(mode, value) >= mode.threshold else 0


@part
def next_position(mode: Record, packer: Record) -> None:
    """The tile position moves by a datum (P26)."""
    packer.x = (packer.x + 1) & 15
    if packer.x == 0:
        next_row(mode, packer, 1)


@part
def next_row(mode: Record, packer: Record, rows: int) -> None:
    """Y moves, and Z when it comes to the end of a plane; transposed the other way round."""
    inner, outer = (packer.z, packer.y) if mode.transposed else (packer.y, packer.z)
    inner = (inner + rows) & 0xFF
    if inner == mode.reads_per_plane:
        inner = 0
        outer = (outer + 1) & 0xFF
    packer.y, packer.z = (outer, inner) if mode.transposed else (inner, outer)


@part
def _convert(mode: Record, values: Values, count: int) -> None:
    """Early conversion; a loop each for what is most common."""
    conversion, shift = mode.conversion, mode.shift
    if conversion == Early.FLUSH_BF16:
        for k in range(count):
            values[k] = early(Early.FLUSH_BF16, wide(values[k]), shift)
    elif conversion == Early.KEEP_WIDE:
        for k in range(count):
            values[k] = early(Early.KEEP_WIDE, wide(values[k]), shift)
    else:
        for k in range(count):
            values[k] = early(conversion, wide(values[k]), shift)


@part
def _see(walk: Record, stage: Values, values: Values, count: int) -> None:
    """Datums behind a stage, for the account."""
    if walk.accounts:
        for k in range(count):
            stage[k] = values[k]


@part
def _passing(
    mode: Record, packer: Record, by_lane: int, column: int, count: int, lane: int, walk: Record
) -> int:
    """Which columns of a row pass the edge masks, a bit each; the tile position moves behind it."""
    if by_lane:
        return edge_mask(mode, packer, lane, walk) if mode.edges else 0xFFFF
    if not mode.edges:  # nobody looks at the position before the next row
        end: int = packer.x + count
        packer.x = end & 15
        if end > 15:
            next_row(mode, packer, 1)
        return 0xFFFF
    passing, mask = 0, edge_mask(mode, packer, 0, walk)
    for k in range(column, column + count):
        passing |= mask & 1 << k
        next_position(mode, packer)
        if packer.x == 0 and k + 1 < column + count:
            mask = edge_mask(mode, packer, 0, walk)
    return passing


@compiled
def fetch_row(
    mode: Record,
    state: Record,
    number: int,
    memory: tuple[Dst, Valid],
    row: int,
    column: int,
    count: int,
    lane: int,
    walk: Record,
) -> None:
    """Datums of a row of storage, from ``column`` on, behind the values of the walk."""
    dst, valid = memory
    by_lane = state.parameters.tpg_by_intf
    passing = _passing(mode, state.packers[number], by_lane, column, count, lane, walk) >> column
    stopped = ~passing & ((1 << count) - 1)
    first, accounts = walk.value_count, walk.accounts
    values, exponents = walk.values[first:], walk.exponents[first:]
    walk.value_count += count
    seen: Any = walk.rows[walk.row_count]
    # raw 32 bits; those of a 16-bit Dst in the upper half (P12, P17)
    high, low = dst[row, column:], dst[row + LOW_HALF * mode.wide, column:]
    ones = 0 if valid[row] == 0 and not mode.ignores_valid else 0xFFFF  # P58
    low_ones = ones if mode.wide else 0
    for k in range(count):
        values[k] = (wide(high[k]) & ones) << 16 | low[k] & low_ones
    _see(walk, seen.stored, values, count)
    _convert(mode, values, count)
    if stopped:
        for k in range(count):
            if (stopped >> k) & 1:
                values[k] = mode.masked_value
    if accounts:
        walk.row_count += 1
        seen.valid, seen.masked = valid[row], stopped
        _see(walk, seen.gated, values, count)
    if mode.relu:
        for k in range(count):
            values[k] = relu(mode, wide(values[k]))
    _see(walk, seen.rectified, values, count)
    if mode.narrows:
        for k in range(count):
            values[k] = narrow(wide(values[k]))
    lsb, mask = mode.exponent_lsb, mode.exponent_mask
    for k in range(count):
        exponents[k] = (values[k] >> lsb) & mask
    if accounts:
        for k in range(count):
            seen.exponent[k] = exponent_for_threshold(mode, wide(values[k]))
    if mode.threshold:
        for k in range(count):
            values[k] = keep_above_threshold(mode, wide(values[k]))
    _see(walk, seen.given, values, count)


@part
def downsample(mode: Record, first: int, walk: Record) -> None:
    """Keep the datums whose bit is set; ``first``: number in the PACR of the first one."""
    if mode.downsample == 0xFFFF:
        return
    kept = 0
    for k in range(walk.value_count):
        if (mode.downsample >> ((first + k) & 15)) & 1:
            walk.values[kept] = walk.values[k]
            kept += 1
    walk.value_count = kept
