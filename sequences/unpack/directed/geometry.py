# SPDX-License-Identifier: Apache-2.0
"""Where datums and exponents lie: alignment, dimensions, wraps, sections, tilize."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import (
    LINE,
    PLACE,
    Cases,
    at,
    case_test,
    fill_tile,
    same,
    tile,
)
from tilepath.sequences.unpack.directed.faults import FEW, ZEROS
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.stimulus import TestSpec

SIZES: Final = (0, 5, 14, 6, 7, 15)
"""A format of each size, those with exponents too."""
COUNTS: Final = (1, 15, 16, 17, 31, 32, 33, 64)


def _plain(cases: Cases) -> None:
    for code in (6, 5):
        fill_tile(cases.memory, cases.d, code, PLACE, 4096)
    fill_tile(cases.memory, cases.d, 5, 0x7000, 0x1800)


def _run(cases: Cases, u: int, words: list[int], **counters: int) -> None:
    cases.script.counters(0, u, **{**ZEROS, **counters})
    cases.script.word(0, *words)


def _alignment(cases: Cases) -> None:
    """First datum by its place, number of datums, format."""
    for code in SIZES:
        for u, to_dst in ((1, 0), (0, 1)):
            out = 5 if code == 0 and not to_dst else code
            setup = tile(**same(code, out), x_dim=256, z_dim=1, if_sel=to_dst)
            setup = setup.with_(out_base=64 * 4 * to_dst)
            cases.prepare({(0, u): setup})
            for x, n in product((0, 1, 2, 3, 7, 8, 12, 14, 15, 16, 17, 31, 33), COUNTS):
                if (x + n + code) % 3 == u or x < 3:
                    _run(cases, u, [unpacr(u)], x0=x, x1=x + n - 1)
            for n in (256, 240):
                _run(cases, u, [unpacr(u)], x0=0, x1=n - 1)


def _dims(cases: Cases) -> None:
    """Dimensions and counters: products, zeros that stand for one, ends of their ranges."""
    for x, y, z, w in (
        (1, 1, 1, 1), (15, 2, 0, 0), (16, 16, 255, 1), (17, 255, 1, 255), (256, 2, 4, 1),
        (1024, 1, 1, 1), (16, 0, 3, 3), (0xFFFF, 1, 1, 1), (16, 4, 255, 255), (0, 3, 2, 1),
    ):  # fmt: skip
        for code in (14, 5, 6):
            if code == 6 and x * max(1, y) * max(1, z) * max(1, w) > 1 << 20:
                continue
            cases.prepare({(0, 1): tile(**same(code), x_dim=x, y_dim=y, z_dim=z, w_dim=w)})
            for y0, z0, w0 in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 2, 1), (1, 3, 0)):
                if (z0 * y + y0) * x + w0 * x * y * max(1, z) > 1 << 17:
                    continue
                _run(cases, 1, [unpacr(1)], x1=19, y0=y0, z0=z0, w0=w0)
    for x in (1, 15, 16, 17, 256, 1024):
        cases.prepare({(0, 0): tile(x_dim=x, y_dim=3, z_dim=1, out_base=128, digest=x & 3)})
        _run(cases, 0, [unpacr(0)], x1=9, y0=1)
    for x0, n in ((0, 1024), (1000, 48), (0, 1), (5, 0)):
        cases.prepare({(0, 1): tile(x_dim=1024, z_dim=1)})
        _run(cases, 1, [unpacr(1)], x0=x0, x1=x0 + n - 1)
    for digest, offset in product((0, 1, 255), (0, 1, 0xFFFF)):
        base = (0x400 - 1 - digest - offset) & 0xFFFF_FFFF
        setup = tile(
            digest=digest, offset=(offset,) * 4, x_dim=64, base=(base,) * 8, dest=(64,) * 4
        )
        cases.prepare({(0, u): setup for u in (0, 1)})
        for u in (0, 1):
            _run(cases, u, [unpacr(u), unpacr(u, multi=1, ctx=u)], x1=19)


def _wraps(cases: Cases) -> None:
    """Limits around the first line, in the middle, at the end; sizes of the FIFO; formats."""
    for code in SIZES:
        out = 5 if code == 0 else code
        for u in (0, 1):
            for k, (back, fifo) in enumerate(
                product((-1, 0, 1, 2, 5), (0, 1, 4, 0x40, 0x100, 0x3F0))
            ):
                setup = tile(**same(code, out), x_dim=256, z_dim=2, limit=0x400 + back, fifo=fifo)
                setup = setup.with_(out_base=128 if u == 0 else 0)
                cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
                for x, n in ((0, 50), (31 + k, 64), (128, 32)):
                    _run(cases, u, [unpacr(u)], x0=x, x1=x + n - 1)


def _exponent_wraps(cases: Cases) -> None:
    """Exponents that wrap: before the first, where they come to a line, never; with any datums."""
    for code in (2, 6, 3, 7, 11, 15):
        fill_tile(cases.memory, cases.d, code, PLACE, 2048)
        fill_tile(cases.memory, cases.d, code, PLACE - 0x200, 512)
        for limit, fifo in ((0x400, 0x20), (0x401, 0x10), (0x3FF, 2), (0x402, 0x20), (0x403, 1)):
            setup = tile(**same(code), x_dim=1024, z_dim=1, limit=limit, fifo=fifo)
            cases.prepare({(0, 1): setup})
            for x, n in ((0, 40), (240, 33), (250, 16), (500, 24), (5, 300)):
                _run(cases, 1, [unpacr(1)], x0=x, x1=x + n - 1)


def _sections(cases: Cases) -> None:
    """Rounding of the exponent section; forced exponents; none at all."""
    for code in (2, 6, 3, 7, 11, 15):
        for x, y in (
            (1, 1),
            (15, 1),
            (16, 1),
            (17, 1),
            (240, 1),
            (255, 1),
            (256, 1),
            (257, 1),
            (16, 17),
        ):
            for force, none in ((0, 0), (1, 0), (0, 1), (1, 1)):
                if none and (x + y) & 1:
                    continue
                setup = tile(
                    **same(code), x_dim=x, y_dim=y, z_dim=1, force_exponent=force,
                    shared_exponent=25, no_exponents=none,
                )  # fmt: skip
                cases.prepare({(0, 1): setup})
                _run(cases, 1, [unpacr(1)], x1=min(x, 20) - 1)


def _tilize(cases: Cases) -> None:
    """Strides by formats, starts that are cut to a line, wraps between rows."""
    for code, shift in product(
        (0, 5, 14, 6, 1), ((2, 0, 0, 7), (0, 1, 0, 0), (4, 3, 0, 15), (0, 0, 1, 0))
    ):
        out = 1 if code == 0 else code
        for u, to_dst in ((0, 0), (0, 1), (1, 0)):
            setup = tile(
                **same(code, out), x_dim=256, z_dim=1, tilize=1, shift=shift, if_sel=to_dst,
                out_base=256,
            )  # fmt: skip
            if u:
                setup = setup.with_(limit=0x404, fifo=8, out_base=0)
            cases.prepare({(0, u): setup}, {0: Thread(ovrd=1 - to_dst)})
            for x, n in ((0, 64), (16, 48), (5, 33), (32, 16), (0, 100)):
                _run(cases, u, [unpacr(u)], x0=x, x1=x + n - 1)
    # rows 16 lines apart: a wrap behind each number of them, and on
    for u, rows in product((0, 1), range(1, 9)):
        setup = tile(
            x_dim=512, z_dim=1, tilize=1, shift=(0, 1, 0, 0), limit=LINE + 16 * rows - 8,
            fifo=8 * rows, out_base=128 * (1 - u),
        )  # fmt: skip
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
        _run(cases, u, [unpacr(u)], x1=319)


def _transposed(cases: Cases) -> None:
    """Steps of up to 128 datums that begin in any column."""
    for code, column, throttle in product((7, 15, 6), (0, 1, 5, 15), range(4)):
        setup = tile(
            **same(code), x_dim=512, z_dim=1, transpose=1, out_base=64 + column, throttle=throttle
        )
        x0 = 32 * throttle  # other datums each time
        words = [(0, {**ZEROS, "x0": x0, "x1": x0 + 299}), (0, unpacr(0, flip=1))]
        cases.case(0, setup, words, {0: Thread(ovrd=1)}, reads=range(36))


def _search(cases: Cases) -> None:
    """RowSearch, with blobs and without."""
    for blobs in (0, 1, 2, 4, 7):
        for u, multi, ctx in ((0, 0, 0), (0, 1, 1), (0, 1, 2), (1, 0, 0), (1, 1, 1)):
            setup = tile(
                x_dim=0x67, y_dim=2, z_dim=2, blobs=blobs, blob_starts=0x98654310,
                ctx_blob_starts=(0xB9753210, 0xFEDC4220), ctx_x_dim=(64, 0x5F, 128, 33),
                out_base=128, dest=(64, 70, 80, 96), uncompressed=1,
            )  # fmt: skip
            cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
            for x, y in ((0, 0), (1, 1), (2, 2), (3, 1), (6, 5), (0, 3), (4, 7), (9, 8)):
                word = unpacr(u, search=1, multi=multi, ctx=ctx, zero=y & 1)
                _run(cases, u, [word], x0=x, x1=31 + x, y0=y, z0=x & 1)
                _run(cases, u, [word], x0=x, x1=0)


def _zero(cases: Cases) -> None:
    """AllDatumsAreZero; nothing to do at all, with flips."""
    for u, code in product((0, 1), (5, 14, 6)):
        setup = tile(**same(code), x_dim=64, z_dim=1, out_base=128 * (1 - u), upsample=code & 1)
        cases.case(u, setup, [(0, {**FEW, "x1": 40}), (0, unpacr(u, zero=1, flip=1))], reads=(4,))
        # a whole row
        whole = [(0, {**ZEROS, "x1": 63}), (0, unpacr(u, zero=1)), (0, unpacr(u))]
        cases.case(u, setup, whole, {0: Thread(ovrd=1)})
        empty = [(0, {**FEW, "x0": 20}), (0, unpacr(u, flip=1)), (0, unpacr(u)), (0, unpacr(u))]
        cases.case(u, setup.with_(base=at(0x400)), empty)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "geometry", "first datums, numbers, dimensions, headers", _plain, _alignment, _dims, _zero,
        u1_read=400, u0_write=200, u1_write=400,
        faults=("burst", "empty_flip", "out_low", "stale"),
    ),
    case_test(
        "wraps", "circular buffers: datums and exponents", _plain, _wraps, _exponent_wraps,
        u0_read=200, u1_read=300, u1_write=300,
        faults=("bfpa", "burst"),
    ),
    case_test(
        "layout", "exponent sections, tilize, transpose, RowSearch", _plain, _transposed,
        _sections, _tilize, _search,
        u0_read=200, u1_read=300, u0_write=100,
        faults=("bfp_alias", "bfpa", "burst", "out_row", "start_align", "throttle", "x_order"),
    ),
)  # fmt: skip
