# SPDX-License-Identifier: Apache-2.0
"""The budget of lines and files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilepath.cli.budget import COMMAND, NAME, budget_problems, lower, sizes
from tilepath.tests.cli.files import write
from tilepath.tests.commands import ROOT, python, refused


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, "rtl/doubler/doubler.sv", "module doubler;\nendmodule\n")
    write(tmp_path, "rtl/isa/words.sv", "package words;\nendpackage\n")
    write(tmp_path, "models/doubler/model.py", "x = 1\n" * 4)
    write(tmp_path, "models/all.py", "x = 1\n" * 96)
    write(tmp_path, "tests/doubler/bugs.toml", "x = 1\n")
    lower(tmp_path)
    return tmp_path


def test_a_block_is_held_against_its_own_rtl_and_a_folder_against_all(tree: Path) -> None:
    found = sizes(tree)
    assert found["doubler"] == {"python": 2.0, "files": 2}
    assert found["models"] == {"python": 25.0, "files": 2}
    assert "isa" in found and found["isa"] == {"python": 0, "files": 0}
    assert not list(budget_problems(tree))


def test_what_is_too_large_and_what_has_become_smaller(tree: Path) -> None:
    write(tree, "models/all.py", "x = 1\n" * 97)
    write(tree, "models/more.py", "")
    assert list(budget_problems(tree)) == [
        f"{NAME}: models has 25.25 lines of Python for each line of RTL, its budget is 25.0",
        f"{NAME}: models has 3 files, its budget is 2",
    ]
    write(tree, "models/all.py", "x = 1\n" * 90)
    (tree / "models/more.py").unlink()
    (problem,) = budget_problems(tree)
    assert "has 23.5 lines" in problem and problem.endswith(
        "lower 25.0: python -m tilepath.cli.budget"
    )
    lower(tree)
    assert not list(budget_problems(tree))


def test_a_budget_that_was_raised(tree: Path) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run([*git, *command], cwd=tree, check=True)
    text = (tree / NAME).read_text()
    write(tree, NAME, text.replace("files = 2", "files = 3", 1))
    raised = f"{NAME}: models: files was 2 and only goes down"
    assert raised in list(budget_problems(tree))
    subprocess.run([*git, "commit", "-qam", "x"], cwd=tree, check=True)
    assert raised in list(budget_problems(tree))


def test_a_budget_that_is_damaged_or_of_other_folders(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (tree / NAME).read_text()
    write(tree, NAME, text.replace("[doubler]", "[tripler]"))
    assert list(budget_problems(tree)) == [
        f"{NAME}: doubler has no budget: {COMMAND}",
        f"{NAME}: tripler is no folder or block",
    ]
    write(tree, NAME, text.replace("python = 2.0", "python = true"))
    assert list(budget_problems(tree)) == [f"{NAME}: doubler has no budget: {COMMAND}"]
    assert lower(tree) == 0 and (tree / NAME).read_text() == text
    write(tree, NAME, "[")
    (problem,) = budget_problems(tree)
    assert problem.startswith(f"{NAME}: ") and "at end of document" in problem
    assert lower(tree) == 2 and capsys.readouterr().err == f"{problem}\n"
    assert (tree / NAME).read_text() == "["


def test_it_takes_no_arguments() -> None:
    before = (ROOT / NAME).read_bytes()
    refused(python("-m", "tilepath.cli.budget", "--help"), "takes no arguments")
    assert (ROOT / NAME).read_bytes() == before
