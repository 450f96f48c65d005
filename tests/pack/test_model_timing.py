# SPDX-License-Identifier: Apache-2.0
"""Worked timelines of the contract; cycles count from the first issue (``START``).

An instruction issued in 0 is sampled in 1, departs in 2 and has its effect in 10, where it asks for
its first row; the gather takes the row in 22 and pops a unit in 23, whose line can go in 29.
"""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.tests.pack.time_helpers import LINE, START, Script

_FIRST = 29  # cycle of the first line


def _tiles(script: Script, count: int, every: int, mask: int = 1) -> None:
    """Tiles of 16 PACRs of a row, one every so many cycles."""
    for tile in range(count):
        first = START + 16 * every * tile
        script.issue(range(first, first + 15 * every, every), mask)
        script.issue([first + 15 * every], mask, last=1, addr_mode=0)


def _span(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


def test_one_instruction() -> None:
    script = Script()
    script.issue([START])
    run = script.run(START + 60)
    assert run.records("l0.row", "row") == [(10, 0)]
    assert run.records("w0.write", "line", "kind") == [(29, LINE, 0), (30, LINE + 1, 0)]
    # the last line is accepted in 30: quiet in 31
    assert run.records("busy", "value") == [(1, 1), (32, 0)]
    assert run.cycles("ready") == [-START]
    assert run.records("t0.packers", "y0") == [(2, 1)]
    assert run.model.waiting() == []


@pytest.mark.parametrize(
    ("fmt", "every", "lines"), [("bf16", 2, 32), ("fp32", 4, 64), ("int8", 1, 16), ("bfp8", 1, 17)]
)
def test_full_rate_of_four_packers(fmt: str, every: int, lines: int) -> None:
    """A line a cycle and packer, and no bubble between tiles."""
    script = Script("baseline", fmt)
    _tiles(script, 3, every, 0xF)
    run = script.run(START + 400)
    for packer in range(4):
        assert run.cycles(f"w{packer}.write") == _span(_FIRST, 3 * lines)


@pytest.mark.parametrize(
    ("fmt", "every", "slots"), [("bf16", 1, 8), ("fp32", 2, 8), ("int8", 1, 4), ("bfp8", 1, 4)]
)
def test_full_rate_of_one_packer(fmt: str, every: int, slots: int) -> None:
    """64 datums a PACR: a BF16 tile in 16 cycles, FP32 in 32, a group of each lane a cycle."""
    script = Script("blackhole", fmt)
    _tiles(script, 3, every, 0xF)
    run = script.run(START + 200)
    for slot in range(slots):
        data = [c for c, kind in run.records(f"w{slot}.write", "kind") if kind == 0]
        assert data == _span(_FIRST, 48 * every)
    exponents = [c for c, kind in run.records("w7.write", "kind") if kind == 1]
    # beside the data of the pop with which the line of exponents is full
    assert exponents == ([_FIRST + 4 * n + 3 for n in range(12)] if fmt == "bfp8" else [])


def test_accumulation_of_a_packer_is_a_line_every_two_cycles() -> None:
    """Read in 29, answered in 33, added to 39: then written back, which goes before reads."""
    script = Script(acc=1)
    _tiles(script, 1, 2)
    run = script.run(START + 200)
    assert run.cycles("p0.read") == [*_span(29, 10), *_span(49, 10), *_span(69, 10), 89, 90]
    assert run.cycles("w0.write") == [*_span(39, 10), *_span(59, 10), *_span(79, 10), 99, 100]


def test_another_mode_waits_until_all_is_drained() -> None:
    script = Script()
    script.issue([START])
    script.configure(START + 2, relu=1)
    script.issue([START + 5, START + 6])
    run = script.run(START + 100)
    # the last line goes in 30; departs in 31 and the next, in the same mode, in 32
    assert run.cycles("l0.row") == [10, 39, 40]
    assert run.records("unit_fault", "busy_config") == [(2, 1)]


def test_back_pressure() -> None:
    """L1 is not ready until cycle 100.

    12 pops (23 to 34) fill the queue; the gather takes a row in 22, 23, 24 and every other cycle to
    34; 16 rows more are in flight.
    """
    script = Script()
    script.issue(range(START, START + 30))
    script.add("l1_ready", START, value=0)
    script.add("l1_ready", START + 100, value=1)
    run = script.run(START + 300)
    rows = run.cycles("l0.row")
    assert rows[:24] == [*_span(10, 22), 33, 35]
    assert rows[24] == 103  # a line goes in 100, a pop in 101 and 102, a push in 102
    assert run.cycles("w0.write") == _span(100, 60)


def test_setreg_waits_and_closes() -> None:
    script = Script()
    script.issue([START])
    fields = {"push": 1, "flush": 1, "pack_sel": 15, "addr_mid": 0x3A, "value10": 7}
    script.add("issue", START + 1, thread=0, word=isa.encode("PACR_SETREG", **fields))
    script.issue([START + 2, START + 3])
    run = script.run(START + 100)
    assert run.records("setreg", "address", "data") == [(39, 0xFFB3A000, 7)]
    # three are held from 4 on, until SETREG departs in 31
    assert run.records("ready", "value") == [(4, 0), (32, 1)]
    assert run.cycles("l0.row") == [10, 40, 41]
    # the tile begins anew
    lines = [line for _, line in run.records("w0.write", "line")]
    assert lines == [LINE, LINE + 1, LINE, LINE + 1, LINE + 2, LINE + 3]


def test_dst_busy_is_of_the_row_and_the_cycle() -> None:
    """Row 1 is refused in 11 and granted in 12; row 2 in 13, when all but it are written."""
    script = Script(count=64)
    script.issue([START])
    script.add("dst_read", START + 11, row=16)
    for cycle, row, count in ((11, 1, 1), (12, 1, 1), (13, 3, 9), (14, 0, 9), (15, 0, 9)):
        script.add("dst_write", START + cycle, row=row, count=count)
    script.add("dst_zero", START + 13, half=1)
    run = script.run(START + 100)
    assert run.records("unit_fault", "dst_busy") == [(12, 1), (14, 1)]
    script = Script(fmt="fp32")
    script.issue([START])
    for cycle, row in ((9, 0), (10, 8), (11, 8)):
        script.add("dst_write", START + cycle, row=row, count=1)
    assert script.run(START + 100).records("unit_fault", "dst_busy") == [(10, 1)]


def test_rows_written_in_the_cycle_of_a_zeroacc_are_valid() -> None:
    """P58."""
    script = Script()
    for cycle in (60, 61):
        script.add("dst_zero", cycle, all=1)
    script.add("dst_write", 61, row=248, count=9, mask=[0xFFFF] * 9)
    valid = script.run(START).model.state()["dst_valid"]
    assert np.flatnonzero(valid).tolist() == list(range(248, 257))
