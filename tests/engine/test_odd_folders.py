# SPDX-License-Identifier: Apache-2.0
"""Builds and runs below folders whose names shells, make and old tools do not take as they are."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.host import verilator
from tilepath.tests.commands import call, python
from tilepath.tests.cosim_runs import EACH_SIMULATOR
from tilepath.tests.engine.test_run import LENGTH, SCRIPT, environment_of, tiny_project

ODD: Final = 'a Zoë\'s "$HOME" #1 `x` (y)'
_RARE: Final = (pytest.mark.long, pytest.mark.rare)
# the environment's own folders are there, too: what is repaired of Verilator, cocotb's libraries
ELSEWHERE: Final = """
import sys
from pathlib import Path
from cocotb_tools import config
odd = Path.cwd().parent
sys.prefix = str(odd)
for name in ("libs_dir", "share_dir"):
    (odd / name).symlink_to(getattr(config, name))
    setattr(config, name, odd / name)
"""


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize(
    # the others have nothing that ODD has not: they tell what it is, when that fails
    "name",
    [ODD, *(pytest.param(name, marks=_RARE) for name in ("with space", "Zoë"))],
)
def test_it_is_built_and_run_in_any_folder(name: str, sim: str, tmp_path: Path) -> None:
    odd = tmp_path / name
    project = tiny_project(odd / "tilepath")
    (odd / "tmp").mkdir()
    given = {"block": "tiny", "test": "walk", "seed": 1, "sim": sim, "out_dir": str(odd / "runs")}
    environment = {
        **environment_of(project),
        **{"TMPDIR": str(odd / "tmp"), "HOME": str(odd), "XDG_CACHE_HOME": str(odd / "cache")},
    }
    script = ("-c", ELSEWHERE + SCRIPT, json.dumps([{**given, **LENGTH}]))
    done = python(*script, cwd=project, env=environment, timeout=240)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["status"], outcome["again"]) == ("pass", "pass")
    assert not list(odd.glob("build/**/work")) and not list((odd / "tmp").iterdir())


def test_the_makefile_finds_python_by_any_name(tmp_path: Path) -> None:
    path = f"/opt/{ODD}/bin/python"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", path)
        text = verilator._repaired_makefile("PYTHON3 = python\n")
    (tmp_path / "Makefile").write_text(f"{text}\nall:\n\t@printf %s $(PYTHON3)\n")
    assert call("make", "-s", cwd=tmp_path).stdout == path


def test_its_script_starts_a_binary_of_any_name(tmp_path: Path) -> None:
    script = tmp_path / ODD / "bin" / "verilator"
    script.parent.mkdir(parents=True)
    script.write_text('#!/bin/sh\nsh -c "$VERILATOR_BIN here"\n')  # as the real one does it
    binary = script.with_name("verilator_bin")
    binary.write_text('#!/bin/sh\nprintf "%s %s" "$0" "$1"\n')
    for program in (script, binary):
        program.chmod(0o755)
    given = verilator.for_verilator({**os.environ, "VERILATOR_ROOT": "/wrong"}, tmp_path / ODD)
    assert shlex.split(given["VERILATOR_BIN"]) == [str(binary)]
    assert given["VERILATOR_ROOT"] == str(tmp_path / ODD)
    assert call(script, env=given).stdout == f"{binary} here"
