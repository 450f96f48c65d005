# SPDX-License-Identifier: Apache-2.0
"""Kernels on the joined RTL: L1 at the end is that of the machine without time, to the byte."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilepath.isa import registers, tables
from tilepath.models.kernels import Kernel, load, parse, play
from tilepath.models.machine import items
from tilepath.tb.datapath.kernel import CONFIG, programs, run
from tilepath.tests.commands import ROOT

pytestmark = pytest.mark.long

PROGRAMS = ROOT / "sequences" / "datapath" / "programs"
KERNELS = ("copy", "formats", "add1", "broadcast", "matmul")
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


def _changed(folder: Path, profile: str, *changes: tuple[str, str]) -> Kernel:
    """The copying kernel, of two tiles, with other lines."""
    text, setup = ((PROGRAMS / f"{name}.kernel").read_text() for name in ("copy", "setup"))
    for old, new in changes:
        assert text.count(old) + setup.count(old) == 1, old
        text, setup = text.replace(old, new), setup.replace(old, new)
    (folder / "setup.kernel").write_text(setup)
    (folder / "changed.kernel").write_text(text)
    return load(folder / "changed.kernel", profile, {"TILES": 2})


def _flop(folder: Path, profile: str = "baseline") -> Kernel:
    """REG2FLOP writes where tiles begin, while another thread writes a word in every cycle."""
    base = "SETDMAREG a.line + k*a.lines, 0, 40\nSETDMAREG 0, 0, 41\nREG2FLOP 1,0,0,0,12,20"
    writes = "SEMINIT 1, 0, 1<<MATH_PACK\n    repeat 400 {\n        WRCFG 4, 0, 205\n    }\n    #"
    return _changed(
        folder,
        profile,
        ("store THCON_SEC0_REG3_Base_address = a.line + k*a.lines", base),
        ("SEMINIT 1, 0, 1<<MATH_PACK", writes),
    )


def _stores(folder: Path, profile: str = "baseline") -> Kernel:
    """What units read of ThreadConfig is stored by the cores of their threads."""

    def store(thread: int, name: str, value: int) -> str:
        word = registers.config_field(name)
        place = 3 * tables.CFG_WORDS + tables.THD_WORDS * thread + word.addr32
        return f"store {CONFIG + 4 * place:#x} = {value << word.lsb}"

    def at(thread: int, *stores: str) -> tuple[str, str]:
        begin = f"thread {thread} {{"
        return begin, "\n    ".join((begin, *stores, "#"))

    names = ("ADDR_MOD_AB_SEC0_SrcAIncr", "ADDR_MOD_DST_SEC0_DestIncr")
    return _changed(
        folder,
        profile,
        ("set SRCA_SET_SetOvrdWithAddr=1", "#"),
        *((f"config {name}=8", "#") for name in names),
        ("config ADDR_MOD_PACK_SEC0_YsrcIncr=4", "#"),
        at(0, store(0, "SRCA_SET_SetOvrdWithAddr", 1)),
        at(1, *(store(1, name, 8) for name in names)),
        at(2, store(2, "ADDR_MOD_PACK_SEC0_YsrcIncr", 4)),
    )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("kernel", [_flop, _stores])
def test_units_follow_every_write(
    kernel: Callable[[Path, str], Kernel], profile: str, tmp_path: Path
) -> None:
    _same_as_machine(kernel(tmp_path, profile), "icarus")


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


WRITES = {
    "REG2FLOP's write is lost beside another": (
        *(_flop, "config_write_t flopped = {flop,"),
        "config_write_t flopped = {flop && !write,",
    ),
    "a core's store is another thread's": (
        *(_stores, "store_o = {thread_write, stored_thread,"),
        "store_o = {thread_write, stored_thread ^ 2'd1,",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_bugs_of_connections_are_caught(bug: str, tmp_path: Path) -> None:
    kernel, tiles, name, old, new = BUGS[bug]
    _caught(_kernel(kernel, "baseline", TILES=tiles), name, old, new, tmp_path)


@pytest.mark.parametrize("bug", WRITES)
def test_bugs_of_writes_are_caught(bug: str, tmp_path: Path) -> None:
    kernel, old, new = WRITES[bug]
    _caught(kernel(tmp_path), "rtl/datapath/datapath.sv", old, new, tmp_path)


def _caught(kernel: Kernel, name: str, old: str, new: str, root: Path) -> None:
    for part in ("rtl", "tb/datapath/hdl", "tb/standin/hdl", "tb/hdl"):
        shutil.copytree(ROOT / part, root / part)
    text = (root / name).read_text()
    assert text.count(old) == 1
    (root / name).write_text(text.replace(old, new))
    with pytest.raises((AssertionError, RuntimeError)):
        _same_as_machine(kernel, "icarus", most=4000, root=root)
