# SPDX-License-Identifier: Apache-2.0
"""The environment that make makes: what simulating needs first, the rest when it is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilepath.tests.commands import ROOT

_SOURCES = ("Makefile", "pyproject.toml", "setup.py", "requirements.lock")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a space in its name, and in it what make goes by."""
    folder = tmp_path / "a b"
    folder.mkdir()
    for name in _SOURCES:
        shutil.copy(ROOT / name, folder)
    shutil.copyfile(Path(__file__).with_name("environment_python.sh"), folder / "python")
    (folder / "python").chmod(0o755)
    return folder


def _make(checkout: Path, target: str, path: str = "") -> tuple[int, list[str], list[str]]:
    """Exit status, lines on both outputs, and what was installed so far; ``path``: of commands."""
    done = subprocess.run(
        ["make", target, "PYTHON=./python"],
        cwd=checkout,
        env={"PATH": path or os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    noted = checkout / "installed"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "***" not in line]
    return done.returncode, lines, noted.read_text().split() if noted.exists() else []


def test_simulating_needs_less_than_the_rest(checkout: Path) -> None:
    said = "installing into .venv what simulating needs ..."
    assert _make(checkout, "list") == (0, [said], [".[sim]"])
    assert _make(checkout, "list") == (0, [], [".[sim]"])
    status, lines, installed = _make(checkout, "venv")
    assert (status, len(lines), installed) == (0, 1, [".[sim]", ".[dev]"])
    assert _make(checkout, "list")[1:] == ([], installed)  # all of it is there


def test_what_cannot_be_had_is_a_line_and_the_next_make_goes_on(checkout: Path) -> None:
    (checkout / "offline").touch()
    status, lines, _ = _make(checkout, "list")
    assert status == 2
    assert lines[1:] == [
        "ERROR: no numpy to be had",
        "could not install what simulating needs: see .venv/pip.log; the next make goes on",
    ]
    (checkout / "offline").unlink()
    assert _make(checkout, "list")[0] == 0
    assert len(_make(checkout, "list")[2]) == 2


def test_without_flock_it_goes_on(checkout: Path, tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("make", "g++", "perl", "env", "sh", "touch", "mkdir", "cp", "chmod"):
        (commands / name).symlink_to(shutil.which(name) or name)
    said = "installing into .venv what simulating needs ..."
    assert _make(checkout, "list", str(commands)) == (0, [said], [".[sim]"])


def test_half_made_is_not_whole_and_two_wait_for_each_other(checkout: Path) -> None:
    (checkout / "slow").touch()
    command = [
        sys.executable,
        "-c",
        "import os; os.setsid(); os.execvp('make', ['make', 'list', 'PYTHON=./python'])",
    ]
    first = subprocess.Popen(
        command, cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not (checkout / "installed").exists():
        time.sleep(0.01)
    (checkout / "slow").unlink()
    second = subprocess.Popen(
        ["make", "list", "PYTHON=./python"], cwd=checkout, stdout=subprocess.DEVNULL
    )
    with pytest.raises(subprocess.TimeoutExpired):  # it waits
        second.wait(0.5)
    assert (checkout / "installed").read_text().split() == [".[sim]"]
    os.killpg(first.pid, 15)
    assert first.wait(10) != 0 and second.wait(10) == 0
    assert (checkout / "installed").read_text().split() == [".[sim]"] * 2
