# SPDX-License-Identifier: Apache-2.0
"""Crosses walked from end to end: what random traffic would meet by chance only."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.models.format_codes import ALL, BFPA, INT8, SHARED
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, same, tile
from tilepath.sequences.unpack.directed.faults import FEW, ZEROS
from tilepath.sequences.unpack.directed.nops import modes
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.script import DST, SRCA, SRCB
from tilepath.sequences.unpack.tiles import specials
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.stimulus import TestSpec


def _increments(cases: Cases) -> None:
    """MultiContextMode, thread, ContextADC, each increment at each field."""
    script = cases.script
    for u in (0, 1):
        setup = tile(x_dim=16, add_dest=0, dest=(64,) * 4)
        cases.prepare({(0, u): setup}, {t: Thread(ovrd=1) for t in range(3)})
        for t in range(3):
            script.counters(t, u, **{**ZEROS, "x0": 1, "x1": 0})
        for t, multi, adc, k in product(range(3), (0, 1), range(4), range(4)):
            inc = (k, k + 1 & 3, k + 2 & 3, k + 3 & 3)
            script.word(t, unpacr(u, multi=multi, adc=adc, inc=inc))
            if k == 3:
                script.phase(idle=False)


def _same_banks(cases: Cases) -> None:
    """StateID 1 while both banks are the same, and after a word has changed in one."""
    script = cases.script
    for u in (0, 1):
        setup = tile(x_dim=16, z_dim=1)
        cases.prepare({(0, u): setup, (1, u): setup}, {0: Thread(1), 1: Thread(0)})
        for t in (0, 1):
            script.counters(t, u, **FEW)
            script.word(t, unpacr(u))
        cases.prepare({(0, u): setup.with_(y_dim=2)}, {0: Thread(1)})
        script.word(0, unpacr(u))
    cases.prepare({}, {0: Thread(), 1: Thread()})


def _files(code: int, out: int) -> tuple[int, ...]:
    return (DST,) if code == out and code in (0, 4, 8) else (SRCA, SRCB, DST)


def _classes(cases: Cases) -> None:
    """Each special value of each format to each file, by exponent if that is shared."""
    script = cases.script
    pairs = [(code, code) for code in ALL] + [(0, out) for out in (4, 5, 1)]
    for code, out in pairs:
        values = np.array(specials(code), np.int64)
        script.phase()
        cases.memory.put_datums(PLACE * 4, bits(code), np.resize(values, 64))
        script.memory()
        shared: tuple[int, ...] = (0,)
        if code in SHARED:
            shared = (0, 1, 2, 3, 4, 5, 6, 7, 30, 31, 32, 33, 38, 127, 254, 255)
        for exponent, file, other in product(shared, _files(code, out), (0, 1)):
            # E4M3, or INT8 without a sign
            if other and code not in (10, 14):
                continue
            if (
                code in SHARED
                and file != SRCB
                and exponent not in (0, 6, 31, 127)
                and code not in BFPA
            ):
                continue
            setup = tile(
                **same(code, out), x_dim=64, z_dim=1, force_exponent=int(code in SHARED),
                shared_exponent=exponent, if_sel=int(file == DST), e4m3=other,
                out_base=0 if file == SRCB else 256,
            )  # fmt: skip
            u = int(file == SRCB)
            script.phase()
            script.unsigned(3 * other * int(code == INT8) << 15)
            script.setup(1, u, setup)
            script.thread(0, Thread(ovrd=int(file == SRCA)))
            script.phase()
            script.counters(0, u, **{**ZEROS, "x1": min(len(values), 64) - 1})
            script.word(0, unpacr(u))


def _columns(cases: Cases) -> None:
    """Transpose, ColShift, start row of SrcA."""
    script = cases.script
    for turn, shift, row in product((0, 1), (0, 1, 15, 6), (0, 3, 4, 5, 19, 20, 67, 68, 40)):
        setup = tile(x_dim=64, z_dim=1, transpose=turn, shift=(shift,) * 4, out_base=32 * row)
        cases.prepare({(0, 0): setup}, {0: Thread(ovrd=1)})
        script.counters(0, 0, **{**ZEROS, "x1": 18})
        script.word(0, unpacr(0))


def _pointers(cases: Cases) -> None:
    """SetOvrd, SrcRow, FlipSrc, Set_Upd, Base: the row by SETDVALID with another Base."""
    script, profile = cases.script, cases.profile
    for u, upd in product((0, 1), (0, 1)):
        setup = tile(x_dim=16, z_dim=1, set_upd=upd, out_base=128 * (1 - u))
        cases.prepare({(0, u): setup}, {0: Thread()})
        script.counters(0, u, **{**ZEROS, "x1": 0})
        for ovrd, row, flip, base in product((0, 1), range(4), (0, 1), range(4)):
            if u and ovrd:
                continue
            script.fence(0)
            script.thread(0, Thread(base=(row, row), ovrd=ovrd), after=script.done("t0.issue"))
            script.word(0, unpacr(u), after=script.done("t0.setc16"))
            # behind an UNPACR that writes, the bank is the Unpackers'
            script.word(0, w.setdvalid(profile, u)).release(u)
            script.fence(0)
            script.thread(0, Thread(base=(base, base), ovrd=ovrd), after=script.done("t0.issue"))
            script.word(0, unpacr(u, flip=flip), after=script.done("t0.setc16"))
            if flip:
                script.release(u)
    cases.prepare({}, {0: Thread()})


def _strides(cases: Cases) -> None:
    """Tilize with strides of a row exactly, less, more, none: each size, unpacker and file."""
    wide = profiles.get(cases.profile).row_w
    for u, to_dst, code in (
        (0, 0, 5),
        (0, 1, 0),
        (0, 0, 0),
        (1, 0, 0),
        (1, 0, 5),
        (0, 0, 14),
        (1, 0, 14),
    ):
        row = wide * (4 if code == 0 else 2) if code != 14 else 16
        out = code if code or to_dst else 5
        for stride in (0, 16, row, 2 * row, 0x1230):
            shift = (stride >> 4 & 15, stride >> 8 & 15, stride >> 12, 3)
            setup = tile(
                **same(code, out), x_dim=128, z_dim=1, tilize=1, shift=shift, if_sel=to_dst,
                out_base=(4 if to_dst else 2 if code != 14 else 1) * 64 * (1 - u),
            )  # fmt: skip
            cases.prepare({(0, u): setup}, {0: Thread(ovrd=1 - to_dst)})
            cases.script.counters(0, u, **{**ZEROS, "x1": 99})
            cases.script.word(0, unpacr(u))


def _unpacker0(cases: Cases) -> None:
    """Faults of the input that the test of faults has with unpacker 1 only."""
    script = cases.script
    lines = profiles.get(cases.profile).l1_bytes // 16
    setup = tile(x_dim=64, z_dim=1, blobs=7, blob_starts=0x76543210, if_sel=1, out_base=128)
    cases.prepare({(0, 0): setup}, {0: Thread()})
    for values in ({"x0": 4096, "x1": 4100}, {"y0": 256, "x1": 3}, {"x0": 7, "x1": 9}):
        script.counters(0, 0, **{**ZEROS, **values})
        script.word(0, unpacr(0), unpacr(0, search=1))
    for code, packed in product((14, 6, 7), (0, 1)):
        for back in (1, 2, 3, 4):
            cases.memory.put_datums((lines - back) * 64, 16, np.array([0, 30, 60, 90], np.int64))
            setup = tile(
                lines - back, **same(code), x_dim=16, y_dim=3, z_dim=1, uncompressed=1 - packed,
                out_base=64,
            )  # fmt: skip
            for x1, y0 in ((15, 0), (9, 1), (3, 40)):
                cases.case(0, setup, [(0, {**ZEROS, "x1": x1, "y0": y0}), (0, unpacr(0))])
    setup = tile(lines - 1, **same(6), x_dim=1024, limit=lines + 1, fifo=lines, out_base=64)
    cases.case(0, setup, [(0, {**FEW, "x1": 700}), (0, unpacr(0))], {0: Thread(ovrd=1)})


def _packed(cases: Cases) -> None:
    """Compressed rows of no length, handed over; transposed ones that do not begin with a line."""
    script = cases.script
    cases.memory.put_datums(PLACE * 4, 16, np.array([0, 0, 16, 21, 21, 19, 53], np.int64))
    for u in (0, 1):
        setup = tile(
            **same(5), uncompressed=0, x_dim=16, y_dim=6, z_dim=1, transpose=1,
            out_base=128 * (1 - u),
        )  # fmt: skip
        for y, x1, search in product(range(6), (15, 9), (0, 1)):
            cases.case(u, setup, [(0, {**ZEROS, "x0": search * y, "x1": x1, "y0": y})])
            word = unpacr(u, flip=1, search=search)
            script.word(0, word, after=script.done("matrix")).release(u)


def _small(cases: Cases) -> None:
    """Few datums of half a byte and a quarter from every place of 32."""
    for code in (7, 15, 6, 5, 0):
        setup = tile(**same(code, 5 if code == 0 else code), x_dim=256, z_dim=1)
        cases.prepare({(0, 1): setup})
        for x, n in product((0, 1, 14, 15, 16, 17, 30, 31), (1, 2)):
            cases.script.counters(0, 1, **{**ZEROS, "x0": x, "x1": x + n - 1})
            cases.script.word(0, unpacr(1))


def _modes(cases: Cases) -> None:
    """Each mode of UNPACR_NOP by each thread; combinations of flags of UNPACR."""
    script, profile = cases.script, cases.profile
    setup = tile(x_dim=16, z_dim=1, out_base=64, w_stride=64, interleave=1)
    for u, t in product((0, 1), range(3)):
        cases.prepare({(0, u): setup.with_(out_base=128 * (1 - u))}, {t: Thread(stream=(t, 9))})
        script.counters(t, u, **{**ZEROS, "x1": 7 + 16 * (t & 1), "w1": 1})
        reserved = w.NOP_OPCODE << 24 | u << 23 | 6
        script.word(t, *modes(profile, u), reserved, unpacr(u))
        script.word(t, w.setdvalid(profile, u)).release(u)
        for zero, search in product((0, 1), (0, 1)):
            script.word(t, unpacr(u, zero=zero, search=search, counter=1))
            after = script.done("matrix")
            script.word(t, unpacr(u, zero=zero, search=search, flip=1), after=after)
            script.release(u)
    for code, u, to_dst in ((7, 0, 1), (0, 0, 0), (7, 1, 0), (0, 1, 0)):
        setup = tile(
            **same(code, 5 if code == 0 else code), uncompressed=0, x_dim=16, y_dim=2, z_dim=1,
            if_sel=to_dst, out_base=128 * (1 - u),
        )  # fmt: skip
        cases.case(u, setup, [(0, {**ZEROS, "x0": 1, "x1": 9}), (0, unpacr(u))])


def _registers(cases: Cases) -> None:
    """SETREG sums past 17 bits, with either base."""
    for u, select in product((0, 1), (0, 1)):
        for _ in range(66):
            cases.script.word(u, w.setreg(cases.profile, u, 0x7FF, 1, 2, select))


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "crosses", "crosses from end to end: increments, rows, strides, L1's end", _increments,
        _same_banks, _columns, _pointers, _strides, _unpacker0, _packed, _small, _modes, _registers,
        u0_write=150, u1_write=100, u0_setreg=130, u1_setreg=130, u0_read_fault=5,
        faults=(
            "blobs_index", "burst", "context_adc", "datum", "delta", "empty_flip",
            "exponent", "neginf_srcb", "nop_foreign", "nop_reserved", "out_low", "rsi",
            "srca_row_high", "start_align", "transpose_srcb", "x_window", "y_range",
        ),
    ),
    case_test(
        "classes", "special values of each format, with exponents, to each file", _classes,
        u0_write=100, u1_write=100,
        faults=("bfpa", "burst"),
    ),
)  # fmt: skip
