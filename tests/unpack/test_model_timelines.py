# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycles, as ``timelines.toml`` has them, and what is no table there."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np
import pytest

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel
from tilepath.tests.model_runs import cut
from tilepath.tests.tables import cases
from tilepath.tests.unpack.model_cycle_helpers import Program, model_run, program, seen, stream
from tilepath.tests.unpack.model_helpers import plain, unpacr

CASES: Final = cases(__file__, "timelines")


@pytest.mark.parametrize("name", CASES)
def test_timeline(name: str) -> None:
    case = CASES[name]
    run = program(case).run(case.get("cycles", 200))
    assert case["see"]
    for key, text in case["see"].items():
        assert run.shown(key) == seen(text), key


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
    of_row = f"row={row} wide={wide} access={access}"
    given = [
        "0 matrix zero=1 zero_mode=3",
        f"1 matrix_write target=2 bank=1 {of_row} data=0xABCD1234*16",
        f"2,3,6,8 matrix read=4 row={place},{place | 8},{place},15",
        f"4 matrix read=4 {of_row}",
        f"5 matrix zero=1 {of_row}",
        "7 matrix zero=1 row=0 zero_mode=1 undo=1",
    ]
    run = program({"profile": profile, "given": given}).run()
    whole, high = (0xABCD1234, 0xABCD) if wide else (0x1234, 0x1234)
    low = 0x1234 if wide or place & 8 else 0
    rows = run.rows("answer_d", "row_valid")
    assert [row[1] for row in run.shown("answer_d data[3:4]")][:4] == [high, low, whole, high]
    assert rows == [(3, 1), (4, int(not wide and place & 8 != 0)), (5, 1), (7, 0), (9, 1)]


def valid_rows(*given: str, profile: str = "baseline") -> set[int]:
    """Rows of storage of which the valid bit is 1, read from cycle 2 on."""
    reads = "2..1025 matrix read=4 row=0..1023"
    run = program({"profile": profile, "given": [*given, reads]}).run(1032)
    return {cycle - 3 for cycle, valid in run.rows("answer_d", "row_valid") if valid}


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
    given = f"1 matrix zero=1 zero_mode={mode} row={row} wide={wide} access={access} undo={undo}"
    before = ["0 matrix zero=1 zero_mode=3"] if undo else []
    found = valid_rows(*before, given, profile="blackhole")
    assert found == (changed if undo else set(range(1024)) - changed)


def test_a_write_wins_over_zeroing_in_its_cycle() -> None:
    given = ("0 matrix zero=1 zero_mode=3", "0 matrix_write target=2 row=9 wide=1 data=3*16")
    assert valid_rows(*given) == {17}


def test_idle_cycles_cost_nothing_and_memory_does_not_grow() -> None:
    p = Program(plain(F.BF16))
    model = UnpackModel()
    model.step(p.inputs(), p.start)
    sizes = set()
    for n in range(1, 30):
        end = n * 100_000_000
        issues = stream("issue", [(end - 15, 0, unpacr(0)), (end - 13, 0, unpacr(0, addr_mode=1))])
        out = model.step({"u0.issue": issues}, end)
        assert len(out["u0.read"]) == (3 if n == 1 else 16)
        kept = [a for a in vars(model).values() if isinstance(a, np.ndarray)]
        sizes.add(sum(a.nbytes for a in kept))
    assert len(sizes) <= 2
    last = int(out["u0.read"]["origin"][-1])
    assert Origin.decode(last, BOUNDARY.inputs) == ("u0.issue", 56)


def test_counters_set_in_the_quiet_end_of_a_block() -> None:
    """What a block's last, quiet cycles do to the counters is there in the next block."""
    given = [
        "95 SETADCXX target=1 x1_val=7 x0_val=3",
        "0 cfg banks=3 index=49 data=128",
        "1 cfg banks=3 index=64 data=0x1000015",
        "2 cfg banks=3 index=72 data=5",
        "150 UNPACR",
    ]
    inputs = program({"given": given}).inputs()
    whole, parts = model_run(inputs, [200]), model_run(inputs, [100, 200])
    assert whole["u0.write"]["mask"].tolist() == [0x1F]
    for name, records in whole.items():
        fields = [field for field in records.dtype.names if field != "origin"]
        assert records[fields].tobytes() == parts[name][fields].tobytes(), name


def test_waiting() -> None:
    given = ["0..1 UNPACR_NOP_SETDVALID", "10..14/2 UNPACR", "16 UNPACR unpacker=1"]
    p = program({"tile": {"count": 2048, "x_dim": 2048}, "given": given})
    model, inputs = UnpackModel(), p.inputs()
    model.step(cut(inputs, 0, p.start + 17), p.start + 17)
    lines = model.waiting()
    assert lines[-1].startswith("unpacker 1: UNPACR ")
    assert lines[-1].endswith(" of thread 0: is being sampled")
    model.step(cut(inputs, p.start + 17, p.start + 100), p.start + 100)
    lines = model.waiting()
    assert len(lines) == 4
    assert lines[0].endswith("write stage waits for SrcA bank 0, which is the Matrix Unit's")
    assert lines[1].endswith("waits for room, all 40 entries of the buffer are in use")
    assert lines[2].endswith("place 0 of the queue, waits for the fetch stage")
    assert lines[3].endswith("place 1 of the queue")
    assert UnpackModel().waiting() == []


# --- rates, and what the unpackers do to each other (section 4)

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
    apart = 32 // WANT[throttle]
    given = [f"0..{15 * apart}/{apart} UNPACR"]
    r = program({"both": {"throttle": throttle}, "latency": latency, "given": given}).run(900)
    cycles = r.cycles("u0.read")
    assert cycles == list(range(12, 12 + 16 * apart))
    assert r.cycles("u0.write") == [cycle + latency + 12 for cycle in cycles]


@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("throttles", list(itertools.product(range(3), repeat=2)))
def test_both_sustained(throttles: tuple[int, int], latency: int) -> None:
    """Each has its grant in every cycle while both go on: a beat a cycle, and a step."""
    grants = GRANTS[WANT[throttles[0]], WANT[throttles[1]]]
    case = {
        "both": {},
        "apart": [{"throttle": throttle} for throttle in throttles],
        "latency": latency,
        # somewhat more often than they can be done
        "given": [f"{2 * u}..419/{24 // grants[u]} UNPACR unpacker={u}" for u in range(2)],
    }
    r = program(case).run(500)
    for unit in range(2):
        within = [row for row in r.rows(f"u{unit}.read", "count") if 80 <= row[0] < 400]
        # instructions of 32 lines: all beats are full
        assert within == [(cycle, grants[unit]) for cycle in range(80, 400)]
        writes = [cycle for cycle in r.cycles(f"u{unit}.write") if cycle < 400]
        assert writes == list(range(writes[0], 400))


@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("lines", [4, 16])
def test_compressed_rows_are_sustained(lines: int, latency: int) -> None:
    """Rows of so many lines, one after the other: a line a cycle, in steps too."""
    datums = 8 * lines
    tile = {"code": "FP16", "uncompressed": 0, "x_dim": datums, "count": datums, "z_dim": 1}
    case = {
        "tile": {**tile, "y_dim": 128 // lines, "limit": 0x1FFF},
        "l1": [f"4010 u2 0..1024/{datums}"],
        "latency": latency,
        "given": [f"0..127/{lines} UNPACR ch0_y_inc=1"],
    }
    r = program(case).run(600)
    beats = [row[0] for row in r.rows("u0.read", "count") if row[1]]
    # RSI entries requested in 11; loaded 7 cycles behind the answer
    assert beats == list(range(21 + latency, 21 + latency + 128))
    entries = [row[0] for row in r.rows("u0.read", "rsi_count") if row[1] == 2]
    assert entries == list(range(11, 139, lines))
    assert r.cycles("u0.write") == [cycle + latency + 12 for cycle in beats]


@pytest.mark.parametrize(("more", "want"), [
    ({"throttle": 0, "tilize": 1, "shift1": 1}, 4),
    ({"throttle": 2, "uncompressed": 0}, 1),
    ({"throttle": 2, "upsample": 2}, 1),
    ({"throttle": 2, "upsample": 3}, 1),
    ({"throttle": 2, "code": "BFP2"}, 1),
    ({"throttle": 2, "code": "BFP2A"}, 1),
    ({"throttle": 2, "upsample": 1}, 2),
    ({"throttle": 0, "upsample": 1}, 1),
    ({"throttle": 2, "code": "BFP4", "if_sel": 1}, 2),
    ({"throttle": 2, "code": "BFP4A", "if_sel": 1}, 2),
    ({"throttle": 0, "code": "BFP4A", "if_sel": 1}, 1),
    ({"throttle": 3, "code": "BFP4"}, 4),
    ({"throttle": 2, "code": "INT8"}, 4),
    ({"throttle": 1, "code": "BFP8"}, 2),
])  # fmt: skip
def test_forced_rates(more: dict[str, Any], want: int) -> None:
    """Lines of the beats of one instruction that does not begin or end within a beat."""
    case = {"tile": {**more, "limit": 0x1FFF}, "l1": ["4010 u2 0 256"], "given": ["0 UNPACR"]}
    counts = program(case).run(2000).all("u0.read")["count"]
    assert set(counts.tolist()) - {0} == {want}
