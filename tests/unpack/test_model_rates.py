# SPDX-License-Identifier: Apache-2.0
"""Rates of the unpackers, and what they do to each other (section 4 of the cycle contract)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.tests.unpack import model_formats as F
from tilepath.tests.unpack.model_cycle_helpers import Program, both_units
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr

WANT = {0: 1, 1: 2, 2: 4, 3: 4}
# (wanted by unpacker 0, by unpacker 1) -> granted
GRANTS = {
    (1, 1): (1, 1), (2, 1): (2, 1), (4, 1): (4, 1),
    (1, 2): (1, 2), (2, 2): (1, 1), (4, 2): (2, 1),
    (1, 4): (1, 4), (2, 4): (1, 2), (4, 4): (2, 2),
}  # fmt: skip


@pytest.mark.parametrize(("throttle0", "throttle1"), list(itertools.product(range(3), repeat=2)))
def test_interference(throttle0: int, throttle1: int) -> None:
    wants = WANT[throttle0], WANT[throttle1]
    p = both_units(apart=({"throttle": throttle0}, {"throttle": throttle1}))
    r = p.issue(0, unpacr(0)).issue(2, unpacr(1)).run()
    reads = [dict(r.rows(f"u{unit}.read", "count")) for unit in range(2)]
    together = sorted(set(reads[0]) & set(reads[1]))
    assert together[0] == 5 and len(together) >= 4
    for unit in range(2):
        left = 32
        for cycle, count in sorted(reads[unit].items()):
            most = GRANTS[wants][unit] if cycle in together else wants[unit]
            assert count == min(most, left), (unit, cycle)
            left -= count
        assert left == 0
        # a beat in every cycle
        first, last = min(reads[unit]), max(reads[unit])
        assert last - first + 1 == len(reads[unit])
        assert r.rows(f"u{unit}.write") == [(cycle + 5,) for cycle in sorted(reads[unit])]


def test_the_other_one_gets_all_when_one_ends() -> None:
    r = both_units(apart=({}, {"count": 32})).issue(0, unpacr(0)).issue(2, unpacr(1)).run()
    assert r.rows("u1.read", "count") == [(5, 2), (6, 2)]
    counts = [row[1] for row in r.rows("u0.read", "count")]
    assert counts == [4, 4, 2, 2, 4, 4, 4, 4, 4]


def test_a_stalled_one_takes_nothing() -> None:
    """A full buffer: unpacker 1 requests nothing, and unpacker 0 has all lines."""
    p = both_units(count=512)
    p.issue(0, 0x43800007).issue(1, 0x43800007)  # both banks of SrcB are gone
    r = p.issue(10, unpacr(1)).issue(20, unpacr(0)).add("matrix", 40, 1, 1, 0, 0).run()
    assert r.rows("u1.read", "count")[:8] == [(13 + n, 4) for n in range(8)]
    counts = dict(r.rows("u0.read", "count"))
    assert set(counts) == set(range(23, 39)) and set(counts.values()) == {4}
    assert r.rows("u1.read", "count")[8:] == [(42 + n, 4) for n in range(8)]


@pytest.mark.parametrize("throttle", range(4))
def test_sustained(throttle: int) -> None:
    """Eight times 256 datums: not one cycle is lost between instructions."""
    want = WANT[throttle]
    p = both_units(throttle=throttle)
    for n in range(8):
        p.issue(n * 32 // want, unpacr(0, last=1))
    r = p.run(600)
    cycles = r.cycles("u0.read")
    assert cycles == list(range(3, 3 + 256 // want))
    assert len(r.all("u0.write")) == 256 // want
    assert r.cycles("u0.write") == [cycle + 5 for cycle in cycles]


def counts(profile: str = "baseline", **more: int) -> set[int]:
    """Lines of the beats of one instruction that does not begin or end within a beat."""
    code = more.pop("code", F.BF16)
    zeros = more.pop("all_zero", 0)
    dst = more.pop("dst", 0)
    s = plain(code, count=256, limit=0x1FFF, **more)
    if dst:
        put(s, 0, if_sel=1)
    load(s, 0x4010, [0, 256], "u2")
    r = Program(s, profile).issue(0, unpacr(0, all_zero=zeros)).run(2000)
    reads = r.all("u0.read")
    if not more.get("uncompressed", 1):
        reads = reads[1:]
    return set(reads["count"].tolist())


@pytest.mark.parametrize(("more", "want"), [
    ({"throttle": 0, "tileize": 1, "shift1": 1}, 4),
    ({"throttle": 2, "uncompressed": 0}, 1),
    ({"throttle": 2, "upsample": 2}, 1),
    ({"throttle": 2, "upsample": 3}, 1),
    ({"throttle": 2, "code": F.BFP2}, 1),
    ({"throttle": 2, "code": F.BFP2A}, 1),
    ({"throttle": 2, "upsample": 1}, 2),
    ({"throttle": 0, "upsample": 1}, 1),
    ({"throttle": 2, "code": F.BFP4, "dst": 1}, 2),
    ({"throttle": 2, "code": F.BFP4A, "dst": 1}, 2),
    ({"throttle": 0, "code": F.BFP4A, "dst": 1}, 1),
    ({"throttle": 3, "code": F.BFP4}, 4),
    ({"throttle": 2, "code": F.INT8}, 4),
    ({"throttle": 1, "code": F.BFP8}, 2),
])  # fmt: skip
def test_forced_rates(more: dict[str, int], want: int) -> None:
    assert counts(**more) == {want}


def test_zeros_by_table_of_the_profile() -> None:
    # rate 2 stands for two zeros here: two lines
    assert counts("baseline,upsample_zeros=0:1:2:4", throttle=2, upsample=2) == {2}


def test_beats_end_with_the_line_of_the_exponent() -> None:
    s = plain(F.BFP4, count=1000, x_dim=1000, z_dim=1, x0=200)
    r = Program(s).issue(0, unpacr(0)).run()
    # exponents from 0x4010 on, a line for 256 datums, ceil(1000 / 16) bytes; 32 datums a line
    fields = ("count", "line0", "exponent")
    assert r.rows("u0.read", *fields)[:4] == [
        (3, 2, 0x405 + 6, 0x401), (4, 4, 0x405 + 8, 0x402), (5, 4, 0x405 + 12, 0x402),
        (6, 4, 0x405 + 16, 0x403),
    ]  # fmt: skip
    assert [row[1] for row in r.rows("u0.write", "mask")[:2]] == [0xFFFFFFFF] * 2
    # 56 datums are in the first beat, 128 in the second
    assert r.cycles("u0.write3")[0] == 9 and r.cycles("u0.write1")[0] == 8
    assert r.rows("u0.write1", "mask")[0] == (8, (1 << 24) - 1)


def test_beats_end_where_a_row_wraps() -> None:
    """V4 of the specification: 64 datums of FP16 from 0x7FE0 on, limit 0x7FF0, fifo 0x1000."""
    for row_w, lines in (
        (32, [(3, 4, 0x7FE, 0x801), (4, 4, 0x702, 0x705)]),
        (16, [(3, 2, 0x7FE, 0), (4, 4, 0x700, 0x703), (5, 2, 0x704, 0)]),
    ):
        s = plain(F.FP16, base=0x7FD, limit=0x7FF, fifo=0x100, count=64)
        r = Program(s, f"baseline,row_w={row_w}").issue(0, unpacr(0)).run()
        assert r.rows("u0.read", "count", "line0", "line3") == lines


def test_no_more_than_128_datums() -> None:
    """Tilize with a stride of 0: all rows of 16 bytes are the same line."""
    s = plain(F.INT8, count=300, x_dim=300, tileize=1)
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.rows("u0.read", "count", "line0") == [(3, 1, 0x401), (4, 1, 0x401), (5, 1, 0x401)]
    masks = [r.rows(f"u0.{name}", "mask") for name in ("write", "write1", "write2", "write3")]
    full = 0xFFFFFFFF
    assert masks[0] == [(8, full), (9, full), (10, full)]
    assert masks[3] == [(8, full), (9, full)]
    assert masks[1] == [(8, full), (9, full), (10, (1 << 12) - 1)]
    assert r.rows("u0.write3", "address") == [(8, 0), (9, 128)]


def steps(upsample: int, interleave: int, count: int) -> list[tuple[int, ...]]:
    s = plain(F.INT16, count=count, upsample=upsample, interleave=interleave)
    load(s, 0x4010, np.arange(1, 65), "u2")
    r = Program(s).issue(0, unpacr(0)).run()
    return r.rows("u0.write", "address", "mask")


def test_steps_of_32_slots() -> None:
    full = 0xFFFFFFFF
    # seven zeros: a beat of 8 datums has 64 slots
    assert steps(3, 0, 16) == [(8, 0, full), (9, 32, full), (10, 64, full), (11, 96, full)]
    assert steps(3, 1, 8) == [(8, 0, 0x01010101), (9, 32, 0x01010101)]
    # one zero, two lines: 16 datums are 32 slots
    assert steps(1, 0, 20) == [(8, 0, full), (9, 32, 0xFF)]
    assert steps(1, 1, 20) == [(8, 0, 0x55555555), (9, 32, 0x55)]


def test_a_step_ends_within_an_item() -> None:
    """Compressed, with zeros: datum, then nibbles' zeros, each with three more behind it."""
    s = plain(F.INT16, uncompressed=0, x_dim=3, z_dim=1, count=3, upsample=2)
    load(s, 0x4010, [0, 3], "u2")
    load(s, 0x4020, [0x101, 0x202, 0x303], "u2")
    load(s, 0x4060, [0x05, 0x4])  # five zeros, none, four
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.rows("u0.write", "address", "mask") == [
        (16, 0, 0xFFFFFFFF), (17, 32, (1 << 16) - 1)
    ]  # fmt: skip
    data = np.concatenate([record["data"] for record in r.all("u0.write")])
    values = {0: 0x101, 24: 0x202, 28: 0x303}
    assert {int(n): int(data[n]) for n in np.flatnonzero(data)} == {
        n: (x & 0xFF00) << 3 | x & 0xFF for n, x in values.items()
    }
