# SPDX-License-Identifier: Apache-2.0
"""Rates of the unpackers, and what they do to each other (section 4 of the cycle contract)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.isa import formats
from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import Program, both_units, joined
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
    assert together[0] == 14 and len(together) >= 4
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
        assert r.rows(f"u{unit}.write") == [(cycle + 16,) for cycle in sorted(reads[unit])]


def test_the_other_one_gets_all_when_one_ends() -> None:
    r = both_units(apart=({}, {"count": 32})).issue(0, unpacr(0)).issue(2, unpacr(1)).run()
    assert r.rows("u1.read", "count") == [(14, 2), (15, 2)]
    counts = [row[1] for row in r.rows("u0.read", "count")]
    assert counts == [4, 4, 2, 2, 4, 4, 4, 4, 4]


def test_a_stalled_one_takes_nothing() -> None:
    """A full buffer: unpacker 1 decides for nothing, and unpacker 0 has all lines."""
    p = both_units(count=2048, x_dim=2048)
    p.issue(0, 0x43800007).issue(1, 0x43800007)  # both banks of SrcB are gone
    r = p.issue(10, unpacr(1)).issue(60, unpacr(0)).matrix(140, 1, 1, 0, 0).run(400)
    assert r.rows("u1.read", "count")[:40] == [(22 + n, 4) for n in range(40)]
    counts = dict(r.rows("u0.read", "count"))
    assert set(counts) == set(range(72, 136)) and set(counts.values()) == {4}
    # the first step goes in 141, and an entry is free in 142
    assert r.rows("u1.read", "count")[40:] == [(144 + n, 4) for n in range(24)]


LATENCIES = (1, 7, 31)


@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("throttle", range(4))
def test_sustained(throttle: int, latency: int) -> None:
    """Sixteen times 256 datums: not one cycle is lost, between instructions or for an answer."""
    want = WANT[throttle]
    p = both_units(throttle=throttle)
    p.rows["l1_latency"] = [(0, latency)]
    for n in range(16):
        p.issue(n * 32 // want, unpacr(0, last=1))
    r = p.run(900)
    cycles = r.cycles("u0.read")
    assert cycles == list(range(12, 12 + 512 // want))
    assert r.cycles("u0.write") == [cycle + latency + 12 for cycle in cycles]


@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize(("throttle0", "throttle1"), list(itertools.product(range(3), repeat=2)))
def test_both_sustained(throttle0: int, throttle1: int, latency: int) -> None:
    """Each has its grant in every cycle while both go on: a beat a cycle, and a step."""
    grants = GRANTS[WANT[throttle0], WANT[throttle1]]
    p = both_units(apart=({"throttle": throttle0}, {"throttle": throttle1}))
    p.rows["l1_latency"] = [(0, latency)]
    for unit in range(2):  # somewhat more often than they can be done
        for cycle in range(2 * unit, 420, 24 // grants[unit]):
            p.issue(cycle, unpacr(unit))
    r = p.run(500)
    for unit in range(2):
        within = [row for row in r.rows(f"u{unit}.read", "count") if 80 <= row[0] < 400]
        # instructions of 32 lines: all beats are full
        assert within == [(cycle, grants[unit]) for cycle in range(80, 400)]
        writes = [cycle for cycle in r.cycles(f"u{unit}.write") if cycle < 400]
        first = writes[0]
        assert writes == list(range(first, 400))


@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("lines", [4, 16])
def test_compressed_rows_are_sustained(lines: int, latency: int) -> None:
    """Rows of so many lines, one after the other: a line a cycle, in steps too."""
    datums = 8 * lines
    rows = 1024 // datums
    s = plain(F.FP16, uncompressed=0, x_dim=datums, y_dim=rows, z_dim=1, count=datums, limit=0x1FFF)
    load(s, 0x4010, np.arange(rows + 1) * datums, "u2")
    p = Program(s)
    p.rows["l1_latency"] = [(0, latency)]
    for n in range(rows):
        p.issue(n * lines, unpacr(0, ch0_y_inc=1))
    r = p.run(600)
    beats = [row[0] for row in r.rows("u0.read", "count") if row[1]]
    # RSI entries requested in 11; loaded 7 cycles behind the answer
    assert beats == list(range(21 + latency, 21 + latency + 128))
    entries = [row[0] for row in r.rows("u0.read", "rsi_count") if row[1] == 2]
    assert entries == [11 + n * lines for n in range(rows)]
    assert r.cycles("u0.write") == [cycle + latency + 12 for cycle in beats]


@pytest.mark.parametrize("latency", LATENCIES)
def test_compressed_rows_of_both_are_sustained(latency: int) -> None:
    """Rows of eight lines, a phase of four cycles each: the address unit is always in use."""
    same = {"uncompressed": 0, "x_dim": 64, "y_dim": 16, "z_dim": 1, "count": 64, "limit": 0x1FFF}
    s = joined(plain(F.FP16, unit=0, **same), plain(F.FP16, unit=1, **same))
    load(s, 0x4010, np.arange(17) * 64, "u2")
    p = Program(s)
    p.rows["l1_latency"] = [(0, latency)]
    for n in range(16):
        for unit in range(2):
            p.issue(8 * n + 4 * unit, unpacr(unit, ch0_y_inc=1))
    r = p.run(400)
    for unit in range(2):
        beats = [row[0] for row in r.rows(f"u{unit}.read", "count") if row[1]]
        first = 21 + 4 * unit + latency
        assert beats == list(range(first, first + 128))
        assert r.cycles(f"u{unit}.write") == [cycle + latency + 12 for cycle in beats]


@pytest.mark.parametrize("latency", LATENCIES)
def test_short_instructions_are_sustained(latency: int) -> None:
    """An instruction in two cycles, of two beats; of both, each one in four, of four beats."""
    p = both_units(count=64)
    p.rows["l1_latency"] = [(0, latency)]
    for n in range(64):
        p.issue(2 * n, unpacr(0))
    r = p.run(300)
    assert r.rows("u0.read", "count") == [(cycle, 4) for cycle in range(12, 12 + 128)]
    assert r.cycles("u0.write") == list(range(24 + latency, 24 + latency + 128))
    p = both_units(count=32, throttle=0)
    p.rows["l1_latency"] = [(0, latency)]
    for n in range(32):
        p.issue(4 * n, unpacr(0)).issue(4 * n + 2, unpacr(1))
    r = p.run(300)
    for unit in range(2):
        first = 12 + 2 * unit
        assert r.rows(f"u{unit}.read", "count") == [(n, 1) for n in range(first, first + 128)]
        assert r.cycles(f"u{unit}.write") == list(
            range(first + 12 + latency, first + 140 + latency)
        )


@pytest.mark.parametrize(("code", "rate", "lines", "steps"), [
    # one zero, two lines: 64 slots of bytes, 32 of two bytes each
    (F.INT8, 1, 2, 2), (F.BFP8, 1, 2, 2), (F.BF16, 1, 2, 1), (F.FP32, 1, 2, 1),
    # three zeros, a line
    (F.INT8, 2, 1, 2), (F.BFP8, 2, 1, 2), (F.BF16, 2, 1, 1),
    # seven zeros, a line
    (F.INT8, 3, 1, 4), (F.BFP8, 3, 1, 4), (F.BF16, 3, 1, 2), (F.FP32, 3, 1, 1),
])  # fmt: skip
def test_upsampling_is_limited_by_the_slots_of_a_step(
    code: int, rate: int, lines: int, steps: int
) -> None:
    """Steps of a beat, of 256 datums: all follow one another from the first one's 28 on."""
    out = F.BF16 if code == F.FP32 else code
    s = plain(code, out, count=256, z_dim=1, upsample=rate)
    r = Program(s).issue(0, unpacr(0)).run()
    beats = 16 * formats.get(code).bits // 8 // lines
    assert r.rows("u0.read", "count") == [(12 + n, lines) for n in range(beats)]
    assert r.cycles("u0.write") == list(range(28, 28 + beats * steps))


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
    return set(r.all("u0.read")["count"].tolist()) - {0}


@pytest.mark.parametrize(("more", "want"), [
    ({"throttle": 0, "tilize": 1, "shift1": 1}, 4),
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
        (12, 2, 0x405 + 6, 0x401), (13, 4, 0x405 + 8, 0x402), (14, 4, 0x405 + 12, 0x402),
        (15, 4, 0x405 + 16, 0x403),
    ]  # fmt: skip
    assert [row[1] for row in r.rows("u0.write", "mask")[:2]] == [0xFFFFFFFF] * 2
    # 56 datums are in the first beat, 128 in the second
    assert r.cycles("u0.write3")[0] == 29 and r.cycles("u0.write1")[0] == 28
    assert r.rows("u0.write1", "mask")[0] == (28, (1 << 24) - 1)


def test_beats_end_where_a_row_wraps() -> None:
    """V4 of the specification: 64 datums of FP16 from 0x7FE0 on, limit 0x7FF0, fifo 0x1000."""
    for row_w, lines in (
        (32, [(12, 4, 0x7FE, 0x801), (13, 4, 0x702, 0x705)]),
        (16, [(12, 2, 0x7FE, 0), (13, 4, 0x700, 0x703), (14, 2, 0x704, 0)]),
    ):
        s = plain(F.FP16, base=0x7FD, limit=0x7FF, fifo=0x100, count=64)
        r = Program(s, f"baseline,row_w={row_w}").issue(0, unpacr(0)).run()
        assert r.rows("u0.read", "count", "line0", "line3") == lines


def test_a_tilized_row_is_a_line_of_its_own() -> None:
    """Tilize with a stride of 0: all rows of 16 bytes are the same line, which is counted anew."""
    s = plain(F.INT8, count=300, x_dim=300, tilize=1)
    r = Program(s).issue(0, unpacr(0)).run()
    fields = ("count", "line0", "line3")
    # 19 rows, the last of 12 datums
    whole = [(12 + n, 4, 0x401, 0x401) for n in range(4)]
    assert r.rows("u0.read", *fields) == [*whole, (16, 3, 0x401, 0)]
    full = 0xFFFFFFFF
    steps_of_64 = [(28 + n, full) for n in range(4)]
    assert r.rows("u0.write", "mask") == [*steps_of_64, (32, full)]
    assert r.rows("u0.write1", "mask") == [*steps_of_64, (32, (1 << 12) - 1)]
    assert not r.all("u0.write2").size
    assert r.rows("u0.write1", "address") == [(28 + n, 64 * n) for n in range(5)]


def test_no_more_than_128_datums() -> None:
    s = plain(F.BFP4, count=256, force_exponent=1)
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.rows("u0.read", "count", "line0") == [(12, 4, 0x401), (13, 4, 0x405)]
    for group in ("write", "write1", "write2", "write3"):
        assert r.rows(f"u0.{group}", "mask", "address") == [
            (28, 0xFFFFFFFF, 0), (29, 0xFFFFFFFF, 128)
        ]  # fmt: skip


def test_a_beat_ends_at_the_line_of_exponents_wherever_the_next_one_is() -> None:
    """Exponents wrap by a line, to the very line they come from: the beat ends all the same."""
    s = plain(F.BFP4, count=512, z_dim=1, base=0x0FFFFFFE, limit=0x1FFFF, fifo=1, x0=64)
    r = Program(s).issue(0, unpacr(0)).run()
    # exponents from line FFFFFFF on, beyond the limit: one line back; datums from line 0 on
    fields = ("count", "line0", "exponent")
    assert r.rows("u0.read", *fields) == [
        (12, 4, 2, 0xFFFFFFE), (13, 2, 6, 0xFFFFFFE), (14, 4, 8, 0xFFFFFFE), (15, 4, 12, 0xFFFFFFE)
    ]  # fmt: skip


def steps(upsample: int, interleave: int, count: int) -> list[tuple[int, ...]]:
    s = plain(F.INT16, count=count, upsample=upsample, interleave=interleave)
    load(s, 0x4010, np.arange(1, 65), "u2")
    r = Program(s).issue(0, unpacr(0)).run()
    return r.rows("u0.write", "address", "mask")


def test_steps_of_32_slots() -> None:
    full = 0xFFFFFFFF
    # seven zeros: a beat of 8 datums has 64 slots
    assert steps(3, 0, 16) == [(28, 0, full), (29, 32, full), (30, 64, full), (31, 96, full)]
    assert steps(3, 1, 8) == [(28, 0, 0x01010101), (29, 32, 0x01010101)]
    # one zero, two lines: 16 datums are 32 slots
    assert steps(1, 0, 20) == [(28, 0, full), (29, 32, 0xFF)]
    assert steps(1, 1, 20) == [(28, 0, 0x55555555), (29, 32, 0x55)]


def test_a_step_ends_within_an_item() -> None:
    """Compressed, with zeros: datum, then nibbles' zeros, each with three more behind it."""
    s = plain(F.INT16, uncompressed=0, x_dim=3, z_dim=1, count=3, upsample=2)
    load(s, 0x4010, [0, 3], "u2")
    load(s, 0x4020, [0x101, 0x202, 0x303], "u2")
    load(s, 0x4060, [0x05, 0x4])  # five zeros, none, four
    r = Program(s).issue(0, unpacr(0)).run()
    assert r.rows("u0.write", "address", "mask") == [
        (41, 0, 0xFFFFFFFF), (42, 32, (1 << 16) - 1)
    ]  # fmt: skip
    data = np.concatenate([record["data"] for record in r.all("u0.write")])
    values = {0: 0x101, 24: 0x202, 28: 0x303}
    assert {int(n): int(data[n]) for n in np.flatnonzero(data)} == {
        n: (x & 0xFF00) << 3 | x & 0xFF for n, x in values.items()
    }
