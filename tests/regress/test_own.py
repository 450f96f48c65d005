# SPDX-License-Identifier: Apache-2.0
"""``tilepath regress`` with tests from files of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.regress import history
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import python, refused
from tilepath.tests.pipe_program.texts import TWO

_MINE: Final = """\
from tilepath.sequences.adc.timeline import Timeline
from tilepath.engine.description.stimulus import TestSpec

BLOCK = "adc"


def stimulus(context):
    return Timeline(context.profile).pack(1, YsrcIncr=3).step(40).stimulus()


TESTS = {"mine": TestSpec("mine", "one update", "directed", stimulus)}
"""


def test_python_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mine, file = tmp_path / "mine.py", tmp_path / "r.sqlite"
    mine.write_text(_MINE)
    assert "1 jobs: 1 passed" in printed("regress", file, "--tests", "mine.py")
    assert "1 jobs: 1 passed" in printed("regress", file, "--resume")
    assert "1 jobs: 1 passed" in printed("regress", file, "--resume", "--tests", mine)
    refused(invoke("regress", file, "--resume", "--tests", file), "--tests", str(mine))
    far = ("--executor", "dask", "--scheduler", "tcp://127.0.0.1:1")
    for options in (("--tests", mine), ("--resume",)):
        refused(invoke("regress", file, *far, *options), "workers", str(mine))
    mine.write_text(_MINE.replace("=3", "=2"))
    history.sources.cache_clear()
    refused(invoke("regress", file, "--resume"), "sources have changed")
    broken = tmp_path / "broken.py"
    broken.write_text("BLOCK =")
    refused(invoke("regress", file, "--tests", broken), str(broken))


_KERNEL: Final = """\
thread 0 {
    repeat 16 {
        NOP
    }
}
"""


@pytest.mark.parametrize(("name", "text"), [("two.pipe", TWO), ("mine.kernel", _KERNEL)])
def test_programs_and_kernels(tmp_path: Path, name: str, text: str) -> None:
    """In a process, as the command sets a variable."""
    program, file = tmp_path / name, tmp_path / "r.sqlite"
    program.write_text(text)
    command = ("-m", "tilepath", "regress", file, "--test")
    for more in ((program,), (program, "--resume")):
        done = python(*command, *more)
        assert "1 jobs: 1 passed" in done.stdout, done
    refused(python(*command, tmp_path / f"no{program.suffix}"), "cannot be read")
