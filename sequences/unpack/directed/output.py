# SPDX-License-Identifier: Apache-2.0
"""Where datums go: rows and columns of each file, pointers, transposing."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.models.dst_rows import Access
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, same, tile
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.script import DST, SRCA
from tilepath.sequences.unpack.words import unpacr


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 6, PLACE, 8192)


def _rows(cases: Cases) -> None:
    """Start rows and columns, ColShift, transpose, with and without override."""
    script = cases.script
    starts = (0, 1, 2, 3, 4, 5, 8, 19, 20, 36, 52, 63, 67, 68, 75)
    for start, col, shift, turn in product(starts, (0, 5), (0, 1, 15), (0, 1)):
        if (start + col + shift + turn) % 2 and start > 5:
            continue
        for ovrd in (0, 1):
            if not ovrd and start > 19:
                continue
            setup = tile(
                x_dim=64, z_dim=1, out_base=2 * (16 * start + col), shift=(shift,) * 4,
                transpose=turn, dest=(16 * start + col,) * 4,
            )  # fmt: skip
            cases.prepare({(0, 0): setup}, {0: Thread(ovrd=ovrd)})
            last = 33 if ovrd else min(33, 16 * (20 - start) - col - 1)
            script.counters(0, 0, **{**ZEROS, "x1": last})
            script.word(0, unpacr(0), unpacr(0, multi=1, ctx=1))
    for start, turn in product((0, 1, 40, 60, 62), (0, 1)):
        setup = tile(x_dim=64, z_dim=1, out_base=32 * start, transpose=turn, shift=(3,) * 4)
        cases.prepare({(0, 1): setup})
        script.counters(0, 1, **{**ZEROS, "x1": 20})
        script.word(0, unpacr(1))


def _nine_rows(cases: Cases) -> None:
    """128 datums from the middle of a row on, which end a block of 16 rows: the next one stays."""
    script = cases.script
    for row in (7, 15, 23, 39):
        for start, col, last in ((0, 0, 1023), (row, 5, 127)):
            setup = tile(**same(7), x_dim=1024, z_dim=1, out_base=16 * (start + 4) + col)
            cases.prepare({(0, 0): setup}, {0: Thread(ovrd=1)})
            script.counters(0, 0, **{**ZEROS, "x1": last})
            script.word(0, unpacr(0, flip=int(start > 0)))
        script.fence(0)
        script.release(0, reads=range(row + 7, row + 13))


def _pointers(cases: Cases) -> None:
    """SrcRow: SetOvrd, FlipSrc, Set_Upd and Base; SETDVALID sets it as well."""
    script, profile = cases.script, cases.profile
    for u, ovrd, upd, base in product((0, 1), (0, 1), (0, 1), range(4)):
        setup = tile(x_dim=64, z_dim=1, set_upd=upd, out_base=128 * (1 - u))
        own = {t: Thread(ovrd=ovrd, base=(base, base)) for t in (0, 1)}
        cases.prepare({(0, u): setup}, own)
        for t in (0, 1):
            script.counters(t, u, **{**ZEROS, "x1": 15})
        for t, flip in (
            (0, 1),
            (0, 0),
            (0, 0),
            (1, 0),
            (0, 0),
            (0, 0),
            (0, 1),
            (1, 1),
            (0, 0),
            (1, 0),
        ):
            script.word(t, unpacr(u, flip=flip))
            script.fence(t)
            if flip:
                script.release(u)
        script.phase()
        script.word(1, unpacr(u))
        script.fence(1)
        script.word(1, w.setdvalid(profile, u)).release(u, reads=(base * 16,))
        script.word(0, unpacr(u))
    # SETC16 of the base does not move the row; row 16 of thread 0 and not of thread 1
    for value in (4, 0, 5, 7):
        script.phase()
        script.setc16(0, 5, value)
        script.setc16(0, 6, value & 3)
        script.phase()
        for u in (0, 1):
            script.word(0, unpacr(u), unpacr(u, flip=1))
            script.release(u)
    script.phase()
    script.setc16(0, 5, 0)
    script.setc16(0, 6, 0)
    for u in (0, 1):
        script.phase()
        script.word(0, unpacr(u, flip=1)).release(u)


def _dst(cases: Cases) -> None:
    """Rows of Dst, 16 and 32 bits; what lies beside them; addresses below row 4."""
    script = cases.script
    rows = (0, 7, 8, 15, 16, 63, 511, 512, 519, 1008, 1020, 1021, 1022, 1023)
    for code, out in ((5, 5), (0, 0), (0, 4), (4, 4), (8, 8), (14, 14), (0, 1)):
        wide = out in (0, 4, 8)
        size = 4 if wide else 1 if out == 14 else 2
        for row in rows:
            start = 16 * ((row + 4) & 1023)
            setup = tile(**same(code, out), x_dim=64, z_dim=1, if_sel=1, out_base=size * start)
            cases.prepare({(0, 0): setup})
            script.counters(0, 0, **{**ZEROS, "x1": 17})
            script.word(0, unpacr(0))
            script.phase()
            for near in (-1, 0, 1, 8):
                script.matrix(0, DST, row=(row + near) & 1023)
            high = Access().row(1, row)
            script.matrix(0, DST, row=high)
            script.matrix(0, DST, row=(high + 8) & 1023)
    for start, add in product((0, 16, 48, 63, 64, 0x4000, 0xFFF0), (0, 1)):
        setup = tile(
            x_dim=64, ctx_if_sel=0xFF, add_dest=add, dest=(start,) * 4, out_base=32, y_stride=64,
        )  # fmt: skip
        cases.prepare({(0, 0): setup})
        script.counters(0, 0, **{**ZEROS, "x1": 17, "y1": 1})
        script.word(0, unpacr(0, multi=1, ctx=2))
    for start in (0, 60, 64, 16 * 19, 16 * 20 + 3, 16 * 36):
        setup = tile(x_dim=64, if_sel=1, out_base=2 * start)
        cases.prepare({(0, 0): setup}, {0: Thread(ovrd=1)})
        script.counters(0, 0, **{**ZEROS, "x1": 40})
        script.word(0, unpacr(0))


def _strides(cases: Cases) -> None:
    """Channel 1 through the strides, base and destination; 32-bit sums."""
    script = cases.script
    for u, out in product((0, 1), (5, 0, 14)):
        code = out if out != 0 else 0
        sel = int(out == 0 and u == 0)
        if out == 0 and u:
            continue
        setup = tile(
            **same(code, out), x_dim=32, z_dim=1, out_base=128, y_stride=64, z_stride=256,
            w_stride=0xFFC0, if_sel=sel, ctx_if_sel=0xFF * sel, add_dest=1, dest=(64, 128, 20, 5),
        )  # fmt: skip
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1 - sel)})
        for y1, z1, w1 in (
            (0, 0, 0),
            (1, 0, 0),
            (0, 1, 0),
            (2, 1, 0),
            (0, 0, 1),
            (0, 0, 255),
            (8191, 3, 2),
        ):
            if u and (y1 > 5 or w1):
                continue
            script.counters(0, u, **{**ZEROS, "x1": 20, "y1": y1, "z1": z1, "w1": w1})
            script.word(
                0, unpacr(u), unpacr(u, multi=1, ctx=1), unpacr(u, multi=1, inc=(0, 0, 1, 1))
            )
    # products beyond 16 bits
    for field, counter, stride in (
        ("y_stride", "y1", 16), ("z_stride", "z1", 256), ("w_stride", "w1", 0x800),
    ):  # fmt: skip
        setup = tile(x_dim=32, z_dim=1, if_sel=1).with_(**{field: stride})
        cases.prepare({(0, 0): setup})
        for value in (65536 // stride - 1, 65536 // stride):
            script.counters(0, 0, **{**ZEROS, "x1": 15, counter: value})
            script.word(0, unpacr(0))


def _banks(cases: Cases) -> None:
    """Both banks are filled, read and cleared; a transposed face; rows stay where nobody writes."""
    script, profile = cases.script, cases.profile
    for u in (0, 1):
        setup = tile(x_dim=256, z_dim=4, out_base=128 * (1 - u), z_stride=512, transpose=1)
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
        for face in range(4):
            script.counters(0, u, **{**ZEROS, "x1": 255, "z0": face, "z1": face % 3})
            script.word(0, unpacr(u, flip=1))
            script.release(u, reads=(0, 1, 15, 16, 31, 47))
        script.word(0, w.zerosrc(profile, u, 0, 0, 1), unpacr(u, flip=1))
        script.release(u, reads=(0, 16, 33, 63))
    for bank in (0, 1):
        script.phase()
        for row in range(0, 64, 7):
            script.matrix(0, SRCA, bank, row=row)
            script.matrix(0, 1, bank, row=row)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "rows", "rows and columns of SrcA and SrcB, transposing, row pointers", _plain, _rows,
        _nine_rows,
        _pointers, _banks, u0_write=300, u1_write=60, u0_pointers=60, answer_a=30, answer_b=30,
        faults=("burst", "out_low", "out_row", "srca_row_high", "transpose_srcb"),
    ),
    case_test(
        "dst_rows", "rows of Dst; strides and destinations", _plain, _dst, _strides,
        u0_write=200, answer_d=400,
        faults=("burst", "dst_ovrd", "out_low", "out_row", "srca_row_high"),
    ),
)  # fmt: skip
