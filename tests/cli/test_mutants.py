# SPDX-License-Identifier: Apache-2.0
"""Mutants of the RTL, and the bugs that are planted in it: what they change, what is wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tilepath.engine.commands import planted
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.mutant_copy import Mutant, chosen, write_copy
from tilepath.engine.commands.mutants import KINDS, draw, places
from tilepath.engine.commands.planted import bug_problems, find_bug, read_bugs
from tilepath.engine.commands.swaps import Swap, swaps
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.tests.cli.files import CASES, source

SOURCE = source("mutants.sv")
WIRES = source("wires.sv")

FILE = "rtl/adc/adc_unpack.sv"


def test_places_and_no_others() -> None:
    found = list(places("rtl/dut/dut.sv", SOURCE))
    assert sorted((one.kind, one.old, one.new) for one in found) == sorted(
        map(tuple, CASES["mutants"])
    )
    assert {one.kind for one in found} == {*KINDS} - {"swap"}
    for one in found:
        line = SOURCE.splitlines()[one.line - 1]
        assert one.source == line.strip() and one.old in line  # although "·" has two bytes


def test_a_copy_with_mutants_in_each_other() -> None:
    found = [one for one in places("rtl/dut/dut.sv", SOURCE) if one.line == 8]
    assert len(found) == 3
    line = chosen(SOURCE, enumerate(found, 1)).splitlines()[7]
    number = {one.old: str(n) for n, one in enumerate(found, 1)}
    whole, part, inner = number["a_i[4:1] & {2{go_i, !go_i}}"], number["a_i[4:1]"], number["!go_i"]
    bug = "planted_pkg::bug == "
    assert line.strip() == (
        f"wire logic [3:0] low = ({bug}{whole} ? (a_i[4:1] | ({{2{{go_i, !go_i}}}})) : "
        f"(({bug}{part} ? (a_i[4 - 1:1 - 1]) : (a_i[4:1])) & "
        f"{{2{{go_i, ({bug}{inner} ? (|(go_i)) : (!go_i))}}}}));"
    )
    assert chosen(SOURCE, []) == SOURCE


def test_drawn_ones_elaborate_and_are_the_same_again() -> None:
    block = load_block("flag_pipe")
    drawn = draw(block, 40, 7)
    assert drawn == draw(block, 40, 7) and drawn != draw(block, 40, 8)
    assert len(drawn) == len({(one.file, one.start, one.new) for one in drawn}) == 40
    assert {one.kind for one in drawn} == {*KINDS} - {"swap"}


def test_of_a_block_of_the_bench_its_own_hdl_is_drawn(tmp_path: Path) -> None:
    block = load_block("standin")
    drawn = draw(block, 30, 7)
    files = {Path(one.file) for one in drawn}
    assert {file.parent.as_posix() for file in files} == {"tb/standin/hdl"}
    assert not any("harness" in file.stem for file in files)
    write_copy(block, drawn, tmp_path / "copy")
    assert "planted_pkg::bug == 1 ?" in (tmp_path / "copy" / drawn[0].file).read_text()
    assert (tmp_path / "copy/rtl/dst").is_dir() and (tmp_path / "copy/engine/hdl").is_dir()


def test_what_slang_refuses_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    good = next(places(FILE, (ROOT / FILE).read_text()))
    wrong = Mutant(good.kind, good.file, good.start, good.old, "nosuch", good.line, good.source)
    monkeypatch.setattr(
        "tilepath.engine.commands.mutants.places",
        lambda file, _text, _root: [wrong, good] if file == good.file else [],
    )
    assert draw(load_block("adc"), 1, 1) == [good]
    monkeypatch.setattr(
        "tilepath.engine.commands.mutants.places", lambda _file, _text, _root: [wrong]
    )
    monkeypatch.setattr("tilepath.engine.commands.mutants.swaps", lambda *_: [])
    with pytest.raises(UsageError, match="nothing to mutate in block adc"):
        draw(load_block("adc"), 5, 1)


def test_without_pyslang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyslang.syntax", None)
    with pytest.raises(UsageError, match=r"pip install 'tilepath\[mutate\]'"):
        draw(load_block("adc"), 5, 1)


def _swaps() -> list[Swap]:
    from pyslang.syntax import SyntaxTree

    return list(swaps([SyntaxTree.fromText(WIRES, "dut.sv")], {"dut.sv": WIRES}))


def _texts(found: Sequence[Swap]) -> list[tuple[str, str]]:
    return [(WIRES[one.start : one.end], one.new) for one in found]


def test_signals_of_one_width_in_each_others_place() -> None:
    """But clocks, what is unused, outputs instead of inputs, and what is declared behind."""
    found = _swaps()
    one_bit = {"go_i", "b_i", "stop"}
    assert sorted(_texts(found)) == sorted(
        [
            *(("w_i[0]", new) for new in ("go_i", "b_i")),
            *(("go_i && stop", new) for new in one_bit),
            *(("b_i", new) for new in one_bit - {"b_i"}),
            *[("x_i", "y_i"), ("d_o", "e_o")],
            *(("w_i[i]", new) for new in one_bit),
            # in the part
            *(("a_i", "b_i"), ("c_i[0][0]", "a_i"), ("c_i[0][0]", "b_i")),
            *[("a_i", "c_i[0][0]"), ("b_i", "c_i[0][0]"), ("b_i", "a_i")],
        ]
    )
    nets = [one for one in found if one.around]
    assert _texts(nets) == [("x_i", "y_i"), ("d_o", "e_o")]
    assert [WIRES[other:][:4] for one in nets if (other := one.other)] == ["e_o)"]


def test_a_copy_with_swaps() -> None:
    """Arrays and outputs have nets; what is connected by its own name gets one."""
    wanted = [("b_i", "go_i"), ("b_i", "stop"), ("x_i", "y_i"), ("d_o", "e_o")]
    found = [
        Mutant("swap", "dut.sv", start, WIRES[start:end], new, 12, "", around, other)
        for _, start, end, new, around, other in _swaps()
        if (WIRES[start:end], new) in wanted and start > WIRES.index("u_part")
    ]
    assert [(one.old, one.new) for one in found] == wanted
    line = chosen(WIRES, enumerate(found, 1)).splitlines()[11].strip()
    *_, x, d = (one.start for one in found)
    e = found[-1].other
    bug = "planted_pkg::bug == "
    assert line == (
        f"wire type(x_i) planted_{x}; wire type(d_o) planted_{d}; wire type(e_o) planted_{e}; "
        f"part u_part (.clk_i, .a_i(go_i && stop), "
        f".b_i(({bug}1 ? (go_i) : (({bug}2 ? (stop) : (b_i))))), "
        f".c_i(/* x_i */ planted_{x}), .d_o(planted_{d}), .e_o(/* e_o */ planted_{e})); "
        f"assign planted_{x} = {bug}3 ? y_i : x_i; "
        f"assign d_o = {bug}4 ? planted_{e} : planted_{d}; "
        f"assign e_o = {bug}4 ? planted_{d} : planted_{e};"
    )


def test_swaps_are_drawn_for_the_asking_and_when_nothing_else_is_left() -> None:
    """Of one module: each of its places once, before any of them twice."""
    block = load_block("adc")
    drawn = draw(block, 200, 3, ("swap",), "adc")
    assert drawn == draw(block, 200, 3, ("swap",), "adc") != draw(block, 200, 4, ("swap",), "adc")
    assert {(one.kind, one.file) for one in drawn} == {("swap", "rtl/adc/adc.sv")}
    starts = [one.start for one in drawn]
    places_ = len({*starts})
    assert 20 < places_ < len(starts) and places_ == len({*starts[:places_]})
    assert {one.kind for one in draw(block, 40, 3, ("reset", "index"))} == {"reset", "index"}
    all_ = draw(block, 20, 1, module="adc")
    kinds = [one.kind == "swap" for one in all_]
    assert kinds.index(True) > 0 and all(kinds[kinds.index(True) :])


def test_a_plain_number_stays_signed() -> None:
    """Else all that it is in is compared as unsigned, also while its mutant is off."""
    text = "module m(input logic signed [3:0] a, output logic y);\n  assign y = a < 5;\nendmodule\n"
    found = [one.new for one in places("rtl/m/m.sv", text) if one.kind == "constant"]
    assert found == ["5 ^ 1"]


# -- deliberate bugs in their files: what is wrong with them is said with file and line


RTL = "a = 1;\nb = 2;\nb = 2;\nc = 3;\n"

GOOD = """\
[good]
what = "c is 4"
breaks = "C1"
caught_by = "random"
file = "rtl/x/x.sv"
old = "c = 3;"
new = "c = 4;"
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that has one file of RTL, and a folder for a block's file of bugs."""
    (tmp_path / "rtl/x").mkdir(parents=True)
    (tmp_path / "tests/x").mkdir(parents=True)
    (tmp_path / "rtl/x/x.sv").write_text(RTL)
    monkeypatch.setattr(planted, "ROOT", tmp_path)
    return tmp_path


def write(checkout: Path, text: str) -> Path:
    file = checkout / "tests/x/bugs.toml"
    file.write_text(text)
    return file


PLACES = '''
[[good.also]]
old = """
b = 2;
b = 2;"""
new = """
b = 2;
b = 0;
d = 1;"""

[[good.also]]
old = "a = 1;"
new = ""
'''


def test_what_a_bug_changes(checkout: Path) -> None:
    bug = read_bugs(write(checkout, GOOD + PLACES))["good"]
    changed = bug.planted()
    assert changed == {"rtl/x/x.sv": "b = 2;\nb = 0;\nd = 1;\nc = 4;\n"}
    subprocess.run(["patch", "-p1", "-s"], cwd=checkout, input=bug.diff(), text=True, check=True)
    assert (checkout / "rtl/x/x.sv").read_text() == changed["rtl/x/x.sv"]


@pytest.mark.parametrize(("old", "new", "says"), CASES["bugs"])
def test_what_is_wrong_has_file_and_line(checkout: Path, old: str, new: str, says: str) -> None:
    write(checkout, "\n" + GOOD.replace(old, new))
    (problem,) = bug_problems()
    assert problem.startswith("tests/x/bugs.toml:") and says in problem
    assert "\n" not in problem


def test_a_bug_is_found_by_its_name(checkout: Path) -> None:
    file = write(checkout, GOOD)
    (checkout / "tests/y").mkdir()
    (checkout / "tests/y/bugs.toml").write_text(GOOD)
    assert find_bug("y/good").where == "tests/y/bugs.toml:1"
    with pytest.raises(UsageError, match=r"tests/x/bugs.toml:1, tests/y/bugs.toml:1: say of which"):
        find_bug("good")
    with pytest.raises(
        UsageError, match=r"'x/god'; did you mean x/good\? there are: x/good, y/good$"
    ):
        find_bug("x/god")
    file.unlink()
    (checkout / "tests/y/bugs.toml").unlink()
    with pytest.raises(UsageError, match="checkout"):
        find_bug("good")


def test_a_stale_bug_is_not_planted(checkout: Path) -> None:
    bug = read_bugs(write(checkout, GOOD))["good"]
    (checkout / "rtl/x/x.sv").write_text("")
    with pytest.raises(UsageError, match="is not in"):
        bug.diff()


def test_the_projects_own() -> None:
    assert {path.parent.name for path in planted.bug_files()} >= {"adc", "pack", "unpack"}
    assert find_bug("addrcr_from_live").diff().startswith("--- a/rtl/adc/adc_decode.sv\n")
    assert ROOT == planted.ROOT
