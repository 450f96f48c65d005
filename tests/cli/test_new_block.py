# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block``: what it writes is short, clean and passes; what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.new_block import new_block
from tilepath.tests.cli.files import CASES, small_checkout, tilepath
from tilepath.tests.commands import passed, python, refused
from tilepath.tests.cosim_runs import EACH_SIMULATOR

NAME = "doubler"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command line and the kernel, without any block."""
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
    with pytest.raises(UsageError, match=says):
        new_block(name, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pyproject.toml", "rtl"]


def test_nothing_is_overwritten(checkout: Path, written: list[Path]) -> None:
    before = [path.read_text() for path in written]
    refused(tilepath(checkout, "new-block", NAME))
    assert [path.read_text() for path in written] == before


def test_an_installed_package_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="checkout"):
        new_block("mine", tmp_path)
