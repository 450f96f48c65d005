# SPDX-License-Identifier: Apache-2.0
"""Registers, Matrix Unit, UNPACR_NOP, faults and counters in the cycle model of the unpackers."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import (
    OVERLAY,
    SETDVALID,
    SETREG,
    ZEROSRC,
    Program,
    nop,
)
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr
from tilepath.tests.unpack.model_numbered import compressed

READ, RELEASE, ZERO = range(3)
NEGINF, BOTH, WAIT = 4, 8, 16


def test_matrix_reads_the_row_as_registered() -> None:
    s = plain(F.INT16, count=32)
    load(s, 0x4010, 1 + np.arange(32), "u2")
    p = Program(s).issue(0, unpacr(0))
    for cycle in (27, 28, 29, 30):
        p.matrix(cycle, READ, 0, 0, 1)
    p.matrix(31, READ, 0, 1, 1).matrix(32, READ, 1, 0, 1)
    p.matrix(33, READ, 0, 0, 64 + 1)
    r = p.run()
    # written at the end of 28: the read of 29 is the first to see it
    reads = r.answers()
    assert reads["cycle"].tolist() == [28, 29, 30, 31, 32, 33, 34]
    row = list(range(17, 33))
    none = [0] * 16
    assert reads["data"].tolist() == [none, none, row, row, none, none, row]
    assert not reads["row_valid"].any()
    origins = r.all("answer_a")["origin"]
    assert [Origin.decode(int(n), BOUNDARY.inputs) for n in origins] == [
        ("matrix", n) for n in (0, 1, 2, 3, 4, 6)
    ]


@pytest.mark.parametrize("code", [F.FP32, F.INT16])
def test_dst(code: int) -> None:
    wide = code == F.FP32
    s = plain(code, count=16, if_sel=1, set_ovrd=0)
    put(s, 0, out_base=(64 + 16 * 9) * (4 if wide else 2))
    load(
        s, 0x4010, 0x12340000 + np.arange(16) if wide else 1 + np.arange(16), "u4" if wide else "u2"
    )
    p = Program(s).issue(0, unpacr(0)).matrix(0, ZERO, 2, 0, 1)  # all rows
    # 32 bits: row 9 has its high halves in row 17, the low ones in row 25
    rows = (17, 25) if wide else (9, 17)
    for n, row in enumerate(rows):
        p.matrix(40 + n, READ, 2, 0, row)
    r = p.run()
    assert r.rows("u0.write", "dst", "wide", "bank", "transpose", "address", "mask") == [
        (28, 1, int(wide), 0, 0, 9 * 16, 0xFFFF)
    ]
    # 12340000 + n: sign 0, exponent 24, mantissa 34 …
    high = 0x34 << 8 | 0x24
    data = r.all("u0.write")["data"][0][:16].tolist()
    assert data == [high << 16 | n for n in range(16)] if wide else [1 + n for n in range(16)]
    reads = r.answers()
    assert reads["row_valid"].tolist() == [1, 0]
    first, second = ([high] * 16, list(range(16))) if wide else (list(range(1, 17)), [0] * 16)
    assert reads["data"].tolist() == [first, second]


def test_transpose() -> None:
    s = plain(F.INT16, count=32, transpose=1)
    load(s, 0x4010, 1 + np.arange(32), "u2")
    p = Program(s).issue(0, unpacr(0)).matrix(40, READ, 0, 0, 3)
    r = p.run()
    assert r.rows("u0.write", "transpose", "address", "mask") == [(28, 1, 0, 0xFFFFFFFF)]
    # rows 0 and 1 have become columns
    assert r.answers()["data"][0].tolist() == [4, 20] + [0] * 14


def test_masked_slots() -> None:
    s = plain(F.INT16, count=32, shift0=3)
    put(s, 0, out_base=2 * (64 - 8))
    load(s, 0x4010, 1 + np.arange(32), "u2")
    r = Program(s).issue(0, unpacr(0)).run()
    # slots 0 to 7 are in row 3; of the next row 3 columns are skipped; then 8 slots of row 5
    mask = 0xFFF8 << 8 | 0xF8 << 24
    assert r.rows("u0.write", "address", "mask") == [(28, (-8 - 3) & 0x3FF, mask)]
    data = r.all("u0.write")["data"][0]
    assert data.tolist() == [(n + 1 if mask >> n & 1 else 0) for n in range(32)]
    assert r.faults() == [(9, ("burst", "out_row", "out_low"))]


def test_zerosrc_waits_for_the_bank_the_matrix_unit_is_at() -> None:
    p = Program(None).add("matrix_bank", 0, 0)
    p.issue(0, nop(0, SETDVALID)).issue(4, nop(0, ZEROSRC)).issue(6, nop(1, ZEROSRC))
    p.add("matrix_bank", 40, 1)
    r = p.run()
    # src_bank is 1, bank 0 is not the Unpackers' from 19 on; its token could go in 22
    assert r.rows("u0.clear", "banks", "value") == [(46, 2, 0)]
    assert r.rows("u1.clear", "banks", "value") == [(30, 1, 0)]
    p = Program(None).issue(0, nop(0, SETDVALID)).issue(4, nop(0, ZEROSRC | WAIT | NEGINF))
    assert p.run().rows("u0.clear", "banks", "value") == [(28, 2, 0x7FFFF)]


def test_zerosrc_clears_six_cycles_after_it_goes() -> None:
    p = (
        Program(None)
        .issue(0, nop(1, ZEROSRC | WAIT | BOTH))
        .issue(4, nop(0, ZEROSRC | NEGINF | BOTH))
    )
    for cycle in (28, 29):
        p.matrix(cycle, READ, 0, cycle & 1, 33)
    p.matrix(18, ZERO, 1, 0, 0)
    r = p.run()
    assert r.rows("u1.clear", "banks") == [(24, 3)]
    assert r.flags("u1.write_fault") == [(24, ("zerosrc_race",))]
    assert r.rows("u0.clear", "banks") == [(28, 3)]
    assert r.answers()["data"].tolist() == [[0] * 16, [0x7FFFF] * 16]


def test_zerosrc_faults() -> None:
    p = Program(None).issue(0, nop(0, SETDVALID)).issue(5, nop(0, ZEROSRC | WAIT | BOTH))
    p.issue(12, nop(1, ZEROSRC | NEGINF)).matrix(23, ZERO, 1, 0, 0)
    r = p.run()
    # the race is one whatever file the Matrix Unit clears
    assert r.flags("u0.write_fault") == [(29, ("zerosrc_matrix", "zerosrc_race"))]
    assert r.faults(1) == [(21, ("neginf_srcb",))]
    assert r.rows("u1.clear", "value") == [(36, 0)]


def test_clear_and_hand_over() -> None:
    """The newer encoding: clear to one of an integer format, then give the bank away."""
    word = nop(0, 1 | 2 << 2 | 2 << 6 | 1 << 8)
    r = Program(None, "blackhole").issue(0, word).run()
    assert r.rows("u0.clear", "banks", "value") == [(24, 1, 0x110)]
    assert r.changes("owner") == [(26, 1)]
    assert r.rows("u0.pointers", "bank") == [(2, 1)]


def test_setreg() -> None:
    p = Program(None).add("setreg_base", 0, 0x1000, 0xFF000).add("setreg_base", 20, 0, 0)
    p.issue(0, nop(0, SETREG | 8 | 0x7FF << 4)).issue(4, nop(0, SETREG | 8 | 2 << 4 | 1 << 22))
    p.issue(8, nop(0, SETREG | 8)).issue(10, nop(0, SETREG | 3 << 4))
    r = p.run()
    assert r.rows("u0.setreg", "address", "data") == [
        (10, 0xFFB01000, 0x7FF), (14, 0xFFBFF000, 0x801), (20, 0xFFB00000, 3)
    ]  # fmt: skip
    assert r.rows("u0.pointers", "acc") == [(11, 0x7FF), (15, 0x801), (19, 0)]


def test_overlay_clear() -> None:
    p = Program(None).add("t1.setc16", 0, 43, 0x2A).issue(1, nop(1, 0), 1)
    r = (
        p.issue(4, nop(1, OVERLAY | 5 << 16), 1)
        .issue(8, nop(1, OVERLAY | 5 << 16 | 7 << 4), 1)
        .run()
    )
    assert r.rows("u1.overlay", "stream", "count") == [(11, 42, 0), (14, 42, 0), (18, 5, 7)]


def test_faults_of_load_and_sampling_in_one_cycle() -> None:
    s = plain(F.BF16, count=16)
    p = Program(s).issue(0, unpacr(0, last=0), 0).issue(7, unpacr(0, flush_cache=1) | 32, 2)
    # the first is loaded in 9, the second sampled in 8
    assert p.run().rows("u0.fault", "thread", "flags") == [(8, 2, 1), (9, 0, 1 << 26)]
    p = Program(s).issue(0, nop(0, 6), 1).issue(8, unpacr(0, flush_cache=1) | 32, 2)
    r = p.run()
    assert r.rows("u0.fault", "thread", "flags") == [(9, 1, 1 << 19 | 1)]
    assert r.all("u0.fault")["origin"].tolist() == [0]
    p = Program(s).issue(0, nop(0, 2), 1).issue(8, unpacr(0, flush_cache=1) | 32, 2)
    assert p.run().rows("u0.fault", "thread", "flags") == [(9, 2, 1)]


def test_read_faults() -> None:
    lines = 1499136 // 16
    s = plain(F.BFP8, count=32, base=lines - 6, x_dim=32, z_dim=1)
    # exponents at lines - 5 (one line), datums from lines - 4 on, X from 48 on
    put(s, 0, x0=48, x1=95, x_dim=96)
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.rows("u0.read", "count", "line0", "exponent") == [(12, 3, lines - 1, lines - 5)]
    assert r.flags("u0.read_fault") == [(12, ("datum",))]
    s = plain(F.BFP8, uncompressed=0, count=32, base=lines - 1, x_dim=32, z_dim=1)
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.flags("u0.read_fault") == [(11, ("rsi",))]
    s = plain(F.BFP8, uncompressed=0, count=32, base=lines - 2, x_dim=33, z_dim=1)
    r = Program(s).issue(0, unpacr(0)).run(2000)
    assert r.flags("u0.read_fault")[0] == (25, ("datum", "exponent", "delta"))


def test_faults_of_compressed_rows() -> None:
    s = compressed([0, 3, 3], [], y0=1)
    r = Program(s).issue(0, unpacr(0, flip_src=1)).run()
    # RSI answered in 15, loaded in 22, token put in 23, goes in 31
    assert r.flags("u0.write_fault") == [(37, ("empty_flip",))]
    s = compressed([0, 3, 5], [], y0=1, transpose=1)
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.flags("u0.read_fault") == [(25, ("start_align",))]


def test_write_faults() -> None:
    s = plain(F.BFP8A, count=32, x_dim=32, z_dim=1)
    load(s, 0x4010, [40])
    load(s, 0x4020, [0] * 16 + [1] * 16)
    r = Program(s).issue(0, unpacr(0, all_zero=1)).run()
    # exponents 40 of datums 0 to 15, which are 0; 0 - 6 of the others
    assert r.flags("u0.write_fault") == [(28, ("bfpa",))]
    s = plain(F.BF16, count=32)
    put(s, 0, set_ovrd=0, out_base=2 * (64 + 15 * 16))
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.flags("u0.write_fault") == [(28, ("srca_row",))]
    s = plain(F.BF16, unit=1, count=32)
    put(s, 1, out_base=2 * 63 * 16)
    r = Program(s).issue(0, unpacr(1)).run()
    assert r.flags("u1.write_fault") == [(28, ("srcb_row",))]
    assert r.rows("u1.write", "address") == [(28, 63 * 16)]


def test_unit_faults() -> None:
    s = plain(F.BF16, count=16, if_sel=1)
    p = Program(s).issue(4, unpacr(0))
    # busy from 5 to 32
    for cycle, banks, data in (
        (4, 1, 1 << 15),
        (5, 2, 1 << 15),
        (6, 2, 3 << 15),
        (32, 2, 1 << 15),
        (33, 3, 0),
    ):
        p.add("cfg", cycle, banks, 1, 0, [data, 0, 0, 0])
    p.add("cfg", 8, 3, 0, 1, [0, 0, 0, 0])
    # to Dst: SrcA's bank 0 is unpredictable from 33 on, until it is released
    for cycle, op, file, bank in (
        (32, READ, 0, 0), (33, READ, 0, 0), (34, READ, 0, 1), (35, READ, 1, 0),
        (36, RELEASE, 0, 1), (37, READ, 0, 0), (38, RELEASE, 0, 0), (39, READ, 0, 0),
    ):  # fmt: skip
        p.matrix(cycle, op, file, bank, 0)
    r = p.run()
    assert r.flags("unit_fault") == [
        (5, ("unsigned0",)), (8, ("unsigned0",)), (32, ("unsigned0",)),
        (33, ("stale",)), (37, ("stale",)),
    ]  # fmt: skip


def test_a_write_to_dst_wins_over_the_release() -> None:
    s = plain(F.BF16, count=16, if_sel=1)
    for cycle, stale in ((28, [(40, ("stale",))]), (29, [])):
        p = Program(s).issue(0, unpacr(0)).matrix(cycle, RELEASE, 0, 0, 0)
        assert p.matrix(40, READ, 0, 0, 0).run().flags("unit_fault") == stale
