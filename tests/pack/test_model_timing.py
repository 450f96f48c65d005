# SPDX-License-Identifier: Apache-2.0
"""Worked timelines of the contract; cycles count from the first issue (``START``).

An instruction issued in 0 is sampled in 1, departs in 2 and has its effect in 10, where it asks for
its first row; the gather takes the row in 22 and pops a unit in 23, whose line can go in 29.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.pack import SLOTS
from tilepath.tests.pack.time_helpers import LINE, START, Run, Script

_FIRST = 29  # cycle of the first line


def _tiles(script: Script, count: int, every: int, mask: int = 1) -> None:
    """Tiles of 16 PACRs of a row, one every so many cycles."""
    for tile in range(count):
        first = START + 16 * every * tile
        script.issue(range(first, first + 15 * every, every), mask)
        script.issue([first + 15 * every], mask, last=1, addr_mode=0)


def _written(run: Run, *streams: str) -> list[int]:
    """Cycles in which any of the streams writes."""
    return sorted(set(chain.from_iterable(run.cycles(stream) for stream in streams)))


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


def test_accumulation_of_eight_lines_a_cycle() -> None:
    script = Script("blackhole", acc=1)
    _tiles(script, 1, 1, 0xF)
    run = script.run(START + 200)
    assert run.records("p0.read", "count") == [(c, SLOTS) for c in _span(29, 16)]
    assert run.cycles("w7.write") == run.cycles("w0.write") == _span(39, 16)


def test_accumulation_of_eight_wide_lines_is_every_other_cycle() -> None:
    script = Script("blackhole", "fp32", acc=1)
    script.issue(range(START, START + 4), 0xF)
    run = script.run(START + 200)
    assert run.cycles("p0.read") == _span(29, 8)
    # added in 33, 35, …, and there seven cycles later
    assert run.cycles("w7.write") == list(range(40, 56, 2))


def test_accumulations_with_a_line_in_common_wait() -> None:
    """Two tiles of one line at the same address: the second is read after the first is written."""
    script = Script(count=8, acc=1)
    script.issue([START, START + 1], last=1)
    run = script.run(START + 200)
    assert run.records("p0.read", "line") == [(29, LINE), (40, LINE)]
    assert run.cycles("w0.write") == [39, 50]


def test_another_mode_waits_until_all_is_drained() -> None:
    script = Script()
    script.issue([START])
    script.configure(START + 2, relu=1)
    script.issue([START + 5, START + 6])
    run = script.run(START + 100)
    # the last line goes in 30; departs in 31 and the next, in the same mode, in 32
    assert run.cycles("l0.row") == [10, 39, 40]
    assert run.records("unit_fault", "busy_config") == [(2, 1)]


@pytest.mark.parametrize(
    ("fmt", "count", "every", "lines"),
    [
        ("bf16", 5, 1, [(29, 0), (30, 0), (31, 0)]),
        ("bf16", 8, 1, [(29, 0), (30, 0), (31, 0)]),
        ("bf16", 16, 2, [(29, 0), (30, 0), (31, 0), (32, 0), (33, 0), (34, 0)]),
        # data and exponents of a pop are there in the same cycle; exponents go first
        ("bfp8", 5, 2, [(29, 1), (30, 0), (31, 1), (32, 0), (33, 1), (34, 0)]),
    ],
)
def test_closing(fmt: str, count: int, every: int, lines: list[tuple[int, int]]) -> None:
    """Three tiles of one PACR: the next is pushed in the cycle in which closing ends."""
    script = Script("baseline", fmt, count)
    script.issue(range(START, START + 3 * every, every), last=1)
    run = script.run(START + 100)
    assert run.records("w0.write", "kind") == lines


def test_half_a_line_is_in_the_line_pipeline_too() -> None:
    """A group of BFP4: popped in 23, in the pipeline from 24 to 28, quiet in 29."""
    script = Script(to=7)
    script.issue([START])
    run = script.run(START + 60)
    assert run.cycles("w0.write") == []
    assert run.records("busy", "value") == [(1, 1), (30, 0)]


def test_closing_with_too_many_exponents_takes_a_cycle_more() -> None:
    """14 exponents and four more: the full line goes with the pop, the other two later."""
    script = Script("blackhole", "bfp8")
    script.issue(range(START, START + 3), 0xF)
    script.issue([START + 3], 0x3)
    script.issue([START + 4], 0xF, last=1)
    run = script.run(START + 100)
    # pops of 4, 4, 4, 2 and 4 groups in 23 to 27, the rest in 28
    assert run.cycles("w0.write") == _span(29, 5)
    assert [c for c, kind in run.records("w7.write", "kind") if kind == 1] == [33, 34]


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


def test_a_bank_has_one_row_a_cycle() -> None:
    """Rows 0 and 17 are in bank 0, rows 1 and 18 are in banks 1 and 3."""
    script = Script()
    script.configure(50, dst_offset=0)
    script.config[:, 181] = 17
    script.configure(60)
    script.issue(range(START, START + 2), 3)
    run = script.run(START + 100)
    assert run.records("l0.row", "row") == [(10, 0), (11, 1)]
    assert run.records("l1.row", "row") == [(11, 17), (12, 18)]


def test_lanes_of_a_step_wait_for_each_other() -> None:
    """32-bit rows 30 to 33: the banks of rows 32 and 33 are those of rows 31 and 30."""
    script = Script("blackhole", "fp32")
    script.config[:, 180] = 30
    script.configure(60)
    script.issue([START], 0xF)
    run = script.run(START + 100)
    rows = [run.records(f"l{lane}.row", "row") for lane in range(4)]
    assert rows == [[(10, 54)], [(10, 55)], [(11, 64)], [(11, 65)]]
    assert run.cycles("w0.write") == [30, 31]


def test_lanes_share_a_row() -> None:
    script = Script()
    script.config[:, 180:184] = 0
    script.configure(60)
    script.issue([START], 0xF)
    run = script.run(START + 100)
    assert all(run.records(f"l{lane}.row", "row") == [(10, 0)] for lane in range(4))


def test_packers_give_way_to_the_matrix_unit() -> None:
    """Its row 16 is in the bank of row 1; row 2 of all is the same one. Then 32-bit rows."""
    script = Script(count=64)
    script.issue([START])
    for cycle, row in ((11, 16), (13, 2), (14, 2)):
        script.add("dst_read", START + cycle, row=row)
    run = script.run(START + 100)
    assert run.records("l0.row", "row") == [(10, 0), (12, 1), (13, 2), (14, 3)]
    script = Script(fmt="fp32")
    script.issue([START])
    for cycle, row in ((10, 25), (11, 17)):  # banks 8 and, wide, 0 with 8
        script.add("dst_read", START + cycle, row=row, wide=int(row == 17))
    assert script.run(START + 100).records("l0.row", "row") == [(12, 0)]


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


def test_source_is_answered_before_zeros_follow() -> None:
    """Lines are read in 10 and 11, answered in 14 and 15: zeros from 16 on."""
    script = Script(source=1)
    script.issue([START])
    script.issue([START + 1], zero_write=1)
    run = script.run(START + 100)
    assert run.records("source", "line") == [(10, 0), (11, 1)]
    # taken in 26, 27 and, the zeros, in 28
    assert run.cycles("w0.write") == [33, 34, 35, 36]


def test_compression_is_a_micro_operation_a_cycle() -> None:
    """Four zeros: R E K K E R, then Z for the rest of the block, its counters, and the row starts.

    R is in 22, E in 23 and 26, R in 27, Z in 28 to 57; C waits for the pop of 58.
    """
    script = Script(count=4, plain=0)
    script.issue([START], last=1)
    run = script.run(START + 100)
    assert run.records("w0.write", "kind") == [
        (40, 0), (48, 0), (56, 0), (64, 0), (65, 0), (66, 2),
    ]  # fmt: skip


def test_histogram_shows_ten_cycles_after_the_row() -> None:
    script = Script()
    script.add("t0.setc16", 2, index=45, value=1)
    script.issue([START])
    for cycle in (19, 20, 21):
        script.add("hist", START + cycle, op=0, mode=6, packer=0)
    script.add("hist", START + 40, op=1)
    script.add("hist", START + 41, op=0, mode=6, packer=0)
    run = script.run(START + 100)
    found = [(int(r["cycle"]) - START, int(r["data"][0])) for r in run.out["hist_data"]]
    assert found == [(20, 0), (21, 16), (22, 16), (42, 0)]
    assert run.records("unit_fault", "hist_busy") == [(19, 1), (20, 1), (21, 1)]


def test_faults_are_in_the_cycle_of_the_effect() -> None:
    script = Script()
    script.issue([START], 6)
    run = script.run(START + 100)
    assert run.records("fault", "thread", "flags") == [(10, 0, 1)]
    assert run.cycles("w1.write") == run.cycles("w2.write") == [29, 30]


def test_busy_names_thread_and_packer() -> None:
    script = Script()
    for thread in range(3):
        word = isa.encode("PACR", read_intf_sel=4 << thread >> 1 & 0xF or 1, zero_write=1)
        script.add("issue", START + thread, thread=thread, word=word)
    run = script.run(START + 100)
    values = [value for _, value in run.records("busy", "value")]
    assert values[:3] == [0b0010, 0b0100_0010, 0b1000_0100_0010]
    assert values[-1] == 0


def test_unpacked_zeros_of_a_long_zero_write() -> None:
    """P55: mask 0 from X 0 to X 255 is four steps of 64 zeros."""
    script = Script("blackhole", count=256)
    script.issue([START], 0, zero_write=1)
    run = script.run(START + 100)
    assert run.cycles("w7.write") == _span(_FIRST, 4)
    assert not np.concatenate([run.out[f"w{slot}.write"]["data"] for slot in range(SLOTS)]).any()


def test_rows_written_in_the_cycle_of_a_zeroacc_are_valid() -> None:
    """P58."""
    script = Script()
    for cycle in (60, 61):
        script.add("dst_zero", cycle, all=1)
    script.add("dst_write", 61, row=248, count=9, mask=[0xFFFF] * 9)
    valid = script.run(START).model.state()["dst_valid"]
    assert np.flatnonzero(valid).tolist() == list(range(248, 257))
