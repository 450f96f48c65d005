# SPDX-License-Identifier: Apache-2.0
"""Deliberate bugs in their files: what is wrong with them is said with file and line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilepath.engine.commands import planted
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.planted import bug_problems, find_bug, read_bugs
from tilepath.engine.description.block import ROOT
from tilepath.tests.cli.files import CASES

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
    assert list(bug_problems()) == []
    assert {path.parent.name for path in planted.bug_files()} >= {"adc", "pack", "unpack"}
    assert find_bug("addrcr_from_live").diff().startswith("--- a/rtl/adc/adc_decode.sv\n")
    assert ROOT == planted.ROOT
