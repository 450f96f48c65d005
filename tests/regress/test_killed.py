# SPDX-License-Identifier: Apache-2.0
"""``kill -9`` of a regression that simulates: no job is lost, none counts twice, all as without."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from distributed import Security

from tilepath.tests.commands import alive, begun, passed, python, until
from tilepath.tests.cosim_runs import FAST

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
    passed(python(*_COMMAND, file, *_JOBS))
    found = _found(file)
    assert len(found) == _COUNT == len({digest for *_, digest, _ in found})
    return found


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
        with begun(*_COMMAND, file, *options) as process:
            # sooner at first, for fast machines; then later, for slow ones; in the end not at all
            limit = None if kills >= 12 else draws.uniform(0.5, 2) * (1 + kills / 3)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(limit)
                assert process.returncode == 0, process.communicate()
                break
            below = _below(process.pid)
            process.kill()
            kills += 1
        until(lambda below=below: not any(map(alive, below)))
        if file.exists() and file.stat().st_size:
            with contextlib.suppress(sqlite3.OperationalError):  # killed before there were tables
                options = ("--resume",) if _found(file) else _JOBS
    assert kills >= 2
    assert _found(file) == expected


def test_what_it_started_is_killed(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    file, draws, kills = tmp_path / "killed.sqlite", random.Random(2), 0
    with begun(*_COMMAND, file, *_JOBS) as process:
        while process.poll() is None and kills < 8:
            time.sleep(draws.uniform(0.2, 1.5))
            if below := _below(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(below), signal.SIGKILL)
                    kills += 1
        assert process.wait(300) == 0, process.communicate()
    assert kills >= 2
    assert _found(file) == expected


def test_a_worker_is_killed(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    """Two workers of a Dask cluster, which all talk TLS to."""
    file, variables = tmp_path / "cluster.sqlite", {}
    security = Security.temporary()
    for role in ("scheduler", "worker", "client"):
        for what in ("cert", "key"):
            path = tmp_path / f"{role}.{what}"
            path.write_text(getattr(security, f"tls_{role}_{what}"))
            variables[f"DASK_DISTRIBUTED__COMM__TLS__{role.upper()}__{what.upper()}"] = str(path)
    (tmp_path / "ca").write_text(security.tls_ca_file)
    variables["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"] = str(tmp_path / "ca")
    known = tmp_path / "scheduler.json"
    scheduler = ("-m", "distributed.cli.dask_scheduler", "--protocol", "tls", "--no-dashboard")
    worker = ("-m", "distributed.cli.dask_worker", "--nthreads=1", "--no-nanny", "--no-dashboard")
    usual = ("--port", "0", "--host", "127.0.0.1")
    where = ("--scheduler-file", known)
    with contextlib.ExitStack() as stack:
        begin = partial(begun, **variables)
        stack.enter_context(begin(*scheduler, *usual, *where))
        until(lambda: known.exists() and known.read_text().endswith("}"))
        address = json.loads(known.read_text())["address"]
        assert address.startswith("tls://")
        workers = [stack.enter_context(begin(*worker, *where)) for _ in range(2)]
        executor = ("--executor", "dask", "--scheduler", address)
        process = stack.enter_context(begin(*_COMMAND, file, *_JOBS, *executor))
        done = "SELECT count(*) FROM jobs WHERE state = 'done'"

        def some() -> bool:
            if process.poll() is not None:
                raise AssertionError(process.communicate())
            with contextlib.closing(sqlite3.connect(file)) as db:
                return file.stat().st_size > 0 and db.execute(done).fetchone()[0] >= 8

        until(lambda: file.exists() and some(), 120)
        workers[0].kill()
        assert process.wait(300) == 0, process.communicate()
    assert _found(file) == expected
