# SPDX-License-Identifier: Apache-2.0
"""A user's ``PLAN``: its points count like the project's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.coverage.report import merge_files
from tilepath.engine.description.registry import coverage_of, load_block, with_files
from tilepath.engine.host.run import RunRequest, run
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.docs.examples import sources

(_TEXT,) = (one for one in sources("docs/write-a-sequence.md", "# SPDX") if "PLAN" in one)
_POINT = "mine.gap_x_counter"


def _file(folder: Path, text: str = _TEXT) -> Path:
    file = folder / "my_file.py"
    file.write_text(text)
    return file


def test_points_of_ones_own_are_counted_and_added_up(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with with_files([_file(tmp_path)]):
        plan = coverage_of(load_block("adc"), "baseline").plans[-1]  # type: ignore[attr-defined]
        mine = [run(RunRequest("adc", "close", n, FAST, cycles=1500, out_dir=runs)) for n in (1, 2)]
    ours = run(RunRequest("adc", "corners", 1, FAST, out_dir=runs))
    files = [one.coverage_file for one in (*mine, ours) if one.coverage_file is not None]
    assert len(files) == 3
    expected = sum(plan.plain(stored_account(one.run_dir)[2]["touch"]) for one in mine)
    merged = merge_files(files)
    assert list(merged.points[_POINT].values()) == expected.tolist() and expected.any()
    assert merged.points == merge_files(files[::-1]).points and merged.outside == (_POINT,)
    alone = merge_files(files[2:])
    assert merged.points.keys() - alone.points.keys() == {_POINT}
    text = printed("coverage", runs)
    assert re.search(r"(?m)^mine.gap_x_counter +\d+ +24 ", text) and "of 3806 bins, 3 runs)" in text
    assert "of 3 runs hit all" in printed("coverage", runs, "--rank")


@pytest.mark.parametrize(("old", "new", "says"), CASES["plans"])
def test_plans_that_cannot_be_used(tmp_path: Path, old: str, new: str, says: str) -> None:
    file = _file(tmp_path, _TEXT.replace(old, new, 1))
    result = invoke("run", "--tests", file, "--test", "close", "--out", tmp_path / "runs")
    refused(result, says)
