# SPDX-License-Identifier: Apache-2.0
"""Machines that lack something: Icarus Verilog, which make gets or does without, and git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilepath.cli.houserules import project_files
from tilepath.tests.commands import ROOT, call, passed, python

_MAKE = next(f"{folder}/make" for folder in os.get_exec_path() if Path(folder, "make").exists())
_INSTALLS = '[ "$5" != iverilog ] || { : > "$FAKE/iverilog"; chmod 755 "$FAKE/iverilog"; }'


class Machine:
    """A PATH with a few programs and others that only write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        for name in ("sh", "env", "chmod"):
            (self.bin / name).symlink_to(f"/bin/{name}")
        self.add("id", "echo 0")

    def add(self, name: str, line: str) -> None:
        """A program that notes its arguments, then does ``line``."""
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.log}"\n{line}\n')
        path.chmod(0o755)

    def make(self, *options: str) -> tuple[int, str, list[str]]:
        """Exit status of ``make icarus``, what it said, and the calls of ``apt-get``."""
        environment = {"PATH": f"{self.bin}", "FAKE": str(self.bin)}
        done = call(_MAKE, "icarus", "PYTHON=python", *options, env=environment)
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        return done.returncode, done.stdout + done.stderr, [c for c in calls if c[:3] == "apt"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_icarus_is_installed_where_that_asks_nothing(machine: Machine) -> None:
    machine.add("apt-get", _INSTALLS)
    status, said, calls = machine.make()
    assert (status, len(said.splitlines()), len(calls)) == (0, 1, 2)
    assert "installing iverilog" in said and "iverilog" in calls[1]
    assert machine.make() == (0, "", calls)  # it is there


def test_as_another_user_by_sudo_if_that_asks_nothing(machine: Machine) -> None:
    machine.add("id", "echo 1000")
    machine.add("apt-get", _INSTALLS)
    assert machine.make() == (0, "", [])  # there is no sudo
    machine.add("sudo", "exit 1")
    assert machine.make() == (0, "", [])  # it would ask
    (machine.bin / "true").symlink_to("/bin/true")
    machine.add("sudo", '[ "$1" = -n ] || exit 1; shift; exec "$@"')
    status, said, calls = machine.make()
    assert (status, len(said.splitlines()), len(calls)) == (0, 1, 2)


@pytest.mark.parametrize(("icarus", "expected"), [("", 0), ("ICARUS=1", 2)])
def test_what_cannot_be_installed_is_a_line(machine: Machine, icarus: str, expected: int) -> None:
    machine.add("apt-get", "exit 100")
    status, said, calls = machine.make(*icarus.split())
    assert (status, len(calls)) == (expected, 2)
    assert said.splitlines()[1] == "apt-get could not install iverilog: going on without it"
    assert ("ICARUS=1: there is no iverilog" in said) == bool(icarus)


def test_it_is_left_alone_on_request_or_without_apt(machine: Machine) -> None:
    assert machine.make() == (0, "", [])
    machine.add("apt-get", _INSTALLS)
    assert machine.make("ICARUS=0") == (0, "", [])


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_last_line_says_what_was_left_out(processes: str) -> None:
    command = ["-n", processes, "--without-icarus", "-k", "half_an_icarus or equal_contents"]
    done = python("-m", "pytest", *command, "tests/blocks/test_build.py")
    last = passed(done).splitlines()[-1]
    assert last.startswith("1 tests were left out: they need Icarus")
    assert "apt-get install iverilog" in last


def test_without_git_the_rules_take_all_that_is_not_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "docs/b.md", "build/c.py", "x/__pycache__/d.pyc", "e.egg-info/f", "g.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    found = []
    for path in (os.environ["PATH"], "/nonexistent"):  # no repository, no git
        monkeypatch.setenv("PATH", path)
        found.append([str(p.relative_to(tmp_path)) for p in project_files(tmp_path)])
    assert found == [[".gitignore", "a.py", "docs/b.md"]] * 2
