# SPDX-License-Identifier: Apache-2.0
"""The Matrix Unit's port in the cycle model of the unpackers, worked out by hand.

As in ``test_model_timelines``: of a word issued in cycle 0 the first step, or the token, goes in 22
(18); what goes in w changes the registers at the end of w + 6, and banks at the end of w + 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.tb.unpack.items import DST, READ, RELEASE, SRCA, SRCB
from tilepath.tests.unpack.model_cycle_helpers import SETDVALID, ZEROSRC, Program, both_units, nop
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr

ALL_ONES = 0x7FFFF
A, B, D = 1, 2, 4  # bits of ``read``


def to_dst(row: int, count: int = 16, code: int = F.INT16, **more: int) -> Any:
    """Datums 1, 2, … into rows of Dst."""
    s = plain(code, count=count, if_sel=1, **more)
    put(s, 0, out_base=(4 if code == F.INT32 else 2) * 16 * (row + 4), set_ovrd=0)
    load(s, 0x4010, 1 + np.arange(64), "u4" if code == F.INT32 else "u2")
    return s


def first_columns(p: Program) -> list[int]:
    """Column 0 of each row that is read, in order."""
    return [int(row[0]) for row in p.run().answers()["data"]]


def test_rows_of_three_files_in_one_cycle() -> None:
    p = Program(None)
    for n, (target, bank) in enumerate(((SRCA, 0), (SRCA, 1), (SRCB, 0), (SRCB, 1))):
        p.matrix_write(n, target, bank, 64 * n + 5, 0xFFFFFFF0 + n)
    p.matrix_write(4, DST, 0, 5, np.arange(16) + 0x10007).matrix_write(5, 3, 1, 5, 1)
    p.matrix(6, read=A | B | D, banks=1, row_a=5, row_b=5, row=5)
    p.matrix(7, read=A | B, banks=2, row_a=5, row_b=5).matrix(8, read=D, row=6)
    found = p.run().answers()
    assert found["cycle"].tolist() == [7, 7, 7, 8, 8, 9]
    assert found["file"].tolist() == [SRCA, SRCB, DST, SRCA, SRCB, DST]
    high = ALL_ONES - 15
    assert found["data"][:, 0].tolist() == [high + 1, high + 2, 7, high, high + 3, 0]
    assert found["data"][2].tolist() == [n + 7 for n in range(16)]
    assert found["row_valid"].tolist() == [0, 0, 1, 0, 0, 1]


def test_a_row_is_read_as_registered() -> None:
    p = Program(None).matrix_write(4, DST, 0, 5, 9).matrix_write(5, SRCB, 1, 5, 8)
    for cycle in (4, 5, 6):
        p.matrix(cycle, read=B | D, banks=2, row_b=5, row=5)
    assert first_columns(p) == [0, 0, 0, 9, 8, 9]


@pytest.mark.parametrize(
    ("profile", "access", "wide", "row", "place"),
    [
        *(("blackhole", 2, 0, row, place) for row, place in ((8, 32), (16, 8), (32, 16), (56, 56))),
        *(("blackhole", 1, 1, row, place) for row, place in ((4, 16), (8, 4), (12, 20), (20, 32))),
        ("blackhole", 1, 0, 8, 8), ("blackhole", 2, 1, 8, 64), ("blackhole", 3, 1, 16, 4),
        ("blackhole", 0, 1, 8, 16), ("baseline", 1, 1, 8, 4), ("baseline", 2, 0, 8, 32),
        ("baseline", 0, 1, 511, 1015), ("baseline", 0, 1, 9, 17), ("baseline", 0, 1, 512, 512),
    ],
)  # fmt: skip
def test_where_rows_of_dst_are_stored(
    profile: str, access: int, wide: int, row: int, place: int
) -> None:
    p = Program(None, profile).matrix(0, zero=1, zero_mode=3)
    p.matrix_write(1, DST, 1, row, 0xABCD1234, wide, access)
    p.matrix(2, read=D, row=place).matrix(3, read=D, row=place | 8)
    p.matrix(4, read=D, row=row, wide=wide, access=access)
    p.matrix(5, zero=1, row=row, wide=wide, access=access).matrix(6, read=D, row=place)
    p.matrix(7, zero=1, row=0, zero_mode=1, undo=1).matrix(8, read=D, row=15)
    found = p.run().answers()
    whole, high = (0xABCD1234, 0xABCD) if wide else (0x1234, 0x1234)
    low = 0x1234 if wide or place & 8 else 0
    assert found["data"][:, 3].tolist()[:4] == [high, low, whole, high]
    assert found["row_valid"].tolist()[:4] == [1, int(not wide and place & 8 != 0), 1, 0]
    assert found["row_valid"][4] == 1


def valid_rows(p: Program, cycle: int) -> set[int]:
    """Rows of storage of which the valid bit is 1, read from a cycle on."""
    for row in range(1024):
        p.matrix(cycle + row, read=D, row=row)
    return set(np.flatnonzero(p.run(cycle + 1030).answers()["row_valid"]).tolist())


@pytest.mark.parametrize("undo", [0, 1])
@pytest.mark.parametrize(
    ("mode", "row", "wide", "access", "changed"),
    [
        (0, 700, 0, 0, {700}), (0, 8, 1, 0, {16}), (0, 8, 0, 2, {32}), (0, 4, 1, 1, {16}),
        (1, 61, 0, 0, set(range(48, 64))), (1, 1008, 0, 0, set(range(1008, 1024))),
        (1, 16, 1, 0, {*range(32, 40), *range(48, 56)}),
        (1, 16, 0, 2, {*range(8, 16), *range(40, 48)}),
        (2, 512, 0, 0, set(range(512, 1024))), (2, 500, 1, 3, set(range(512))),
        (3, 77, 1, 3, set(range(1024))),
    ],
)  # fmt: skip
def test_zeroing(mode: int, row: int, wide: int, access: int, changed: set[int], undo: int) -> None:
    p = Program(None, "blackhole")
    if undo:
        p.matrix(0, zero=1, zero_mode=3)
    p.matrix(1, zero=1, zero_mode=mode, row=row, wide=wide, access=access, undo=undo)
    assert valid_rows(p, 2) == (changed if undo else set(range(1024)) - changed)


def test_a_write_wins_over_zeroing_in_its_cycle() -> None:
    p = Program(None).matrix(0, zero=1, zero_mode=3).matrix_write(0, DST, 0, 9, 3, wide=1)
    assert valid_rows(p, 1) == {17}


def test_two_releases_in_one_cycle() -> None:
    p = Program(None).issue(0, nop(0, SETDVALID)).issue(1, nop(1, SETDVALID))
    p.issue(2, nop(0, SETDVALID)).issue(4, nop(1, SETDVALID))
    p.matrix(40, release=A | B, banks=1).matrix(42, release=B, banks=3).matrix(44, release=A)
    assert p.run().changes("owner") == [
        (26, 1), (27, 5), (28, 7), (30, 15), (41, 9), (43, 1), (45, 0),
    ]  # fmt: skip


def test_clear() -> None:
    p = Program(None)
    for n in range(4):
        p.matrix_write(n, n >> 1, n & 1, 63, 5)
    p.matrix(4, clear=0b0101, neg_inf=1).matrix(5, read=A | B, row_a=63, row_b=63)
    p.matrix(6, read=A | B, banks=3, row_a=63, row_b=63)
    assert first_columns(p) == [ALL_ONES, 0, 5, 5]
    p.matrix(10, clear=0b1010).matrix(11, read=A | B, banks=3, row_a=63, row_b=63)
    assert first_columns(p)[4:] == [0, 0]


def test_clear_wins_over_what_is_written() -> None:
    p = Program(None).matrix_write(0, SRCA, 1, 7, 5).matrix(0, clear=2, neg_inf=1)
    p.matrix_write(1, SRCB, 0, 7, 6).matrix(1, clear=8)
    p.matrix(2, read=A | B, banks=1, row_a=7, row_b=7)
    assert first_columns(p) == [ALL_ONES, 6]
    for cycle, seen in ((27, 1), (28, ALL_ONES), (29, ALL_ONES)):
        s = plain(F.INT16, count=16)
        load(s, 0x4010, 1 + np.arange(16), "u2")
        p = Program(s).issue(0, unpacr(0)).matrix(cycle, clear=1, neg_inf=1)
        assert first_columns(p.matrix(40, read=A)) == [seen]
    # a ZEROSRC that goes in the cycle of the clear is a race
    p = Program(None).issue(0, nop(0, ZEROSRC)).issue(2, nop(1, ZEROSRC)).matrix(18, clear=8)
    r = p.matrix(20, neg_inf=1, release=1).run()
    assert r.flags("u0.write_fault") == [(24, ("zerosrc_race",))]
    assert r.flags("u1.write_fault") == []


def test_a_write_to_rows_that_an_unpacker_writes() -> None:
    """Those that equal it modulo 16 are lost, of its bank alone."""
    for target, bank, lost in ((SRCA, 0, {1, 17}), (SRCA, 1, set()), (SRCB, 0, set())):
        s = plain(F.INT16, count=512, x_dim=512, z_dim=1, throttle=3)
        load(s, 0x4010, np.full(512, 9), "u2")
        p = Program(s).issue(0, unpacr(0))
        for n in range(16):  # two rows a cycle from the end of 28 on
            p.matrix_write(28 + n, target, bank, 33, 4)
        for row in range(32):
            p.matrix(60 + row, read=A, row_a=row)
        seen = first_columns(p)
        assert {row for row in range(32) if seen[row] != 9} == lost


def test_the_format_comes_with_the_bank() -> None:
    apart = ({"out_format": F.BF16}, {"out_format": F.TF32})
    p = both_units(F.FP32, count=16, apart=apart).issue(0, unpacr(0, flip_src=1))
    p.issue(2, unpacr(1, flip_src=1)).issue(10, nop(0, SETDVALID))
    p.matrix(60, release=3)
    r = p.run()
    assert r.changes("owner") == [(30, 1), (32, 5), (36, 7), (61, 2)]
    assert r.changes("implied") == [
        (30, F.BF16), (32, F.TF32 << 8 | F.BF16), (36, F.TF32 << 8 | F.BF16 << 4 | F.BF16)
    ]  # fmt: skip


def test_the_format_is_that_of_the_context() -> None:
    s = plain(F.FP32, out=F.BF16, count=16, ovrd_format=1, in2=F.FP32, out2=F.FP16)
    put(s, 0, base2=0x400, dest2=64, x_dim2=256, disable_0_3=15)
    p = Program(s).issue(0, unpacr(0, flip_src=1, multi_context=1, context_number=2))
    r = p.issue(10, nop(0, SETDVALID)).run()
    assert r.changes("implied") == [(30, F.FP16), (36, F.BF16 << 4 | F.FP16)]
    # changed behind the sampling of a NOP, which is in the cycle after its issue
    p = Program(None).add("cfg", 0, 3, 72, 0, [5, 0, 0, 0]).add("cfg", 1, 3, 72, 0, [1, 0, 0, 0])
    r = p.issue(0, nop(0, SETDVALID)).issue(2, nop(0, SETDVALID)).run()
    assert r.changes("implied") == [(26, 5), (28, 0x15)]


def test_the_format_of_a_bank_that_is_not_the_unpackers() -> None:
    p = Program(None).add("cfg", 3, 3, 72, 0, [3, 0, 0, 0])
    for cycle in (0, 2, 4):
        p.issue(cycle, nop(0, SETDVALID))
    # the third hands bank 0 over once more: beside a release, which loses
    r = p.matrix(29, RELEASE, SRCA).run()
    assert r.changes("owner") == [(26, 1), (28, 3)]
    assert r.changes("implied") == [(30, 3)]


@pytest.mark.parametrize(
    ("state", "pauses"),
    [
        (to_dst(0), [28]), (to_dst(7, 32), [28, 29]), (to_dst(7, 64), [28, 29, 30]),
        (to_dst(7, 32, F.INT32), [28, 29]), (to_dst(0, 16, x0=5, x1=4), []),
        (plain(F.INT16, count=64), []),
    ],
)  # fmt: skip
def test_pause(state: Any, pauses: list[int]) -> None:
    r = Program(state).issue(0, unpacr(0)).run()
    assert [c for c in range(200) if r.level("pause", c)] == pauses
    stale = [(pauses[0] + 1, 1)] if pauses else []
    assert r.changes("stale") == stale


def test_stale_ends_with_release_and_clear() -> None:
    for fields in ({"release": 1}, {"clear": 1}):
        for cycle, changes in ((27, [(29, 1)]), (28, [(29, 1)]), (30, [(29, 1), (31, 0)])):
            p = Program(to_dst(0)).issue(0, unpacr(0)).matrix(cycle, **fields)
            r = p.matrix(40, READ, SRCA).run()
            assert r.changes("stale") == changes
            assert r.flags("unit_fault") == ([] if cycle == 30 else [(40, ("stale",))])
    p = Program(to_dst(0)).issue(0, unpacr(0)).matrix(30, release=3, banks=1).matrix(31, clear=2)
    r = p.matrix(40, read=B | D).run()
    assert r.changes("stale") == [(29, 1)] and r.flags("unit_fault") == []
