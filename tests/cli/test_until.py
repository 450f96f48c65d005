# SPDX-License-Identifier: Apache-2.0
"""``run --until-coverage``: what its rounds run, and where they end."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun, Selection, make_run_list
from tilepath.engine.commands.simulation import RunOptions
from tilepath.tests.cli.fakes import Behaviour, FakeKernel, hitting, passing

UNTIL = ("--until-coverage", "--root-seed", 5)


def hits_all_with(seed: int) -> Behaviour:
    """Runs that hit all bins where they have this seed, and else none that no other hits."""
    return hitting(lambda run, bins: dict.fromkeys(bins, 1) if run.seed == seed else bins)


def seeds(count: int) -> list[int]:
    """The first seeds of a random test with root seed 5."""
    selection = Selection(("alpha",), ("random_mix",), seeds=count, root_seed=5)
    return [run.seed for run in make_run_list(selection).runs]


@pytest.fixture
def last(kernel: FakeKernel) -> int:
    """The seventh seed hits all bins of ``kernel``; three are of the first round."""
    seed = seeds(7)[-1]
    kernel.behaviour = hits_all_with(seed)
    return seed


def test_rounds_go_on_with_new_seeds_until_all_bins_are_hit(
    kernel: FakeKernel, last: int, tmp_path: Path
) -> None:
    out = kernel.regression("--block", "alpha", *UNTIL, "--jobs", 1).stdout
    runs = kernel.runner.runs
    assert [run.seed for run in runs if run.test == "random_mix"] == seeds(7)
    assert Counter(run.test for run in runs) == {"random_mix": 7, "corner": 1}
    rounds = [line for line in out.splitlines() if line.startswith("round ")]
    assert rounds[0] == "round 1: 4 runs; alpha 2 of 4 bins (+2)"
    assert rounds[1] == "round 2: 1 runs; alpha 2 of 4 bins (+0)"
    assert rounds[4:] == ["round 5: 1 runs; alpha 4 of 4 bins (+2)"]
    assert "8 runs: 8 passed" in out and "coverage of alpha: 100.0 % (4 of 4 bins, 8 runs)" in out
    assert json.loads((tmp_path / "alpha" / "coverage.json").read_text())["runs"] == 8
    assert all(run.start is not None for run in runs)


def test_blocks_with_all_bins_hit_are_run_no_more(kernel: FakeKernel) -> None:
    kernel.behaviour = hits_all_with(seeds(4)[-1])
    out = kernel.regression(*UNTIL, "--budget", "12runs", status=1).stdout
    count = Counter(run.block for run in kernel.runner.runs)
    assert count == {"alpha": 4 + 1, "beta": 3 + 4}
    assert "the budget of 12runs is spent" in out and "what was not hit" in out


@pytest.mark.parametrize(("text", "runs"), [("4runs", 4), ("1runs", 4), ("6runs", 6)])
def test_a_budget_of_runs_ends_it(kernel: FakeKernel, text: str, runs: int) -> None:
    options = ("--block", "alpha", *UNTIL, "--budget", text)
    assert f"the budget of {text} is spent" in kernel.regression(*options, status=1).stdout
    assert len(kernel.runner.runs) == runs


def test_a_budget_of_time_ends_it(kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1000, 45))
    clock = SimpleNamespace(monotonic=lambda: next(now))
    monkeypatch.setattr("tilepath.engine.commands.until.time", clock)
    options = ("--block", "alpha", *UNTIL, "--budget", "2m")
    assert "the budget of 2m is spent" in kernel.regression(*options, status=1).stdout
    assert len(kernel.runner.runs) == 4 + 2


def test_a_failure_ends_it(kernel: FakeKernel) -> None:
    fifth = seeds(5)[-1]

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        outcome = passing(run, options)
        return replace(outcome, status="fail") if run.seed == fifth else outcome

    kernel.behaviour = behaviour
    out = kernel.regression("--block", "alpha", *UNTIL, status=1).stdout
    assert "6 runs: 5 passed, 1 failed" in out and "budget" not in out


def test_next_to_all_bins_are_not_all(kernel: FakeKernel) -> None:
    """Of 3,782 bins one is less than the half of a tenth of a percent."""
    kernel.behaviour = hitting(lambda _run, _bins: {str(i): i for i in range(3782)})
    out = kernel.regression("--block", "alpha").stdout
    assert "coverage of alpha: 99.9 % (3781 of 3782 bins" in out
