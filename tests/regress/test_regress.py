# SPDX-License-Identifier: Apache-2.0
"""``tilepath regress`` with runs that simulate nothing, and with Dask clusters of no use."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from distributed import LocalCluster

from tilepath.engine.commands import jobs
from tilepath.engine.commands.regress import cluster, command, work
from tilepath.engine.commands.regress.store import VERSION
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.tests.cli.fakes import FakeKernel, invoke, passing, pretend, printed
from tilepath.tests.commands import begun, refused, until


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeKernel]:
    fake = FakeKernel(digested)
    pretend(monkeypatch.setattr)
    monkeypatch.setattr(jobs, "make_runner", fake.make_runner)
    yield fake
    work.sources.cache_clear()


@pytest.fixture
def file(kernel: FakeKernel, tmp_path: Path) -> Path:
    return tmp_path / "r.sqlite"


def digested(run: PlannedRun, options: RunOptions) -> Outcome:
    return replace(passing(run, options), digest=f"{run.seed:x}", command=f"again {run.seed}")


def failing(run: PlannedRun, options: RunOptions) -> Outcome:
    """The mixes of alpha fail in two ways, the shorter the smaller the seed is."""
    found = digested(run, options)
    if (run.block, run.test) != ("alpha", "random_mix"):
        return found
    what = f"{'t0.out' if run.seed % 2 else 'put'} word"
    return replace(
        found, status="fail", signature=what, message=f"{what} differs", cycles=run.seed, digest="f"
    )


def rows(file: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(file) as db:
        return db.execute(query).fetchall()


def test_all_is_in_the_file(kernel: FakeKernel, file: Path) -> None:
    text = printed("regress", file, "--root-seed", 1, "--sim", "verilator", "--sim", "icarus")
    assert "14 jobs: 14 passed, 0 failed" in text
    assert "coverage of alpha, baseline: 50.0 % (2 of 4 bins, 8 runs)" in text
    found = rows(file, "SELECT DISTINCT verdict, events, length(ended), state FROM jobs")
    assert found == [("pass", 12345, 25, "done")]
    assert rows(file, "SELECT count(DISTINCT digest) FROM jobs") == [(7,)]
    assert rows(file, "SELECT ended IS NULL, root_seed FROM regressions") == [(0, "1")]
    # what passed is in the file, and nowhere else
    assert [path.name for path in file.parent.glob("r.sqlite.runs/**/*") if path.is_file()] == [
        ".lock"
    ]


def test_seeds_of_64_bits(kernel: FakeKernel, file: Path) -> None:
    printed("regress", file, "--test", "corner", "--seed", 2**64 - 1)
    assert rows(file, "SELECT seed FROM jobs") == [(str(2**64 - 1),)]
    assert [run.seed for run in kernel.runner.runs] == [2**64 - 1]


def test_failures_by_signature_and_first_next_time(kernel: FakeKernel, file: Path) -> None:
    kernel.behaviour = failing
    text = printed("regress", file, "--root-seed", 3, "--seeds", 9, "--jobs", 1, status=1)
    shortest = {
        what: rows(file, f"SELECT min(cycles) FROM jobs WHERE signature = '{what}'")[0][0]
        for what in ("t0.out word", "put word")
    }
    for what, cycles in shortest.items():
        (line,) = [x for x in text.splitlines() if what in x and "differs" not in x]
        assert f"random_mix {cycles}" in line
        assert f"  again {cycles}" in text or f"  {what} differs" in text
    kernel.runners.clear()
    text = printed("regress", file, "--root-seed", 4, "--block", "alpha", "--jobs", 1, status=1)
    seeds = [run.seed for one in kernel.runners for run in one.runs]
    assert seeds[:2] == sorted(shortest.values())  # type: ignore[type-var]
    assert "6 jobs: 1 passed, 5 failed" in text
    other = file.with_name("other.sqlite")
    kernel.runners.clear()
    printed("regress", other, "--history", file, "--jobs", 1, "--test", "random_mix", status=1)
    assert {run.seed for one in kernel.runners for run in one.runs} > set(shortest.values())


def test_the_same_again(kernel: FakeKernel, file: Path) -> None:
    assert "ran again: 3 the same, 0 not" in printed("regress", file, "--verify", 3)
    kernel.behaviour = lambda run, options: replace(digested(run, options), digest="another")
    text = printed("regress", file, "--resume", "--verify", 2, status=1)
    assert "7 passed, 0 failed; ran again: 3 the same, 2 not" in text
    assert "not the same when it ran again" in text
    assert "5 jobs" not in text


def test_a_budget_is_the_end_and_resume_goes_on(kernel: FakeKernel, file: Path) -> None:
    assert "4 passed, 0 failed, 3 not done" in printed("regress", file, "--budget", "4runs")
    assert "7 passed, 0 failed" in printed("regress", file, "--resume")
    assert sum(len(one.runs) for one in kernel.runners) == 7


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_counts_for_nothing(kernel: FakeKernel, file: Path, number: int) -> None:
    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        if sum(len(one.runs) for one in kernel.runners) == 4:
            raise OSError(number, os.strerror(number), "trace.bin")
        return digested(run, options)

    kernel.behaviour = behaviour
    refused(invoke("regress", file, "--jobs", 1), "trace.bin", silent=False)
    assert rows(file, "SELECT count(*) FROM jobs WHERE state = 'done'") == [(3,)]
    refused(invoke("regress", file), "has not ended", "--resume")
    assert "7 jobs: 7 passed" in printed("regress", file, "--resume")


def test_a_full_disk_of_the_file(
    kernel: FakeKernel, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = command.Store._open

    def limited(store: command.Store, create: bool) -> None:
        opened(store, create)
        store._db.execute("PRAGMA max_page_count = 12")

    monkeypatch.setattr(command.Store, "_open", limited)
    kernel.behaviour = lambda run, options: replace(digested(run, options), message="x" * 9_000)
    refused(invoke("regress", file, "--jobs", 1), "full", str(file), silent=False)
    monkeypatch.undo()
    pretend(monkeypatch.setattr)
    monkeypatch.setattr(jobs, "make_runner", kernel.make_runner)
    assert "7 jobs: 7 passed" in printed("regress", file, "--resume")


@pytest.fixture
def sleeping(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A regression whose jobs never end, once two of them are under way."""
    module = "tilepath.tests.cli.fakes"
    with begun("-m", module, "regress", tmp_path / "s.sqlite", "--jobs", "2") as process:
        try:
            until(lambda: len([*tmp_path.glob("*.runs/**/child")]) == 2)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def test_two_on_one_file_and_an_interrupt(
    sleeping: subprocess.Popen[str], tmp_path: Path, kernel: FakeKernel
) -> None:
    file = tmp_path / "s.sqlite"
    for options in ((), ("--resume",)):
        refused(invoke("regress", file, *options), "another regression", str(sleeping.pid))
    assert "7 not done" in printed("regress", file, "--show", status=2)
    assert rows(file, "SELECT count(*) FROM jobs WHERE state = 'running'") == [(2,)]
    time.sleep(0.1)
    sleeping.send_signal(signal.SIGINT)
    assert sleeping.wait(20) == 130
    assert rows(file, "SELECT count(*) FROM jobs WHERE state = 'done'") == [(0,)]
    assert "7 jobs: 7 passed" in printed("regress", file, "--resume")


def test_resume_refuses_what_is_another_regression(
    kernel: FakeKernel, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(invoke("regress", file, "--resume"), str(file))
    assert not file.exists()
    printed("regress", file, "--seeds", 2, "--budget", "1runs", "--tag", "random")
    before = file.read_bytes()
    for name, value in {"--seeds": 3, "--block": "alpha", "--memory": 5, "--tag": "quick"}.items():
        refused(invoke("regress", file, "--resume", name, value), name, str(value))
    monkeypatch.setattr(work, "__version__", "another")
    work.sources.cache_clear()
    refused(invoke("regress", file, "--resume"), "sources have changed")
    assert file.read_bytes() == before


def test_what_was_not_ended_with_other_sources_is_left(
    kernel: FakeKernel, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed("regress", file, "--budget", "1runs")
    rows(file, "UPDATE regressions SET ended = NULL")
    refused(invoke("regress", file), "has not ended")
    monkeypatch.setattr(work, "__version__", "another")
    work.sources.cache_clear()
    assert "7 jobs: 7 passed" in printed("regress", file)


def test_files_that_are_none(kernel: FakeKernel, file: Path) -> None:
    def unharmed(what: str, *options: object) -> None:
        before = file.read_bytes()
        for option in ((), ("--resume",), ("--show",)):
            refused(invoke("regress", file, *option), what, str(file))
        assert file.read_bytes() == before

    file.write_text("block,test\n" * 100)
    unharmed("not a database")
    file.unlink()
    rows(file, "CREATE TABLE mine (x)")
    unharmed("is not a file of tilepath regress")
    file.unlink()
    printed("regress", file)
    rows(file, f"PRAGMA user_version = {VERSION + 1}")
    unharmed("newer tilepath")
    rows(file, f"PRAGMA user_version = {VERSION}")
    content = file.read_bytes()
    for damaged in (content[:8192] + bytes(4096) + content[12288:], content[:-4096]):
        file.write_bytes(damaged)
        unharmed("")


def test_options_that_are_wrong(kernel: FakeKernel, file: Path) -> None:
    refused(invoke("regress", file, "--block", "gamma"), "there is no block")
    refused(invoke("regress", file, "--history", file.with_name("none")), "there is no file")
    assert not file.exists() or not rows(file, "SELECT * FROM regressions")


def test_a_disk_that_cannot_be_written(kernel: FakeKernel) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "r.sqlite"
        printed("regress", file)
        Path(name, "r.sqlite.runs", ".lock").chmod(0o444)
        for path in (file, file.with_name("r.sqlite.runs")):
            path.chmod(0o444 if path == file else 0o555)
        Path(name).chmod(0o555)
        mine = os.geteuid()
        os.seteuid(65534 if mine == 0 else mine)  # root may write anything
        try:
            for options in ((), ("--resume",)):
                refused(invoke("regress", file, *options), "cannot write", name)
            assert "7 passed" in printed("regress", file, "--show")
        finally:
            os.seteuid(mine)
            Path(name).chmod(0o755)
            file.with_name("r.sqlite.runs").chmod(0o755)


# -- Dask clusters: one line, status 2, and a file that can be gone on with


_JOB = ("--block", "adc", "--test", "random", "--seed", "1", "--cycles", "300")


@pytest.fixture
def scheduler() -> Iterator[str]:
    """Of a cluster of one worker, which is a thread of this process."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as found:
        yield found.scheduler_address


def _refused(file: Path, scheduler: str, *parts: str, silent: bool = True) -> None:
    options = ("--executor", "dask", "--scheduler", scheduler)
    refused(invoke("regress", file, *_JOB, *options), *parts, silent=silent)


def test_a_worker_with_other_sources(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, numbers = tmp_path / "r.sqlite", count()
    monkeypatch.setattr(cluster, "sources", lambda: str(next(numbers)))
    _refused(file, scheduler, scheduler, "another version of the project", silent=False)
    assert "1 not done" in printed("regress", file, "--show", status=2)


def test_a_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    file = tmp_path / "r.sqlite"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        _refused(file, address, address, "cannot be reached")
    _refused(file, address, address, "cannot be reached")
    _refused(file, address.replace("tcp", "tls"), "cannot be reached")
    for scheduler in ("", "host:1", "http://host:1"):
        _refused(file, scheduler, "belong together")
    refused(invoke("regress", file, "--scheduler", address), "belong together")
    refused(invoke("regress", file, "--executor", "ray"), "'ray' is not local or dask")
    monkeypatch.setitem(sys.modules, "distributed", None)
    _refused(file, address, "pip install 'tilepath[regress]'")
    assert not file.exists()
