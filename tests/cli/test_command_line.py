# SPDX-License-Identifier: Apache-2.0
"""What is typed and answered: bad input, ``--json``, ``-h``, what the shell completes."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath import __main__ as command
from tilepath.cli import main as module
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.tests.cli.fakes import FakeKernel, invoke, passing
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import make, passed, python, refused
from tilepath.tests.tables import beside

BAD = beside(__file__, "bad_input")


@pytest.mark.parametrize(("arguments", "expected"), BAD["fakes"].items())
def test_bad_input_is_one_line_and_status_2(
    kernel: FakeKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(invoke(*shlex.split(arguments)), expected).startswith("tilepath: ")
    assert not kernel.runners or not kernel.runner.runs
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("arguments", "expected"), BAD["blocks"].items())
def test_bad_input_of_what_asks_the_blocks(
    arguments: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UVM_VERBOSITY", "")  # which a command may set
    refused(invoke(*arguments.split()), expected)


def test_a_missing_simulator_is_one_line(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_ICARUS", "1")
    refused(invoke("run", "--sim", "icarus", "--out", tmp_path))
    assert kernel.runner.runs == []


def test_the_real_runner_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    for sim, tool in (("icarus", "iverilog"), ("verilator", "perl")):
        with pytest.raises(UsageError, match=tool) as caught:
            EngineRunner(RunOptions(sim, "baseline", Path("runs"))).check(RunList(None, ()))
        assert "\n" not in str(caught.value)


def test_the_module_is_the_command() -> None:
    refused(python("-m", "tilepath", "asm", "NOSUCH"))


@pytest.mark.parametrize("package", ["typer", "cocotb_tools"])
def test_a_missing_package_is_one_line_and_status_2(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['list']; "
    code += "from tilepath.__main__ import main; main()"
    refused(python("-c", code), package, "pip install 'tilepath[sim]'")


def test_a_module_of_the_users_own_that_is_missing_is_no_such_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> None:
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    monkeypatch.setattr(module, "main", broken)
    with pytest.raises(ModuleNotFoundError, match="mine"):
        command.main()


@pytest.mark.parametrize(("option", "expected"), BAD["make"].items())
def test_make_stops_before_it_starts_anything(option: str, expected: str) -> None:
    refused(make(*option.split()), expected)


@pytest.mark.parametrize(("typed", "words"), BAD["passed on"].items())
def test_make_passes_options_on(typed: str, words: str) -> None:
    line = passed(make("-n", *shlex.split(typed))).splitlines()[-1]
    assert "TILEPATH_STARTED_BY=make " in line
    assert " ".join(line.split()).endswith(words), line


def test_make_help_lists_options() -> None:
    text = passed(make("help"))
    for word in "SIM= BLOCK= TEST= SEED= SEEDS= PROFILE= WAVES= JOBS=".split():
        assert word in text


# -- an object alone on stdout, help, completion


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
