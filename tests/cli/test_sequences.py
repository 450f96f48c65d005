# SPDX-License-Identifier: Apache-2.0
"""Sequences in a file of one's own from the command line: what is wrong with one is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from typer.testing import Result

from tilepath.engine.stimulus import scene
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import missing

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
