# SPDX-License-Identifier: Apache-2.0
"""Rows of ``corners.toml``: what is wrong with them, and with which seeds they hit their bins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tilepath.cli import lint
from tilepath.engine.commands import corners as command
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import Selection, make_run_list
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.request import RunRequest
from tilepath.engine.stimulus import corners
from tilepath.engine.stimulus.floors import stimulus_digest
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import refused

GOOD = """\
[few]
what = "loops of one word"
of = "random_mop"
knobs = ["outer=1:1"]
draw = "segment.index in (1, 2)"
for = ["fault.kind *l*"]
"""
BAD = {
    "two rows of one name": (f"{GOOD}[few]\n", ":7: Cannot declare"),
    "no TOML": ("[few\n", ":1: Expected ']'"),
    "no row": ("few = 1\n", ":1: few is no row [name]"),
    "no name": (GOOD.replace("[few]", "[few-loops]"), ":1: few-loops is no row [name]"),
    "unknown key": (GOOD.replace("what", "waht"), ":1: few: 'waht' is no key; did you mean what?"),
    "no text": (GOOD.replace('"random_mop"', "7"), ":1: few: of is no text"),
    "no list": (GOOD.replace('["outer=1:1"]', "[1]"), ":1: few: knobs is no list of texts"),
    "for nothing": (GOOD.partition("for")[0], ":1: few: it names neither bins (for)"),
    "unknown test": (GOOD.replace("_mop", "_mob"), ":1: few: 'random_mob' has no tables; did you"),
    "a test without tables": (GOOD.replace("random_mop", "math"), ":1: few: 'math' has no tables"),
    "a test of that name": (GOOD.replace("[few]", "[math]"), ":1: math: there is a test of that"),
    "unknown knob": (GOOD.replace("outer=", "outter="), ":1: few: no table has a column 'outter'"),
    "never holds": (GOOD.replace("(1, 2)", "(-1,)"), ":1: few: table segment, segment.index in"),
    "together never": (
        GOOD.replace("segment.index in (1, 2)", "segment.index > 9 and segment.index + last < 9"),
        ":1: few: table segment: no row of 102,400 keeps constraint",
    ),
    "unknown bin": (GOOD.replace("kind", "kimd"), ":1: few: no bin is 'fault.kimd *l*'; did you"),
    "unknown bug": (f'{GOOD}only = ["nosuch"]\n', ":1: few: no planted bug 'nosuch' is caught_by"),
    "another's bug": (f'{GOOD}only = ["mop_mask_hi_cleared"]\n', "is caught_by it"),
}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only rows of any block, those of ``frontend``, for whoever loads its tests anew."""
    tests_of("frontend")  # so that the real ones come back afterwards
    path = tmp_path / "corners.toml"
    path.write_text(GOOD)
    for module in (corners, command):
        monkeypatch.setattr(
            module, "corners_file", lambda block: path if block == "frontend" else tmp_path / block
        )
    monkeypatch.delitem(sys.modules, "tilepath.sequences.frontend")
    return path


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_a_bad_row_is_one_line(file: Path, text: str, expected: str) -> None:
    file.write_text(text)
    (line,) = command.problems()
    assert line.startswith(f"{file}:") and expected in line
    assert line in refused(invoke("corners", "frontend"), expected)


def test_a_bad_row_is_told_at_run(file: Path) -> None:
    file.write_text(BAD["never holds"][0])
    assert f"{file}:1: few: " in refused(invoke("run", "--block", "frontend", "--list"), "segment")


def test_bugs_that_cannot_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bugs = file.parent / "frontend" / "bugs.toml"
    bugs.parent.mkdir()
    bugs.write_text("[")
    monkeypatch.setattr(command, "bug_files", lambda: [bugs])
    (line,) = command.problems()
    assert line.startswith(f"{bugs}:1: ")


def test_a_block_without_rows(file: Path) -> None:
    for name in ("datapath", "nosuch"):
        refused(invoke("corners", name), f"no corners of '{name}'; there are: frontend")


def test_rows_are_played_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(f"{GOOD}\n{GOOD.replace('[few]', '[more]')}")
    played: list[Selection] = []
    monkeypatch.setattr(command, "run_regression", lambda _, of, *__, **___: played.append(of))
    for options in ((), ("--test", "more")):
        refused(invoke("corners", "frontend", *options), "passed")
    assert [one.tests for one in played] == [("few", "more"), ("more",)]
    refused(invoke("corners", "frontend", "--test", "mor"), "'mor'; did you mean more? there are")


def test_a_row_is_a_test_with_seeds_of_its_own(file: Path) -> None:
    file.write_text(f"{GOOD}seeds = [5, 3]\ncycles = 77\n")
    test = tests_of("frontend")["few"]
    assert (test.kind, test.seeds, test.known, test.floor) == ("directed", 2, (5, 3), {})
    plan = make_run_list(Selection(("frontend",), ("few",), root_seed=1))
    assert [(run.seed, run.cycles) for run in plan.runs] == [(5, 77), (3, 77)]
    for asked, cycles in ((None, 77), (88, 88)):
        options = RunOptions("verilator", "baseline", file.parent, asked)
        runner = EngineRunner(options)
        runner.record(Outcome(plan.runs[0], "error"))
        request = RunRequest.from_json(file.parent / "frontend" / "few-5" / "request.json")
        assert request.cycles == cycles


def test_lint_tells_rows_that_play_something_else(file: Path) -> None:
    digest = stimulus_digest("frontend", tests_of("frontend")["few"])
    file.write_text(f'{GOOD}seeds = [1]\nstimulus = "{digest}"\n')
    assert not list(command.problems())
    file.write_text(file.read_text().replace("seeds = [1]", "seeds = [2]"))
    sys.modules.pop("tilepath.sequences.frontend")
    (line,) = command.problems()
    assert line == (
        f"{file}:1: few: its seeds were chosen for other stimulus: tilepath corners frontend"
    )
    assert any("corners" in step.title for step in lint.rules())


Runs = Sequence[tuple[Any, ...]]


@pytest.mark.parametrize(
    ("runs", "status", "told"),
    [
        ([(7, ("illegal", "collision"))], 0, ""),
        # seeds that are kept stay; others come where bins are missed
        ([(7, ("illegal",)), (8, ("illegal", "collision"))], 1, "seeds = [8]\n"),
        ([(7, ("illegal",)), (8, ("collision",))], 1, "seeds = [7, 8]\n"),
        ([(7, ("collision",))], 1, "no seed of 1 hits fault.kind illegal\n"),
        # one that fails hits nothing, and is told by the regression
        ([(7, ("illegal",)), (8, ("illegal", "collision"), "fail")], 1, "of 1 hits fault.kind col"),
        ([(7, ("illegal", "collision")), (8, (), "fail")], 1, ""),
    ],
)
def test_which_seeds_are_chosen(
    file: Path, monkeypatch: pytest.MonkeyPatch, runs: Runs, status: int, told: str
) -> None:
    file.write_text(f"{GOOD}seeds = [7]\n")
    digest = stimulus_digest("frontend", tests_of("frontend")["few"])
    file.write_text(f'{GOOD}seeds = [7]\nstimulus = "{digest}"\n')
    results = [{"run_dir": _stored(file.parent, *one)} for one in runs]

    def regression(*_: object, tell: Any) -> int:
        tell({"results": results})
        return int("fail" in runs[-1])

    monkeypatch.setattr(command, "run_regression", regression)
    sys.modules.pop("tilepath.sequences.frontend")
    done = invoke("corners", "frontend")
    assert done.exit_code == status and (told in done.stdout if told else not done.stdout)


def _stored(folder: Path, seed: int, bins: Sequence[str], status: str = "pass") -> str:
    """The folder of a run of ``few`` that hit these bins of ``fault.kind``."""
    report = load_block("frontend").coverage("baseline").report()
    report.points["fault.kind"] |= dict.fromkeys(bins, 1)
    return str(stored(folder, ("frontend", "few", seed), status, report))


def test_rows_are_not_judged_by_runs_that_failed(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "run_regression", lambda *_, **__: 1)
    refused(invoke("corners", "frontend", "--out", tmp_path / "out"), "no run of few passed: ")
