# SPDX-License-Identifier: Apache-2.0
"""Runs in which RTL and model agree, and that must fail: faults, and what is left waiting."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tb.kernel.checking.stored import check_run
from tilepath.tb.kernel.description import registry
from tilepath.tb.kernel.host.run import RunRequest, RunResult, run
from tilepath.tests.cosim_runs import FAST, loading, missing
from tilepath.tests.kernel import verdict_cosim
from tilepath.tests.kernel.verdict_cosim import BAD

SIM: Final = FAST if missing("icarus") else "icarus"


def simulate(
    block: str, test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cycles: int = 8000
) -> RunResult:
    monkeypatch.setitem(registry.tests_of(block), test, BAD[block][test])
    request = RunRequest(
        block=block,
        test=test,
        seed=1,
        sim=SIM,
        cycles=cycles,
        coverage=False,
        block_cycles=512,
        out_dir=tmp_path,
        rerun_for_waves=False,
    )
    with loading(verdict_cosim.__name__):
        result = run(request)
    # what is stored is judged alike
    assert check_run(result.run_dir).status == result.status
    return result


@pytest.mark.parametrize(
    ("block", "test", "told"),
    [
        ("frontend_control", "left_at_gate", ("thread 1: SEMPOST 1", "SEMWAIT", "value 0, max 2")),
        ("unpack", "left_in_unpacker", ("SrcA bank 0, which is the Matrix Unit's", "busy value")),
        ("frontend", "left_in_queue", ("t2.rq had", "t2.issue")),
    ],
)
def test_left_waiting(
    block: str,
    test: str,
    told: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = simulate(block, test, tmp_path, monkeypatch)
    assert result.status == "fail" and result.report is not None
    report = result.report.read_text()
    assert report.startswith("LEFT the test leaves something waiting in cycle ")
    assert all(text in report for text in told), report
    # the players that have finished are not accused
    assert "t0." not in result.message and "thread 0" not in result.message


def test_what_is_declared_may_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = simulate("frontend_control", "declared", tmp_path, monkeypatch)
    assert result.status == "pass", result.message


def test_one_thread_that_stands_in_an_endless_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = simulate("frontend_control", "one_stands", tmp_path, monkeypatch)
    assert result.status == "fail" and result.report is not None
    assert "t1.core: item " in result.message and "stands for" in result.message
    assert "thread 1: " in result.report.read_text()
    assert "t0." not in result.message and "t2." not in result.message


def test_an_undeclared_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = simulate("unpack", "undeclared", tmp_path, monkeypatch)
    assert result.status == "fail" and result.report is not None
    assert "this test declares no such fault; caused by " in result.message
    assert result.report.read_text().startswith("FAULT ")
    assert result.faults > 0
