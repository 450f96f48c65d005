# SPDX-License-Identifier: Apache-2.0
"""Tables of taps: a line with something that there is not is one line, with its file and line."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.lint import bench_problem
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.taps import taps_hdl
from tilepath.engine.host.build import BuildError, BuildOptions, build
from tilepath.tests.cosim_runs import EACH_SIMULATOR, needs_icarus

TABLE: Final = "tb/adc/hdl/adc_harness.taps"
LINE: Final = (ROOT / TABLE).read_text().splitlines().index("pack        u_dut.pack_@_i") + 1


def with_line(folder: Path, line: str) -> Path:
    """A copy of the RTL and of the bench with another line in the place of that of ``pack``."""
    for name in ("rtl/isa", "rtl/adc", "engine/hdl", "tb/adc/hdl"):
        shutil.copytree(ROOT / name, folder / name)
    lines = (ROOT / TABLE).read_text().splitlines()
    lines[LINE - 1] = line
    (folder / TABLE).write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("packs u_dut.pack_@_i", "the boundary has no stream packs"),
        ("state: lives u_dut.live_o[i]", "the boundary has no state lives"),
        ("pack u_dut.pack_@_i; word = a", "stream pack has no word; there are: valid, sets, "),
        ("pack sets = a; valid = b", "nothing says what addr_mod of pack is"),
        ("pack u_dut.pack_@_i; a", "stream pack: two parts are for all fields"),
        ("state: live a; b", "state live has no 2 values"),
        ("unpack u_dut.unpack_@_i", "stream unpack is recorded twice"),
        ("state: live", "state live has no 0 values"),
        ("use: no_bench a = b", "there is no bench no_bench with taps"),
        ("use: adc_harness", "bench adc_harness uses itself"),
        ("pack u_dut.pack_@_i; sets = a; sets = b", "stream pack: two parts have one name"),
    ],
)
def test_what_there_is_not(line: str, says: str, tmp_path: Path) -> None:
    root = with_line(tmp_path, line)
    with pytest.raises(ValueError, match=f"^{TABLE}:{LINE}: {says}"):
        taps_hdl(load_block("adc"), root)
    assert bench_problem(load_block("adc"), root).startswith(f"{TABLE}:{LINE}: {says}")


def test_a_stream_without_a_line(tmp_path: Path) -> None:
    """An input is then what its player drives, an output is told."""
    table = with_line(tmp_path, "") / TABLE
    (text, players) = taps_hdl(load_block("adc"), tmp_path).values()
    assert ".sets_i(pack_sets_i)" in text and ".sets_o(pack_sets_i)" in players
    table.write_text(table.read_text().replace("conflict    u_dut.conflict_o; valid = any\n", ""))
    assert bench_problem(load_block("adc"), tmp_path) == "block adc: no table of taps has conflict"


def test_a_bench_that_leaves_them_out(tmp_path: Path) -> None:
    bench = with_line(tmp_path, "pack u_dut.pack_@_i") / "tb/adc/hdl/adc_harness.sv"
    bench.write_text(bench.read_text().replace('`include "adc_harness_taps.svh"', ""))
    says = "tb/adc/hdl/adc_harness.sv: does not include adc_harness_taps.svh"
    assert bench_problem(load_block("adc"), tmp_path) == says


def test_a_table_that_is_no_text(tmp_path: Path) -> None:
    (with_line(tmp_path, "") / TABLE).write_bytes(b"pack \xff")
    assert bench_problem(load_block("adc"), tmp_path).startswith(f"{TABLE}: 'utf-8' codec can't")


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_a_signal_that_there_is_not(sim: str, tmp_path: Path) -> None:
    root = with_line(tmp_path / "copy", "pack u_dut.pakc_@_i")
    options = BuildOptions(sim, source_root=root, build_root=tmp_path / "build")
    with pytest.raises(BuildError, match=rf"^{TABLE}:{LINE}: .*pakc_\w+_i[^\n]*$"):
        build("adc", options)


@needs_icarus
def test_lint_finds_it(tmp_path: Path) -> None:
    root = with_line(tmp_path, "pack pakc_@")
    (line,) = bench_problem(load_block("adc"), root).splitlines()
    assert line.startswith(f"{TABLE}:{LINE}: ") and "pakc_" in line
    assert bench_problem(load_block("adc")) == ""


@needs_icarus
def test_an_index_that_there_is_not(tmp_path: Path) -> None:
    root = with_line(tmp_path, "pack u_dut.pack_@_i")
    table = root / TABLE
    table.write_text(table.read_text().replace("live_o[6*i+2*j+k];\n", "live_o[6*i+2*j+l];\n"))
    assert bench_problem(load_block("adc"), root).startswith(f"{TABLE}:25: ")


def test_what_a_line_becomes() -> None:
    """Copies, numbers in names, the lines of another bench with other paths."""
    (text,) = taps_hdl(load_block("datapath")).values()
    assert ".line3_i(own.lines[28*3+:28])" in text and "adc_rec_issue #(.Index(i))" in text
    assert ".word_i(u_bench.u_dut.u_adc.issue_word_i[i])" in text
    assert " u_dut." not in text and "u_units" not in text
