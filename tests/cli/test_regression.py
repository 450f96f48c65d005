# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import datetime
import json
import re
import socket
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.commands.regression import Outcome, exit_status
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.tests.cli.fakes import (
    Behaviour,
    FakeKernel,
    having,
    invoke,
    killed_first,
    passing,
    printed,
)
from tilepath.tests.cli.files import CASES


def failing(run: PlannedRun, options: RunOptions) -> Outcome:
    """Fails in one test of one block."""
    outcome = passing(run, options)
    if (run.block, run.test) != ("beta", "matmul"):
        return outcome
    command = f"make SIM={options.sim} BLOCK=beta TEST=matmul SEED={run.seed}"
    report = "MISMATCH, at length: \x1b[31m\nissue event 3, cycle 17: word differs <here>\n"
    (options.out / "report.txt").write_text(f"{report}{command}\n")
    return replace(
        outcome,
        status="fail",
        faults=3,
        message="issue event 3, cycle 17: word differs <here>\n\x1b[31mexpected\x00",
        report=options.out / "report.txt",
        command=command,
    )


def full(run: PlannedRun, options: RunOptions) -> Outcome:
    """A run for which there is no room, in one test."""
    if run.test == "corner":
        raise OSError("disk full")
    return passing(run, options)


DOES: dict[str, Callable[[], Behaviour]] = {
    "passes": lambda: passing,
    "has no room": lambda: full,
    "is killed twice": lambda: killed_first(passing, 2),
    "is killed": lambda: killed_first(passing, 3),
    "compares nothing": lambda: having(events=0),
    "is busy": lambda: having(status="fail", message="busy"),
}


@pytest.mark.parametrize("case", CASES["regressions"], ids=lambda case: case["command"])
def test_how_a_regression_ends(kernel: FakeKernel, tmp_path: Path, case: dict[str, Any]) -> None:
    kernel.behaviour, kernel.broken = DOES[case["does"]](), case.get("broken")
    result = invoke(*case["command"].replace("DIR", str(tmp_path)).split())
    assert result.exit_code == case.get("status", 0), result.output
    for text, times in case["says"].items():
        assert result.output.count(text) == times, text
    assert sum(len(one.runs) for one in kernel.runners) == case["runs"]


def test_the_table_has_a_line_for_every_run(kernel: FakeKernel) -> None:
    result = kernel.regression("--block", "alpha", "--test", "corner", "--seed", 9)
    (row,) = [x.split() for x in result.stdout.splitlines() if x.startswith("alpha")]
    assert row == ["alpha", "corner", "9", "1,000", "12,345", "0", "pass", "0.5", "s"]


def test_a_failure_is_status_1_and_shows_how_to_see_it_again(
    kernel: FakeKernel, tmp_path: Path
) -> None:
    kernel.behaviour = failing
    result = kernel.regression("--root-seed", 5, status=1)
    seed = next(run.seed for run in kernel.runner.runs if run.test == "matmul")
    for text in (
        f"fail: beta/matmul seed {seed}",
        "issue event 3, cycle 17: word differs <here>",
        f"report: {tmp_path}/report.txt",
        f"make SIM=verilator BLOCK=beta TEST=matmul SEED={seed}",
        "7 runs: 6 passed, 1 failed",
    ):
        assert text in result.stdout


def test_the_first_failure_is_shown_with_its_whole_report(kernel: FakeKernel) -> None:
    reports: list[Path] = []

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        report = options.out / f"{run.seed}.txt"
        report.write_text(f"MISMATCH in {run.seed} [not markup]\n  all the details\n")
        message = f"headline of {'one' if len(reports) else 'another'}"
        reports.append(report)
        return replace(passing(run, options), status="fail", message=message, report=report)

    kernel.behaviour = behaviour
    options = ("--block", "beta", "--test", "random_mix", "--jobs", 1)  # so one is the first
    shown = kernel.regression(*options, status=1).stdout
    assert shown.count("[not markup]") == shown.count("all the details") == 1
    assert shown.index("all the details") < shown.index("[2/2]")  # when it is known
    # the other one in few words then, and both once more behind the table
    assert shown.count("headline of another") == 1 and shown.count("headline of one") == 2


def test_runs_that_end_at_once_are_told_in_their_order(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tilepath.engine.commands.regression.wait", lambda some, return_when: wait(some)
    )
    options = ("--block", "beta", "--test", "random_mix", "--seeds", 40, "--jobs", 1)
    shown = kernel.regression(*options).stdout
    told = [int(seed) for seed in re.findall(r"\d/40\] \S+ seed (\d+)", shown)]
    assert told == [run.seed for run in kernel.runner.runs] and len(told) == 40


def test_options_reach_the_runner(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.note = "waves are written as VCD"
    options = "--sim icarus --profile blackhole --cycles 77 --waves --timeout 9".split()
    drawn = ("--knob", "a=1", "--knob", "b=2", "--where", "a < b")
    result = kernel.regression(*options, "--no-coverage", "--seeds", 1, *drawn)
    asked = {"cycles": 77, "waves": True, "coverage": False, "timeout": 9}
    asked |= {"knobs": ("a=1", "b=2"), "where": "a < b"}
    assert kernel.runner.options == RunOptions("icarus", "blackhole", tmp_path, **asked)
    assert "note: waves are written as VCD" in result.stdout
    assert len(kernel.runner.runs) == 4


def test_junit_has_a_suite_per_block(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.behaviour = failing
    kernel.regression("--root-seed", 5, status=1)
    suites = {suite.get("name"): suite for suite in ET.parse(tmp_path / "results.xml").getroot()}
    assert list(suites) == ["alpha", "beta"]
    assert (suites["alpha"].get("tests"), suites["alpha"].get("failures")) == ("4", "0")
    assert (suites["beta"].get("tests"), suites["beta"].get("failures")) == ("3", "1")
    named = {p.get("name"): p.get("value") for p in suites["beta"].findall("properties/property")}
    faults = {"faults": "3"}
    assert named == {"root_seed": "5", "sim": "verilator", "profile": "baseline", **faults}
    for suite in suites.values():
        assert suite.get("hostname") == socket.gethostname()
        began = datetime.datetime.fromisoformat(suite.get("timestamp", ""))
        assert abs((datetime.datetime.now(datetime.UTC) - began).total_seconds()) < 60
    (failure,) = suites["beta"].findall("testcase/failure")
    assert failure.get("message") == "issue event 3, cycle 17: word differs <here>"
    assert failure.text is not None
    assert failure.text.startswith("MISMATCH, at length: ?[31m\n")
    assert "make SIM=verilator" in failure.text
    case = next(case for case in suites["beta"] if case.find("failure") is not None)
    listed = {p.get("name"): p.get("value") for p in case.findall("properties/property")}
    assert (listed["faults"], listed["events"]) == ("3", "12345")
    assert not list(tmp_path.glob("*.part"))


def test_a_block_that_does_not_build_fails_all_its_runs(kernel: FakeKernel, tmp_path: Path) -> None:
    """And is one failure."""
    kernel.broken = "alpha"
    result = kernel.regression("--max-fail", 2, status=1)
    assert {run.block for run in kernel.runner.runs} == {"beta"}
    assert {outcome.run.block for outcome in kernel.runner.recorded} == {"alpha"}
    assert "7 runs: 3 passed, 4 failed" in result.stdout
    assert "alpha does not compile" in result.stdout
    suite = ET.parse(tmp_path / "results.xml").getroot()[0]
    assert (suite.get("name"), suite.get("errors")) == ("alpha", "4")


def test_no_outcome_at_all_is_no_pass() -> None:
    assert exit_status([]) == 2


def test_at_most_as_many_runs_at_once_as_asked(kernel: FakeKernel) -> None:
    now, most, lock = [0], [0], threading.Lock()

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        threading.Event().wait(0.02)
        with lock:
            now[0] -= 1
        return passing(run, options)

    kernel.behaviour = behaviour
    kernel.regression("--jobs", 3, "--seeds", 8)
    assert most[0] == 3


def test_coverage_of_passed_runs_is_merged(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.behaviour = failing
    result = kernel.regression(status=1)
    assert "coverage of alpha: 50.0 % (2 of 4 bins, 4 runs)" in result.stdout
    # The failed run's bin does not count.
    assert "coverage of beta: 25.0 % (1 of 4 bins, 2 runs)" in result.stdout
    merged = json.loads((tmp_path / "alpha" / "coverage.json").read_text())
    assert merged["points"]["kind"] == {"random_mix": 3, "corner": 1, "matmul": 0, "never": 0}


def test_an_earlier_regression_leaves_nothing_that_counts(
    kernel: FakeKernel, tmp_path: Path
) -> None:
    kernel.regression("--root-seed", 1)
    kept = tmp_path / "alpha" / "random_mix-notes"
    kept.mkdir()
    kernel.regression("--root-seed", 2)
    folders = {path.name for path in (tmp_path / "alpha").glob("random_mix-*")}
    assert folders == {kept.name} | {
        f"random_mix-{run.seed}"
        for run in kernel.runner.runs
        if (run.block, run.test) == ("alpha", "random_mix")
    }


def test_one_seed_leaves_the_folders_of_other_seeds(kernel: FakeKernel, tmp_path: Path) -> None:
    for seed in (11, 12):
        kernel.regression("--test", "corner", "--seed", seed)
    assert {path.name for path in (tmp_path / "alpha").glob("corner-*")} == {
        "corner-11",
        "corner-12",
    }


@pytest.mark.parametrize("lines", [99, 100, 101, 300])
def test_a_long_report_says_how_to_see_it_again(kernel: FakeKernel, lines: int) -> None:
    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        text = [*(f"line {number}" for number in range(1, lines)), "again   in the report"]
        (options.out / "report.txt").write_text("\n".join(text))
        outcome = replace(passing(run, options), status="fail", message="no", command="run it")
        return replace(outcome, report=options.out / "report.txt")

    kernel.behaviour = behaviour
    shown = kernel.regression("--block", "alpha", "--test", "corner", status=1).stdout
    at_once = shown.partition("block  test")[0]
    assert ("again   in the report" in at_once) == (lines <= 100)
    assert ("(all of it: " in at_once) == ("again:  run it" in at_once) == (lines > 100)


def test_list_names_blocks_and_tests(kernel: FakeKernel) -> None:
    rows = [line.split() for line in printed("list").splitlines()[1:]]
    assert ["beta", "matmul", "program", "1", "a", "program"] in rows
    assert rows.pop() == ["tags:", "directed,", "program,", "quick,", "random"]
    assert len(rows) == 4


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_the_default_directory_names_simulator_and_profile(
    kernel: FakeKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    printed("run", "--test", "corner", "--profile", profile)
    assert (tmp_path / "runs" / f"verilator-{profile}" / "results.xml").is_file()


def test_of_many_runs_the_slowest_are_named(kernel: FakeKernel) -> None:
    kernel.behaviour = lambda run, options: replace(
        passing(run, options), seconds=99.0 if run.test == "matmul" else run.seed % 7
    )
    few = kernel.regression("--test", "corner").stdout
    assert "slowest runs" not in few
    lines = kernel.regression("--seeds", 8).stdout.splitlines()
    at = lines.index("the 10 slowest runs:") + 1
    assert "99.0 s  beta/matmul seed" in lines[at]
    times = [float(line.split()[0]) for line in lines[at : at + 10]]
    assert times == sorted(times, reverse=True)


def test_equal_failures_are_one_with_the_shortest_run_first(kernel: FakeKernel) -> None:
    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        text = f"busy: event {run.seed}, cycle {run.seed:,}: 0x{run.seed:x} differs"
        cycles = 1000 + run.seed % 1000
        if run.test == "corner":
            text, cycles = "another thing", 5000
        outcome = passing(run, options)
        return replace(outcome, status="fail", message=text, cycles=cycles, report=None)

    kernel.behaviour = behaviour
    result = kernel.regression("--block", "alpha", "--seeds", 13, "--root-seed", 1, status=1)
    runs = [run for run in kernel.runner.runs if run.test != "corner"]
    runs.sort(key=lambda run: run.seed % 1000)
    assert "14 runs: 0 passed, 14 failed" in result.stdout
    lines = result.stdout.splitlines()
    heads = [line for line in lines if line.startswith("fail: ")]
    assert heads == [
        f"fail: {runs[0].label}, and 12 more like it",
        next(f"fail: {run.label}" for run in kernel.runner.runs if run.test == "corner"),
    ]
    assert sum("differs" in line for line in lines) == 2  # at once, and behind the table
    named = [line.split("alike:  ")[1].split(",")[0] for line in lines if "alike:" in line]
    assert named == [run.label for run in runs[1:9]]
    assert "          and 4 more" in lines
