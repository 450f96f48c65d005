# SPDX-License-Identifier: Apache-2.0
"""What an UNPACR will read, and whether it is legal: so that random stimulus can be.

A picture of the programmer's view, without time: ``view`` holds what has been written and what
instructions leave behind; :func:`planned` says of a Regular UNPACR where it reads and which faults
it would raise (not the warnings, and not ``bfpa``, which is a matter of the data). Compiled.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import numpy as np

from tilepath.isa import formats
from tilepath.models.jit import part
from tilepath.models.records import Record, record
from tilepath.models.unpack.faults import Flag
from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.memory import Bytes, nibble, u16

M32: Final = 0xFFFF_FFFF
X, Y, Z, W = range(4)
X1, Y1, Z1, W1 = range(4, 8)
BFP: Final = frozenset(code for code, fmt in formats.formats().items() if fmt.shared)
BFPA: Final = frozenset((2, 3, 11))
BFP2: Final = frozenset((11, 15))
BFP8: Final = frozenset((2, 6))
WIDE: Final = frozenset((0, 4, 8))
_QUARTERS: Final = tuple(
    {3: 2, 7: 2, 11: 1, 15: 1}.get(code, (16, 8, 4, 4)[code & 3]) for code in range(16)
)
_IS_BFP, _IS_WIDE = (sum(1 << code for code in codes) for codes in (BFP, WIDE))
_MOST: Final = 2048
"""Compressed datums that a plan looks at."""
_RUNS: Final = 1024
_PIECES: Final = 64
_FAR: Final = 1 << 60

# every record has attributes of these names
_NAMES: Final = {"transpose": "transposes", "base": "bases"}
SETUP: Final = record(
    **{_NAMES.get(one.name, one.name): (np.int64, np.shape(one.default)) for one in fields(Setup)}
)
THREAD: Final = record(state=np.int64, bases=(np.int64, 2), ovrd=np.int64, offset=(np.int64, 2))
VIEW: Final = record(
    l1_bytes=np.int64,
    row_w=np.int64,
    row_high=np.int64,  # srca_row_high
    zeros=(np.int64, 4),
    setups=(SETUP, (2, 2)),
    threads=(THREAD, 3),
    bank=(np.int64, 2),
    row=(np.int64, (2, 3)),
    context=(np.int64, (2, 3)),
)
# A Regular UNPACR. Addresses of rows in quarters of a byte, of exponents in sixteenths
PLAN: Final = record(
    faults=np.int64,  # static ones
    others=np.int64,  # whether it would raise any in reading or writing
    unsure=np.int64,  # whether exponents are put where its deltas are, after it was planned
    ctx=np.int64,
    adc=np.int64,
    code=np.int64,
    out=np.int64,
    to_dst=np.int64,
    compressed=np.int64,
    tilize=np.int64,
    bounded=np.int64,  # whether each of its beats waits for the one before
    count=np.int64,
    sections=(np.int64, 3),  # byte addresses of RSI, of exponents (if any) and of datums
    rsi_end=np.int64,  # address of the farther entry
    slots=np.int64,  # how far OutAddr moves
    writes=np.int64,  # whether a slot is written
    low=np.int64,  # of what is read of rows or groups, and the end of rows
    high=np.int64,
    group=np.int64,  # the highest byte that compressed datums take
    run_count=np.int64,
    runs=(np.int64, (_RUNS, 3)),  # rows in L1 that follow one another: where, first datum, end
    piece_count=np.int64,
    pieces=(np.int64, (_PIECES, 2)),  # exponents: where, how many
)


def quarters(code: int) -> int:
    """Size of a datum of format ``code`` in quarters of a byte."""
    return _QUARTERS[code]


def bits(code: int) -> int:
    """Size of a datum of format ``code`` in bits."""
    return 2 * quarters(code)


@part
def _up16(value: int) -> int:
    return (value + 15) // 16 * 16


@part
def x_dim(s: Any, u: int, ctx: int, multi: int) -> int:
    """XDim of a context."""
    found: int = s.ctx_x_dim[ctx & 3] if multi and not u else s.x_dim
    return found


@part
def sections(
    s: Any, base: int, u: int, ctx: int, multi: int, code: int, compressed: int
) -> tuple[int, int, int]:
    """Byte addresses of RSI, of exponents (if any) and of datums; ``base``: of the context."""
    planes = max(1, s.z_dim) * max(1, s.w_dim)
    where = (base + s.offset[ctx & 3] + 1 + s.digest << 4) & M32
    rsi = where
    if compressed:
        where += _up16(2 * ((s.blobs if s.blobs else s.y_dim) * planes + 1))
    exponents = where
    bfp = _IS_BFP >> code & 1
    if bfp and not s.force_exponent and (_QUARTERS[code] == 4 or not s.no_exponents):
        where += _up16((x_dim(s, u, ctx, multi) * s.y_dim * planes + 15) // 16)
    return rsi, exponents, where


@part
def number(view: Record, thread: int, word: int) -> int:
    """The context of an UNPACR in MultiContextMode."""
    u = word >> 23 & 1
    own = view.context[u, thread] if word >> 3 & 1 else word >> 10 & 7
    found: int = own + view.threads[thread].offset[u] & 7
    return found


@part
def _formats(p: Record, s: Record, plain: int, word: int) -> None:
    reserved = p.code in (12, 13) or p.out in (12, 13)
    if reserved:
        p.faults |= Flag.FORMAT_CODE
    elif p.code != p.out and p.code != 0:
        p.faults |= Flag.FORMAT_PAIR
    if p.code == 0 and p.out not in (0, 1, 4, 5, 12, 13):
        p.faults |= Flag.FORMAT_FP32
    if not p.to_dst and not word >> 4 & 1 and p.code == p.out and _IS_WIDE >> p.code & 1:  # U23
        p.faults |= Flag.FORMAT_SRC
    size = _QUARTERS[p.code]
    if not plain and size == 1:
        p.faults |= Flag.COMPRESSED_BFP2
    if size < 4 and s.no_exponents and not s.force_exponent:
        p.faults |= Flag.BFP_ALIAS


@part
def _modes(view: Record, p: Record, s: Record, thread: int) -> None:
    if s.throttle == 3:
        p.faults |= Flag.THROTTLE
    combo = p.compressed or s.upsample or _QUARTERS[p.code] < 4
    if s.tilize and combo:
        p.faults |= Flag.TILIZE_COMBO
    p.tilize = s.tilize and not combo
    if p.to_dst and (s.transposes or (not p.tilize and s.shift[p.ctx & 3])):
        p.faults |= Flag.DST_MODES
    if p.to_dst and view.threads[thread].ovrd:
        p.faults |= Flag.DST_OVRD


@part
def _wrap(s: Record, pointer: int, unit: int) -> int:
    """``pointer`` in parts of a byte, of which there are ``unit``, after a wrap (U24)."""
    if pointer > s.limit * 16 * unit:
        pointer = pointer - s.fifo * 16 * unit & (M32 + 1) * unit - 1
    return pointer


@part
def _row(view: Record, p: Record, pointer: int, first: int, count: int) -> None:
    """A row of datums, from ``pointer`` on, in quarters."""
    end = pointer + count * _QUARTERS[p.code]
    p.low, p.high = min(p.low, pointer), max(p.high, end)
    last, run = p.runs[max(0, p.run_count - 1)], p.runs[min(p.run_count, _RUNS - 1)]
    follows = p.run_count > 0 and last[2] == first
    if end > view.l1_bytes * 4:
        p.others = 1
    elif follows and last[0] + (first - last[1]) * _QUARTERS[p.code] == pointer:
        last[2] = first + count
    elif p.run_count < _RUNS:
        run[0], run[1], run[2] = pointer, first, first + count
        p.run_count += 1


@part
def _plain(view: Record, p: Record, s: Record, u: int, first: int) -> None:
    size = _QUARTERS[p.code]
    pointer = p.sections[2] * 4 + first * size & (M32 + 1) * 4 - 1
    aligned = pointer % 64 == 0
    if p.tilize:
        pointer -= pointer % 64
    pointer = _wrap(s, pointer, 4)
    if (s.tilize or (s.transposes and not u and not p.to_dst)) and not aligned:
        p.faults |= Flag.START_ALIGN
    width = view.row_w if size >= 8 else 16
    stride = width * size
    if p.tilize:
        stride = 4 * (s.shift[0] << 4 | s.shift[1] << 8 | s.shift[2] << 12)
    done = 0
    while done < p.count:
        n = min(p.count - done, width)
        _row(view, p, pointer, done, n)
        done += n
        pointer = _wrap(s, pointer + stride, 4)
    p.slots = p.count * (1 + view.zeros[s.upsample])


@part
def _exponents(view: Record, p: Record, s: Record, pointer: int) -> None:
    pointer, count = _wrap(s, pointer, 16), p.count
    while count:
        n = min(count, 256 - pointer % 256)
        if p.piece_count < _PIECES:
            p.pieces[p.piece_count, 0], p.pieces[p.piece_count, 1] = pointer, n
            p.piece_count += 1
        if pointer + n > view.l1_bytes * 16:
            p.others = 1
        count -= n
        pointer += n
        if pointer % 256 == 0:
            pointer = _wrap(s, pointer, 16)


@part
def _packed(
    view: Record, l1: Bytes, p: Record, s: Record, e0: int, word: int, x: int, y: int, x1: int
) -> None:
    """Compressed input: the RSI and the walk over datums and nibbles."""
    u, search, zero, size = word >> 23 & 1, word >> 2 & 1, word >> 4 & 1, _QUARTERS[p.code]
    begin = e0 + 2 * y
    end = begin
    if search:
        end = e0 + 2 * ((x & 255) + 1)
    elif x == 0 and x1 == x_dim(s, u, p.ctx, word >> 7 & 1) - 1:
        end = begin + 2
    else:
        p.bounded = 1
    p.rsi_end = max(begin, end)
    if p.rsi_end + 2 > view.l1_bytes:
        p.others = 1
        return
    first = u16(l1, begin)
    drop, left, count = 0, 1 << 30, max(0, u16(l1, end) - first)
    if p.bounded:
        if x1 + 1 < x:
            p.faults |= Flag.X_ORDER
        drop, left = x, max(0, x1 + 1 - x)
        count = 1 << 16 if left else 0
    where, group = p.sections[2], 8 * size + 16
    datum4 = _wrap(s, (where + first // 32 * group) * 4 + first % 32 * size, 4)
    delta2 = _wrap(s, (where + first // 32 * group + 8 * size) * 2 + first % 32, 2)
    width = view.row_w if size >= 8 else 16
    if s.transposes and not u and not p.to_dst and count and datum4 % 64:
        p.faults |= Flag.START_ALIGN
    items = 0  # with what is dropped
    while p.count < min(count, _MOST) and items < drop + left:
        p.low = min(p.low, min(datum4, delta2 * 2))
        if p.sections[1] * 2 <= delta2 < p.sections[2] * 2:  # by a wrap
            p.unsure = 1
        p.count += 1
        items += 1 if zero else 1 + nibble(l1, delta2)  # U23
        datum4 += size
        if p.count % width == 0:
            datum4 = _wrap(s, datum4, 4)
        delta2 += 1
        p.group = max(p.group, max(datum4 + 3, delta2 * 2 + 5) // 4)
        if delta2 % 32 == 0:
            datum4 += 64
            delta2 = _wrap(s, delta2 + 16 * size, 2)
    p.slots = max(0, min(left, items - drop)) * (1 + view.zeros[s.upsample])


@part
def _window(p: Record, s: Record, word: int, x: int, y: int, x1: int) -> tuple[int, int, int]:
    """The first place in a row, the row, and the end."""
    u, multi = word >> 23 & 1, word >> 7 & 1
    if y > 255:
        p.faults |= Flag.Y_RANGE
    if not word >> 2 & 1:
        return x, y & 255, x1 + 1
    if not s.blobs:
        return 0, y & 255, x1
    starts = s.ctx_blob_starts[p.ctx >> 1 & 1] if multi and not u else s.blob_starts
    n = (x & 7) + 1
    if n == 8:
        p.faults |= Flag.BLOBS_INDEX
    end = 16 * (starts >> 4 * n & 15)
    if n == s.blobs:
        end = x_dim(s, u, p.ctx, multi) & 0x1F0
    return 16 * (starts >> 4 * (y & 7) & 15), 0, end


@part
def _input(
    view: Record, counters: Record, l1: Bytes, p: Record, s: Record, thread: int, word: int
) -> None:
    u, multi, search = word >> 23 & 1, word >> 7 & 1, word >> 2 & 1
    base = s.bases[p.ctx]
    found = sections(s, base, u, p.ctx, multi, p.code, p.compressed)
    p.sections[0], p.sections[1], p.sections[2] = found
    one, two = counters.live[p.adc, u], counters.live[thread, u]
    x, y, x1 = one[X], one[Y], one[X1]
    plane = (two[W] & 255) * max(1, s.z_dim) + (two[Z] & 255)
    if p.compressed:
        e0 = p.sections[0] + 2 * plane * (s.blobs if search and s.blobs else s.y_dim)
        _packed(view, l1, p, s, e0, word, x, y & 255, x1)
        first = u16(l1, e0 + 2 * (y & 255))
        if p.group > view.l1_bytes:
            p.others = 1
    else:
        begin, row, end = _window(p, s, word, x, y, x1)
        limit = 8192 * 4 // max(4, _QUARTERS[p.code])
        if begin >= limit or end > limit:
            p.faults |= Flag.X_WINDOW
        if end < begin:
            p.faults |= Flag.X_ORDER
        first = (plane * s.y_dim + row) * x_dim(s, u, p.ctx, multi) + begin & M32
        p.count = max(0, end - begin)
        _plain(view, p, s, u, first)
    if _IS_BFP >> p.code & 1 and not s.force_exponent and p.count:
        _exponents(view, p, s, p.sections[1] * 16 + first)


@part
def _output(view: Record, counters: Record, p: Record, s: Record, thread: int, word: int) -> None:
    u, multi = word >> 23 & 1, word >> 7 & 1
    own = counters.live[thread, u]
    address = s.out_base + own[Y1] * s.y_stride + own[Z1] * s.z_stride + own[W1] * s.w_stride
    shift = 2 if _IS_WIDE >> p.out & 1 else 1 if p.out in (1, 5, 9) else 0
    if address & (1 << shift) - 1:
        p.faults |= Flag.OUT_ALIGN
    address = (address & M32) >> shift
    if multi and not u:
        added = address if p.to_dst or s.add_dest else 0
        address = added + s.dest[p.ctx & 3] & M32
    if not p.slots:
        return
    step = 1 if not s.interleave else 1 + view.zeros[s.upsample]
    column = 0 if u or p.tilize or p.to_dst else s.shift[p.ctx & 3]
    first = 0 if u or p.to_dst else 4
    for place in range(address, address + p.slots, step):
        if place // 16 >= first and place & 15 >= column:
            p.writes = 1
            break
    last = (address + p.slots - 1) // 16
    if u and last + view.row[u, thread] >= 64:
        p.others = 1
    ovrd = view.threads[thread].ovrd
    if not u and not p.to_dst and last - 4 >= (64 if ovrd else 16) and (view.row_high or not ovrd):
        p.others = 1


@part
def planned(view: Record, counters: Record, l1: Bytes, p: Record, thread: int, word: int) -> None:
    """The Regular UNPACR ``word`` of ``thread``, if it came now."""
    u, multi = word >> 23 & 1, word >> 7 & 1
    s = view.setups[view.threads[thread].state, u]
    p.faults = p.others = p.unsure = p.bounded = p.count = p.slots = p.writes = 0
    p.run_count = p.piece_count = p.group = p.rsi_end = 0
    p.low, p.high = _FAR, 0
    p.ctx, p.adc = 0, thread
    if multi:
        p.ctx, p.adc = number(view, thread, word), word >> 8 & 3
        if p.adc == 3:
            p.faults |= Flag.CONTEXT_ADC
            p.adc = 0
    if u and p.ctx >= 2:
        p.faults |= Flag.CONTEXT_RANGE
    plain = s.ctx_uncompressed >> p.ctx & 1 if multi else s.uncompressed
    own = multi and s.ovrd_format
    p.code = s.ctx_in[p.ctx] if own else s.in_format
    p.out = s.ctx_out[p.ctx] if own else s.out_format
    p.to_dst = 0 if u else s.ctx_if_sel >> p.ctx & 1 if multi else s.if_sel
    p.compressed = not plain and _QUARTERS[p.code] > 1
    if word & (1 << 5 | 1 << 14):
        p.faults |= Flag.RESERVED_BIT
    _formats(p, s, plain, word)
    _modes(view, p, s, thread)
    _input(view, counters, l1, p, s, thread, word)
    _output(view, counters, p, s, thread, word)
