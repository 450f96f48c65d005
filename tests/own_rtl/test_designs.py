# SPDX-License-Identifier: Apache-2.0
"""Somebody's own RTL in the place of a block's: how it is read, and what is said of a bad one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.own_rtl import file_list
from tilepath.engine.commands.own_rtl.elaborated import skeleton
from tilepath.engine.commands.own_rtl.own import design, own_rtl
from tilepath.engine.description.block import OWN, ROOT
from tilepath.engine.description.registry import block_names, load_block
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import passed, python, refused
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.tables import beside

SECOND = ROOT / "tests" / "adc" / "second"
_BAD: Final = beside(__file__, "bad_input")
_YOURS = "  // yours\n"
_DEAD = """
  for (genvar i = 0; i < 18; i++) begin : gen_channel
    assign live_o[i] = 61'd0;
    assign cr_o[i] = 61'd0;
  end
  for (genvar t = 0; t < 3; t++) begin : gen_thread
    assign fault_illegal_o[t] = 1'b0;
    assign fault_x_override_o[t] = 1'b0;
    assign fault_empty_o[t] = 1'b0;
  end
  assign {fault_unpack_thread_o, fault_flop_thread_o, fault_flop_select_o, conflict_o} = 12'd0;
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to type in."""
    (tmp_path / "typed").mkdir()
    monkeypatch.chdir(tmp_path / "typed")
    return tmp_path / "typed"


def adc(*changes: tuple[str, str], body: str = "") -> str:
    """A module with the ports of ``adc``."""
    text = skeleton(load_block("adc")).replace(_YOURS, body)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", [one for one in block_names() if load_block(one).dut])
def test_a_blocks_own_files_are_a_design(name: str, here: Path) -> None:
    block = load_block(name)
    folders = [str(ROOT / one) for one in block.own_folders if one != "rtl/isa"]
    found = own_rtl([name], folders, "")
    assert found is not None and found.left_out == ()
    assert found == own_rtl([name], folders, "")
    listed = block.rtl_sources(found.tree)
    assert {path.name for path in block.rtl_sources()} == {path.name for path in listed}
    assert not list(here.iterdir())


@pytest.mark.parametrize("name, left_out", _BAD["state"].items())
def test_ports_are_enough(name: str, left_out: str, here: Path) -> None:
    (here / "mine.sv").write_text(skeleton(load_block(name)))
    found = own_rtl([name], ["mine.sv"], "")
    assert found is not None and " ".join(found.left_out) == left_out


def test_a_list_has_what_simulators_take(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("inc/wide.svh", "lib/cell.v", "a.sv", "b/c.sv", "d e.sv", "parts.svx"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).touch()
    monkeypatch.setenv("PLACE", "inc")
    (here / "b" / "more.f").write_text('c.sv // in the folder of the list\n"d e.sv"\n')
    (here / "all.f").write_text(
        "# comment\n+incdir+$PLACE+lib +define+A=1+B\n-F b/more.f\n-y lib +libext+.svx\n-v a.sv\n"
    )
    found = file_list.read(["all.f"])
    assert list(found.files) == [here / "b/c.sv", here / "d e.sv", here / "a.sv"]
    assert list(found.folders) == [here / "inc", here / "lib"]
    assert list(found.libraries) == [here / "lib"]
    assert ".svx" in found.extensions and list(found.defines) == ["A=1", "B"]


def test_packages_of_a_folder_come_in_their_order(here: Path) -> None:
    (here / "a.sv").write_text("package a;\n  localparam int A = z_pkg::Z;\nendpackage\n")
    (here / "m.sv").write_text("module m;\nendmodule\n")
    (here / "z.sv").write_text("package z_pkg;\n  localparam int Z = 1;\nendpackage\n")
    assert [path.name for path in file_list.read(["."]).files] == ["z.sv", "a.sv", "m.sv"]


def test_a_list_builds_from_a_copy(here: Path) -> None:
    (here / "adc").mkdir()
    text = '`include "top.svh"\n' + adc(("module adc\n", "module `TOP\n"), ("adc_pkg", "`PARTS"))
    (here / "adc" / "mine.sv").write_text(text)
    (here / "adc" / "top.svh").write_text("`define TOP my_top\n")
    (here / "my.f").write_text("+define+PARTS=adc_pkg +incdir+adc\nadc/mine.sv\n")
    found = own_rtl(["adc"], ["my.f"], "my_top")
    assert found is not None and found.name.startswith("my.f (")
    lines = (found.tree / "design.f").read_text().splitlines()
    assert lines[:2] == [f"+incdir+{OWN}", "+define+PARTS=adc_pkg"]
    assert lines[-2:] == [f"{OWN}/mine.sv", "rtl/own_top.sv"]
    assert "my_top #(.ZwW(ZwW)) u_own (" in (found.tree / "rtl" / "own_top.sv").read_text()
    (here / "adc" / "top.svh").write_text("`define TOP my_top  // again\n")
    other = own_rtl(["adc"], ["my.f"], "my_top")
    assert other is not None and other.tree != found.tree


@pytest.mark.parametrize("lines, told", _BAD["lists"].items())
def test_bad_lists(lines: str, told: str, here: Path) -> None:
    (here / "my.f").write_text(lines)
    (here / "sub").mkdir()
    with pytest.raises(UsageError) as error:
        own_rtl(["adc"], ["my.f"], "")
    assert told in str(error.value)


@pytest.mark.parametrize("typed, told", _BAD["typed"].items())
def test_bad_input(typed: str, told: str, here: Path) -> None:
    (here / "adc.sv").write_text(adc())
    (here / "empty").mkdir()
    (here / "bytes.f").write_bytes(b"\xff")
    there = sorted(here.iterdir())
    refused(invoke(*typed.split()), told)
    assert sorted(here.iterdir()) == there


def test_wrong_ports_are_a_table(here: Path) -> None:
    (here / "adc.sv").write_text(
        adc(
            ("flop_value_i", "flop_valu_i"),
            ("[8:0]     conflict_o", "[7:0] conflict_o"),
            ("live_o [18]", "live_o [17:0]"),
            ("input  wire logic           pack_valid_i", "output wire logic pack_valid_i"),
            ("parameter int ZwW", "localparam int ZwW"),
        )
    )
    with pytest.raises(
        UsageError, match=r"adc.sv has not the ports of block adc .* 6 are"
    ) as error:
        own_rtl(["adc"], ["adc.sv"], "")
    rows = [line.split(maxsplit=2) for line in error.value.shown.splitlines()[1:]]
    assert [row[:2] for row in rows] == [
        ["ZwW", "missing"],
        ["pack_valid_i", "direction"],
        ["flop_value_i", "missing"],
        ["live_o", "width"],
        ["conflict_o", "width"],
        ["flop_valu_i", "too"],
    ]
    assert "18 x 61 bits [17:0]" in error.value.shown
    done = python("-m", "tilepath", "run", "--block", "adc", "--rtl", here / "adc.sv", cwd=here)
    assert done.returncode == 2 and done.stderr.count("\n") == 8 and not done.stdout


def test_a_compilers_line_has_the_source_line(here: Path) -> None:
    (here / "adc.sv").write_text(adc(body="  assign conflict_o = nosuch;\n"))
    with pytest.raises(UsageError) as error:
        own_rtl(["adc"], ["adc.sv"], "")
    line = (here / "adc.sv").read_text().splitlines().index("  assign conflict_o = nosuch;") + 1
    assert str(error.value) == f"adc.sv:{line}: use of undeclared identifier 'nosuch'"
    assert error.value.shown == f"{line:5} |   assign conflict_o = nosuch;"


@needs_icarus
@pytest.mark.parametrize(
    "body, told, shown",
    [
        (_DEAD, "no output changes in 2,000 cycles of random_default: does it come out", ""),
        ("", "X or Z in stream", ""),
        (
            "  struct {logic a;} b;\n  assign b.a = 1'b0;\n",
            ": icarus: sorry: ",
            "struct {logic a;} b;",
        ),
    ],
)
def test_bad_designs_in_a_simulator(body: str, told: str, shown: str, here: Path) -> None:
    (here / "adc.sv").write_text(adc(body=body))
    with pytest.raises(UsageError) as error:
        design(["adc"], ["adc.sv"], "", ["icarus"], ["baseline"])
    assert told in str(error.value) and shown in error.value.shown
    assert [path.name for path in here.iterdir()] == ["adc.sv"]


def test_without_pyslang(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "adc.sv").write_text(adc())
    monkeypatch.setitem(sys.modules, "pyslang.driver", None)
    with pytest.raises(UsageError, match="--rtl needs pyslang: pip install"):
        own_rtl(["adc"], ["adc.sv"], "")


# -- the contract


def test_the_contract_of_ports(here: Path) -> None:
    shown = passed(python("-m", "tilepath", "ports", "--block", "adc", cwd=here))
    assert "18 x 61 bits [0:17]" in shown and "int, 8 in baseline" in shown
    assert skeleton(load_block("adc")) in shown
    assert shown.endswith(f"cycle contract: {ROOT / 'docs' / 'adc.md'}\n")


def test_the_skeleton_is_a_design(here: Path) -> None:
    shown = passed(python("-m", "tilepath", "ports", "--block", "adc", "--out", "my.sv", cwd=here))
    assert shown == "wrote my.sv; now: tilepath run --block adc --rtl my.sv\n"
    assert own_rtl(["adc"], ["my.sv"], "") is not None
