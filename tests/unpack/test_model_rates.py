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


def test_beats_end_where_a_row_wraps() -> None:
    """V4 of the specification: 64 datums of FP16 from 0x7FE0 on, limit 0x7FF0, fifo 0x1000."""
    for row_w, lines in (
        (32, [(12, 4, 0x7FE, 0x801), (13, 4, 0x702, 0x705)]),
        (16, [(12, 2, 0x7FE, 0), (13, 4, 0x700, 0x703), (14, 2, 0x704, 0)]),
    ):
        s = plain(F.FP16, base=0x7FD, limit=0x7FF, fifo=0x100, count=64)
        r = Program(s, f"baseline,row_w={row_w}").issue(0, unpacr(0)).run()
        assert r.rows("u0.read", "count", "line0", "line3") == lines


def steps(upsample: int, interleave: int, count: int) -> list[tuple[int, ...]]:
    s = plain(F.INT16, count=count, upsample=upsample, interleave=interleave)
    load(s, 0x4010, np.arange(1, 65), "u2")
    r = Program(s).issue(0, unpacr(0)).run()
    return r.rows("u0.write", "address", "mask")
