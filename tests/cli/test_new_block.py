# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block``: what it writes is short, clean and passes. ``watch`` tells of saves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.new_block import Given, files_of, new_block
from tilepath.engine.commands.simulation import with_sources
from tilepath.engine.description.block import ROOT
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import CASES, environment_of, small_checkout, tilepath, write
from tilepath.tests.commands import passed, python, refused, until
from tilepath.tests.cosim_runs import EACH_SIMULATOR

NAME = "doubler"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command line and the engine, without any block."""
    return small_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def written(checkout: Path) -> list[Path]:
    lines = passed(tilepath(checkout, "new-block", NAME)).splitlines()
    return [Path(line.split()[1]) for line in lines if line.startswith("wrote")]


def test_a_block_is_less_than_150_lines(written: list[Path]) -> None:
    assert len(written) == 7
    assert sum(len(path.read_text().splitlines()) for path in written) < 150


def test_what_is_written_is_clean(checkout: Path, written: list[Path]) -> None:
    for check in (["check"], ["format", "--check"]):
        sources = [path for path in written if path.suffix == ".py"]
        passed(python("-m", "ruff", *check, *sources, cwd=checkout))


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_the_new_block_passes(sim: str, checkout: Path, written: list[Path]) -> None:
    assert written
    text = passed(tilepath(checkout, "run", "--sim", sim, "--block", NAME, "--cycles", "5000"))
    assert "3 runs: 3 passed" in text
    assert "100.0 % (2 of 2 bins" in text


@pytest.mark.parametrize(("name", "says"), CASES["names"])
def test_bad_names_are_refused(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "rtl" / "isa").mkdir(parents=True)
    write(tmp_path, "models/fields.py", "")
    with pytest.raises(UsageError, match=says):
        new_block(name, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models", "pyproject.toml", "rtl"]


def test_nothing_is_overwritten(checkout: Path, written: list[Path]) -> None:
    before = [path.read_text() for path in written]
    refused(tilepath(checkout, "new-block", NAME))
    assert [path.read_text() for path in written] == before


def test_an_installed_package_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="checkout"):
        new_block("mine", tmp_path)


# -- a bench for a design that there is

_DESIGNS: Final = Path(__file__).parents[1] / "engine" / "designs" / "rtl"
_MODULES: Final = [
    *("control/rr_arbiter", "dst/dst_flags", "flag_pipe/flag_bank", "flag_pipe/pipe_arbiter"),
    *("pack/pack_bfp", "pack/pack_busy", "src/src_flags", "unpack/unpack_write_stage"),
]


@pytest.fixture(scope="module")
def of_ports(checkout: Path) -> str:
    top = _DESIGNS / "arbiter" / "arbiter.sv"
    return passed(tilepath(checkout, "new-block", "shared", "--top", top))


def test_what_is_written_of_ports_is_clean(checkout: Path, of_ports: str) -> None:
    files = [line.split()[1] for line in of_ports.splitlines() if line.startswith("wrote")]
    for check in (["check"], ["format", "--check"]):
        sources = [name for name in files if name.endswith(".py")]
        passed(python("-m", "ruff", *check, *sources, cwd=checkout))


@pytest.mark.parametrize("module", _MODULES)
def test_modules_that_are_no_blocks(module: str) -> None:
    files = files_of("mine", Given(ROOT / "rtl" / f"{module}.sv"), ROOT)
    block = next(text for path, text in files.items() if path.name == "block.py")
    found: dict[str, Any] = {}
    exec(block, found)
    harness = found["WIRING"].harness()
    assert f"  {Path(module).name} u_dut (" in harness and harness.count(" u_rec (") > 1


_PLAIN: Final = (
    "module one(input clk, input [3:0] a_i, output [3:0] b_o); assign b_o = a_i; endmodule"
)


def test_a_file_of_verilog_and_a_library(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "one.v").write_text(_PLAIN)
    text = "module top(input clk, input [3:0] x, output [3:0] y);\n  one u(clk, x, y);\nendmodule\n"
    (tmp_path / "top.v").write_text(text)
    (tmp_path / "all.f").write_text("top.v -y more\n")
    files = files_of("top", Given(tmp_path / "all.f"), tmp_path)
    assert files[tmp_path / "rtl/top/design.f"] == "rtl/top/more/one.v\nrtl/top/top.v\n"
    assert files[tmp_path / "rtl/top/more/one.v"] == _PLAIN


@pytest.mark.parametrize(("text", "says"), CASES["tops"])
def test_designs_that_are_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    top = tmp_path / "top.sv"
    top.write_text(text)
    params = ("N=2",) if "#(" in text else ()
    with pytest.raises(UsageError, match=says):
        new_block("mine", tmp_path, Given(top, params=params))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pyproject.toml", "top.sv"]


# -- ``tilepath watch``: real saves in a small checkout, and how it ends


_SECONDS: Final = 240  # a verdict may have to wait for a compilation on a busy machine


class Watching:
    """``tilepath watch`` of the block doubler, in a checkout of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = small_checkout(folder)
        assert tilepath(self.root, "new-block", "doubler").returncode == 0
        environment = {**environment_of(self.root), "PYTHONDONTWRITEBYTECODE": ""}
        where = {"cwd": self.root, "env": environment}
        self.log = folder / "log"
        command = (sys.executable, "-m", "tilepath", "watch", "--block", "doubler")
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, **where)
        self._read = 0
        self._second = int(time.time())

    def next(self) -> str:
        """What it says next, without the times."""
        pattern = re.compile(r"\d\d:\d\d:\d\d (.*?) \([\d.]+ s\)\n", re.DOTALL)

        def told() -> re.Match[str] | None:
            assert self.process.poll() is None, self.log.read_text()
            return pattern.match(self.log.read_text(), self._read)

        until(lambda: told() is not None, _SECONDS)
        found = told()
        assert found is not None
        self._read = found.end()
        return found[1]

    def save(self, name: str, old: str, new: str) -> str:
        """Save ``name`` with ``new`` in place of ``old``, as editors do; what is said of it."""
        path = self.root / name
        text = path.read_text()
        assert text.count(old) >= 1
        beside = path.with_name("4913")  # vim's
        beside.write_text(text.replace(old, new))
        # all in one second, as on a fast machine: Python goes by seconds and sizes
        os.utime(beside, (self._second, self._second))
        beside.rename(path)
        return self.next()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    one = Watching(tmp_path)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()


def test_a_line_for_each_save(watching: Watching) -> None:
    assert re.fullmatch(r"doubler: pass, 1 tests, [\d,]+ events", watching.next())
    # nothing of this block
    write(watching.root, "models/other.py", "x = 1\n")
    model, rtl, sequence = (
        *("models/doubler/__init__.py", "rtl/doubler/doubler.sv", "sequences/doubler/__init__.py"),
    )
    wrong = watching.save(model, "<< 1", "<< 2")
    assert wrong.startswith(f"{model}: FAIL random: "), wrong
    assert "tilepath check " in wrong and "word" in wrong  # the stored run, not simulated again
    assert watching.save(model, "<< 2", "<< 1").startswith(f"{model}: pass, 1 tests, ")
    wrong = watching.save(rtl, "endmodule", "endmodul")
    assert wrong.startswith(f"{rtl}: FAIL: ") and " | endmodul" in wrong, wrong
    assert watching.save(rtl, "endmodul", "endmodule").startswith(f"{rtl}: pass, 1 tests, ")
    wrong = watching.save(sequence, "TESTS", "TEST S")
    assert re.fullmatch(rf"{sequence}: FAIL: {sequence}:\d+: SyntaxError: .+", wrong), wrong
    assert watching.save(sequence, "TEST S", "TESTS").startswith(f"{sequence}: pass, 1 tests, ")
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(20) == 0
    assert len(watching.log.read_text()[watching._read :]) == 0


def test_a_compiler_s_message_gets_the_line_of_source(tmp_path: Path) -> None:
    write(tmp_path, "rtl/a.sv", "module a;\nassign y = ;\nendmodule\n")
    icarus = "rtl/a.sv:2: syntax error\nrtl/a.sv:2: error: here\nrtl/b.sv:1: error\nrtl/a.sv:9: x"
    first, source, *rest = with_sources(icarus, tmp_path).splitlines()
    assert (first, source) == ("rtl/a.sv:2: syntax error", "    2 | assign y = ;")
    assert rest == icarus.splitlines()[1:]
    shown = "%Error: rtl/a.sv:2:12: syntax error\n    2 | assign y = ;\n      |            ^"
    assert with_sources(shown, tmp_path) == shown


def test_without_watchfiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    refused(invoke("watch", "--block", "adc"), "pip install 'tilepath[watch]'")
