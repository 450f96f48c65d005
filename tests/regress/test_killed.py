# SPDX-License-Identifier: Apache-2.0
"""``kill -9`` of a regression that simulates: no job is lost, none counts twice, all as without."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.commands import ROOT, python
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.processes import alive, until

_COMMAND: Final = ("-m", "tilepath", "regress")
_JOBS: Final = (
    *("--sim", FAST, "--block", "adc", "--test", "random*", "--cycles", "300"),
    *("--root-seed", "9", "--seeds", "10"),
)
_COUNT: Final = 40


def _found(file: Path) -> list[tuple[object, ...]]:
    names = "test, seed, state, verdict, cycles, events, faults, digest, hex(bins)"
    with contextlib.closing(sqlite3.connect(file)) as db:
        return db.execute(f"SELECT {names} FROM jobs ORDER BY test, seed").fetchall()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What an undisturbed regression has found."""
    file = tmp_path_factory.mktemp("whole") / "whole.sqlite"
    done = python(*_COMMAND, str(file), *_JOBS)
    assert done.returncode == 0, done.stdout + done.stderr
    found = _found(file)
    assert len(found) == _COUNT == len({digest for *_, digest, _ in found})
    return found


@contextlib.contextmanager
def _begun(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, *_COMMAND, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield process


def _below(pid: int) -> list[int]:
    """Its children, and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
    return found


def test_the_command_is_killed(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    file, draws, kills = tmp_path / "killed.sqlite", random.Random(1), 0
    options = _JOBS
    while True:
        with _begun(file, *options) as process:
            # a moment after it has begun to work, but for the last times
            limit = None if kills >= 12 else draws.uniform(0.5, 9)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(limit)
                assert process.returncode == 0, process.communicate()
                break
            below = _below(process.pid)
            process.kill()
            kills += 1
        until(lambda below=below: not any(map(alive, below)))
        if file.exists() and file.stat().st_size:
            options = ("--resume",)
    assert kills >= 3
    assert _found(file) == expected


def test_what_it_started_is_killed(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    file, draws, kills = tmp_path / "killed.sqlite", random.Random(2), 0
    with _begun(file, *_JOBS) as process:
        while process.poll() is None and kills < 8:
            time.sleep(draws.uniform(0.2, 1.5))
            if below := _below(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(below), signal.SIGKILL)
                    kills += 1
        assert process.wait(300) == 0, process.communicate()
    assert kills >= 3
    assert _found(file) == expected
