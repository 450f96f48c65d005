# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycles, worked out by hand from the cycle contract (sections 3 and 4).

Unless said otherwise the latency of L1 is 4 and a word is issued in cycle 0: sampling in 1, planned
and loaded in 9 (PLAN 8), decided for in 10, requested in 12 (REQUEST 2), answered in 16, first step
in 22 (FRONT 6), which changes the registers in 28 (WRITE 6). A token is put in 10 and goes in 18.
"""

from __future__ import annotations

import numpy as np

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import (
    OVERLAY,
    SETDVALID,
    SETREG,
    Program,
    both_units,
    nop,
)
from tilepath.tests.unpack.model_helpers import load, plain, unpacr


def test_one_unpacr() -> None:
    r = both_units().issue(0, unpacr(0, flip_src=1)).run()
    assert r.changes("hold") == [(1, 1), (2, 0)]
    assert r.changes("ready") == [(1, 0), (2, 3)]
    assert r.rows("u0.pointers", "bank") == [(2, 1)]
    # 32 lines, four at a time
    lines = [(12 + n, 4, 0x401 + 4 * n, 0x402 + 4 * n, 0x403 + 4 * n, 0x404 + 4 * n)
             for n in range(8)]  # fmt: skip
    assert r.rows("u0.read", "count", "line0", "line1", "line2", "line3") == lines
    assert r.rows("u0.write", "address", "bank") == [(28 + n, 32 * n, 0) for n in range(8)]
    # last step in 29: busy to 35, the bank is the Matrix Unit's at the end of 36
    assert r.changes("busy") == [(1, 1), (36, 0)]
    assert r.changes("owner") == [(37, 1)]
    assert not r.all("u1.read").size and not r.all("u0.fault").size
    assert not r.all("u0.read")["rsi_count"].any()


def test_unpacrs_start_two_cycles_apart() -> None:
    p = both_units(count=16).issue(0, unpacr(0)).issue(2, unpacr(1), thread=0)
    r = p.issue(4, unpacr(0), thread=0).run()
    assert r.cycles("u0.read") == [12, 16]
    assert r.cycles("u1.read") == [14]
    assert r.changes("ready") == [(n, 0 if n % 2 else 3) for n in range(1, 7)]
    assert r.changes("hold") == [(n, n % 2) for n in range(1, 7)]


def test_both_in_one_cycle() -> None:
    p = both_units(count=16).issue(0, unpacr(0), 0).issue(0, unpacr(1), 1)
    r = p.issue(4, unpacr(0), 0).issue(4, unpacr(1), 1).run()
    # unpacker 0 first, then unpacker 1
    assert r.changes("hold") == [
        (1, 3), (2, 2), (4, 0), (5, 3), (6, 1), (8, 0)
    ]  # fmt: skip
    assert r.changes("ready") == [(1, 0), (4, 3), (5, 0), (8, 3)]
    # sampled in 1 and 3, then in 5 and 7
    assert r.cycles("u0.read") == [12, 18]
    assert r.cycles("u1.read") == [14, 16]


def compressed_tile(first: int, end: int, nibbles: list[int], **more: int) -> Program:
    """FP16, datums 0x3C00, 0x3C01, … with ``nibbles`` behind them; rows of ten datums."""
    s = plain(F.FP16, uncompressed=0, x_dim=10, z_dim=1, count=10, **more)
    load(s, 0x4010, [first, end], "u2")
    data = np.zeros(2 * 80, dtype=np.uint8)
    both_ = np.pad(nibbles, (0, 64 - len(nibbles)))
    packed = (both_[::2] | both_[1::2] << 4).astype(np.uint8)
    for group in range(2):
        values = (0x3C00 + 32 * group + np.arange(32)).astype("<u2").view(np.uint8)
        data[80 * group : 80 * group + 64] = values
        data[80 * group + 64 : 80 * group + 80] = packed[16 * group : 16 * group + 16]
    load(s, 0x4020, data)
    return Program(s)


def fp16(value: int) -> int:
    """As in Src: 0x3C00 + k has sign 0, exponent 15, mantissa k."""
    return (value - 0x3C00) << 8 | 15


def test_compressed_row() -> None:
    r = compressed_tile(0, 5, [1, 0, 2, 0, 0]).issue(0, unpacr(0)).run()
    assert r.changes("hold") == [(1, 1), (4, 0)]
    assert r.changes("ready") == [(1, 0), (4, 3)]
    fields = ("count", "rsi_count", "rsi0", "rsi1", "line0", "has_exponent", "has_delta", "delta")
    # entries decided for in 9, answered in 15; loaded in 22 (PLACE 7); beat answered in 29
    assert r.rows("u0.read", *fields) == [
        (11, 0, 2, 0x401, 0x401, 0, 0, 0, 0),
        (25, 1, 0, 0, 0, 0x402, 0, 1, 0x406),
    ]
    assert r.rows("u0.write", "address", "mask") == [(41, 0, 0xFF)]
    data = r.all("u0.write")["data"][0][:8].tolist()
    assert data == [fp16(0x3C00), 0, fp16(0x3C01), fp16(0x3C02), 0, 0, fp16(0x3C03), fp16(0x3C04)]
    assert r.changes("busy") == [(1, 1), (42, 0)]


def test_bounded_output() -> None:
    """Items d0 0 d1 d2 0 0 d3 …: two are dropped, three emitted."""
    p = compressed_tile(0, 5, [1, 0, 2, 0, 0], x0=2, x1=4).issue(0, unpacr(0))
    r = p.issue(6, unpacr(0)).run()
    fields = ("count", "rsi_count", "rsi0", "rsi1", "line0", "has_delta")
    # the step in 35 finishes it; the next one is loaded then, and decides in 36
    assert r.rows("u0.read", *fields) == [
        (11, 0, 1, 0x401, 0, 0, 0), (17, 0, 1, 0x401, 0, 0, 0),
        (25, 1, 0, 0, 0, 0x402, 1), (38, 1, 0, 0, 0, 0x402, 1),
    ]  # fmt: skip
    assert r.rows("u0.write", "address", "mask") == [(41, 0x3FE, 0x1C), (54, 0x3FE, 0x1C)]
    data = r.all("u0.write")["data"][0][:6].tolist()
    assert data == [0, 0, fp16(0x3C01), fp16(0x3C02), 0, 0]


def test_what_is_sampled() -> None:
    """Writes in the cycle of issue are seen, those in the sampling cycle are not."""
    for cycle, seen in ((0, True), (1, False)):
        p = both_units(count=16).issue(0, unpacr(0))
        p.add("cfg", cycle, 1, 76, 0, [0x500, 0, 0, 0])  # Base_address
        r = p.run()
        assert r.all("u0.read")["line0"].tolist() == [0x501 if seen else 0x401]
        p = both_units(count=16).issue(0, unpacr(0))
        p.add("t0.counter", cycle, 0x50200000 | 31 | 1 << 20)  # SETADC, channel 1, X
        assert p.run().all("u0.read")["count"].tolist() == [4 if seen else 2]
        p = both_units(count=16).issue(0, unpacr(0, flip_src=1)).add("t0.setc16", cycle, 5, 3)
        assert p.run().rows("u0.pointers", "row0") == [(2, 48 if seen else 0)]


def test_setdvalid() -> None:
    p = both_units().add("t0.setc16", -1, 5, 2)
    r = p.issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID)).run()
    assert r.rows("u0.pointers", "bank", "row0") == [(2, 1, 32), (3, 0, 32)]
    # they go in 18 and 19
    assert r.changes("owner") == [(26, 1), (27, 3)]
    assert r.changes("busy") == [(1, 1), (26, 0)]
    assert r.flags("u0.write_fault") == []


def test_banks_are_waited_for_by_steps_alone() -> None:
    p = both_units(count=16)
    p.issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID))  # banks 0 and 1 are gone
    p.issue(10, unpacr(0, flip_src=1))
    p.issue(12, nop(0, SETREG | 5 << 4 | 3 << 16)).issue(14, nop(0, OVERLAY | 9 << 16 | 1 << 4))
    p.issue(16, nop(0, SETDVALID))
    p.matrix(50, 1, 0, 0, 0)
    r = p.run()
    assert r.cycles("u0.read") == [22]
    # answered in 26: the effect in 27, the next one's in 28
    assert r.rows("u0.setreg", "address", "data") == [(27, 0xFFB03000, 5)]
    assert r.rows("u0.overlay", "stream", "count") == [(28, 9, 1)]
    # bank 0 is back in 51; the token behind it goes in 52, on bank 1, which is not back
    assert r.rows("u0.write", "bank") == [(57, 0)]
    assert r.changes("owner") == [(26, 1), (27, 3), (51, 2), (59, 3)]
    assert r.flags("u0.write_fault") == [(58, ("flip_owner",))]
