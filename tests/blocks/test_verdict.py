# SPDX-License-Identifier: Apache-2.0
"""Runs in which RTL and model agree, and that must fail: faults, and what is left waiting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tilepath.engine.checking.stored import check_run
from tilepath.engine.description import registry
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.tests.blocks import verdict_cosim
from tilepath.tests.blocks.verdict_cosim import BAD
from tilepath.tests.cosim_runs import SMALL, loading

Simulate = Callable[[str, str], RunResult]


@pytest.fixture
def simulate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulate:
    def call(block: str, test: str) -> RunResult:
        monkeypatch.setitem(registry.tests_of(block), test, BAD[block][test])
        which = (block, test, 1, SMALL, "baseline", 8000)
        request = RunRequest(*which, block_cycles=512, out_dir=tmp_path, coverage=False)
        with loading(verdict_cosim.__name__):
            result = run(request)
        # what is stored is judged alike
        assert check_run(result.run_dir).status == result.status
        return result

    return call


@pytest.mark.parametrize(
    ("block", "test", "told"),
    [
        ("frontend_control", "left_at_gate", ("thread 1: SEMPOST 1", "SEMWAIT", "value 0, max 2")),
        ("unpack", "left_in_unpacker", ("SrcA bank 0, which is the Matrix Unit's", "busy value")),
        ("frontend", "left_in_queue", ("t2.rq had", "t2.issue")),
    ],
)
def test_left_waiting(block: str, test: str, told: tuple[str, ...], simulate: Simulate) -> None:
    result = simulate(block, test)
    assert result.status == "fail" and result.report is not None
    report = result.report.read_text()
    assert report.startswith("LEFT the test leaves something waiting in cycle ")
    assert all(text in report for text in told), report
    # the players that have finished are not accused
    assert "t0." not in result.message and "thread 0" not in result.message


def test_what_is_declared_may_wait(simulate: Simulate) -> None:
    result = simulate("frontend_control", "declared")
    assert result.status == "pass", result.message


def test_one_thread_that_stands_in_an_endless_test(simulate: Simulate) -> None:
    result = simulate("frontend_control", "one_stands")
    assert result.status == "fail" and result.report is not None
    assert "t1.core: item " in result.message and "stands for" in result.message
    assert "thread 1: " in result.report.read_text()
    assert "t0." not in result.message and "t2." not in result.message


def test_an_undeclared_fault(simulate: Simulate) -> None:
    result = simulate("unpack", "undeclared")
    assert result.status == "fail" and result.report is not None
    assert "this test declares no such fault; caused by " in result.message
    assert result.report.read_text().startswith("FAULT ")
    assert result.faults > 0
