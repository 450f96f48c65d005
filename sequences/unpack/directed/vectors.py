# SPDX-License-Identifier: Apache-2.0
"""The worked vectors of the specification (§6): addresses V1 to V8, and values."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import TestSpec
from tilepath.models.format_codes import SHARED
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.unpack.config import Eight, Setup, Thread
from tilepath.sequences.unpack.directed.common import Cases, case_test, same, tile
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.script import DST, SRCA, SRCB
from tilepath.sequences.unpack.tiles import Packed
from tilepath.sequences.unpack.words import unpacr

OVRD: Final = Thread(ovrd=1)


def _base(value: int) -> Eight:
    return (value, 0, 0, 0, 0, 0, 0, 0)


def _count(cases: Cases, where: int, count: int, width: int = 2) -> None:
    """Numbers that tell their places."""
    values = (np.arange(count) * 7 + where // 16) & ((1 << 8 * width) - 1)
    cases.memory.put_datums(where * 4, 8 * width, values.astype(np.int64))


def _v1(cases: Cases) -> None:
    _count(cases, 0x4000, 1024)
    setup = Setup(
        base=_base(0x3FF), **same(5), add_dest=1, dest=(64, 0, 0, 0), z_stride=512,
        ctx_x_dim=(256,) * 4,
    )  # fmt: skip
    values = {"x0": 0, "x1": 255, "z0": 2, "z1": 1, "y0": 0, "y1": 0, "w0": 0, "w1": 0}
    program = [(0, values), (0, unpacr(0, multi=1, flip=1))]
    cases.case(0, setup, program, {0: OVRD}, reads=(0, 15, 16, 31, 32))
    cases.case(0, setup, [(0, values), (0, unpacr(0, flip=1))], {0: OVRD}, reads=(12, 28))


def _exponents(cases: Cases) -> None:
    """V2 and V3."""
    _count(cases, 0x8000, 1024)
    x0z3 = {"x0": 0, "x1": 255, "z0": 3, "z1": 0, "y0": 0, "y1": 0, "w0": 0, "w1": 0}
    setup = Setup(base=_base(0x7FF), offset=(0x10, 0, 0, 0), **same(6), out_base=64)
    cases.case(0, setup, [(0, x0z3), (0, unpacr(0, flip=1))], {0: OVRD}, reads=(0, 15))
    setup = Setup(base=_base(0x7FF), digest=1, **same(7))
    values = {**x0z3, "x0": 24, "x1": 55, "z0": 0}
    cases.case(1, setup, [(0, values), (0, unpacr(1, flip=1))], reads=(0, 1))
    setup = setup.with_(**same(15), digest=0)
    values = {**x0z3, "x0": 6, "x1": 40, "z0": 1}
    cases.case(1, setup, [(0, values), (0, unpacr(1, flip=1))], reads=(0, 1, 2))


def _wrap(cases: Cases) -> None:
    """V4."""
    _count(cases, 0x7000, 0x1200 // 2)
    setup = Setup(base=_base(0x7FD), **same(1), x_dim=64, limit=0x7FF, fifo=0x100)
    values = {"x0": 0, "x1": 63, "z0": 0, "z1": 0, "y0": 0, "y1": 0, "w0": 0, "w1": 0}
    cases.case(1, setup, [(0, values), (0, unpacr(1, flip=1))], reads=(0, 1, 2, 3))


def _tilize(cases: Cases) -> None:
    """V5."""
    _count(cases, 0x10000, 0x2000)
    setup = Setup(
        base=_base(0xFFF), **same(5), x_dim=1024, tilize=1, shift=(0, 1, 0, 9), out_base=128,
    )  # fmt: skip
    values = {"x0": 0, "x1": 1023, "z0": 0, "z1": 0, "y0": 0, "y1": 0, "w0": 0, "w1": 0}
    program = [(0, values), (0, unpacr(0, flip=1))]
    cases.case(0, setup, program, {0: OVRD}, reads=(0, 1, 2, 63))


def _packed(cases: Cases) -> None:
    """V6: a row that begins with datum 37."""
    tile_ = Packed(np.array([37, 12, 30], np.int64))
    rsi = 0x8FF0
    tile_.put_index(cases.memory, rsi)
    values = np.arange(96, dtype=np.int64) + 0x3C00
    runs = (np.arange(96, dtype=np.int64) % 5 == 0).astype(np.int64)
    tile_.put_groups(cases.memory, 0x9000, 1, values, runs)
    setup = Setup(base=_base(0x8FE), **same(1), uncompressed=0, x_dim=16, y_dim=3, z_dim=1)
    counters = {"x0": 0, "x1": 15, "y0": 1, "z0": 0, "z1": 0, "y1": 0, "w0": 0, "w1": 0}
    cases.case(1, setup, [(0, counters), (0, unpacr(1, flip=1))], reads=(0, 1))


def _rows(cases: Cases) -> None:
    """V7: 32-bit rows of Dst; DstBits of both halves are read."""
    rows = {0: (0, 8), 7: (7, 15), 8: (16, 24), 15: (23, 31), 63: (119, 127), 511: (1015, 1023)}
    _count(cases, 0x4000, 256, 4)
    zero = {"y0": 0, "z0": 0, "w0": 0, "y1": 0, "z1": 0, "w1": 0}
    for row, (high, low) in rows.items():
        setup = tile(**same(0), if_sel=1, out_base=4 * 16 * (4 + row))
        cases.case(0, setup, [(0, {"x0": 0, "x1": 15, **zero}), (0, unpacr(0))])
        cases.script.phase()
        for physical in (high, low):
            cases.script.matrix(0, DST, row=physical)


def _counters(cases: Cases) -> None:
    """V8: Z at its end, checkpoints, X with an override."""
    setup = tile(**same(14), x_dim=16, z_dim=1)
    start = {"x0": 0, "x1": 15, "y0": 0, "w0": 0, "y1": 0, "z1": 0, "w1": 0}
    cases.case(1, setup, [(0, {**start, "z0": 253}), (0, unpacr(1, inc=(0, 3, 0, 0)))])
    cases.issue(1, [(0, unpacr(1, inc=(0, 1, 0, 0))), (0, None)])
    cases.case(1, setup, [(0, {"z0": 5})])
    cases.issue(1, [(0, int(counter_words.packed("incadczw", 2, (4, 0, 0, 0))))])
    cases.issue(1, [(0, int(counter_words.packed("addrcrzw", 2, (2, 0, 0, 0), 1))), (0, None)])
    cases.issue(1, [(0, int(counter_words.setadc(2, 0, 0x2FFFF))), (0, None)])


# (format in, out, to Dst, values, unsigned or E4M3): vectors 1 to 23, their values in L1
_VALUES: Final = (
    (0, 4, (0x3F800000, 0xC0490FDB, 0x807FFFFF, 0xFF800000, 0x7FC00001)),
    (0, 5, (0xC0490FDB, 0x00400000, 0x807FFFFF, 0x3F80FFFF)),
    (0, 1, (0x3F800000, 0x477FE000, 0x47800000, 0x7F800000, 0x38002000, 0x37FFFFFF)),
    (5, 5, (0x3F80, 0x8000, 0x0001, 0xFFC1)),
    (1, 1, (0x3C00, 0x8000, 0x83FF, 0x7C00, 0x7E01)),
    (10, 10, (0x3C, 0x7C, 0x7F, 0xFF, 0x80, 0x01, 0x38, 0x7E, 0x08)),
    (14, 14, (0x05, 0x85, 0x80, 0x00, 0x7F, 0xFF)),
    (9, 9, (0x1234, 0xFFFF, 0x8000, 0x00FF)),
    (8, 8, (0x12345678, 0x80000001)),
    (4, 4, (0x3F800000, 0xC0490FDB)),
    (0, 0, (0x3F800000, 0xC0490FDB, 0x12345678)),
)
_SHARED: Final = (
    (6, 127, (0x40, 0xC0, 0x7F, 0x01, 0x80)),
    (6, 3, (0x01, 0x40)),
    (6, 0, (0xFF, 0x40)),
    (6, 255, (0x00, 0x40)),
    (7, 127, (4, 1, 8, 0)),
    (7, 130, (15, 9)),
    (15, 127, (1, 3, 2, 0)),
    (2, 15, (0x40, 0xFF, 0x01, 0x80)),
    (2, 3, (0x01, 0x00)),
    (2, 32, (0x40, 0x80)),
    (3, 15, (4, 9, 8)),
    (11, 15, (1, 0)),
    (11, 16, (3, 2)),
)


def _values(cases: Cases) -> None:
    start = {"x0": 0, "y0": 0, "z0": 0, "w0": 0, "y1": 0, "z1": 0, "w1": 0}
    tables: list[tuple[int, int, int | None, tuple[int, ...]]]
    tables = [(code, out, None, values) for code, out, values in _VALUES]
    tables += [(code, code, exponent, values) for code, exponent, values in _SHARED]
    for code, out, exponent, values in tables:
        where = 0x4000
        if exponent is not None:
            cases.memory.put(where, np.full(16, exponent, np.uint8))
            where += 16
        cases.memory.put_datums(where * 4, bits(code), np.array(values, np.int64))
        for e4m3 in (0, 1) if code == 10 else (0,):
            for unsigned in (0, 3) if code == 14 else (0,):
                files: tuple[int, ...] = (SRCA, SRCB, DST)
                if code == out and code in (0, 4, 8):
                    files = (DST,)
                for file in files:
                    assert code not in SHARED or exponent is not None
                    setup = tile(
                        **same(code, out), x_dim=16, z_dim=1, e4m3=e4m3, if_sel=int(file == DST),
                        out_base=64 * (4, 2, 1)[_unit(out)] if file != SRCB else 0,
                    )  # fmt: skip
                    _case(cases, file, setup, {**start, "x1": len(values) - 1}, unsigned)


def _unit(out: int) -> int:
    return 0 if out in (0, 4, 8) else 1 if out in (1, 5, 9) else 2


def _case(cases: Cases, file: int, setup: Setup, counters: dict[str, int], unsigned: int) -> None:
    unpacker = int(file == SRCB)
    cases.script.phase()
    cases.script.unsigned(unsigned << 15)
    cases.case(
        unpacker, setup, [(0, counters), (0, unpacr(unpacker, flip=file != DST))], reads=(0,)
    )
    if file == DST:
        cases.script.phase()
        for row in (0, 8):
            cases.script.matrix(0, DST, row=row)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "vectors", "worked vectors of the specification", _v1, _exponents, _wrap, _tilize, _packed,
        _rows, _counters, _values, u0_write=60, u1_write=30, answer_d=60,
        faults=("bfpa", "spare_unpacr", "stale", "x_override"),
    ),
)  # fmt: skip
