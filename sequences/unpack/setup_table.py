# SPDX-License-Identifier: Apache-2.0
"""Tables of an unpacker's random set-ups, and the set-ups that their rows are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

import numpy as np

from tilepath.engine.stimulus.tables import (
    Table,
    by,
    chance,
    choice,
    column,
    mix,
    require,
    uniform,
)
from tilepath.isa import formats
from tilepath.models.format_codes import BFPA, SHARED, WIDE
from tilepath.sequences.config_script import ALL_ROWS
from tilepath.sequences.unpack.config import Eight, Four, Setup
from tilepath.sequences.unpack.plan import bits

AREA: Final = 1 << 16
"""Bytes of L1 that a set-up has for itself."""
AREAS: Final = 6
"""How many each unpacker has: they take turns. Scenes that overlap have one each."""
KINDS: Final = ("plain", "packed", "tilize", "upsample", "transpose", "shift")
PLAIN, PACKED, TILIZE, UPSAMPLE, TRANSPOSE, SHIFT = range(6)
NO_LIMIT: Final = 0x1FFFF
_SLOT: Final = 512  # lines of a context
_STARTS: Final = (0, 1, 2, 3, 4, 4, 4, 5, 8, 12, 19, 20, 36, 52, 64, 67, 68, 75)
_DST_ROWS: Final = (0, 3, 4, 11, 12, 19, 20, 36, 67, 515, 516, 1023, 1024, 1027, 1028, 2047)
_LARGEST: Final = 1 << 17  # datums of a tile with exponents in L1


def area(unpacker: int, number: int) -> int:
    """The first byte of area ``number``."""
    return (1 + unpacker * AREAS + number % AREAS) * AREA


_FORMS: Final = [
    *((0, code) for code in (0, 4, 5, 1)),
    *((code, code) for code in formats.formats() if code),
]
PAIRS: Final = {
    f"{formats.get(code).name}->{formats.get(out).held}": code << 4 | out for code, out in _FORMS
}
"""Formats in L1 and in the registers: names, and both codes (4 bits each)."""


def _codes(codes: Iterable[int]) -> Any:
    """Whether each pair has one of ``codes`` in L1."""
    return np.isin(np.arange(256) >> 4, list(codes))


_DST_ONLY: Final = np.isin(np.arange(256), [0x11 * code for code in WIDE])
_BFP, _BFPA = (_codes(codes) for codes in (SHARED, BFPA))
_BFP2, _BFP8 = (_codes(code for code in SHARED if bits(code) == size) for size in (2, 8))
_SMALL: Final = _codes(code for code in range(16) if bits(code) < 8)
_WIDE: Final = np.isin(np.arange(256) & 15, list(WIDE))
_EIGHT: Final = np.arange(8)


def _fits(kinds: Any, pair: Any) -> Any:
    refused = ((kinds == PACKED) & _BFP2[pair]) | ((kinds == TILIZE) & _SMALL[pair])
    return np.logical_not(refused)


def _each(dst: bool) -> Any:
    """Pairs of eight contexts that write to Src, or to Dst."""
    packed, tilize, plain = (
        choice(
            {
                name: pair
                for name, pair in PAIRS.items()
                if _fits(kind, pair) and (dst or not _DST_ONLY[pair])
            },
            shape=8,
        )
        for kind in (PACKED, TILIZE, PLAIN)
    )
    return by("kinds", {"packed": packed, "tilize": tilize}, plain)


def _asked(unpacker: Any, kinds: Any, files: Any, mixed: Any, contexts: Any, faults: Any) -> Any:
    """Contexts that are to write Dst, were the formats any."""
    found = np.where(mixed & (kinds != SHIFT), contexts, 255 * files)
    return found * ~((unpacker == 1) | (kinds == TRANSPOSE) | ((kinds == SHIFT) & ~faults))


def _if_sel(kinds: Any, mixed: Any, asked: Any, some: Any) -> Any:
    # of compressed tiles there is one picture of context 0, with MultiContextMode and without
    free = mixed & (kinds != PACKED) & (kinds != SHIFT)
    return np.where(free, some, asked & 1) * (kinds != TRANSPOSE)


def _ctx_if_sel(asked: Any, if_sel: Any, formats: Any, pair: Any, unpacker: Any) -> Any:
    """Contexts without formats of their own all go where the formats can go."""
    same = ~formats & (np.isin(asked, (0, 255)) | _DST_ONLY[pair])
    return np.where(same, 255 * if_sel, asked) * (unpacker == 0)


def _pairs(
    kinds: Any, ctx_if_sel: Any, formats: Any, pair: Any, to_src: Any, to_dst: Any,
    faults: Any, stray: Any, codes: Any,
) -> Any:  # fmt: skip
    """The pair of no context, and those of the eight."""
    dst = (ctx_if_sel[:, None] >> _EIGHT & 1).astype(bool)
    each = np.where(formats[:, None], np.where(dst, to_dst, to_src), pair[:, None])
    each[:, 0] = np.where(kinds == PACKED, pair, each[:, 0])
    found = np.column_stack((pair, each))
    return np.where(faults[:, None] & stray, codes, found)


def _blob_starts(nibbles: Any, growing: Any) -> Any:
    """Eight nibbles each: where blobs begin, mostly growing."""
    values = np.where(growing[..., None], np.sort(nibbles), nibbles)
    return (values << 4 * _EIGHT).sum(-1)


def _ctx_x_dim(kinds: Any, x: Any, others: Any, first: Any) -> Any:
    found = np.where(others > 0, others, x[:, None])
    found[:, 0] = np.where((kinds != PACKED) & (first > 0), first, x)
    return found


def _shift(
    kinds: Any, low: Any, high: Any, far: Any, ignored: Any, columns: Any, ctx_if_sel: Any,
    if_sel: Any,
) -> Any:  # fmt: skip
    """TILIZE: the stride in nibbles; SHIFT: columns, of contexts that do not write Dst."""
    stride = np.column_stack((low, high, far, ignored))
    dst = ctx_if_sel | 255 * if_sel
    src = ~((dst | dst >> 4)[:, None] >> _EIGHT[:4] & 1).astype(bool)
    found = np.where((kinds == SHIFT)[:, None], columns * src, 0)
    return np.where((kinds == TILIZE)[:, None], stride, found)


def _fifo(wrap: Any, turn: Any, begin: Any, limit: Any) -> Any:
    return wrap * np.clip(np.where(turn == 0, begin + 16, turn), 1, limit)


def _any(flags: Any) -> Any:
    """A column: whether any format of the set-up is one of those."""
    return column(lambda pairs: flags[pairs].any(1))


def _setup(name: str, unpacker: int) -> Table:
    slots = (_EIGHT & 1) * 4 * _SLOT if unpacker else _EIGHT * _SLOT
    return Table(
        name,
        unpacker=unpacker,
        faults=chance(0.0, faulty=True),
        kinds=choice(
            KINDS,
            {"plain": 4, "packed": 2, "tilize": 1, "upsample": 1, "transpose": 1, "shift": 1},
        ),
        # where to
        files=choice(("srca", "dst"), {"srca": 2, "dst": 1}),
        mixed=chance(0.3),
        contexts=uniform(0, 255),
        some=uniform(0, 1),
        asked=column(_asked),
        if_sel=column(_if_sel),
        # formats
        pair=choice(PAIRS),
        pair_of_kind=require(lambda kinds, pair, faults: _fits(kinds, pair) | faults),
        pair_of_file=require(
            lambda unpacker, if_sel, pair, faults: (
                ~_DST_ONLY[pair] | ((unpacker == 0) & (if_sel == 1)) | faults
            )
        ),
        formats=chance(0.5),
        ctx_if_sel=column(_ctx_if_sel),
        to_src=_each(dst=False),
        to_dst=_each(dst=True),
        stray=chance(0.3, shape=9),
        codes=uniform(0, 255, shape=9),
        pairs=column(_pairs),
        bfp=_any(_BFP),
        bfpa=_any(_BFPA),
        force=chance(0.25),
        exponent=uniform(lambda bfpa: 7 * bfpa, lambda bfpa: np.where(bfpa, 31, 255)),
        without=chance(0.3),
        no_exponents=column(
            lambda without, force, pairs: without & (force | ~(_BFP & ~_BFP8)[pairs].any(1))
        ),
        e4m3=uniform(0, 1),
        # the tile
        x=by(
            "kinds",
            {"packed": choice((16, 32, 48, 64, 17, 100))},
            mix({11: choice((1, 15, 16, 16, 17, 32, 64, 256, 256, 256, 1024)), 1: uniform(1, 300)}),
        ),
        rows=by(
            "kinds",
            {"packed": choice((1, 2, 4, 5))},
            mix({8: choice((1, 1, 1, 2, 4, 16, 255, 0)), 1: uniform(1, 8)}),
        ),
        z=by("kinds", {"packed": uniform(0, 2)}, choice((0, 1, 2, 4, 4, 255))),
        w=by("kinds", {"packed": uniform(0, 2)}, choice((0, 1, 1, 2, 255))),
        size=require(
            lambda bfp, x, rows, z, w: (
                ~bfp | (x * rows * np.maximum(z, 1) * np.maximum(w, 1) <= _LARGEST)
            )
        ),
        others=by(
            "kinds",
            {"packed": choice((0, 16, 32, 48, 64, 80), shape=4)},
            choice((0, 16, 32, 48, 64, 256), shape=4),
        ),
        first=mix({1: 0, 2: choice((16, 64, 256))}),
        ctx_x_dim=column(_ctx_x_dim),
        blobs=mix({"none": (0.7, 0), "some": (0.3, uniform(1, 7))}),
        nibbles=uniform(0, 15, shape=(3, 8)),
        growing=chance(0.8, shape=3),
        blob_starts=column(_blob_starts),
        # where it lies, in lines from the beginning of its area on
        digest=mix(
            {"none": (0.8, 0), "some": (0.2, mix({3: choice((1, 2, 255)), 1: uniform(0, 255)}))}
        ),
        l1_offset=mix({3: choice((0, 1, 0xFFFF)), 1: uniform(0, 0xFFFF)}, shape=4),
        start=uniform(0, 63, shape=8),
        bases=column(
            lambda start, l1_offset, digest: (
                start + slots - l1_offset[:, _EIGHT & 3] - 1 - digest[:, None]
            )
        ),
        narrow=chance(0.5, shape=8),
        wrap=chance(0.35),
        of=uniform(0, 1),
        begin=column(lambda start, of: (start + slots)[np.arange(len(of)), of]),
        span=mix({7: choice((0, 1, 2, 4, 8, 16, 40)), 1: uniform(0, 64)}),
        limit=column(
            lambda wrap, begin, digest, span: np.where(wrap, begin + digest + span, NO_LIMIT)
        ),
        turn=choice((1, 2, 4, 8, 16, 32, 64, 256, 0)),
        fifo=column(_fifo),
        # what becomes of it
        throttle=mix({"slow": (1, uniform(0, 1)), "full": (1, 2)}),
        ovrd_throttle=uniform(0, 1),
        context_count=uniform(0, 3),
        set_upd=uniform(0, 1),
        upsample=by("kinds", {"upsample": uniform(1, 3)}, 0),
        interleave=uniform(0, 1),
        add_dest=uniform(0, 1),
        bytes=choice((2, 2, 4)),
        unit=column(lambda bytes, pairs: np.where(_WIDE[pairs].any(1), 4, bytes)),
        row=choice((0, 0, 4, 4, 4, 5)),
        inside=mix({9: 0, 1: uniform(0, 15)}),
        out_base=column(lambda unit, row, inside: unit * (16 * row + inside)),
        y_step=mix({5: choice((0, 16, 16, 16, 32)), 1: uniform(0, 64)}),
        z_step=choice((0, 16, 64, 256, 256)),
        w_step=choice((0, 16, 256, 1024)),
        steps=column(
            lambda unit, y_step, z_step, w_step: (
                np.column_stack((y_step, z_step, w_step)) * unit[:, None]
            )
        ),
        dst=column(lambda ctx_if_sel: ctx_if_sel > 0),
        dest_row=by(
            "dst",
            {True: choice(_DST_ROWS, shape=4)},
            mix({4: choice(_STARTS, shape=4), 1: choice(_DST_ROWS, shape=4)}),
        ),
        dest_inside=mix({0.85: 0, 0.15: uniform(0, 15)}, shape=4),
        dest=column(lambda dest_row, dest_inside: 16 * dest_row + dest_inside),
        clear_value=uniform(0, 0xFFFF_FFFF),
        low=uniform(0, 15),
        high=choice((0, 0, 1, 2, 3)),
        far=chance(0.15),
        ignored=uniform(0, 15),
        columns=choice((0, 1, 4, 8, 15), shape=4),
        shift=column(_shift),
        odd=chance(0.3),
        junk=uniform(0, 2000, shape=9),
        four=chance(0.7),
        flops=mix({"none": (0.5, 0), "some": (0.4, uniform(0, ALL_ROWS)), "all": (0.1, ALL_ROWS)}),
    ).aimed(
        kinds=("compressed.or_not*", "upsample.*", "tilize.*", "output.transpose*"),
        files=("format.pair_x_file", "output.file_x_bank"),
        contexts="context.register_x_context_x_unpacker",
        pair=("format.pair_x_file", "datum.*_x_file_x_class"),
        formats="format.override_x_unpacker",
        stray=("fault.flag_x_unpacker", "fault.unit"),
        force="exponents.format_x_from",
        exponent="datum.bfp_x_file_x_leading_zeros_x_exponent",
        x="geometry.x_dim_x_unpacker",
        rows="geometry.y_dim",
        z="geometry.z_dim",
        w="geometry.w_dim",
        blobs="geometry.row_search_x_blobs_x_compressed",
        digest="geometry.digest_x_unpacker",
        l1_offset="geometry.offset_x_unpacker",
        wrap="wrap.*",
        turn="wrap.pointer_x_limit_x_fifo",
        throttle="timing.throttle_x_rule",
        ovrd_throttle="output.burst*",
        context_count="context.*count*",
        set_upd="output.src*_upd_x_base",
        upsample="upsample.*",
        interleave="upsample.rate_x_interleave_x_rows",
        dest_row=("output.dest_register", "output.dst_row_x_bits"),
        steps="output.stride_x_unpacker",
        low="tilize.size_x_stride_x_unpacker",
        columns="output.file_x_column",
        flops="flop.bank_x_beside_cfg",
    )


SETUPS: Final = (_setup("setup0", 0), _setup("setup1", 1))
"""One for each unpacker."""

_SAME: Final = (
    "no_exponents", "blobs", "digest", "e4m3", "throttle", "ovrd_throttle", "context_count",
    "set_upd", "if_sel", "upsample", "interleave", "add_dest", "fifo", "out_base", "clear_value",
    "ctx_if_sel",
)  # fmt: skip


def setup_of(row: Any, place: int) -> Setup:
    """The set-up of a row, in the area that begins in byte ``place``."""
    line, pairs, packed = place >> 4, row.pairs, row.kinds == PACKED
    bases = zip(row.bases, row.narrow, strict=True)
    setup = Setup(
        **{name: int(getattr(row, name)) for name in _SAME},
        in_format=pairs[0] >> 4,
        out_format=pairs[0] & 15,
        uncompressed=int(not packed),
        x_dim=row.x,
        y_dim=row.rows,
        z_dim=row.z,
        w_dim=row.w,
        blob_starts=row.blob_starts[0],
        transpose=int(row.kinds == TRANSPOSE),
        tilize=int(row.kinds == TILIZE),
        ovrd_format=int(row.formats),
        force_exponent=int(row.force),
        shared_exponent=row.exponent,
        limit=line + row.limit if row.wrap else row.limit,
        y_stride=row.steps[0],
        z_stride=row.steps[1],
        w_stride=row.steps[2],
        shift=cast(Four, tuple(row.shift)),
        ctx_uncompressed=0 if packed else 0xFF,
        base=cast(Eight, tuple(line + b & (0xFFF_FFFF if n else 0xFFFF_FFFF) for b, n in bases)),
        offset=cast(Four, tuple(row.l1_offset)),
        dest=cast(Four, tuple(row.dest)),
        ctx_x_dim=cast(Four, tuple(row.ctx_x_dim)),
        ctx_in=cast(Eight, tuple(pair >> 4 for pair in pairs[1:])),
        ctx_out=cast(Eight, tuple(pair & 15 for pair in pairs[1:])),
        ctx_blob_starts=(row.blob_starts[1], row.blob_starts[2]),
    )
    if not (row.faults and row.odd):
        return setup
    some = row.junk
    return setup.with_(
        throttle=some[0] & 3, tilize=some[1] & 1, transpose=some[2] & 1, upsample=some[3] & 3,
        no_exponents=some[4] & 1, out_base=some[5], y_stride=some[6] % 65,
        shift=(some[7] & 15, some[8] & 15, 0, 0),
    )  # fmt: skip
