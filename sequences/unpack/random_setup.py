# SPDX-License-Identifier: Apache-2.0
"""Random set-ups of an unpacker, with a place in L1 for what they read."""

from __future__ import annotations

from typing import Final, cast

from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.unpack.config import Eight, Four, Setup
from tilepath.sequences.unpack.knobs import Knobs
from tilepath.sequences.unpack.plan import BFP, BFP2, BFPA, WIDE, bits

AREA: Final = 1 << 16
"""Bytes of L1 that a set-up has for itself."""
AREAS: Final = 6
"""How many each unpacker has: they take turns. Scenes that overlap have one each."""
_SLOT: Final = 512  # lines of a context
_SAME: Final = (1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15)
TO_SRC: Final = ((0, 4), (0, 5), (0, 1), *((code, code) for code in _SAME))
TO_DST: Final = ((0, 0), *TO_SRC, (4, 4), (8, 8))
_ANY_CODE: Final = tuple(range(16))
_STARTS: Final = (0, 1, 2, 3, 4, 4, 4, 5, 8, 12, 19, 20, 36, 52, 64, 67, 68, 75)
_DST_ROWS: Final = (0, 3, 4, 11, 12, 19, 20, 36, 67, 515, 516, 1023, 1024, 1027, 1028, 2047)


def area(unpacker: int, number: int) -> tuple[int, int]:
    """The bytes of area ``number``: first, and first behind."""
    first = (1 + unpacker * AREAS + number % AREAS) * AREA
    return first, first + AREA


def _pair(d: Draw, kind: str, to_dst: bool, faults: bool) -> tuple[int, int]:
    if faults:
        return d.one(_ANY_CODE), d.one(_ANY_CODE)
    while True:
        pair = d.one(TO_DST if to_dst else TO_SRC)
        if kind == "packed" and pair[0] in BFP2:
            continue
        if kind == "tilize" and bits(pair[0]) < 8:
            continue
        return pair


def _dims(d: Draw, kind: str, code: int) -> tuple[int, int, int, int]:
    if kind == "packed":
        return d.one((16, 32, 48, 64, 17, 100)), d.one((1, 2, 4, 5)), d.upto(2), d.upto(2)
    x = d.one((1, 15, 16, 16, 17, 32, 64, 256, 256, 256, 1024, d.between(1, 300)))
    y = d.one((1, 1, 1, 2, 4, 16, d.between(1, 8), 255, 0))
    z = d.one((0, 1, 2, 4, 4, 255))
    w = d.one((0, 1, 1, 2, 255))
    if code in BFP:
        while x * y * max(1, z) * max(1, w) > 1 << 17:
            y, z, w = max(1, y // 2), max(1, z // 2), max(1, w // 2)
    return x, y, z, w


def _starts(d: Draw) -> int:
    """Eight nibbles: where blobs begin, mostly growing."""
    values = [d.upto(15) for _ in range(8)]
    if d.chance(0.8):
        values.sort()
    return sum(value << 4 * k for k, value in enumerate(values))


def _shifts(d: Draw, kind: str, if_sel: int) -> Four:
    if kind == "tilize":
        far = d.flag(0.15)
        return d.upto(15), d.one((0, 0, 1, 2, 3)), far, d.upto(15)
    if kind != "shift":
        return 0, 0, 0, 0
    found = [
        0 if (if_sel >> k | if_sel >> k + 4) & 1 else d.one((0, 1, 4, 8, 15)) for k in range(4)
    ]
    return cast(Four, tuple(found))


def draw_setup(
    d: Draw, knobs: Knobs, unpacker: int, place: int, kind: str, faults: bool = False
) -> Setup:
    """A set-up of ``kind``; ``place``: first byte of its area. ``faults``: formats may be any."""
    mixed = d.chance(0.3)
    if_sel = 0
    if unpacker == 0 and kind != "transpose" and knobs.files:
        if mixed and kind != "shift":
            if_sel = d.upto(255)
        elif kind != "shift" or faults:
            if_sel = 0xFF * (d.by(knobs.files) == "dst")
    own_formats = d.flag(knobs.formats)
    sel = d.flag() if mixed else if_sel & 1
    if kind == "packed" or kind == "shift":
        sel = if_sel & 1  # one picture of context 0, with multi and without
    if kind == "transpose":
        sel = 0
    pair = _pair(d, kind, bool(sel), faults and d.chance(0.3))
    pairs = [_pair(d, kind, bool(if_sel >> k & 1), faults and d.chance(0.3)) for k in range(8)]
    if not own_formats:
        pairs = [pair] * 8
        if_sel = 0xFF * sel if if_sel in (0, 0xFF) or pair in ((0, 0), (4, 4), (8, 8)) else if_sel
    elif kind == "packed":
        pairs[0] = pair
    x, y, z, w = _dims(d, kind, pair[0] if pair[0] in BFP else pairs[d.upto(7)][0])
    x_dims = [x, *(d.one((x, 16, 32, 48, 64, 256 if kind != "packed" else 80)) for _ in range(3))]
    if kind != "packed" and d.chance(0.5):
        x_dims[0] = d.one((16, 64, 256))
    digest = 0 if not d.chance(knobs.digest) else d.one((1, 2, 255, d.upto(255)))
    offset = [d.one((0, 1, 0xFFFF, d.upto(0xFFFF))) for _ in range(4)]
    lines = [(place >> 4) + k * _SLOT + d.upto(63) - 0 for k in range(8)]
    if unpacker:
        lines = [(place >> 4) + (k & 1) * 4 * _SLOT + d.upto(63) for k in range(8)]
    if digest > 200:
        digest = min(digest, 255)
    base = [(lines[k] - offset[k & 3] - 1 - digest) & 0xFFFF_FFFF for k in range(8)]
    base = [value & 0xFFF_FFFF if d.chance(0.5) else value for value in base]
    limit, fifo = 0x1FFFF, 0
    if d.chance(knobs.wrap):
        begin = lines[d.upto(1)]
        limit = begin + digest + d.one((0, 1, 2, 4, 8, 16, 40, d.upto(64)))
        fifo = d.one((1, 2, 4, 8, 16, 32, 64, 256, begin - (place >> 4) + 16))
        fifo = max(1, min(fifo, limit - (place >> 4)))
    force = d.flag(knobs.force)
    exponent = d.between(7, 31) if any(p[0] in BFPA for p in (*pairs, pair)) else d.upto(255)
    unit = 4 if any(p[1] in WIDE for p in (*pairs, pair)) else d.one((2, 2, 4))
    starts = _STARTS if d.chance(0.8) else _DST_ROWS
    dests = [16 * d.one(starts) + (d.upto(15) if d.chance(0.15) else 0) for _ in range(4)]
    if if_sel:
        dests = [16 * d.one(_DST_ROWS) + (d.upto(15) if d.chance(0.15) else 0) for _ in range(4)]
    small = any(p[0] in BFP and p[0] not in (2, 6) for p in (*pairs, pair))
    setup = Setup(
        in_format=pair[0],
        out_format=pair[1],
        uncompressed=int(kind != "packed"),
        no_exponents=d.flag(0.3) if force or not small else 0,
        blobs=d.between(1, 7) if d.chance(knobs.search * 2) else 0,
        x_dim=x,
        y_dim=y,
        z_dim=z,
        w_dim=w,
        blob_starts=_starts(d),
        digest=digest,
        e4m3=d.flag(),
        throttle=d.upto(1) if d.chance(knobs.slow) else 2,
        context_count=d.upto(3),
        transpose=int(kind == "transpose"),
        tilize=int(kind == "tilize"),
        set_upd=d.flag(),
        if_sel=sel,
        upsample=d.between(1, 3) if kind == "upsample" else 0,
        ovrd_format=own_formats,
        interleave=d.flag(),
        force_exponent=force,
        shared_exponent=exponent,
        limit=limit,
        fifo=fifo,
        add_dest=d.flag(),
        out_base=unit * (16 * d.one((0, 0, 4, 4, 4, 5)) + (d.upto(15) if d.chance(0.1) else 0)),
        y_stride=unit * d.one((0, 16, 16, 16, 32, d.upto(64))),
        z_stride=unit * d.one((0, 16, 64, 256, 256)),
        w_stride=unit * d.one((0, 16, 256, 1024)),
        clear_value=d.upto(0xFFFF_FFFF),
        shift=_shifts(d, kind, if_sel | 0xFF * sel),
        ctx_uncompressed=0 if kind == "packed" else 0xFF,
        ctx_if_sel=if_sel,
        base=cast(Eight, tuple(base)),
        offset=cast(Four, tuple(offset)),
        dest=cast(Four, tuple(dests)),
        ctx_x_dim=cast(Four, tuple(x_dims)),
        ctx_in=cast(Eight, tuple(p[0] for p in pairs)),
        ctx_out=cast(Eight, tuple(p[1] for p in pairs)),
        ctx_blob_starts=(_starts(d), _starts(d)),
    )
    if faults and d.chance(0.3):
        return setup.with_(
            throttle=d.upto(3), tilize=d.flag(), transpose=d.flag(), upsample=d.upto(3),
            no_exponents=d.flag(), out_base=d.upto(2000), y_stride=d.upto(64),
            shift=tuple(d.upto(15) if k < 2 else 0 for k in range(4)),
        )  # fmt: skip
    return setup
