# SPDX-License-Identifier: Apache-2.0
"""Which datums an UNPACR reads and how fast (sections 4, 5.2 and 5.3), with the faults of that."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack.faults import Flag
from tilepath.models.unpack.plan import HALVES, LOW32, NOT_READ, QUARTERS, SIXTEENTHS, UNLIMITED
from tilepath.models.unpack.settings import Sampled, counter, read


@part
def wrap(source: Record, pointer: int, parts: int) -> int:
    """A pointer in ``parts`` per byte, wrapped once where it is beyond the limit (U24)."""
    if pointer > source.limit * parts:
        pointer = (pointer - source.fifo * parts) & ((parts << 32) - 1)
    return pointer


@part
def set_rate(settings: Record, plan: Record, sampled: Sampled) -> None:
    """Lines a cycle (section 4; U63, U64)."""
    source, target = plan.source, plan.target
    throttle = read(sampled.config, plan.state, settings.fields[plan.unit].throttle)
    if throttle == 3:
        plan.faults |= Flag.THROTTLE
    source.want = 1 << min(throttle, 2)
    if source.tilize:
        source.want = 4
    elif source.compressed or target.zeros >= 3 or source.quarters == 1:
        source.want = 1
    elif target.zeros > 0 or (source.quarters == 2 and target.to_dst):
        source.want = min(source.want, 2)


@part
def set_rows(settings: Record, plan: Record, sampled: Sampled) -> None:
    """Row width (U25) and stride (U26)."""
    source = plan.source
    source.row_w = settings.row_w if source.quarters > 4 else 16
    source.stride = source.row_w * source.quarters
    if source.tilize:
        shift_amount = settings.fields[plan.unit].shift_amount
        source.stride = 4 * (
            read(sampled.config, plan.state, shift_amount[0]) << 4
            | read(sampled.config, plan.state, shift_amount[1]) << 8
            | read(sampled.config, plan.state, shift_amount[2]) << 12
        )


@part
def _ceil16(number: int) -> int:
    return (number + 15) & ~15


@part
def x_dim(settings: Record, plan: Record, sampled: Sampled) -> int:
    """XDim (5.1)."""
    fields = settings.fields[plan.unit]
    if plan.multi and plan.unit == 0:
        return read(sampled.config, plan.state, fields.context_x[plan.ctx & 3])
    return read(sampled.config, plan.state, fields.tile_x)


@part
def set_sections(settings: Record, plan: Record, sampled: Sampled) -> int:
    """Where the sections of the tile are (5.2); returns the address of the RSI section."""
    fields = settings.fields[plan.unit]
    config, bank, ctx, source = sampled.config, plan.state, plan.ctx, plan.source
    line = read(config, bank, fields.tile_base[ctx])
    line += read(config, bank, fields.tile_offset[ctx & 3])
    address = (line + 1 + read(config, bank, fields.tile_digest)) * 16
    y_dim = read(config, bank, fields.tile_y)
    planes = max(read(config, bank, fields.tile_z), 1) * max(read(config, bank, fields.tile_w), 1)
    rsi = address & LOW32
    if source.compressed:
        blobs = read(config, bank, fields.tile_blobs)
        address += _ceil16(2 * ((blobs if blobs else y_dim) * planes + 1))
    source.exponents = address & LOW32
    # U13
    has_section = source.quarters == 4 or read(config, bank, fields.tile_no_exponents) == 0
    if source.reads_exponents and has_section:
        address += _ceil16((x_dim(settings, plan, sampled) * y_dim * planes + 15) >> 4)
    source.datums = address & LOW32
    source.limit = 16 * read(config, bank, fields.limit)
    source.fifo = 16 * read(config, bank, fields.fifo)
    return rsi


@part
def _blob_start(settings: Record, plan: Record, sampled: Sampled, place: int) -> int:
    """Nibble ``place`` of the blobs' starts; start[8] = 0 (U10, U17)."""
    if place == 8:
        return 0
    fields = settings.fields[plan.unit]
    config, bank = sampled.config, plan.state
    if plan.multi and plan.unit == 0:
        starts = read(config, bank, fields.blobs_start[(plan.ctx >> 1) & 1])
    else:
        starts = read(config, bank, fields.tile_start[0])
        starts |= read(config, bank, fields.tile_start[1]) << 16
    return (starts >> (4 * place)) & 15


@part
def datum_pointer(source: Record) -> int:
    """Return the pointer of the first datum, in quarters of a byte, not wrapped."""
    pointer = 4 * source.datums + source.first * source.quarters
    if source.compressed:  # behind each group are 16 bytes (U20)
        pointer += (source.first >> 5) * 64
    return pointer & (QUARTERS - 63 if source.tilize else QUARTERS)  # type: ignore[no-any-return]


@part
def exponent_pointer(source: Record) -> int:
    """Return the pointer of its exponent, in sixteenths of a byte, not wrapped."""
    return (16 * source.exponents + source.first) & SIXTEENTHS  # type: ignore[no-any-return]


@part
def delta_pointer(source: Record) -> int:
    """Return the pointer of its nibble, in halves of a byte, not wrapped; only if compressed."""
    group = 4 * source.datums + (source.first >> 5) * (32 * source.quarters + 64)
    return ((group + 32 * source.quarters) // 2 + source.first % 32) & HALVES  # type: ignore[no-any-return]


@part
def _set_exponent(source: Record) -> None:
    if source.reads_exponents:
        source.exponent = wrap(source, exponent_pointer(source), 16)


@part
def _window(settings: Record, plan: Record, sampled: Sampled) -> tuple[int, int, int]:
    """XPos, YPos and XEnd (5.2)."""
    x = counter(sampled.live, plan.adc, plan.unit, 0, 0)
    y = counter(sampled.live, plan.adc, plan.unit, 0, 1)
    x1 = counter(sampled.live, plan.adc, plan.unit, 1, 0)
    if y > 0xFF:  # U15
        plan.faults |= Flag.Y_RANGE
    if (plan.word >> 2) & 1 == 0:
        return x, y & 0xFF, x1 + 1  # A9
    blobs = read(sampled.config, plan.state, settings.fields[plan.unit].tile_blobs)
    if blobs == 0:
        return 0, y & 0xFF, x1  # U16
    n = (x & 7) + 1
    if n == 8:
        plan.faults |= Flag.BLOBS_INDEX
    if n == blobs:
        end = x_dim(settings, plan, sampled) & 0x1F0
    else:
        end = 16 * _blob_start(settings, plan, sampled, n)
    return 16 * _blob_start(settings, plan, sampled, y & 7), 0, end


@part
def set_uncompressed(settings: Record, plan: Record, sampled: Sampled) -> None:
    """The datums to read, uncompressed (5.2)."""
    fields = settings.fields[plan.unit]
    config, bank, source = sampled.config, plan.state, plan.source
    begin, row, end = _window(settings, plan, sampled)
    window = 8192 * 4 // max(4, source.quarters)
    if begin >= window or end > window:
        plan.faults |= Flag.X_WINDOW
    if end < begin:
        plan.faults |= Flag.X_ORDER
    z = counter(sampled.live, plan.thread, plan.unit, 0, 2) & 0xFF
    w = counter(sampled.live, plan.thread, plan.unit, 0, 3) & 0xFF
    index = w * max(read(config, bank, fields.tile_z), 1) + z
    index = index * read(config, bank, fields.tile_y) + row
    source.first = (index * x_dim(settings, plan, sampled) + begin) & LOW32
    source.count = max(end - begin, 0)
    source.drop = 0
    source.items = UNLIMITED
    if source.count == 0 and plan.flips:
        plan.faults |= Flag.EMPTY_FLIP
    to_srca = plan.unit == 0 and plan.target.to_dst == 0
    transposes = to_srca and read(config, bank, fields.haloize) != 0
    if (transposes or read(config, bank, fields.tileize) != 0) and (
        source.first * source.quarters & 63
    ):
        plan.faults |= Flag.START_ALIGN
    source.datum = wrap(source, datum_pointer(source), 4)
    _set_exponent(source)


@part
def set_compressed(settings: Record, plan: Record, sampled: Sampled, rsi: int) -> None:
    """What is known of the datums to read before the RSI entries are (5.3)."""
    fields = settings.fields[plan.unit]
    config, bank, source = sampled.config, plan.state, plan.source
    x = counter(sampled.live, plan.adc, plan.unit, 0, 0)
    y = counter(sampled.live, plan.adc, plan.unit, 0, 1) & 0xFF
    x1 = counter(sampled.live, plan.adc, plan.unit, 1, 0)
    z = counter(sampled.live, plan.thread, plan.unit, 0, 2) & 0xFF
    w = counter(sampled.live, plan.thread, plan.unit, 0, 3) & 0xFF
    searches = (plan.word >> 2) & 1
    blobs = read(config, bank, fields.tile_blobs)
    rows = blobs if searches and blobs else read(config, bank, fields.tile_y)
    entry = (w * max(read(config, bank, fields.tile_z), 1) + z) * rows
    source.rsi_first = (rsi + 2 * (entry + y)) & LOW32
    source.drop = 0
    source.items = UNLIMITED
    if searches:
        source.rsi_end = (rsi + 2 * (entry + (x & 0xFF) + 1)) & LOW32  # X, not Y (U19)
    elif x == 0 and x1 == x_dim(settings, plan, sampled) - 1:
        source.rsi_end = (rsi + 2 * (entry + y + 1)) & LOW32
    else:
        source.rsi_end = NOT_READ
        source.bounded = 1
        source.drop = x
        source.items = max(x1 + 1 - x, 0)
        if x1 + 1 < x:
            plan.faults |= Flag.X_ORDER


@part
def resolve_compressed(source: Record, first: int, end: int) -> None:
    """What the RSI entries say: first datum, count, pointers (5.3).

    ``first``, ``end``: 16-bit entries at rsi_first and rsi_end; ``end`` is ignored if bounded.
    """
    source.first = first
    if source.bounded:
        source.count = UNLIMITED if source.items > 0 else 0
    else:
        source.count = max(end - first, 0)
    source.datum = wrap(source, datum_pointer(source), 4)
    source.delta = wrap(source, delta_pointer(source), 2)
    _set_exponent(source)
