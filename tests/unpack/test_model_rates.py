# SPDX-License-Identifier: Apache-2.0
"""Rates of the unpackers, and what they do to each other (section 4 of the cycle contract)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import Program, both_units
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


def counts(**more: int) -> set[int]:
    """Lines of the beats of one instruction that does not begin or end within a beat."""
    code = more.pop("code", F.BF16)
    dst = more.pop("dst", 0)
    s = plain(code, count=256, limit=0x1FFF, **more)
    if dst:
        put(s, 0, if_sel=1)
    load(s, 0x4010, [0, 256], "u2")
    r = Program(s).issue(0, unpacr(0)).run(2000)
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
