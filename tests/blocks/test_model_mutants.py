# SPDX-License-Identifier: Apache-2.0
"""Mutants of the models: what cannot be run without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tests.commands import python


@pytest.mark.parametrize(
    ("block", "runs", "test", "says", "status"),
    [
        ("nosuch", "runs", "assert True", "there are no functions in models/nosuch", 2),
        ("adc", "none", "assert True", "there are no runs in none", 2),
        ("adc", "runs", "assert False", "without a mutant: test_one.py::test", 1),
        ("adc", "runs", "1 +", "without a mutant: pytest, with status 2", 1),
    ],
)
def test_what_fails_without_a_mutant(
    block: str, runs: str, test: str, says: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "outcome.json").touch()
    (tmp_path / "test_one.py").write_text(f"def test():\n    {test}\n")
    module = ("-m", "tilepath.tests.model_mutants")
    done = python(*module, block, "1", "results", runs, "test_one.py", cwd=tmp_path)
    assert done.returncode == status and done.stderr.splitlines() == [says]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "the following arguments are required: block, count, results, runs"),
        (("adc", "ten", "results", "runs"), "argument count: invalid int value: 'ten'"),
    ],
)
def test_what_is_asked_for_wrongly(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = python("-m", "tilepath.tests.model_mutants", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"model_mutants: error: {says}"
