# SPDX-License-Identifier: Apache-2.0
"""Order, conflicts, faults and level records of the cycle model: cycles and origins by hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.tests.adc.helpers import model_run, stream

Row = tuple[int, ...]
U0, U1, PK = 1 << 21, 2 << 21, 4 << 21


def run(cycles: int = 50, profile: str = "baseline", **rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Output rows (cycle, fields, origin) of the streams that have any; ``t0`` is ``t0.issue``."""
    full = {f"{name}.issue" if name[0] == "t" else name: some for name, some in rows.items()}
    inputs = {name: stream(name, some) for name, some in full.items()}
    got = model_run(inputs, [cycles], profile).items()
    return {name: [tuple(row) for row in some.tolist()] for name, some in got if len(some)}


def by(index: int, name: str) -> int:
    """Origin: command ``index`` of an input stream."""
    origin = Origin(name, index)
    number = origin.encode(BOUNDARY.inputs)
    assert Origin.decode(number, BOUNDARY.inputs) == origin
    return number


def setadc(targets: int, channel: int, counter: int, value: int) -> int:
    return 0x50000000 | targets | channel << 20 | counter << 18 | value


def inc_y0(targets: int, increment: int, over: int = 0) -> int:
    return 0x52000000 | targets | over << 18 | increment << 9


def test_a_change_shows_in_the_next_cycle() -> None:
    out = run(t1=[(7, setadc(U1, 1, 0, 0x321))])
    assert out == {"t1.unpacker1": [(8, 0, 0, 0, 0, 0, 0x321, 0x321, 0, 0, 0, by(0, "t1.issue"))]}


def test_a_change_in_the_last_cycle_shows_beyond_the_end() -> None:
    assert run(cycles=8, t1=[(7, setadc(U1, 1, 0, 1))]) == {}
    assert list(run(cycles=9, t1=[(7, setadc(U1, 1, 0, 1))])) == ["t1.unpacker1"]


def test_fields_of_a_level() -> None:
    """Live values by REG2FLOP 1 to 8, checkpoints 9 to 16, in the order X Y Z W of each channel."""
    rows = [
        (n, 2, 2, place // 4, place % 4, cr, n + 1)
        for n, (cr, place) in enumerate(itertools.product((0, 1), range(8)))
    ]
    out = run(flop=rows)
    assert list(out) == ["t2.packers"]
    high = [value << 16 for value in range(17)]
    assert out["t2.packers"][-1] == (
        16, 1, 9, high[10] | 2, high[11] | 3, high[12] | 4,
        5, 13, high[14] | 6, high[15] | 7, high[16] | 8, by(15, "flop"),
    )  # fmt: skip


def test_a_level_is_recorded_only_where_its_value_differs() -> None:
    word = setadc(U0 | PK, 0, 1, 5)
    out = run(t0=[(3, word), (4, word), (6, inc_y0(U0, 0)), (9, setadc(U0, 0, 1, 6))])
    level = 5 << 16 | 5
    first = (4, 0, 0, level, 0, 0, 0, 0, 0, 0, 0, by(0, "t0.issue"))
    assert out["t0.packers"] == [first]
    assert [row[0] for row in out["t0.unpacker0"]] == [4, 10]
    # Back to the old value within the cycle: no record, but a conflict.
    out = run(t0=[(5, setadc(U0, 0, 1, 5))], t1=[(5, 0x51000000 | U0 | 1 << 18 | 2)])
    assert out == {"conflict": [(5, 1, by(0, "t1.issue"))]}


def test_a13_order_is_unpacker_packer_flop_threads() -> None:
    """Each writer of Y0 of set 0's packers makes the value say who came before it."""
    flop = (9, 0, 2, 0, 1, 0, 1000)
    pack = (9, 1, 3)
    reload = 0x53000000 | PK | 1 << 18 | 4 << 9 | 2  # by thread 1: checkpoint += 4, live = it
    start = (5, setadc(PK, 0, 1, 100))
    y0 = [
        (r[0], r[3] & 0xFFFF, r[3] >> 16, r[-1]) for r in run(t0=[start], pack=[pack])["t0.packers"]
    ]
    assert y0[1:] == [(10, 103, 100, by(0, "pack"))]
    out = run(t0=[start, (9, inc_y0(PK, 5))], pack=[pack], flop=[flop])
    row = out["t0.packers"][1]
    assert (row[0], row[3] & 0xFFFF, row[-1]) == (10, 1005, by(1, "t0.issue"))
    out = run(t0=[start, (9, inc_y0(PK, 5))], t1=[(9, reload)], pack=[pack], flop=[flop])
    row = out["t0.packers"][1]
    assert (row[0], row[3] & 0xFFFF, row[3] >> 16) == (10, 104, 104)
    assert row[-1] == by(0, "t1.issue")
    out = run(
        t0=[start, (9, inc_y0(PK, 5))], t1=[(9, reload)], t2=[(9, inc_y0(PK, 7, 1))],
        pack=[pack], flop=[flop],
    )  # fmt: skip
    row = out["t0.packers"][1]
    assert (row[0], row[3] & 0xFFFF, row[3] >> 16) == (10, 111, 104)
    assert out["conflict"] == [(9, 1 << 2, by(0, "t2.issue"))]


def test_a13_the_unpacker_comes_first() -> None:
    unpack = (9, 1, 2, 0, 3, 0, 0, 0)
    out = run(unpack=[unpack], flop=[(9, 2, 1, 0, 1, 0, 50)], t0=[(9, inc_y0(U1, 1))])
    assert [row[3] for row in out["t0.unpacker1"]] == [4]
    assert [row[3] for row in out["t2.unpacker1"]] == [50]
    assert out["conflict"] == [(9, 1 << 1 | 1 << 7, by(0, "t0.issue"))]


@pytest.mark.parametrize(
    "other",
    [
        inc_y0(U1, 1, 1),  # another target
        inc_y0(U0, 1, 3),  # another set
        0x52000000 | U0 | 1 << 18 | 1 << 15,  # another channel
        0x52000000 | U0 | 1 << 18 | 1 << 6,  # another counter
        inc_y0(U0, 0, 1),  # an increment of 0 touches nothing
        0x51000000 | U0 | 1 << 18 | 0xFFC0 | 0xD,  # not in the mask
        inc_y0(0, 7, 1),  # no target
        0x4F000000 | U0 | 0xFFFF,  # illegal
    ],
)
def test_no_conflict(other: int) -> None:
    assert "conflict" not in run(t0=[(9, inc_y0(U0, 1))], t1=[(9, other)])


def test_live_value_and_checkpoint_are_one_counter() -> None:
    out = run(flop=[(9, 1, 0, 0, 1, 1, 9)], t1=[(9, inc_y0(U0, 1))])
    assert out["conflict"] == [(9, 1 << 3, by(0, "t1.issue"))]
    assert out["t1.unpacker0"] == [(10, 0, 0, 9 << 16 | 1, *(0,) * 7, by(0, "t1.issue"))]


def test_the_conflict_names_the_last_command_that_touched_a_counter_again() -> None:
    out = run(
        flop=[(8, 0, 2, 0, 0, 0, 1), (9, 1, 0, 0, 1, 0, 9)],
        t0=[(9, inc_y0(U0, 1, 2))], t1=[(9, 0x54000000 | PK | 1)], t2=[(9, inc_y0(U1, 1))],
    )  # fmt: skip
    assert out["conflict"] == [(9, 1 << 3, by(0, "t0.issue"))]


def test_faults_of_words() -> None:
    out = run(
        t0=[(2, 0x50010001), (3, 0x51000000 | U0), (4, 0x5E000000), (5, 0x50230000)],
        t2=[(3, 0x57FFFFFF), (9, 0x02000000)],
    )
    assert out["t0.fault"] == [
        (2, 0, 1, 1, by(0, "t0.issue")), (3, 0, 0, 1, by(1, "t0.issue")),
        (4, 0, 0, 1, by(2, "t0.issue")), (5, 0, 1, 0, by(3, "t0.issue")),
    ]  # fmt: skip
    assert out["t2.fault"] == [(3, 1, 0, 0, by(0, "t2.issue")), (9, 1, 0, 0, by(1, "t2.issue"))]
    # x_override is a warning: X of set 2 is written.
    assert out["t2.unpacker0"] == [(6, 0x30000, 0x30000, *(0,) * 8, by(3, "t0.issue"))]


def test_unit_faults() -> None:
    out = run(
        unpack=[(2, 0, 3, 0, 1, 1, 1, 1), (4, 1, 1, 3, 1, 1, 1, 1), (6, 1, 3, 3, 1, 1, 1, 1)],
        flop=[
            (3, 3, 0, 0, 0, 0, 1),
            (4, 0, 3, 0, 0, 0, 1),
            (5, 3, 3, 0, 0, 0, 1),
            (6, 0, 1, 0, 0, 0, 1),
        ],
    )
    assert out["unit_fault"] == [
        (2, 1, 0, 0, by(0, "unpack")),
        (3, 0, 1, 0, by(0, "flop")),
        (4, 1, 0, 1, by(1, "flop")),
        (5, 0, 1, 1, by(2, "flop")),
        (6, 1, 0, 0, by(2, "unpack")),
    ]
    assert set(out) == {"unit_fault", "t0.unpacker1"}


def test_v8_in_both_profiles() -> None:
    for profile, after in (("baseline", 0), ("blackhole", 256)):
        out = run(
            profile=profile,
            flop=[(1, 0, 0, 0, 2, 0, 253)], unpack=[(3, 0, 0, 0, 0, 3, 0, 0)],
        )  # fmt: skip
        assert [(row[0], row[4]) for row in out["t0.unpacker0"]] == [(2, 253), (4, after)]
