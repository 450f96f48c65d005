# SPDX-License-Identifier: Apache-2.0
"""A program that stands still passes where that was predicted, and only there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.stored import check_run
from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.run import RunRequest, run
from tilepath.sequences.flag_pipe import TESTS
from tilepath.tests.cosim_runs import FAST

HANGS = {
    "push_first": (), "push_first_one_side": (), "push_first_deadlock": (0, 1, 2),
    "pop_first_deadlock": (0, 1), "pop_first_deadlock_1": (0, 2), "starved_pop": (1, 2),
    "push_first_deadlock_1": (0, 1, 2), "starved_push": (2,), "starved_alone": (0, 2),
}  # fmt: skip


@pytest.mark.parametrize("platform", ["a5", "a2a3"])
@pytest.mark.parametrize("name", HANGS)
def test_who_is_predicted_to_stand(name: str, platform: str) -> None:
    context = Context("flag_pipe", name, 1, f"baseline,platform={platform}", 0)
    lines = TESTS[name].stands(context)
    stuck = tuple(n for n in range(3) if any(f"core{n}\\.core" in line for line in lines))
    assert stuck == HANGS[name]


def test_what_is_left_is_what_was_predicted() -> None:
    left = ["core1.core state is not at rest: WAIT", "core1.cmd: 4 of 6 items presented"]
    RunCheck._check_stands(left, ("^core1.core", "^core1.cmd: 4 of 6"), 9)
    with pytest.raises(CheckError, match=r"nothing like .core2"):
        RunCheck._check_stands(left, ("^core1", "^core2"), 9)
    with pytest.raises(CheckError, match=r"not as predicted: core1\.cmd: 4 of 6"):
        RunCheck._check_stands(left, ("^core1.core",), 9)
    with pytest.raises(CheckError, match="nothing like"):
        RunCheck._check_stands([], ("^core1",), 9)


def test_a_hang_that_was_not_predicted_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = RunRequest("flag_pipe", "starved_pop", 1, FAST, out_dir=tmp_path)
    result = run(request)
    assert result.status == "pass", result.message
    assert check_run(result.run_dir).status == "pass"
    spec = TESTS["starved_pop"]
    for other, says in (
        ((), "leaves something waiting"),
        (spec.stands(request.context)[:-1], "not as predicted"),
        ((*spec.stands(request.context), "core0"), "nothing like core0"),
    ):
        changed = replace(spec, stands=lambda _context, other=other: other)
        monkeypatch.setitem(TESTS, "starved_pop", changed)
        checked = check_run(result.run_dir)
        assert checked.status == "fail" and says in checked.message


def test_a_prediction_that_does_not_come_true_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(RunRequest("flag_pipe", "push_first", 1, FAST, out_dir=tmp_path))
    assert result.status == "pass", result.message
    changed = replace(TESTS["push_first"], stands=lambda _context: ("core0",))
    monkeypatch.setitem(TESTS, "push_first", changed)
    assert "nothing like core0" in check_run(result.run_dir).message
