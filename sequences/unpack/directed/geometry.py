# SPDX-License-Identifier: Apache-2.0
"""Where datums and exponents lie: sections, tilize, columns, blobs."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import (
    LINE,
    PLACE,
    Cases,
    case_test,
    fill_tile,
    same,
    tile,
)
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.words import unpacr


def _plain(cases: Cases) -> None:
    for code in (6, 5):
        fill_tile(cases.memory, cases.d, code, PLACE, 4096)
    fill_tile(cases.memory, cases.d, 5, 0x7000, 0x1800)


def _run(cases: Cases, u: int, words: list[int], **counters: int) -> None:
    cases.script.counters(0, u, **{**ZEROS, **counters})
    cases.script.word(0, *words)


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


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "layout", "exponent sections, tilize, transpose, RowSearch", _plain, _transposed,
        _sections, _tilize, _search,
        u0_read=200, u1_read=300, u0_write=100,
        faults=("bfp_alias", "bfpa", "burst", "out_row", "start_align", "throttle", "x_order"),
    ),
)  # fmt: skip
