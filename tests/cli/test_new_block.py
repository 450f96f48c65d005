# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block``: what it writes is short, clean and passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.new_block import Given, files_of, new_block
from tilepath.engine.description.block import ROOT
from tilepath.tests.cli.files import CASES, small_checkout, tilepath, write
from tilepath.tests.commands import passed, python, refused
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
