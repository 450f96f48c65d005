# SPDX-License-Identifier: Apache-2.0
"""Blocks whose Python does not load, and tests from files outside of the project."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

import pytest
from typer.testing import Result

from tilepath.engine.commands import outside, run_list
from tilepath.engine.commands.run_list import Selection, run_seed
from tilepath.engine.description import registry
from tilepath.engine.description.registry import DescriptionError, tests_of
from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.engine.stimulus import scene
from tilepath.tests.cli.fakes import BLOCKS, FakeKernel, FakeTest, invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import missing

_WHY = "sequences/alpha/mixes.py:12: NameError: name 'x' is not defined"
_MINE = """
from dataclasses import replace
from tilepath.engine.commands.outside import as_pytest
from tilepath.sequences.adc import TESTS as _ADC

BLOCK = "adc"
TESTS = {"mine": replace(_ADC["vectors"], name="mine", summary="my own", seeds=2)}

test_rtl = as_pytest(__file__, BLOCK, TESTS, sim="icarus")
"""
_BESIDE = """
from tilepath.engine.stimulus.tables import Table, Tables, uniform
from tilepath.engine.stimulus.uvm import Sequence, as_tests
from tilepath.sequences.pack import TESTS as _PACK

BLOCK = "pack"

TESTS = as_tests(Sequence, on="l1_ready", beside=_PACK["random_default"], tables={})
"""


@pytest.fixture
def broken(kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    """One of the two blocks does not load."""

    def tests_of(block: str) -> dict[str, FakeTest]:
        if block == "alpha":
            raise DescriptionError(_WHY)
        return BLOCKS[block]

    monkeypatch.setattr(run_list, "tests_of", tests_of)
    return kernel


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file with a test of the user's own."""
    path = tmp_path / "mine.py"
    path.write_text(_MINE)
    return path


# -- blocks that do not load


def test_the_other_blocks_run(broken: FakeKernel, tmp_path: Path) -> None:
    result = broken.regression(status=1)
    assert {run.block for run in broken.runner.runs} == {"beta"}
    assert "3 runs: 3 passed, 0 failed" in result.stdout
    assert result.stdout.count(f"error: block alpha: {_WHY}\n") == 2  # first and last
    (error,) = ET.parse(tmp_path / "results.xml").getroot().iter("error")
    assert error.get("message") == f"block alpha: {_WHY}"


def test_the_other_blocks_are_listed(broken: FakeKernel) -> None:
    result = invoke("list")
    assert result.exit_code == 2
    assert "beta   matmul" in result.stdout and "alpha" not in result.stdout
    assert result.stderr == f"tilepath: block alpha: {_WHY}\n"


@pytest.mark.parametrize("command", ["run", "list"])
def test_a_broken_block_alone_is_one_line(broken: FakeKernel, command: str) -> None:
    assert refused(invoke(command, "--block", "alpha")) == f"tilepath: block alpha: {_WHY}"


def test_a_test_that_is_not_found_may_be_in_a_broken_block(broken: FakeKernel) -> None:
    refused(invoke("run", "--test", "corner"), _WHY)


@pytest.mark.parametrize(("text", "why"), CASES["blocks"])
def test_what_is_wrong_with_a_blocks_python_has_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    import tilepath.sequences

    folder = tmp_path / "sequences" / "zeta"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(text)
    monkeypatch.setattr(tilepath.sequences, "__path__", [str(folder.parent)])
    monkeypatch.setattr(registry, "load_block", lambda _name: None)
    monkeypatch.delitem(sys.modules, "tilepath.sequences.zeta", raising=False)
    with pytest.raises(DescriptionError, match=why) as caught:
        tests_of("zeta")
    sys.modules.pop("tilepath.sequences.zeta", None)
    assert "\n" not in str(caught.value)


# -- tests from outside


def test_a_file_adds_its_tests_to_a_block(mine: Path) -> None:
    assert "mine" not in tests_of("adc")
    rows = [line.split()[:4] for line in printed("list", "--tests", mine).splitlines()[1:-1]]
    assert rows == [["adc", "mine", "directed", "2"]]
    assert "vectors" in invoke("list", "--block", "adc", "--tests", mine).stdout
    assert "mine" not in tests_of("adc") and registry.TESTS_VARIABLE not in os.environ


def test_the_command_that_repeats_it_names_the_file(mine: Path) -> None:
    request = RunRequest("adc", "mine", 3, "icarus")
    with registry.with_files([mine]):
        assert tests_of("adc")["mine"].summary == "my own"
        assert request.command.endswith(f"--test mine --seed 3 --tests {mine}")
    assert "--tests" not in request.command


@pytest.mark.parametrize(("text", "why"), CASES["unusable"])
def test_files_that_cannot_be_used_are_one_line(tmp_path: Path, text: str, why: str) -> None:
    """Of texts one begins as MINE or BESIDE, and has another name of a test, or tables."""
    path = tmp_path / "bad.py"
    kind, _, more = text.partition(" ")
    known = {"MINE": _MINE.replace('"mine"', more), "BESIDE": _BESIDE.format(more)}
    if text:
        path.write_text(known.get(kind, text))
    refused(invoke("list", "--block", "adc", "--tests", path), str(path), why)


def test_tables_come_to_those_of_the_test_beside(tmp_path: Path) -> None:
    file = tmp_path / "good.py"
    file.write_text(_BESIDE.format("Tables(Table('mine', one=uniform(0, 1)))"))
    (test,) = registry.load_file(file)[1].values()
    assert test.tables is not None
    context = Context("pack", "sequence", 1, "baseline", 100).with_tables(test.tables)
    assert context.table("mine") and context.table("contents")


def test_files_choose_what_is_run(mine: Path) -> None:
    wanted = Selection(("adc",), ("mine",))
    assert outside.chosen([mine], Selection()) == wanted
    for given in (Selection(("pack",)), Selection(tests=("crowds",))):
        assert outside.chosen([mine], given) == given


def test_pytest_runs_the_tests_of_a_file(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[RunRequest] = []

    def run(request: RunRequest) -> RunResult:
        assert "mine" in tests_of(request.block)
        done.append(request)
        return RunResult(
            *(request.block, request.test, request.seed, request.sim, request.profile),
            *("fail" if len(done) > 1 else "pass", 1, 1, 0.1, "what was wrong"),
            run_dir=request.run_dir,
            command="again",
        )

    monkeypatch.setattr(outside, "run", run)
    with registry.with_files([mine]):
        function = outside.as_pytest(mine, "adc", {"mine": tests_of("adc")["mine"]}, cycles=9)
    (mark,) = function.pytestmark  # type: ignore[attr-defined]
    assert mark.args == (
        ("test", "seed"),
        [("mine", run_seed(0, "adc", "mine", index)) for index in range(2)],
    )
    function("mine", 5, tmp_path)
    with pytest.raises(pytest.fail.Exception, match="what was wrong\nagain\n"):
        function("mine", 6, tmp_path)
    assert [(one.seed, one.cycles, one.sim) for one in done] == [
        (5, 9, "verilator"),
        (6, 9, "verilator"),
    ]


SIM: Final = "verilator" if missing("icarus") else "icarus"
_FILE: Final = """\
from tilepath.engine.stimulus.uvm import Sequence, as_tests, items
BLOCK = "frontend"
CORE = items(BLOCK).core
class Mine(Sequence):
    async def body(self):
        {body}
TESTS = as_tests(Mine, on="{on}")
"""
_MANY: Final = 2000


def _run(file: Path, out: Path, *more: object) -> Result:
    return invoke("run", "--sim", SIM, "--tests", file, "--out", out, *more)


def _written(tmp_path: Path, body: str, on: str = "t0.core") -> Path:
    file = tmp_path / "mine.py"
    file.write_text(_FILE.format(body=body.replace("\n", "\n        "), on=on))
    return file


@pytest.mark.parametrize(("body", "line", "what"), CASES["sequences"])
def test_what_is_wrong_is_found_before_anything_is_built(
    tmp_path: Path, body: str, line: int, what: str
) -> None:
    file = _written(tmp_path, body)
    text = refused(_run(file, tmp_path / "out"), what)
    assert text.startswith(f"tilepath: frontend/mine: {file}:{line}: ")
    assert not (tmp_path / "out").exists()


def test_a_body_that_is_no_coroutine(tmp_path: Path) -> None:
    file = _written(tmp_path, "pass")
    file.write_text(file.read_text().replace("async def", "def"))
    refused(_run(file, tmp_path / "out"), f"mine: {file}:5: body of Mine is not an async def")


def test_a_test_on_a_player_that_is_not_there(tmp_path: Path) -> None:
    file = _written(tmp_path, "await self.send(CORE())", on="t3.core")
    refused(_run(file, tmp_path / "out"), f"{file}:7: no player t3.core; did you mean t2.core? ")


@pytest.mark.parametrize("body", ["while True:\n    pass", "while True:\n    CORE().randomize()"])
def test_a_body_that_goes_round_without_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(scene, "PATIENCE", 0.3)
    result = _run(_written(tmp_path, body), tmp_path)
    refused(result, "mine.py:", "NoItems: no item in 0.3 s")


def test_what_comes_later_fails_its_run(tmp_path: Path) -> None:
    body = f"for _ in range({_MANY}):\n    await self.send(CORE(push=1, word='ttnop'))\n1 / 0"
    file, out = _written(tmp_path, body), tmp_path / "out"
    result = _run(file, out, "--seed", 1)
    assert result.exit_code == 1
    assert f"{file}:8: ZeroDivisionError: division by zero; see sim.log" in result.stdout
    assert f"--test mine --seed 1 --tests {file}" in result.stdout
    folder = out / "frontend" / "mine-1"
    assert not (folder / "trace").is_symlink() and (folder / "result.json").is_file()


def test_a_good_one_passes_and_the_seed_repeats_it(tmp_path: Path) -> None:
    body = """\
for _ in range(300):
    await self.send(CORE().randomize(push=1, sync=0, mopcfg=0, word='ttnop'))"""
    file = _written(tmp_path, body)
    traces = []
    for out in (tmp_path / "one", tmp_path / "other"):
        result = _run(file, out, "--seed", 5)
        assert result.exit_code == 0, result.stdout
        folder = out / "frontend" / "mine-5" / "stimulus"
        traces.append((folder / "t0.core.0.bin").read_bytes())
    assert traces[0] == traces[1] and len(traces[0]) > 300
