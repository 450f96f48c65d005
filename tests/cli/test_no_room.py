# SPDX-License-Identifier: Apache-2.0
"""Full disks: one line and exit status 2, whenever it happens; nothing half written stays."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import textwrap
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.engine.host import files
from tilepath.engine.host.files import write_whole
from tilepath.tests.cli.fakes import FakeKernel, passing, processes_below, under_way
from tilepath.tests.commands import alive, python, refused


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_in_the_middle_no_other_run_is_begun(
    kernel: FakeKernel, tmp_path: Path, number: int
) -> None:
    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        if len(kernel.runner.runs) > 2:
            raise OSError(number, os.strerror(number), "trace.bin")
        return passing(run, options)

    kernel.behaviour = behaviour
    result = kernel.regression("--jobs", 1, "--seeds", 30, status=2)
    refused(result, os.strerror(number), "trace.bin", silent=False)
    assert len(kernel.runner.runs) == 3
    assert not (tmp_path / "results.xml").exists()


def test_in_a_build(kernel: FakeKernel) -> None:
    kernel.broken = "alpha"
    kernel.breaks_with = OSError(errno.ENOSPC, "No space left on device", "sim")
    refused(kernel.regression(status=2), "No space left", "sim", silent=False)


def _full(path: Path, _content: bytes) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


@pytest.mark.parametrize("name", ["coverage.json", "results.xml"])
def test_at_the_end(
    kernel: FakeKernel,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    module = "engine.coverage.report" if name == "coverage.json" else "engine.commands.junit"
    monkeypatch.setattr(f"tilepath.{module}.write_whole", _full)
    refused(kernel.regression(status=2), "No space left", name, silent=False)


def test_at_the_start(kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path) -> None:
        raise files.no_room(errno.ENOSPC, folder)

    monkeypatch.setattr("tilepath.engine.commands.results.check_room", full)
    refused(kernel.regression(status=2), "No space left", str(tmp_path), silent=False)
    assert not kernel.runner.runs


@pytest.mark.parametrize("arguments", ["asm NOP", "--version"])
def test_output_that_cannot_be_written(arguments: str) -> None:
    with Path("/dev/full").open("w") as full:
        pipes = {"capture_output": False, "stdout": full, "stderr": subprocess.PIPE}
        done = python("-m", "tilepath", *arguments.split(), **pipes)
    line = refused(done, "No space left", silent=False)
    assert line.startswith("tilepath: ")


def test_what_cannot_be_written_whole_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    script = f"""
        import resource
        from pathlib import Path
        from tilepath.engine.host.files import write_whole
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        write_whole(Path({str(path)!r}), bytes(2000))
    """
    done = python("-c", textwrap.dedent(script))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f"File too large: {str(path)!r}")
    assert list(tmp_path.iterdir()) == []
    write_whole(path, b"whole")
    assert path.read_bytes() == b"whole"


def test_a_tools_log_tells_of_a_full_disk(tmp_path: Path) -> None:
    files.check_text("error: expected ';'", tmp_path)
    for text in ("as: BFD (GNU Binutils) assertion: No space left on device", "File too large"):
        with pytest.raises(OSError, match=str(tmp_path)) as caught:
            files.check_text(text, tmp_path)
        assert caught.value.errno in files.NO_ROOM


def test_room_is_looked_for_and_nothing_is_left(tmp_path: Path) -> None:
    files.check_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


def _sleeping_regression(out: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """A regression of runs that never end, once two of them are under way."""
    (out / "results.xml").write_text("left by an earlier regression")
    return under_way(out, 4, "-m", "tilepath.tests.cli.fakes", "run", "--jobs", "2")


@pytest.mark.parametrize(
    ("send", "number", "status"),
    [
        (os.kill, signal.SIGINT, 130),
        (os.kill, signal.SIGTERM, 143),
        (os.killpg, signal.SIGINT, 130),  # a terminal's Ctrl-C reaches make and the command at once
    ],
)
def test_an_interrupt_stops_everything_and_leaves_no_result(
    tmp_path: Path, send: Callable[[int, int], None], number: int, status: int
) -> None:
    with _sleeping_regression(tmp_path) as process:
        send(process.pid, number)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == status
        (line,) = errors.splitlines()
        assert line.startswith("tilepath: interrupted")
        assert not any(alive(below) for below in processes_below(tmp_path))
    assert not list(tmp_path.glob("results.xml*"))


@pytest.mark.parametrize("gap", [0.0, 0.005, 0.02, 0.2])
def test_a_second_signal_leaves_nothing_running(tmp_path: Path, gap: float) -> None:
    # A terminated make passes the signal on to a command that got it already.
    with _sleeping_regression(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        time.sleep(gap)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 143
        assert errors.startswith("tilepath: interrupted")
        assert not any(alive(below) for below in processes_below(tmp_path))


def test_a_killed_runner_leaves_no_result(tmp_path: Path) -> None:
    with _sleeping_regression(tmp_path) as process:
        process.kill()
        process.wait()
        assert not list(tmp_path.glob("**/result*"))
