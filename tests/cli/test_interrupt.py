# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tilepath.tests.cli.fakes import processes_below, under_way
from tilepath.tests.commands import alive


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
