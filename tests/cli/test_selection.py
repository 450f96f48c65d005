# SPDX-License-Identifier: Apache-2.0
"""Which runs are planned: patterns, tags, seeds, what failed before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tilepath import __version__
from tilepath.engine.commands import run_list
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import (
    PlannedRun,
    Selection,
    first_seeds,
    make_run_list,
    run_seed,
)
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.tests.cli.fakes import BLOCKS, FakeKernel, FakeTest, having, invoke
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import refused

pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("--test random_*", {("alpha", "random_mix"), ("beta", "random_mix")}),
        ("--test ?or* --test matmul", {("alpha", "corner"), ("beta", "matmul")}),
        ("--test [cm]*", {("alpha", "corner"), ("beta", "matmul")}),
        ("--tag program --tag quick", {("alpha", "corner"), ("beta", "matmul")}),
        ("--tag random --block beta", {("beta", "random_mix")}),
        ("--test *m* --tag program", {("beta", "matmul")}),
    ],
)
def test_patterns_and_tags(kernel: FakeKernel, options: str, wanted: set[tuple[str, str]]) -> None:
    kernel.regression(*options.split())
    assert {(run.block, run.test) for run in kernel.runner.runs} == wanted
    for listing in ("list", "run --list"):
        result = invoke(*listing.split(), *options.split())
        rows = [line.split()[:2] for line in result.stdout.splitlines()[1:-1]]
        assert {(block, test) for block, test in rows} == wanted
    assert len(kernel.runners) == 1


def test_version() -> None:
    result = invoke("--version")
    assert (result.exit_code, result.stdout) == (0, f"tilepath {__version__}\n")


def test_no_run_is_begun_after_so_many_failures(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.behaviour = having(status="fail", message="wrong")
    result = kernel.regression("--jobs", 1, "--seeds", 9, "--max-fail", 2, status=1)
    assert len(kernel.runner.runs) == 2
    assert "20 runs: 0 passed, 2 failed, 18 not begun" in result.stdout
    text = (tmp_path / "results.xml").read_text()
    assert text.count("<skipped") == 18 and text.count("<testcase") == 20


def test_what_failed_is_run_again_alone(kernel: FakeKernel, tmp_path: Path) -> None:
    stored(tmp_path, ("alpha", "random_mix", 5), "fail", cycles=77)
    stored(tmp_path, ("alpha", "random_mix", 6), "pass")
    stored(tmp_path, ("beta", "matmul", 7), "error")
    stored(tmp_path, ("beta", "random_mix", 8), "", knobs=("a=1",), where="a < b")
    stored(tmp_path, ("beta", "random_mix", 9), "fail", profile="blackhole")
    stored(tmp_path, ("beta", "gone", 3), "fail")
    kernel.regression("--rerun-failed")
    assert set(kernel.runner.runs) == {
        PlannedRun("alpha", "random_mix", 5, 77),
        PlannedRun("beta", "matmul", 7),
        PlannedRun("beta", "random_mix", 8, knobs=("a=1",), where="a < b"),
    }
    kernel.regression("--rerun-failed", "--test", "mat*")
    assert [run.test for run in kernel.runner.runs] == ["matmul"]
    assert (tmp_path / "alpha" / "random_mix-6").is_dir()


@pytest.mark.parametrize("more", ["", "--seed 5", "--seeds 2", "--root-seed 1"])
def test_nothing_that_failed_is_one_line(kernel: FakeKernel, tmp_path: Path, more: str) -> None:
    stored(tmp_path, ("alpha", "random_mix", 6), "fail" if more else "pass")
    refused(kernel.regression("--rerun-failed", *more.split(), status=2))
    assert kernel.runners == []


def test_a_regression_leaves_the_failing_folders_of_other_seeds(
    kernel: FakeKernel, tmp_path: Path
) -> None:
    kept = stored(tmp_path, ("alpha", "random_mix", 5), "fail")
    gone = [stored(tmp_path, ("alpha", "random_mix", 6), "pass")]
    gone.append(stored(tmp_path, ("alpha", "random_mix", 7), ""))
    kernel.regression("--test", "random_mix")
    assert (kept / "result.json").is_file()
    assert not any(folder.exists() for folder in gone)


def test_what_failed_and_was_not_begun_again_is_not_forgotten(
    kernel: FakeKernel, tmp_path: Path
) -> None:
    for seed in range(20):
        stored(tmp_path, ("alpha", "corner", seed), "fail" if seed % 2 else "")
    kernel.behaviour = having(status="fail", message="wrong")
    kernel.regression("--rerun-failed", "--max-fail", 1, "--jobs", 1, status=1)
    assert len(kernel.runner.runs) == 1
    assert len(list(tmp_path.glob("alpha/corner-*/request.json"))) == 20


def test_a_run_that_could_not_be_done_is_stored_as_failed(tmp_path: Path) -> None:
    run = PlannedRun("adc", "crowds", 3, 500)
    runner = EngineRunner(RunOptions("verilator", "baseline", tmp_path))
    earlier = stored(tmp_path, ("adc", "crowds", 3), "pass")
    (earlier / "report.txt").write_text("of another run")
    runner.record(Outcome(run, "error", message="adc does not compile"))
    result = RunResult.from_json(earlier / "result.json")
    assert (result.status, result.message) == ("error", "adc does not compile")
    assert RunRequest.from_json(earlier / "request.json").cycles == 500
    assert not (earlier / "report.txt").exists()


@pytest.mark.parametrize(
    ("selection", "counts"),  # runs of alpha's and of beta's tests
    [
        (Selection(root_seed=1), (3, 1, 2, 1)),
        (Selection(("alpha",), seeds=20), (20, 1, 0, 0)),  # more are for random tests only
        (Selection(seeds=3000, root_seed=3), (3000, 1, 3000, 1)),
        (Selection(("alpha",), ("random_mix",), seed=(1 << 64) - 1), (1, 0, 0, 0)),
    ],
)
def test_how_often_each_test_is_run(selection: Selection, counts: tuple[int, ...]) -> None:
    """No run has the folder of another; a seed that is given is used as it is."""
    plan = make_run_list(selection)
    tests = [(block, test) for block, of_it in BLOCKS.items() for test in of_it]
    found = Counter((run.block, run.test) for run in plan.runs)
    assert tuple(found[one] for one in tests) == counts
    assert plan.blocks == tuple(dict.fromkeys(run.block for run in plan.runs))
    assert len(set(plan.runs)) == len(plan.runs)
    if selection.seed is not None:
        assert plan.runs == (PlannedRun("alpha", "random_mix", selection.seed),)
        assert plan.root_seed is None


def test_seeds_follow_from_the_root_seed_and_the_names_alone() -> None:
    plans = [make_run_list(Selection(root_seed=7)) for _ in range(2)]
    assert plans[0] == plans[1]
    other = make_run_list(Selection(root_seed=8))
    assert not {run.seed for run in other.runs} & {run.seed for run in plans[0].runs}
    # A test keeps its seeds when others are left out, and when more are asked for.
    part = make_run_list(Selection(("beta",), ("random_mix",), root_seed=7, seeds=5))
    assert [r for r in plans[0].runs if r in part.runs] == list(part.runs[:2])


def test_seeds_that_a_test_knows_come_first() -> None:
    drawn = [run_seed(1, "alpha", "random_mix", index) for index in range(2)]
    test = FakeTest(kind="directed", seeds=2, known=(drawn[0], 5))
    assert first_seeds(1, "alpha", "random_mix", test) == [drawn[0], 5]
    assert first_seeds(1, "alpha", "random_mix", test, 3) == [drawn[0], 5, drawn[1]]


def test_the_derivation_of_a_seed_stays_what_it_is() -> None:
    # Failing seeds are written down in reports: a changed derivation would make them worthless.
    assert run_seed(1, "frontend", "random_mix", 0) == 1353171208


def test_without_a_root_seed_every_regression_differs() -> None:
    roots = {make_run_list(Selection()).root_seed for _ in range(4)}
    assert len(roots) == 4


def test_nothing_to_run_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_list, "block_names", list)
    with pytest.raises(UsageError, match="nothing to run"):
        make_run_list(Selection())


def test_joined_blocks_can_be_named_with_a_plus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BLOCKS, "alpha_beta", BLOCKS["beta"])
    plan = make_run_list(Selection(("alpha+beta",), ("matmul",), seed=1))
    assert plan.runs == (PlannedRun("alpha_beta", "matmul", 1),)
    with pytest.raises(UsageError, match=r"no block 'beta\+alpha'"):
        make_run_list(Selection(("beta+alpha",)))
