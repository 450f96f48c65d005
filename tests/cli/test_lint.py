# SPDX-License-Identifier: Apache-2.0
"""What ``make lint`` adds to the tools that it calls: rules of the house, and the budget."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.cli.budget import COMMAND, NAME, budget_problems, lower, sizes
from tilepath.cli.houserules import (
    WIDEST,
    citation_problems,
    citations,
    decisions,
    import_problems,
    long_lines,
    missing_spdx,
    row_problems,
    z_problems,
)
from tilepath.cli.lint import plan_problems
from tilepath.engine.coverage.plan import Bins, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.registry import load_block
from tilepath.tb.adc.coverage.labels import plan
from tilepath.tests.cli.files import CASES, source, write
from tilepath.tests.commands import ROOT, python, refused


def _cited(root: Path, name: str, text: str) -> list[str]:
    return [number for _, number in citations(write(root, name, text), root)]


@pytest.mark.parametrize(("name", "text", "expected"), CASES["citations"])
def test_what_is_a_citation(tmp_path: Path, name: str, text: str, expected: str) -> None:
    assert sorted(_cited(tmp_path, name, text)) == sorted(expected.split())


def test_a_citation_without_an_entry_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, "docs/decisions/unpack.md", "# U\n\n### U1 — One\nText.\n\n### U3 — Three\n")
    write(tmp_path, "docs/decisions/adc.md", "### A1 — One\n### A2\n### A1 — Again\n")
    write(tmp_path, "docs/decisions/standin.md", "### M1 — One\n\n### M3 — As M3\n")
    write(tmp_path, "models/x.py", '"""Said (U1).\n\nAnd (U1 to U3), M1 and M2.\n"""\n')
    write(tmp_path, "rtl/x.sv", "// A1\n// not A2\n")
    assert dict(decisions(tmp_path)) == {"U1": 1, "U3": 1, "A1": 2, "M1": 1, "M3": 1}
    assert sorted(citation_problems(tmp_path)) == [
        "docs/decisions/adc.md:2: A2 is not in docs/decisions",
        "docs/decisions: A1 has 2 entries",
        "docs/decisions: M3 is cited nowhere",
        "models/x.py:3: M2 is not in docs/decisions",
        "models/x.py:3: U2 is not in docs/decisions",
        "rtl/x.sv:2: A2 is not in docs/decisions",
    ]


def test_long_lines_of_documents(tmp_path: Path) -> None:
    long = "x " * WIDEST
    write(tmp_path, "docs/a/b.md", f"short\n\n{long}\n\n| {long} |\n\n```\n{long}\n```\n")
    write(tmp_path, "README.md", f"{'y' * WIDEST}\n{'z' * (WIDEST + 1)}\n")
    write(tmp_path, "notes.md", f"{long}\n")
    assert [line.partition(": ")[0] for line in long_lines(tmp_path)] == [
        "README.md:2",
        "docs/a/b.md:3",
    ]


def test_this_repository() -> None:
    """Each family is there without a gap; a decision that a comment cites is an entry."""
    known = decisions(ROOT)
    families = Counter(number[0] for number in known)
    assert set(families) == set("ACFMPTU")
    assert set(known) == {f"{name}{k + 1}" for name, n in families.items() for k in range(n)}


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


@pytest.mark.parametrize(("name", "line", "allowed"), CASES["imports"])
def test_imports_point_one_way(tmp_path: Path, name: str, line: str, allowed: bool) -> None:
    path = write(tmp_path, name, line + "\n")
    assert (list(import_problems([path], tmp_path)) == []) is allowed


def test_a_field_that_no_row_has_is_named(tmp_path: Path) -> None:
    text = "def f():\n row = new_row(account.sum_, 1)\n row.a, row.b = 2, 3\n other.c = 4"
    path = write(tmp_path, "models/x/account_rows.py", text)
    found = list(row_problems(path, {"sum": ("cycle", "a")}, tmp_path))
    assert found == ["models/x/account_rows.py:3: rows of sum have no field b"]


def test_a_column_that_is_not_there_is_named() -> None:
    def coverage(profile: str) -> PlannedCoverage:
        own = plan("word", {"op": Bins("word.comand", ("a",))}, Point("a.op", ""))
        return PlannedCoverage("adc", profile, [own])

    found = list(plan_problems(replace(load_block("adc"), coverage=coverage, profiles=("one",))))
    says = "coverpoint a.op: 'word.comand': the account has no column word.comand"
    assert re.fullmatch(rf"tests/cli/test_lint.py:\d+: ValueError: {says}", *found)


def test_a_missing_licence_line_is_named(tmp_path: Path) -> None:
    line = "SPDX-License-Identifier: Apache-2.0"
    write(tmp_path, "a.py", f"# {line}\n")
    write(tmp_path, "b.sv", "module b; endmodule\n")
    write(tmp_path, "run", f"#!/bin/sh\n# {line}\n")
    write(tmp_path, "late.py", "\n" * 9 + f"# {line}\n")
    write(tmp_path, "README.md", "no licence line here\n")
    assert [problem.partition(":")[0] for problem in missing_spdx(tmp_path)] == ["b.sv", "late.py"]


def test_a_z_in_a_number_is_named(tmp_path: Path) -> None:
    text = source("high_z.sv")
    write(tmp_path, "tb/a/hdl/a.svh", text)
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("// named")]
    found = [problem.partition(": ")[0] for problem in z_problems(tmp_path)]
    assert found == [f"tb/a/hdl/a.svh:{number}" for number in numbers]
