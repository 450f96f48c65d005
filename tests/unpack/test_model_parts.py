# SPDX-License-Identifier: Apache-2.0
"""Steps of two parts, and Dst's valid bits, worked out by hand (sections 2, 4 and 5.5).

As in ``test_model_timelines``: of a word issued in cycle 0 the first step goes in 22, the next in
23; what goes in w changes the registers at the end of w + 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import Program, Run
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr

READ, RELEASE, ZERO = range(3)
SRCA, DST = 0, 2


def rows_from(row: int, code: int = F.INT16, **more: Any) -> Any:
    """32 datums 1, 2, … into two rows from ``row`` on; to Dst with ``if_sel``."""
    s = plain(code, **{"count": 32, **more})
    wide = code == F.INT32
    scale = 4 if wide else 2
    put(s, 0, out_base=scale * 16 * (row + 4), set_ovrd=0 if more.get("if_sel") else 1)
    load(s, 0x4010, 1 + np.arange(64), "u4" if wide else "u2")
    return s


def read_at(p: Program, cycles: range, file: int, row: int, column: int) -> list[int]:
    """A register as it is read in each cycle."""
    for cycle in cycles:
        p.matrix(cycle, READ, file, 0, row)
    return [int(data[column]) for data in p.run().answers()["data"]]


def parts(s: Any, profile: str = "baseline") -> int:
    """Cycles of the one step."""
    changes = Program(s, profile).issue(0, unpacr(0)).run().changes("busy")
    assert changes[0] == (1, 1)
    return changes[1][0] - 28


def test_transpose_goes_by_blocks_of_16_rows() -> None:
    for row, found in ((0, 1), (14, 1), (15, 2), (16, 1), (31, 2), (47, 2), (62, 1), (63, 2)):
        assert parts(rows_from(row, transpose=1)) == found, row
        assert parts(rows_from(row)) == 1


def test_both_parts_of_a_transposed_step() -> None:
    # row 15 becomes column 15 of rows 0 to 15, row 16 column 0 of rows 16 to 31
    seen = range(27, 32)
    for row, column, first in ((2, 15, 29), (18, 0, 30)):
        p = Program(rows_from(15, transpose=1)).issue(0, unpacr(0))
        value = 3 if row == 2 else 19
        assert read_at(p, seen, SRCA, row, column) == [value * (n >= first) for n in seen]
    r = Program(rows_from(15, transpose=1)).issue(0, unpacr(0)).run()
    assert r.rows("u0.write", "address", "mask", "transpose") == [(28, 240, 0xFFFFFFFF, 1)]


def test_a_step_of_two_parts_delays_the_next() -> None:
    s = rows_from(15, transpose=1, count=96, x_dim=96)
    r = Program(s).issue(0, unpacr(0, flip_src=1)).run()
    # rows 15 and 16 in 22 and 23, then 17 and 18 in 24, 19 and 20 in 25
    assert r.rows("u0.write", "address") == [(28, 240), (30, 272), (31, 304)]
    assert r.changes("busy")[-1] == (32, 0)
    assert r.changes("owner") == [(33, 1)]


def test_the_last_part_flips_and_frees() -> None:
    s = rows_from(15, transpose=1)
    r = Program(s).issue(0, unpacr(0, flip_src=1)).run()
    # last cycle of the step in 23
    assert r.changes("busy") == [(1, 1), (30, 0)]
    assert r.changes("owner") == [(31, 1)]


def test_a_bounded_output_finishes_with_the_second_part() -> None:
    s = plain(F.FP16, uncompressed=0, x_dim=40, z_dim=1, count=40, x0=8, x1=39, transpose=1)
    put(s, 0, out_base=2 * (64 + 16 * 15 + 8))
    load(s, 0x4010, [0, 40], "u2")
    load(s, 0x4060, [0xFF] * 16)
    p = Program(s).issue(0, unpacr(0)).issue(4, unpacr(0))
    r = p.run()
    # datum, 15 zeros, …: slots 8 to 31 of the first step go to rows 15 and 16, by 35 and 36;
    # the second step is the beat's 8 last slots, in 37; the other instruction is loaded then
    assert r.rows("u0.write", "mask") == [
        (41, 0xFFFFFF00), (43, 0xFF), (56, 0xFFFFFF00), (58, 0xFF)
    ]  # fmt: skip
    assert [row for row in r.rows("u0.read", "count") if row[1]] == [(25, 1), (40, 1)]


@pytest.mark.parametrize(
    ("code", "swizzle", "rows"),
    [(F.INT16, 0, 8), (F.INT16, 1, 8), (F.INT32, 0, 8), (F.INT32, 1, 4)],
)
def test_dst_goes_by_blocks_of_8_or_4_rows(code: int, swizzle: int, rows: int) -> None:
    for row in range(20):
        s = rows_from(row, code, if_sel=1)
        if code == F.INT32:  # four lines are 16 datums: half of each row
            put(s, 0, out_base=4 * (16 * (row + 4) + 8), x1=15)
        s.config[:, 220] = swizzle
        straddles = row // rows != (row + 1) // rows
        assert parts(s, "blackhole") == 1 + straddles, row
        s.config[:, 220] = 1  # has no effect where dst_remap is 0
        assert parts(s) == 1 + (row // 8 != (row + 1) // 8)


def test_masked_slots_are_in_no_block() -> None:
    s = rows_from(0, transpose=1, count=32)
    put(s, 0, out_base=2 * 16 * 3)  # row 3 is in front of SrcA's first
    assert parts(s) == 1
    s = rows_from(15, transpose=1, count=16)
    assert parts(s) == 1
    s = rows_from(15, transpose=1, count=17, shift0=1)  # column 0 of row 16 is masked
    assert parts(s) == 1


def dst_run(zero: int, bank: int, all_rows: int, reads: dict[int, int]) -> Run:
    """Rows 7 and 8 of Dst in two parts, at the end of 28 and 29, beside a zeroing."""
    p = Program(rows_from(7, if_sel=1)).issue(0, unpacr(0))
    p.matrix(zero, ZERO, DST, bank, all_rows)
    for cycle, row in reads.items():
        p.matrix(cycle, READ, DST, 0, row)
    return p.run()


def test_valid_bits_are_1_at_reset_and_cleared_by_zeroing() -> None:
    reads = {2: 0, 3: 511, 4: 512, 10: 0, 11: 511, 12: 512, 13: 1023}
    for bank, all_rows, after in (
        (0, 0, [0, 0, 1, 1]), (1, 0, [1, 1, 0, 0]), (0, 1, [0, 0, 0, 0]), (1, 3, [0, 0, 0, 0])
    ):  # fmt: skip
        r = dst_run(8, bank, all_rows, reads)
        assert r.answers()["row_valid"].tolist() == [1, 1, 1, *after]


def test_rows_written_after_zeroing_are_valid() -> None:
    reads = {40: 7, 41: 8, 42: 9}
    for zero, valid in ((27, [1, 1, 0]), (30, [0, 0, 0])):  # there is a pause in 28 and 29
        r = dst_run(zero, 0, 1, reads)
        assert r.answers()["row_valid"].tolist() == valid, zero
        assert [row[:2].tolist() for row in r.answers()["data"]][:2] == [[1, 2], [17, 18]]


def test_remap_and_swizzle() -> None:
    """Row 8 of 16 bits is stored as 32, 16 as 8, 32 as 16; of 32 bits see P52."""
    for row, stored in ((7, 7), (8, 32), (16, 8), (32, 16), (56, 56), (64, 64)):
        s = rows_from(row, if_sel=1, count=16)
        s.config[:, 220] = 2
        p = Program(s, "blackhole").issue(0, unpacr(0))
        assert read_at(p, range(40, 41), DST, stored, 0) == [1], row
    for row, high in ((0, 0), (4, 16), (8, 4), (12, 20), (16, 48), (20, 32)):
        s = rows_from(row, F.INT32, if_sel=1, count=16)
        s.config[:, 220] = 1
        load(s, 0x4010, [0x00010002] * 16, "u4")
        for place, value in ((high, 0x0100), (high + 8, 2)):
            p = Program(s, "blackhole").issue(0, unpacr(0))
            assert read_at(p, range(40, 41), DST, place, 0) == [value], (row, place)


def test_stale_is_set_with_each_part() -> None:
    # the parts change Dst at the end of 28 and 29: a release in 28 or 29 loses, in 30 it wins
    for cycle, stale in ((28, [(40, ("stale",))]), (29, [(40, ("stale",))]), (30, [])):
        p = Program(rows_from(7, if_sel=1)).issue(0, unpacr(0))
        p.matrix(cycle, RELEASE, SRCA, 0, 0).matrix(40, READ, SRCA, 0, 0)
        assert p.run().flags("unit_fault") == stale
