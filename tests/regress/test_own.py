# SPDX-License-Identifier: Apache-2.0
"""What the runs of a regression have of their own: tests from files, limits, digest, signature."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.regress import work
from tilepath.engine.commands.regress.store import Store
from tilepath.engine.commands.report import make_console, say
from tilepath.engine.host.request import RunResult
from tilepath.engine.host.run import RunRequest, _blame_disk, run
from tilepath.engine.host.traits import digest, signature
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import passed, python, refused
from tilepath.tests.cosim_runs import FAST, SMALL
from tilepath.tests.datapath.kernel_files import PROGRAMS, edited
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
    work.sources.cache_clear()
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


_FEW = ("TILES = 8", "TILES = 3")
_WAIT = "        SEMWAIT 0x142, 1<<MATH_PACK, 1<<SEM_COND_MAX\n"
_STILL = "thread 0 {\n    SEMWAIT 0x1FF, 1<<MATH_PACK, 1<<SEM_COND_ZERO\n    NOP\n}\n"


def test_kernels_of_a_folder(tmp_path: Path) -> None:
    """One is right, one lacks a wait, one stands still without schedules; what is included is none.

    A report is what ``tilepath model`` prints, and its command.
    """
    folder, file = tmp_path / "k", tmp_path / "r.sqlite"
    folder.mkdir()
    (folder / "setup.kernel").write_text((PROGRAMS / "setup.kernel").read_text())
    (folder / "right.kernel").write_text(edited("add1", _FEW))
    (folder / "early.kernel").write_text(edited("add1", _FEW, (_WAIT, "")))
    (folder / "still.kernel").write_text(_STILL)
    # a job for each, done twice
    options = ("--schedules", 8, "--test", folder)
    told = printed("regress", file, *options, "--verify", 3, status=1)
    assert "3 jobs with model, profile baseline\n" in told
    assert "3 jobs: 1 passed, 2 failed; ran again: 3 the same, 0 not" in told
    assert "with schedule slow:P: " in told and ": a wait is missing: " in told
    for name, said in (("early", "STALLWAIT"), ("still", "SEMWAIT")):
        path = folder / f"{name}.kernel"
        command = f"model {path} --schedules 8"
        with closing(Store(file)) as store:
            (row,) = store.rows("SELECT * FROM jobs WHERE test = ?", name)
        assert said in row["message"] and row["signature"].startswith(f"{name}: ")
        assert row["report"] == f"{invoke(*command.split()).stdout}\nagain:  tilepath {command}\n"
    assert "3 jobs: 1 passed, 2 failed" in printed("regress", file, "--resume", status=1)
    page = tmp_path / "page.html"
    printed("report", file, "--out", page)
    junit = page.with_suffix(".xml").read_text()
    assert 'failures="2"' in junit and "again:  tilepath model " in junit
    # what cannot be
    (folder / "wrong.kernel").write_text("thread 0 {\n    NOPE\n}\n")
    refused(invoke("regress", tmp_path / "s.sqlite", *options), "wrong.kernel:2:5: ")
    refused(invoke("regress", file, "--schedules", 8, "--test", tmp_path), "no kernel in")


def test_a_schedule_is_no_picture(capsys: pytest.CaptureFixture[str]) -> None:
    say(make_console(), "with schedule slow:M: x")
    assert capsys.readouterr().out == "with schedule slow:M: x\n"


def test_beside_a_simulator_and_out_of_time(tmp_path: Path) -> None:
    (tmp_path / "mine.kernel").write_text("thread 0 {\n    NOP\n}\n")
    options = ("--schedules", "latest", "--test", tmp_path, "--sim", FAST)
    # a process of its own, as its kernels become tests
    told = passed(python("-m", "tilepath", "regress", tmp_path / "r.sqlite", *options))
    assert f"2 jobs with model, {FAST}, " in told and "2 jobs: 2 passed" in told
    options = ("--schedules", 999_999, "--test", tmp_path, "--timeout", 2)
    told = printed("regress", tmp_path / "s.sqlite", *options, status=1)
    assert "kernels/mine seed 0: error" in told and "timed out after 2" in told


# -- a limit of memory, a digest, a signature


def _request(out: Path, **more: object) -> RunRequest:
    return RunRequest("adc", "random", 1, SMALL, cycles=300, out_dir=out, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("cold", [False, True])
def test_memory_beyond_the_limit(tmp_path: Path, cold: bool) -> None:
    result = run(_request(tmp_path, cold=cold, memory=20))
    assert result.status == "error"
    assert result.message.startswith("more than 20 MiB of memory, which is the limit of a run")
    assert (result.digest, result.signature[:25]) == ("", "more than # MiB of memory")
    assert run(_request(tmp_path, cold=cold, memory=20_000)).status == "pass"


def test_a_simulator_that_is_stopped_before_it_writes(tmp_path: Path) -> None:
    """As one that needs too much at once: its verdict is not about a log that is not there."""
    request = _request(tmp_path)
    request.run_dir.mkdir(parents=True)
    _blame_disk(request, "more than 20 MiB of memory")
    (request.run_dir / "sim.log").write_text("write error: No space left on device")
    with pytest.raises(OSError, match="No space left"):
        _blame_disk(request, "")


def test_the_digest_is_that_of_all_traces(tmp_path: Path) -> None:
    one, other = (run(_request(tmp_path / name, cold=name == "b")) for name in "ab")
    assert one.digest == other.digest and len(one.digest) == 64 and one.signature == ""
    assert RunResult.from_json(one.run_dir / "result.json").digest == one.digest
    for path in sorted((other.run_dir / "trace").iterdir()):
        content = path.read_bytes()
        path.write_bytes(content + b"\0")
        assert digest(path.parent) != one.digest
        path.write_bytes(content)
    assert digest(path.parent) == one.digest


def test_signatures_of_messages() -> None:
    assert signature("no end after 3,600 s at 0xAb\nmore") == "no end after # s at #"
    assert signature("x", "got word") == "got word"
