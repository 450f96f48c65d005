# SPDX-License-Identifier: Apache-2.0
"""``--json``: an object alone on stdout; ``-h``; what the shell completes."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.tests.cli.fakes import FakeKernel, invoke, passing
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import python


def _told(*arguments: object, status: int = 0) -> Any:
    result = invoke(*arguments, "--json")
    assert result.exit_code == status, result.stderr
    found = json.loads(result.stdout)
    assert found.pop("schema") == 1
    return found


def _stored(run: PlannedRun, options: RunOptions) -> Outcome:
    """Mixes fail, and every run leaves a result."""
    status = "fail" if run.test == "random_mix" else "pass"
    stored(options.out, (run.block, run.test, run.seed), status)
    return replace(passing(run, options), status=status)


@pytest.mark.parametrize("command", [("list",), ("run", "--list")])
def test_tests(kernel: FakeKernel, command: tuple[str, ...]) -> None:
    first, *_ = _told(*command, "--block", "alpha", "--tag", "quick")["tests"]
    assert first.pop("tags") == ["directed", "quick"]
    assert [*first.values()] == ["alpha", "corner", "directed", 1, "one corner"]


def test_runs_and_what_they_covered(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.behaviour = _stored
    found = _told("run", "--block", "alpha", "--out", tmp_path, status=1)
    assert (found["planned"], found["broken"], len(found["results"])) == (4, [], 4)
    for one in found["results"]:
        folder = Path(one.pop("run_dir"))
        assert one == json.loads((folder / "result.json").read_text())
        (folder / "result.json").write_text(json.dumps({**one, "coverage_file": "coverage.json"}))
    (one,) = _told("coverage", tmp_path)["coverage"]
    assert (one["hit"], one["bins"], one["points"]["kind"]["corner"]) == (1, 4, 1)


def test_jobs(kernel: FakeKernel, tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    kernel.behaviour = _stored
    found = _told("regress", file, "--block", "beta", status=1)
    assert [x["status"] for x in found["results"]] == ["fail", "fail", "pass"]
    assert _told("regress", file, "--show", status=1) == found


@pytest.mark.parametrize("command", [(), ("run",), ("new-block",), ("regress",)])
def test_h_is_help(command: tuple[str, ...]) -> None:
    assert invoke(*command, "-h").stdout == invoke(*command, "--help").stdout != ""


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tilepath run --block fl", "flag_pipe"),
        ("tilepath run --profile bl", "blackhole"),
        ("tilepath draws --block adc --test random_w", "random_wrap"),
        ("tilepath run --block nosuch --test random", ""),
    ],
)
def test_completion_without_a_simulator_s_python(line: str, offered: str) -> None:
    code = "import sys; sys.modules['cocotb'] = None; from tilepath.cli.main import main; main()"
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = python("-c", code, env={**os.environ, "_TILEPATH_COMPLETE": "complete_bash", **words})
    assert (done.stdout.strip(), done.stderr) == (offered, "")
