# SPDX-License-Identifier: Apache-2.0
"""Coverage of the RTL's code: Verilator's files, the table, and the reviewed list."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tilepath.engine.commands import rtl_coverage
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.report import make_console
from tilepath.engine.commands.rtl_coverage import judge, read_list, show_rtl_coverage
from tilepath.engine.coverage import rtl
from tilepath.engine.coverage.rtl import CodePoint
from tilepath.engine.description.registry import block_names, load_block
from tilepath.tests.cli.files import CASES, source, write
from tilepath.tests.commands import call
from tilepath.tests.docs.examples import sources

FILE = "rtl/adc/adc_two.sv"
SOURCE = """\
module adc_two;
  assign b = a ? c : d;
  if (a)
    x = 1;
  else
    x = 2;
  wire [2:0] word;
"""
HEAD = "# SystemC::Coverage-3\n"


Shown = Callable[..., tuple[bool, list[str]]]


def _row(kind: str, line: int, what: str, count: int, lines: str = "", by: str = "") -> str:
    column = 3 + what.endswith("else")  # as Verilator has it
    fields = [f"f\2{FILE}", f"l\2{line}", f"n\2{column}", f"t\2{kind}"]
    fields += [f"page\2v_{kind}/adc_two{by}", f"o\2{what}", *([f"S\2{lines}"] if lines else [])]
    return "C '" + "".join(f"\1{field}" for field in fields) + f"\1h\2top.u_{by}' {count}\n"


def _rows(hit: int) -> list[str]:
    return [
        _row("branch", 2, "cond_then", hit, "2"),
        _row("branch", 2, "cond_else", 0, "2"),
        _row("branch", 3, "if", 3, "3-4"),
        _row("branch", 3, "else", 0, "5-6"),
        _row("branch", 3, "else", 0, "5-6", "__W3"),
        *(_row("toggle", 7, f"word[{bit}]:0->1", 0) for bit in range(3)),
        *(_row("toggle", 7, f"word[{bit}]:1->0", int(bit == 1)) for bit in range(3)),
        _row("toggle", 7, "word[1]:0->1", 5, by="__W3"),
    ]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two runs, and a checkout with one source."""
    monkeypatch.setattr(rtl_coverage, "ROOT", tmp_path)
    write(tmp_path, FILE, SOURCE)
    for number in range(2):
        rows = [HEAD, *_rows(number), _row("toggle", 7, "rst_ni:1->0", 1)]
        write(tmp_path, f"run{number}/coverage.dat", "".join(rows))
        # registers began with anything: no toggles of ours
        early = [_row("toggle", 7, f"{name}:1->0", 1) for name in ("word[1]", "rst_ni")]
        rows = [HEAD, *early, _row("branch", 2, "cond_then", 1, "2")]
        write(tmp_path, f"run{number}/coverage.reset.dat", "".join(rows))
    return [tmp_path / "run0", tmp_path / "run1"]


@pytest.fixture
def shown(tmp_path: Path, folders: list[Path]) -> Shown:
    """Whether the list is true, and what is shown of the runs."""

    def show(listed: str = "", profile: str = "baseline") -> tuple[bool, list[str]]:
        if listed:
            write(tmp_path, "rtl/adc/uncovered.toml", listed)
        text = io.StringIO()
        good = show_rtl_coverage(make_console(text), tmp_path / "out", profile, "adc", folders)
        return good, text.getvalue().splitlines()

    return show


def test_table_and_files(tmp_path: Path, shown: Shown) -> None:
    good, lines = shown()
    assert good and [line.split() for line in lines[2:4]] == [
        [name, "3", "of", "5", "2", "of", "4", "2", "of", "7"] for name in ("adc_two", "together")
    ]
    assert lines[4:7] == [
        f"not reached: {FILE}:2 cond_else:4",
        f"not reached: {FILE}:3 else",
        f"not reached: {FILE}:7 word[0,2], word[1]:1->0",
    ]
    out = tmp_path / "out" / "adc" / "rtl"
    assert not list(tmp_path.glob("run*/*"))
    counts = rtl.read_counts(out / "coverage.dat")
    assert len(counts) == 11 and {p.what: n for p, n in counts.items() if n} == {
        "cond_then": 1,
        "if": 6,
        "word[1]:0->1": 10,
        "rst_ni:1->0": 2,
    }
    assert (out / "coverage.info").read_text().splitlines() == [
        "TN:tilepath",
        f"SF:{tmp_path / FILE}",
        *("BRDA:2,3,3,1", "BRDA:2,3,4,0", "BRDA:3,3,3,6", "BRDA:3,3,4,0", "BRF:4", "BRH:2"),
        *("DA:2,1", "DA:3,6", "DA:4,6", "DA:5,0", "DA:6,0", "LF:5", "LH:3"),
        "end_of_record",
    ]
    assert (out / "adc_two.sv").read_text().splitlines()[1:7] == [
        "!         1    assign b = a ? c : d;",
        "!            // branch cond_else:4",
        "!         6    if (a)",
        "!            // branch else",
        "          6      x = 1;",
        "!         0    else",
    ]


def _export(*columns: int) -> str:
    """That of a profile that has these ``?:`` of a line."""
    counts = {}
    for then in columns:
        for column, what in ((then, "cond_then"), (then + 1, "cond_else")):
            counts[CodePoint(FILE, 2, column, "branch", "adc_two", what, "2")] = 1
    return rtl.lcov(counts, Path("/"))


OF_PROFILES = [_export(10, 20), _export(20, 30), _export(30)]


def test_a_branch_is_called_alike_whatever_else_there_is() -> None:
    names = set(re.findall("BRDA:(.*),1", "".join(OF_PROFILES)))
    assert names == {f"2,{column},{column + arm}" for column in (10, 20, 30) for arm in (0, 1)}


@pytest.mark.skipif(not shutil.which("lcov"), reason="lcov is not installed")
def test_lcov_adds_branches_of_other_profiles(tmp_path: Path) -> None:
    files: list[str] = []
    for number, text in enumerate(OF_PROFILES):
        files += ("-a", str(write(tmp_path, f"{number}", text)))
    done = call("lcov", "--rc", "lcov_branch_coverage=1", *files)
    assert done.stdout.count("BRDA:2,") == 6


LIST = source("uncovered.toml")


def test_what_is_listed_is_counted_apart(shown: Shown) -> None:
    good, lines = shown(LIST)
    row = ["3", "of", "3", "2", "of", "3", "1", "of", "1", "1", "of", "2", "5"]
    assert good and lines[2].split() == ["adc_two", *row]
    assert lines[4].endswith(f"{FILE}:2 cond_else:4") and "not reached" not in lines[5]


EARLY = LIST.replace('"if (a)"', '"assign b = a ? c : d;"').replace('"else"', '"cond_then:3"')


@pytest.mark.parametrize(
    ("listed", "profile", "line", "ends"),
    [
        (LIST.replace("word[0] w*d[2]", "word[0,2]"), "baseline", 2, " 5"),
        (EARLY, "baseline", 4, f"{FILE}:2 cond_else:4"),  # reached up to the reset
        (LIST, "blackhole", 5, f"{FILE}:7 word[0,2]"),
    ],
)
def test_a_list_that_is_true(shown: Shown, listed: str, profile: str, line: int, ends: str) -> None:
    good, lines = shown(listed, profile)
    assert good and lines[line].endswith(ends)


@pytest.mark.parametrize(("old", "new", "says"), CASES["lists_not_true"])
def test_a_list_that_is_not_true_fails(shown: Shown, old: str, new: str, says: str) -> None:
    good, lines = shown(LIST.replace(old, new))
    assert not good and f"error: rtl/adc/uncovered.toml: {FILE} {says}" in lines


@pytest.mark.parametrize("text", [LIST, LIST.replace('what = "else"', 'what = "if"'), "no list"])
def test_a_block_that_joins_others_has_no_list(
    tmp_path: Path, folders: list[Path], text: str
) -> None:
    """What the lists of its parts have is reached there, or not, by tests of theirs."""
    write(tmp_path, "rtl/control/uncovered.toml", text)
    console = make_console(io.StringIO())
    assert show_rtl_coverage(console, tmp_path / "out", "baseline", "frontend_control", folders)


@pytest.mark.parametrize(("old", "new", "says"), CASES["lists_that_are_none"])
def test_a_list_that_is_none(tmp_path: Path, old: str, new: str, says: str) -> None:
    (tmp_path / "uncovered.toml").write_text(LIST.replace(old, new))
    with pytest.raises(UsageError) as caught:
        read_list(tmp_path)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_the_list_of_the_page(tmp_path: Path) -> None:
    (text,) = sources("docs/add-a-block.md", "[[code]]")
    write(tmp_path, "uncovered.toml", text)
    assert [entry.kind for entry in read_list(tmp_path)] == ["code", *["toggle"] * 2, "data"]


@pytest.mark.parametrize("text", ["", "C 'x' 1\n", "# SystemC::Coverage-3\nC 'x'\n"])
def test_a_damaged_file_is_named(
    tmp_path: Path, folders: list[Path], shown: Shown, text: str
) -> None:
    (folders[1] / "coverage.dat").write_text(text)
    with pytest.raises(UsageError, match=r"run1/coverage.dat is no coverage of Verilator's"):
        shown()
    (folders[1] / "coverage.dat").unlink()
    with pytest.raises(UsageError, match=r"run1/coverage.dat is no coverage"):
        shown()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("block", block_names())
def test_lists_can_be_read(block: str) -> None:
    for name in dict.fromkeys(load_block(block).rtl):
        for entry in read_list(rtl_coverage.ROOT / "rtl" / name):
            lines = (rtl_coverage.ROOT / entry.file).read_text().splitlines()
            assert entry.kind != "code" or entry.text in map(str.strip, lines), entry.told()
    assert judge({}, []).missed() == []
