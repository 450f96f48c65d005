# SPDX-License-Identifier: Apache-2.0
"""``tilepath campaign`` and ``tilepath floors`` with runs that simulate nothing."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilepath.engine.commands import jobs
from tilepath.engine.commands.regress import work
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import FLOOR_CYCLES, scaled_floor
from tilepath.engine.stimulus import floors
from tilepath.tests.cli.fakes import FakeKernel, invoke, printed
from tilepath.tests.commands import refused

NEAR = "random_wrap"
"""The test of which some run comes near to a floor."""

Done = Counter[tuple[str, str]]


def counted(run: PlannedRun, options: RunOptions) -> Outcome:
    """A run that has so many times its floors: four, or of one test two."""
    times = 2 if run.test == NEAR and run.seed % 2 else 4
    block = load_block(run.block)
    instances = {stream.name: stream.instances for stream in block.streams}
    counts = {}
    for stream, least in tests_of(run.block)[run.test].floor.items():
        names = instances.get(stream, (stream,))
        counts |= dict.fromkeys(names, times * least // len(names) + 1)
    return Outcome(
        run, "pass", cycles=options.cycles or 0, events=9, digest=f"{run.seed:x}", counts=counts
    )


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeKernel]:
    fake = FakeKernel(counted)
    monkeypatch.setattr(jobs, "make_runner", fake.make_runner)
    yield fake
    work.sources.cache_clear()


@pytest.fixture
def file(kernel: FakeKernel, tmp_path: Path) -> Path:
    return tmp_path / "c.sqlite"


def done(kernel: FakeKernel) -> Done:
    """Profile and test of all runs so far."""
    pairs = ((one.options.profile, run.test) for one in kernel.runners for run in one.runs)
    return Counter(pairs)


def test_every_test_and_more_of_those_that_come_near(kernel: FakeKernel, file: Path) -> None:
    command = ("campaign", file, "--block", "adc", "--seeds", 10, "--root-seed", 1)
    text = printed(*command)
    tests = [n for n, test in tests_of("adc").items() if test.endless and test.kind == "random"]
    seeds_of = {"baseline": 10, "blackhole": 3, "wormhole": 3}
    wanted = {(profile, test): n for profile, n in seeds_of.items() for test in tests}
    wanted["baseline", NEAR] += 50
    assert done(kernel) == wanted
    assert "the whole campaign:" in text
    total = sum(wanted.values())
    assert f"{total} jobs: {total} passed, 0 failed" in text.splitlines()[-1]
    shown = [line.split() for line in text.splitlines() if line.startswith("adc/")]
    assert shown[0][::2] == [f"adc/{NEAR}", "66", shown[0][4], shown[0][6]]
    assert float(shown[0][-1]) < 2.1 and {line[2] for line in shown[1:]} == {"16"}
    assert len(shown) == len(tests) and all(float(line[-1]) >= 4 for line in shown[1:])
    # nothing is done twice, nor with the same seed
    assert printed(*command).splitlines()[-1] == text.splitlines()[-1]
    assert done(kernel) == wanted
    seeds = [run.seed for one in kernel.runners for run in one.runs if run.test == NEAR]
    assert len(set(seeds)) == len(seeds)


def test_a_campaign_goes_on_where_its_budget_ended(kernel: FakeKernel, file: Path) -> None:
    # one of four seeds of the test that comes near is odd
    command = ("campaign", file, "--block", "adc", "--seeds", 4, "--root-seed", 1)
    command = (*command, "--budget", "10runs")
    assert "a part of the campaign:" in printed(*command)
    assert sum(done(kernel).values()) == 10
    for _ in range(5):
        text = printed(*command)
    assert "the whole campaign:" in text
    assert sum(done(kernel).values()) == 6 * 4 + 2 * 6 + 20
    printed("regress", file, "--block", "adc", "--test", "threads")
    assert "the whole campaign:" in printed(*command)


def test_what_failed_is_told(kernel: FakeKernel, file: Path) -> None:
    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        if run.test == "updates" and options.profile == "blackhole":
            return Outcome(run, "fail", cycles=7, message="flop x0 differs", signature="flop x0")
        return counted(run, options)

    kernel.behaviour = behaviour
    text = printed("campaign", file, "--block", "adc", "--seeds", 4, status=1)
    assert "flop x0" in text.partition("the whole campaign:")[2]
    assert "1 failed" in text.splitlines()[-1]


def test_another_regression_behind_a_campaign_that_has_not_ended(
    kernel: FakeKernel, file: Path
) -> None:
    command = ("campaign", file, "--block", "adc", "--seeds", 4)
    printed(*command, "--budget", "3runs")
    printed("regress", file, "--block", "adc", "--test", "threads")
    refused(invoke(*command), "another regression behind", silent=False)


# -- floors from what was counted


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the table, which is that of the project meanwhile."""
    path = tmp_path / "floors.toml"
    path.write_text(floors.FILE.read_text())
    monkeypatch.setattr(floors, "FILE", path)
    yield path
    floors.measured.cache_clear()


def test_floors_anew(kernel: FakeKernel, file: Path, table: Path) -> None:
    command = ("regress", file, "--block", "adc", "--tag", "random", "--cycles", FLOOR_CYCLES)
    printed(*command, "--seeds", 29)
    refused(invoke("floors", file, "--write"), "fewer than 30 runs")
    printed(*command, "--seeds", 2)
    printed(*command, "--seeds", 2, "--knob", "illegal=0.9")
    printed("regress", file, "--block", "adc", "--tag", "random", "--cycles", 5000)
    before = table.read_text()
    text = printed("floors", file, "--test", NEAR)
    (line,) = [x.split() for x in text.splitlines() if x.startswith(f"adc/{NEAR} ")][:1]
    assert line[2] == "31" and float(line[-1]) == pytest.approx(2.0, abs=0.1)
    assert table.read_text() == before
    printed("floors", file, "--test", NEAR, "--write")
    others = floors.measured()
    floors.measured.cache_clear()
    now = floors.measured()
    assert {name for name in now if now[name] != others[name]} == {f"adc/{NEAR}"}
    assert now[f"adc/{NEAR}"].seeds == 31
    assert set(now[f"adc/{NEAR}"].rows) == set(others[f"adc/{NEAR}"].rows)


def test_what_was_played_otherwise_does_not_count(
    kernel: FakeKernel, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("regress", file, "--block", "adc", "--test", NEAR, "--cycles", FLOOR_CYCLES)
    printed(*command, "--seeds", 3)
    monkeypatch.setattr(floors, "stimulus_digest", lambda _block, _test: "other")
    result = invoke("floors", file, "--block", "adc")
    assert (result.exit_code, result.stdout) == (
        2,
        f"adc/{NEAR}: 3 runs left out, which had another stimulus\n",
    )
    assert "no counts of these tests" in result.stderr


def test_a_missed_floor_counts_too(kernel: FakeKernel, file: Path) -> None:
    least = scaled_floor(tests_of("adc")[NEAR], FLOOR_CYCLES)
    stream = next(name for name in least if name in load_block("adc").stream_table)
    misses = itertools.chain([True], itertools.repeat(False))

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        found = counted(run, options)
        if not next(misses):
            return found
        text = f"{stream} had only 1 events; this test needs {least[stream]} (cycle 10000)"
        counts = {**found.counts, stream: 1}
        return Outcome(run, "fail", cycles=FLOOR_CYCLES, events=9, message=text, counts=counts)

    kernel.behaviour = behaviour
    command = ("--block", "adc", "--test", NEAR, "--cycles", FLOOR_CYCLES, "--seeds", 3)
    printed("regress", file, *command, "--jobs", 1, status=1)
    first = next(x for x in printed("floors", file).splitlines() if x.startswith("adc/"))
    assert first.split()[1:4] == [stream, "3", "1"]


def test_files_without_counts(kernel: FakeKernel, file: Path) -> None:
    refused(invoke("floors", file), "there is no file")
    printed("regress", file, "--block", "adc", "--test", NEAR, "--cycles", FLOOR_CYCLES)
    with sqlite3.connect(file) as db:  # as the first version had it
        db.execute("ALTER TABLE jobs DROP COLUMN counts")
        db.execute("UPDATE regressions SET options = json_remove(options, '$.stimuli')")
        db.execute("PRAGMA user_version = 1")
    refused(invoke("floors", file), "no counts of these tests")
    printed("regress", file, "--block", "adc", "--test", NEAR, "--cycles", FLOOR_CYCLES)
    assert f"adc/{NEAR}" in printed("floors", file)
