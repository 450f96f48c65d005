# SPDX-License-Identifier: Apache-2.0
"""Dask clusters that are of no use: one line, status 2, and a file that can be gone on with."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from distributed import LocalCluster

from tilepath.engine.commands.regress import cluster
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import refused

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
