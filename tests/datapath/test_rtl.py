# SPDX-License-Identifier: Apache-2.0
"""Kernels on the joined RTL: L1 at the end is that of the machine without time, to the byte."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilepath.models.kernels import Kernel, load, parse, play
from tilepath.models.machine import items
from tilepath.tb.datapath.kernel import programs, run
from tilepath.tests.commands import ROOT

pytestmark = pytest.mark.long

PROGRAMS = ROOT / "sequences" / "datapath" / "programs"
KERNELS = ("copy", "formats", "add1", "broadcast", "matmul", "reuse")
PROFILES = ("baseline", "blackhole")


def _kernel(name: str, profile: str, **given: int) -> Kernel:
    return load(PROGRAMS / f"{name}.kernel", profile, given)


def _same_as_machine(
    kernel: Kernel, sim: str, latency: int = 4, most: int = 200_000, root: Path = ROOT
) -> int:
    """Cycles of a kernel that ends on RTL, without a fault, with the L1 of the machine."""
    verdict = play(kernel)
    assert verdict.failed == [], verdict.failed
    found = run(kernel, sim, latency, most, root)
    assert found.ended, f"it stands, at items {found.items}"
    np.testing.assert_array_equal(found.l1, np.asarray(verdict.machine.l1))
    assert found.faults == 0
    return found.cycles


@pytest.mark.parametrize("profile", PROFILES)
def test_kernels(profile: str) -> None:
    for name in KERNELS:
        for latency in (1, 4, 31):
            _same_as_machine(_kernel(name, profile), "verilator", latency)


@pytest.mark.parametrize("tiles", [1, 2, 8, 64])
def test_numbers_of_tiles(tiles: int) -> None:
    for name in ("copy", "add1"):
        cycles = _same_as_machine(_kernel(name, "baseline", TILES=tiles), "verilator")
        assert cycles < 400 * tiles + 1000


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["copy", "add1"])
def test_icarus(name: str, profile: str) -> None:
    _same_as_machine(_kernel(name, profile, TILES=1), "icarus")


def test_a_kernel_that_waits_for_ever_stands() -> None:
    text = "thread 0 {\n    SEMWAIT 8, 2, 1\n    UNPACR 0,0,0,0,0,0,0,0,0,0,0,0,1\n}\n"
    found = run(parse(text, "stands.kernel", "baseline"), "verilator", most=3000)
    assert not found.ended and found.items[1:] == (0, 0)


def test_words_that_go_to_nobody_are_faults() -> None:
    found = run(
        parse("thread 1 {\n    SFPNOP\n}\n", "sfpu.kernel", "baseline"), "icarus", most=3000
    )
    assert found.ended and found.faults == 1


def test_two_writes_of_the_configuration_in_one_cycle_end_the_run() -> None:
    text = "".join(
        f"thread {thread} {{\n    repeat 40 {{\n        {word}\n    }}\n}}\n"
        for thread, word in enumerate(("REG2FLOP 1,0,0,0,12,5", "WRCFG 4,0,12"))
    )
    with pytest.raises(RuntimeError, match="two writes of the configuration in one cycle"):
        run(parse(text, "writes.kernel", "baseline"), "icarus", most=3000)


def test_stores_that_the_bench_has_no_port_for_are_refused() -> None:
    kernel = replace(_kernel("copy", "baseline"), programs=((items.Store(0x1000, 5),),))
    with pytest.raises(ValueError, match="configuration only"):
        programs(kernel)


# kernel, tiles, file, what is there, and what a bug makes of it
BUGS = {
    "threads swapped": (
        *("add1", 2, "rtl/datapath/datapath.sv", "assign math_thread_o = unit_thread[3];"),
        "assign math_thread_o = unit_thread[3] == 2'd1 ? 2'd2 : unit_thread[3];",
    ),
    "owner not returned": (
        *("add1", 1, "rtl/datapath/datapath.sv", ".theirs_o(theirs), .matrix_i,"),
        ".theirs_o(theirs), .matrix_i(matrix_i & ~41'h600),",
    ),
    "stale configuration": (
        *("add1", 1, "rtl/datapath/datapath.sv", ") u_pack (\n    .clk_i, .rst_ni, .cfg_i(cfg),"),
        ") u_pack (\n    .clk_i, .rst_ni, .cfg_i('0),",
    ),
    "a thread's own configuration to another": (
        *("add1", 2, "rtl/datapath/datapath.sv", "assign setc16_o[t] = {"),
        "assign setc16_o[(t+1)%3] = {",
    ),
    "math does not wait for banks": (
        *("add1", 1, "rtl/datapath/datapath.sv", "{4'd0, missing, filled,"),
        "{4'd0, 2'd0, filled,",
    ),
    "busy packers are another thread's": (
        *("add1", 2, "rtl/datapath/datapath.sv", "packing = pack_busy[4*t+:4] != 4'd0;"),
        "packing = pack_busy[4*((t+1)%3)+:4] != 4'd0;",
    ),
    "counters of the packers are those of unpacker 1": (
        *("add1", 1, "rtl/datapath/datapath.sv", "live[6*(i/2)+4+i%2]"),
        "live[6*(i/2)+2+i%2]",
    ),
    "answers of L1 to the other unpacker": (
        *("copy", 1, "tb/datapath/hdl/datapath_l1.sv", "assign answer_o[u] = {"),
        "assign answer_o[1-u] = {",
    ),
    "rows of Dst are those of neighbours": (
        *("add1", 1, "rtl/dst/dst_shared.sv", "assign lane_row[l+1] = read_row_i[l];"),
        "assign lane_row[l+1] = {read_row_i[l][9:1], 1'b0};",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_of_connections_are_caught(bug: str, tmp_path: Path) -> None:
    for part in ("rtl", "tb/datapath/hdl", "tb/standin/hdl", "tb/hdl"):
        shutil.copytree(ROOT / part, tmp_path / part)
    kernel, tiles, name, old, new = BUGS[bug]
    text = (tmp_path / name).read_text()
    assert text.count(old) == 1
    (tmp_path / name).write_text(text.replace(old, new))
    with pytest.raises((AssertionError, RuntimeError)):
        _same_as_machine(
            _kernel(kernel, "baseline", TILES=tiles), "icarus", most=4000, root=tmp_path
        )
