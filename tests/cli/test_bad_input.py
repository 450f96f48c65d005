# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line, status 2, and nothing is begun."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tilepath import __main__ as command
from tilepath.cli import main as module
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.run_list import RunList
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.tests.cli.fakes import FakeKernel, invoke
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
