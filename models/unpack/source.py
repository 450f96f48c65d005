# SPDX-License-Identifier: Apache-2.0
"""What an UNPACR reads: context, formats, sections of the tile, datums (5.1 to 5.3).

``t``: the tables; ``p``: the plan; ``config``, ``tc`` (ThreadConfig), ``live``, ``pointers``: as in
``layout``.
"""

from __future__ import annotations

from tilepath.models.jit import part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.tables import counter, read


@part
def wrap(p: L.Memory, pointer: int, parts: int) -> int:
    """A pointer in ``parts`` per byte, wrapped once where it is beyond the limit (U24)."""
    if pointer > p[L.LIMIT] * parts:
        pointer = (pointer - p[L.FIFO] * parts) & ((parts << 32) - 1)
    return pointer


@part
def _datum_size(code: int) -> int:
    """Quarter bytes a datum of a format has in L1."""
    low = code & 3
    if low == 3:
        return 2 if code < 8 else 1
    if low == 0:
        return 16
    return 8 if low == 1 else 4


@part
def context(t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory, pointers: L.Memory) -> None:
    """Context, WhichADC, formats, modes (5.1), and what becomes of the context counter (6)."""
    unit = p[L.UNIT]
    thread = p[L.THREAD]
    word = p[L.WORD]
    bank = p[L.STATE]
    flags = p[L.FLAGS]
    multi = (word >> 7) & 1
    ctx = 0
    adc = thread
    if multi:  # A10
        ctx = (word >> 10) & 7
        if (word >> 3) & 1:
            ctx = pointers[L.POINTERS * unit + L.P_CONTEXT + thread]
        ctx = (ctx + read(t, tc, thread, unit, T.CONTEXT_OFFSET)) & 7  # U7
        adc = (word >> 8) & 3
        if adc == 3:
            adc = 0
            flags |= L.F_CONTEXT_ADC
        if (word >> 3) & 1:
            after = (ctx + 1) & 7  # U8
            if after >= 1 << read(t, config, bank, unit, T.CONTEXT_COUNT):
                after = 0
            p[L.NEW_CONTEXT] = after
    p[L.MULTI] = multi
    p[L.CTX] = ctx
    p[L.ADC] = adc
    if unit == 1 and ctx >= 2:
        flags |= L.F_CONTEXT_RANGE
    # All eight contexts have formats and two flags (U9)
    if multi and read(t, config, bank, unit, T.OVRD_FORMAT):
        p[L.IN] = read(t, config, bank, unit, T.CONTEXT_IN + ctx)
        p[L.OUT] = read(t, config, bank, unit, T.CONTEXT_OUT + ctx)
    else:
        p[L.IN] = read(t, config, bank, unit, T.TILE_FORMAT)
        p[L.OUT] = read(t, config, bank, unit, T.OUT_FORMAT)
    half = ctx >> 2
    if multi:
        uncompressed = read(t, config, bank, unit, T.DISABLE_COMPRESS + half) >> (ctx & 3) & 1
    else:
        uncompressed = read(t, config, bank, unit, T.TILE_UNCOMPRESSED)
    if unit == 0:
        if multi:
            p[L.DST] = read(t, config, bank, unit, T.CONTEXT_IF_SEL + half) >> (ctx & 3) & 1
        else:
            p[L.DST] = read(t, config, bank, unit, T.IF_SEL)
    quarters = _datum_size(p[L.IN])
    p[L.SIZE] = quarters
    if not uncompressed:
        if quarters == 1:
            flags |= L.F_COMPRESSED_BFP2
        else:
            p[L.COMPRESSED] = 1
    rate = read(t, config, bank, unit, T.UPSAMPLE_RATE)
    p[L.ZEROS] = t[T.UPSAMPLE + rate]
    p[L.INTERLEAVE] = read(t, config, bank, unit, T.UPSAMPLE_INTERLEAVE)
    p[L.PLAIN] = p[L.COMPRESSED] == 0 and p[L.ZEROS] == 0
    if read(t, config, bank, unit, T.TILEIZE):
        if p[L.COMPRESSED] or rate != 0 or quarters < 4:
            flags |= L.F_TILIZE_COMBO
        else:
            p[L.TILIZE] = 1
    p[L.FLAGS] = flags


@part
def formats(t: L.Memory, p: L.Memory, config: L.Memory) -> None:
    """How a datum is converted, and the flags of the formats (5.4, 8)."""
    unit = p[L.UNIT]
    bank = p[L.STATE]
    code = p[L.IN]
    out = p[L.OUT]
    flags = p[L.FLAGS]
    kind = L.C_WIDE
    if code == L.FP32:
        if out == L.BF16:
            kind = L.C_FP32_BF16
        elif out == L.FP16:
            kind = L.C_FP32_FP16
    elif code == L.FP16:
        kind = L.C_FP16
    elif code == L.BF16:
        kind = L.C_BF16
    elif code == L.INT16:
        kind = L.C_INT16
    elif code == L.FP8:
        if read(t, config, bank, unit, T.E4M3):
            kind = L.C_E4M3
        else:
            kind = L.C_E5M2_FILL if t[T.E5M2_FILL] else L.C_E5M2
    elif code == L.INT8:
        kind = L.C_UINT8 if read(t, config, bank, unit, T.UNSIGNED) else L.C_INT8
    elif code == 12 or code == 13:
        kind = L.C_ZERO
    elif code == L.BFP8A or code == L.BFP4A or code == L.BFP2A:
        kind = L.C_BFPA
    elif code == L.BFP8 or code == L.BFP4 or code == L.BFP2:
        kind = L.C_BFP
    p[L.CONVERSION] = kind
    if kind >= L.C_BFP:
        if p[L.SIZE] == 2:
            p[L.SHIFT] = 4
        elif p[L.SIZE] == 1:
            p[L.SHIFT] = 6
        if read(t, config, bank, unit, T.FORCE_EXP):
            p[L.FORCED] = read(t, config, bank, unit, T.SHARED_EXP)
        else:
            p[L.READS_EXP] = 1
            if p[L.SIZE] < 4 and read(t, config, bank, unit, T.TILE_NO_EXP):
                flags |= L.F_BFP_ALIAS
    p[L.WIDE] = out == L.FP32 or out == L.TF32 or out == L.INT32
    if code == 12 or code == 13 or out == 12 or out == 13:
        flags |= L.F_FORMAT_CODE
    elif code != out and code != L.FP32:
        flags |= L.F_FORMAT_PAIR
    if code == L.FP32 and not (
        (p[L.WIDE] and out != L.INT32) or out == L.BF16 or out == L.FP16 or out == 12 or out == 13
    ):
        flags |= L.F_FORMAT_FP32
    if p[L.DST] == 0 and code == out and p[L.WIDE]:
        flags |= L.F_FORMAT_SRC
    p[L.FLAGS] = flags


@part
def want(t: L.Memory, p: L.Memory, config: L.Memory) -> int:
    """Lines a cycle, and the flag of Throttle_mode (section 4; U63, U64)."""
    throttle = read(t, config, p[L.STATE], p[L.UNIT], T.THROTTLE)
    if throttle == 3:
        p[L.FLAGS] |= L.F_THROTTLE
    want = 1 << min(throttle, 2)
    if p[L.TILIZE]:
        return 4
    if p[L.COMPRESSED] or p[L.ZEROS] >= 3 or p[L.SIZE] == 1:
        return 1
    if p[L.ZEROS] > 0 or (p[L.SIZE] == 2 and p[L.DST]):
        return min(want, 2)
    return want


@part
def _ceil16(number: int) -> int:
    return (number + 15) & ~15


@part
def _x_dim(t: L.Memory, p: L.Memory, config: L.Memory) -> int:
    number = T.TILE_XDIM
    if p[L.MULTI] and p[L.UNIT] == 0:
        number = T.TILE_X_DIM + (p[L.CTX] & 3)
    return read(t, config, p[L.STATE], p[L.UNIT], number)


@part
def sections(t: L.Memory, p: L.Memory, config: L.Memory) -> int:
    """Where the sections of the tile are (5.2); returns the address of the RSI section."""
    unit = p[L.UNIT]
    bank = p[L.STATE]
    ctx = p[L.CTX]
    line = read(t, config, bank, unit, T.BASE + ctx)
    line += read(t, config, bank, unit, T.OFFSET + (ctx & 3))
    address = (line + 1 + read(t, config, bank, unit, T.TILE_DIGEST)) * 16
    y_dim = read(t, config, bank, unit, T.TILE_YDIM)
    planes = max(read(t, config, bank, unit, T.TILE_ZDIM), 1)
    planes *= max(read(t, config, bank, unit, T.TILE_WDIM), 1)
    rsi = address & L.LOW32
    if p[L.COMPRESSED]:
        blobs = read(t, config, bank, unit, T.TILE_BLOBS)
        address += _ceil16(2 * ((blobs if blobs else y_dim) * planes + 1))
    p[L.EXPONENTS] = address & L.LOW32
    kept = p[L.SIZE] == 4 or read(t, config, bank, unit, T.TILE_NO_EXP) == 0  # U13
    if p[L.READS_EXP] and kept:
        address += _ceil16((_x_dim(t, p, config) * y_dim * planes + 15) >> 4)
    p[L.DATUMS] = address & L.LOW32
    p[L.LIMIT] = 16 * read(t, config, bank, unit, T.LIMIT_ADDRESS)
    p[L.FIFO] = 16 * read(t, config, bank, unit, T.FIFO_SIZE)
    return rsi


@part
def rows(t: L.Memory, p: L.Memory, config: L.Memory) -> None:
    """Row width (U25) and stride (U26)."""
    p[L.ROW_W] = t[T.ROW_W] if p[L.SIZE] > 4 else 16
    p[L.STRIDE] = p[L.ROW_W] * p[L.SIZE]
    if p[L.TILIZE]:
        stride = 0
        for k in range(3):
            shift = read(t, config, p[L.STATE], p[L.UNIT], T.SHIFT_AMOUNT + k)
            stride |= shift << (4 + 4 * k)
        p[L.STRIDE] = 4 * stride


@part
def _start(t: L.Memory, p: L.Memory, config: L.Memory, place: int) -> int:
    """Nibble ``place`` of the blobs' starts; start[8] = 0 (U10, U17)."""
    if place == 8:
        return 0
    if p[L.MULTI] and p[L.UNIT] == 0:
        number = T.BLOBS_23 if (p[L.CTX] >> 1) & 1 else T.BLOBS_01
        starts = read(t, config, p[L.STATE], 0, number)
    else:
        starts = read(t, config, p[L.STATE], p[L.UNIT], T.TILE_START_LO)
        starts |= read(t, config, p[L.STATE], p[L.UNIT], T.TILE_START_HI) << 16
    return (starts >> (4 * place)) & 15


@part
def _exponent(p: L.Memory) -> None:
    if p[L.READS_EXP]:
        p[L.EXPONENT] = wrap(p, (16 * p[L.EXPONENTS] + p[L.FIRST]) & L.SIXTEENTHS, 16)


@part
def uncompressed(t: L.Memory, p: L.Memory, config: L.Memory, live: L.Memory) -> None:
    """The datums to read, uncompressed (5.2)."""
    unit = p[L.UNIT]
    bank = p[L.STATE]
    flags = p[L.FLAGS]
    x = counter(live, p[L.ADC], unit, 0, 0)
    y = counter(live, p[L.ADC], unit, 0, 1)
    x1 = counter(live, p[L.ADC], unit, 1, 0)
    z = counter(live, p[L.THREAD], unit, 0, 2) & 0xFF  # U15
    w = counter(live, p[L.THREAD], unit, 0, 3) & 0xFF
    x_dim = _x_dim(t, p, config)
    y_dim = read(t, config, bank, unit, T.TILE_YDIM)
    z_dim = max(read(t, config, bank, unit, T.TILE_ZDIM), 1)
    if y > 0xFF:
        flags |= L.F_Y_RANGE
    start = x
    row = y & 0xFF
    end = x1 + 1  # A9
    if (p[L.WORD] >> 2) & 1:
        blobs = read(t, config, bank, unit, T.TILE_BLOBS)
        if blobs == 0:
            start = 0
            end = x1  # U16
        else:
            start = 16 * _start(t, p, config, y & 7)
            row = 0
            n = (x & 7) + 1
            end = x_dim & 0x1F0 if n == blobs else 16 * _start(t, p, config, n)
            if n == 8:
                flags |= L.F_BLOBS_INDEX
    window = 8192 * 4 // max(4, p[L.SIZE])
    if start >= window or end > window:
        flags |= L.F_X_WINDOW
    if end < start:
        flags |= L.F_X_ORDER
    p[L.FIRST] = (((w * z_dim + z) * y_dim + row) * x_dim + start) & L.LOW32
    p[L.COUNT] = max(end - start, 0)
    if p[L.COUNT] == 0 and p[L.FLIP]:
        flags |= L.F_EMPTY_FLIP
    datum = (4 * p[L.DATUMS] + p[L.FIRST] * p[L.SIZE]) & L.QUARTERS
    transposed = unit == 0 and p[L.DST] == 0 and read(t, config, bank, unit, T.HALOIZE)
    if (transposed or read(t, config, bank, unit, T.TILEIZE)) and datum & 63:
        flags |= L.F_START_ALIGN
    if p[L.TILIZE]:
        datum &= ~63
    p[L.DATUM] = wrap(p, datum, 4)
    _exponent(p)
    p[L.FLAGS] = flags


@part
def compressed(t: L.Memory, p: L.Memory, config: L.Memory, live: L.Memory, rsi: int) -> None:
    """What is known of the datums to read before the RSI entries are (5.3)."""
    unit = p[L.UNIT]
    bank = p[L.STATE]
    x = counter(live, p[L.ADC], unit, 0, 0)
    y = counter(live, p[L.ADC], unit, 0, 1) & 0xFF
    x1 = counter(live, p[L.ADC], unit, 1, 0)
    z = counter(live, p[L.THREAD], unit, 0, 2) & 0xFF
    w = counter(live, p[L.THREAD], unit, 0, 3) & 0xFF
    search = (p[L.WORD] >> 2) & 1
    blobs = read(t, config, bank, unit, T.TILE_BLOBS)
    rows = blobs if search and blobs else read(t, config, bank, unit, T.TILE_YDIM)
    entry = (w * max(read(t, config, bank, unit, T.TILE_ZDIM), 1) + z) * rows
    p[L.RSI_FIRST] = (rsi + 2 * (entry + y)) & L.LOW32
    if search:
        p[L.RSI_END] = (rsi + 2 * (entry + (x & 0xFF) + 1)) & L.LOW32  # X, not Y (U19)
    elif x == 0 and x1 == _x_dim(t, p, config) - 1:
        p[L.RSI_END] = (rsi + 2 * (entry + y + 1)) & L.LOW32
    else:
        p[L.RSI_END] = -1
        p[L.BOUNDED] = 1
        p[L.DROP] = x
        p[L.ITEMS] = max(x1 + 1 - x, 0)
        if x1 + 1 < x:
            p[L.FLAGS] |= L.F_X_ORDER


@part
def resolve_compressed(p: L.Memory, first: int, end: int) -> None:
    """What the RSI entries say: first datum, count, pointers (5.3).

    ``first``, ``end``: 16-bit entries at RSI_FIRST and RSI_END; ``end`` is ignored if BOUNDED.
    """
    size = p[L.SIZE]
    p[L.FIRST] = first
    if p[L.BOUNDED]:
        p[L.COUNT] = L.UNLIMITED if p[L.ITEMS] > 0 else 0
    else:
        p[L.COUNT] = max(end - first, 0)
    group = 4 * p[L.DATUMS] + (first >> 5) * (32 * size + 64)
    p[L.DATUM] = wrap(p, (group + (first & 31) * size) & L.QUARTERS, 4)
    delta = (group + 32 * size) >> 1  # halves
    p[L.DELTA] = wrap(p, (delta + (first & 31)) & L.HALVES, 2)
    _exponent(p)


@part
def starts_unaligned(p: L.Memory) -> bool:
    """Whether a compressed instruction that transposes does not begin with a line (U27)."""
    return p[L.COMPRESSED] != 0 and p[L.TRANSPOSE] != 0 and p[L.DATUM] & 63 != 0  # type: ignore[no-any-return]
