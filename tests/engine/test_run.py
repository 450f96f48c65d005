# SPDX-License-Identifier: Apache-2.0
"""Whole runs of a block that is added to a copy of the project: a folder, and nothing else.

The kernel must work for it as it is; and whatever goes wrong in a run, the run must not pass.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.engine.project import PROJECT_VARIABLE
from tilepath.tests.commands import alive, python, until
from tilepath.tests.cosim_runs import EACH_SIMULATOR
from tilepath.tests.cosim_runs import SMALL as SIM
from tilepath.tests.engine.waves import signals

SCRIPT: Final = """
import dataclasses, json, sys
from pathlib import Path
from tilepath.engine.checking.stored import check_run
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.engine.host.waves import make_waves
for given in json.loads(sys.argv[1]):
    said, around = [], given.pop("around", False)
    result = run(RunRequest(**given | {"out_dir": Path(given["out_dir"])}))
    if around:
        assert result.waves is None and make_waves(result.run_dir, said.append)
        result = RunResult.from_json(result.run_dir / "result.json")
    assert RunResult.from_json(result.run_dir / "result.json") == result
    try:
        again = check_run(result.run_dir).status
    except ValueError as error:
        again = str(error)
    told = {"again": again, "said": said}
    print(json.dumps({**dataclasses.asdict(result), **told}, default=str), flush=True)
"""
# ends in a block of cycles in which the sequences of the tests have had time to go wrong
LENGTH: Final = {"cycles": 20_000, "block_cycles": 1000}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_project(tmp_path_factory.mktemp("project") / "tilepath")


def tiny_project(root: Path) -> Path:
    """The engine alone in ``root``, and beside it a project with designs of its own."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "engine", root / "engine", ignore=ignored)
    shutil.copy(ROOT / "__init__.py", root / "__init__.py")
    shutil.copytree(Path(__file__).with_name("designs"), root.parent / "designs", ignore=ignored)
    return root


def environment_of(project: Path) -> dict[str, str]:
    """What finds both."""
    build = {"TILEPATH_BUILD": str(project.parent / "build")}
    found = {"PYTHONPATH": str(project.parent), PROJECT_VARIABLE: "designs.project"}
    return {**os.environ, **found, **build}


@dataclass
class Outcome:
    """A result, and what a later check of the stored run says."""

    data: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.data[name]

    def file(self, name: str) -> Path:
        return Path(self.data["run_dir"]) / name


Simulate = Callable[..., list[Outcome]]


@pytest.fixture
def simulate(project: Path, tmp_path: Path) -> Simulate:
    usual = {"block": "tiny", "seed": 1, "sim": SIM, "out_dir": str(tmp_path)}
    return lambda *runs: simulated(project, *(usual | one for one in runs))


def simulated(project: Path, *runs: dict[str, Any]) -> list[Outcome]:
    """The outcomes of runs in one process, each of which has divided from the same one."""
    script = ("-c", SCRIPT, json.dumps(runs))
    done = python(*script, cwd=project, env=environment_of(project), timeout=240)
    assert done.returncode == 0, done.stderr
    outcomes = [Outcome(json.loads(line)) for line in done.stdout.splitlines()[-len(runs) :]]
    for outcome in outcomes:
        # the parts of a run that came to a verdict, good or bad, are all that its process used
        if outcome.file("outcome.json").exists():
            used = json.loads(outcome.file("outcome.json").read_text())["cpu"]
            assert sum(outcome.spent.values()) == pytest.approx(used, abs=1e-5)
    return outcomes


# -- runs that pass


def test_runs_that_pass(simulate: Simulate) -> None:
    """An endless one, one that ends, and one that is too long to keep its traces."""
    endless, finite, long = simulate(
        {"test": "walk", "cycles": 3000, "block_cycles": 700},
        {"test": "finite", "coverage": False},
        {"test": "walk", "cycles": 210_000, "seed": 2},
    )
    assert (endless.status, endless.message, endless.again) == ("pass", "", "pass")
    assert endless.cycles == 3500  # whole blocks
    assert endless.events > 500
    coverage = json.loads(Path(endless.coverage_file).read_text())
    assert all(coverage["points"]["gate"].values())
    assert (finite.status, finite.again, finite.coverage_file) == ("pass", "pass", None)
    assert finite.events == 80  # each word once, each count once
    assert finite.cycles == 2 * 4096  # the second block of cycles was quiet
    assert long.status == "pass" and long.events > 50_000
    assert "kept no traces" in long.again
    assert not long.file("trace").exists() and not long.file("stimulus").exists()


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_nothing_of_a_run_is_seen_by_the_next(sim: str, simulate: Simulate) -> None:
    """Of one that divided from the same process before: what it planted is told by its name."""
    litter = {"test": "litter", "sim": sim}
    runs = [{**litter, "seed": seed} for seed in (2, 3, 4)]
    for outcome in simulate(*runs, {**litter, "seed": 5, "cold": True}):
        assert (outcome.status, outcome.message) == ("pass", "")


@pytest.mark.parametrize("victim", ["run", "warm", "runner"])
def test_killed_at_any_place(
    victim: str, project: Path, tmp_path: Path, simulate: Simulate
) -> None:
    """Nothing goes on that nobody waits for; only what was killed is lost."""
    given = {"block": "tiny", "test": "wait", "seed": 1, "sim": SIM, "out_dir": str(tmp_path)}
    runner = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps([{**given, **LENGTH}])],
        cwd=project,
        env=environment_of(project),
        stdout=subprocess.PIPE,
        text=True,
    )
    until((tmp_path / "waiting").exists)
    run, warm = (int(x) for x in (tmp_path / "waiting").read_text().split())
    (tmp_path / "waiting").unlink()
    os.kill({"run": run, "warm": warm, "runner": runner.pid}[victim], signal.SIGKILL)
    until(lambda: not alive(run))
    if victim == "warm":  # its run is started again, by itself
        until((tmp_path / "waiting").exists)
    (tmp_path / "go").touch()
    told, _ = runner.communicate(timeout=60)
    until(lambda: not alive(warm))
    result = tmp_path / "tiny" / "wait-1" / "result.json"
    if victim == "runner":
        assert told == "" and not result.exists()
    else:
        expected = {"run": "error", "warm": "pass"}[victim]
        assert json.loads(result.read_text())["status"] == expected
    (again,) = simulate({"test": "wait", **LENGTH})
    assert again.status == "pass"  # no lock is left


def test_a_simulator_that_does_not_load_is_started_cold(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its run has a log that says why."""
    monkeypatch.setenv("COCOTB_LOG_LEVEL", "nonsense")
    (outcome,) = simulate({"test": "finite"})
    assert outcome.status == "error" and "sim.log" in outcome.message
    assert "COCOTB_LOG_LEVEL" in outcome.file("sim.log").read_text()


# -- runs that must not


def test_a_mismatch_and_waves_around_it_or_of_a_whole_run(simulate: Simulate) -> None:
    around, whole = {"test": "lie", "around": True}, {"test": "finite", "waves": True}
    outcome, other = simulate(around, whole)
    assert other.status == "pass"
    assert outcome.said == [f"compiling the RTL of tiny with waves for {SIM}"]
    assert (outcome.status, outcome.again) == ("fail", "fail")
    # the third word is offered in cycle 3
    assert outcome.message == "got event 2, cycle 4: word differs"
    report = Path(outcome.report).read_text()
    for part in (
        "MISMATCH got event 2, cycle 4: word differs\n",
        "0x00000baf (number 2991)",
        "0x00000bae (number 2990)   <--",
        "cycle 3  word 0x00000003 (number 3)",
        "caused by: put event 2: cycle 3  word 0x00000bad (number 2989)\n",
        f"block tiny, test lie, seed 1, profile baseline, {SIM}\n",
        f"tilepath run --sim {SIM} --block tiny --test lie --seed 1\n",  # this is no checkout
    ):
        assert part in report
    assert "  waves   rerun/" in report
    assert_views(Path(outcome.waves))
    assert_views(Path(other.waves))
    # the run for the waves leaves this one's files alone
    assert json.loads(outcome.file("outcome.json").read_text())["status"] == "fail"


def assert_views(waves: Path) -> None:
    """Both views name the ports of all recorders, and what they name is in the waves."""
    there = signals(waves)
    assert len(there) > 40
    groups = re.findall(r"(?m)^@[8c]00200\n-(.*)\n", waves.with_suffix(".gtkw").read_text())
    assert groups == ["time", "put", "gate", "got", "count"]
    shown = re.findall(r"(?m)^tiny_harness.*$", waves.with_suffix(".gtkw").read_text())
    assert set(shown) <= there and len(shown) == 3 + 2 + 1 + 3 + 1
    assert {name.rpartition(".")[2] for name in shown} >= {"open_i", "word_i[31:0]", "wide_i[69:0]"}
    commands = waves.with_suffix(".sucl").read_text()
    assert re.findall(r"(?m)^divider_add (.*)$", commands) == groups
    added = re.findall(r"(?m)^variable_add (.*)$", commands)
    assert added == [name.partition("_i[")[0] + "_i" * ("_i[" in name) for name in shown]


KILLED: Final = r"^the simulator was killed \(SIGKILL\): by somebody, or by .* \(see sim.log\)$"
LATE: Final = r"^no end after 3 s, which is the time limit of a run \(see sim.log\)$"
NO_END: Final = "holds no run that came to an end"
BROKEN: Final = f"holds a run that was broken off|{NO_END}"
DRY: Final = "nothing happened for {} blocks of cycles .*players that wait: none"
STUCK: Final = (
    "nothing happened for 16 blocks of cycles before cycle .*"
    "players that wait: source; word 0 waits for the gate"
)
# a test, options of its run: status, what is said, and what a check of the stored run says
ENDS: Final[list[tuple[str, dict[str, Any], str, str, str]]] = [
    ("walk", {"cycles": 3000, "check": False}, "unchecked", "^$", "kept no traces"),
    ("lie", {}, "fail", "^got event 2, cycle 4: word differs$", "fail"),
    ("short", {}, "fail", "got had only 3 events; this test needs 4", "fail"),
    ("nothing", {}, "fail", "the scoreboard compared no event at all", "fail"),
    ("stuck", {}, "fail", STUCK, "fail"),
    # a short one is not stuck before an item would stand
    ("dry", {"cycles": 100_000, "block_cycles": 1000}, "fail", DRY.format(16), "fail"),
    ("dry", {"cycles": 12_000, "block_cycles": 1000}, "fail", DRY.format(5), "pass"),
    ("unknown", LENGTH, "fail|error", r"stimulus for unknown players \['sauce'\]", BROKEN),
    ("misshapen", LENGTH, "fail|error", "source takes items of 2 words, not an array of", BROKEN),
    (
        "end_marker",
        LENGTH,
        "fail|error",
        "player source: word 0 of an item is the end marker",
        BROKEN,
    ),
    ("raises", LENGTH, "fail|error", "the sequence has a bug", BROKEN),
    ("raises_at_once", LENGTH, "fail|error", "the test has a bug", BROKEN),
    ("cut", LENGTH, "fail", r"got\.bin", "fail"),
    # the recorder's own words, not what cocotb says of the end that they caused
    ("obstruct", {}, "error", "tp_recorder: cannot write the trace of count", NO_END),
    ("kill", LENGTH, "error", KILLED, NO_END),
    ("walk", {"cycles": 1 << 40, "timeout": 3.0}, "error", LATE, NO_END),
]


def test_how_runs_end(simulate: Simulate) -> None:
    runs = ({"test": test, "seed": seed, **more} for seed, (test, more, *_) in enumerate(ENDS))
    outcomes = simulate(*runs)
    for (test, _, status, says, again), found in zip(ENDS, outcomes, strict=True):
        assert re.fullmatch(status, found.status), (test, found.data)
        assert re.search(says, found.message) and re.search(again, found.again), (test, found.data)
    ended = {outcome.data["test"]: outcome for outcome in outcomes}
    lie, stuck = (Path(ended[test].report).read_text() for test in ("lie", "stuck"))
    assert ended["lie"].waves is None and "none; add --waves to the command" in lie
    parts = ("start", "stimulus", "simulator", "model")
    assert all(ended["lie"].spent[part] > 0 for part in parts)
    assert stuck.startswith("STUCK nothing happened") and "\n  word 0 waits for the gate" in stuck
    assert all(outcome.cycles < 30_000 for outcome in outcomes if outcome.data["test"] == "dry")
    assert not ended["kill"].file("outcome.json").exists()
