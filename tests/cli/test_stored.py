# SPDX-License-Identifier: Apache-2.0
"""Commands on stored runs, those of older versions too, and on what is none."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tilepath.engine.checking.stored
from tilepath.engine.commands import mutate
from tilepath.engine.commands.regress.store import Group, Store
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.isa import profiles
from tilepath.tests.cli import files
from tilepath.tests.cli.fakes import FakeKernel, invoke, printed
from tilepath.tests.cli.files import CASES, stored
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST, simulate


@dataclass(frozen=True)
class FakeCheck:
    status: str
    events: int
    message: str = ""


def _check(folder: Path) -> FakeCheck:
    kind = folder.name
    if kind == "unreadable":
        raise ValueError("trace issue.bin is cut off")
    if kind == "empty":
        return FakeCheck("pass", 0, "no event")
    return FakeCheck(kind, 1234, "word differs" if kind == "fail" else "")


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of runs, named after what checking them gives."""
    monkeypatch.setattr(tilepath.engine.checking.stored, "check_run", _check)
    for kind in ("pass", "fail", "empty", "unreadable"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "request.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("kinds", "status"),
    [("pass", 0), ("fail", 1), ("pass fail", 1), ("empty", 1)],
)
def test_check_tells_by_its_status(checked: Path, kinds: str, status: int) -> None:
    text = printed("check", *(checked / kind for kind in kinds.split()), status=status)
    assert ("1,234 events checked" in text) is (kinds != "empty")
    assert ("word differs" in text) is ("fail" in kinds)


def test_check_of_an_unreadable_run_is_one_line(checked: Path) -> None:
    refused(invoke("check", checked / "unreadable"), "issue.bin", silent=False)


def test_check_of_a_run_of_another_block_is_one_line(tmp_path: Path) -> None:
    folder = files.stored(tmp_path, ("adc", "counters", 1), "", ends=[100])
    refused(invoke("check", folder, "--block", "pack"), "is a run of block adc, not of pack")


def _store(out: Path, seed: int, status: str, bins: dict[str, int], profile: str) -> None:
    report = CoverageReport("alpha", profile, 1, {"op": bins})
    files.stored(out / profile, ("alpha", "mix", seed), status, report, profile=profile)


def test_coverage_is_merged_over_passed_runs_by_profile(tmp_path: Path) -> None:
    _store(tmp_path, 1, "pass", {"mop": 1, "replay": 0, "nop": 0}, "baseline")
    _store(tmp_path, 2, "pass", {"mop": 0, "replay": 2, "nop": 0}, "baseline")
    _store(tmp_path, 3, "fail", {"mop": 0, "replay": 0, "nop": 5}, "baseline")
    _store(tmp_path, 4, "pass", {"mop": 1, "replay": 1, "nop": 1}, "blackhole")
    text = printed("coverage", tmp_path)
    assert "coverage of alpha (baseline): 66.7 % (2 of 3 bins, 2 runs)" in text
    assert "coverage of alpha (blackhole): 100.0 % (3 of 3 bins, 1 runs)" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("op")]
    assert rows == [["op", "2", "3", "nop"], ["op", "3", "3"]]


def test_long_lists_of_bins_are_cut_unless_asked_for(tmp_path: Path) -> None:
    _store(tmp_path, 1, "pass", {"hit": 1, **{f"bin{n}": 0 for n in range(40)}}, "baseline")
    short, full = invoke("coverage", tmp_path).stdout, invoke("coverage", tmp_path, "--all").stdout
    assert "and 24 more" in short
    assert "bin39" not in short
    assert "bin39" in full
    assert "more" not in full


def test_coverage_with_a_damaged_result_names_it(tmp_path: Path) -> None:
    _store(tmp_path, 1, "pass", {"mop": 1}, "baseline")
    (tmp_path / "result.json").write_text('{"block": "al')
    refused(invoke("coverage", tmp_path), "result.json", silent=False)


@pytest.mark.parametrize("kind", ["FIFO", "device"])
@pytest.mark.parametrize("name", ["trace/pack.bin", "stimulus/pack.0.bin", "outcome.json"])
def test_a_run_with_something_else_than_files_is_refused_at_once(
    tmp_path: Path, name: str, kind: str
) -> None:
    ends = None if name == "outcome.json" else [100]
    folder = files.stored(tmp_path, ("adc", "counters", 1), "", ends=ends)
    for inside in ("trace", "stimulus"):
        (folder / inside).mkdir()
    path = folder / name
    if kind == "FIFO":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    refused(invoke("check", folder), f"it is a {kind}, not a file")


@pytest.mark.parametrize(("block", "ends", "expected"), CASES["timelines"])
def test_what_cannot_be_drawn_as_a_timeline(
    tmp_path: Path, block: str, ends: list[int] | str, expected: str
) -> None:
    left = None if ends == "none" else ends
    folder = files.stored(tmp_path, (block or "flag_pipe", "some", 1), "", ends=left)
    if not block:
        (folder / "request.json").unlink()
    refused(invoke("pipe-timeline", folder), expected)


# -- older than a parameter of their profile: read as what they were, or refused


Added = Callable[[object], None]
OLD = "blackhole,zw_w=8"


@pytest.fixture(autouse=True)
def as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no parameter that was added later."""
    for row in profiles.parameters().values():
        monkeypatch.delitem(row, "before", raising=False)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Added:
    """Have ``zw_w`` added just now, of whose values this one stands for what was so before."""

    def add(before: object) -> None:
        monkeypatch.setitem(profiles.parameters()["zw_w"], "before", before)

    return add


def older(path: Path, *, all_: bool = True) -> None:
    """Leave out of a file what the parameters were: all of them, or the one that was added."""
    data = json.loads(path.read_text())
    readings = data.pop("readings")
    if not all_:
        data["readings"] = readings.replace("zw_w=13,", "")
    path.write_text(json.dumps(data))


def store(out: Path, block: str, seed: int) -> Path:
    """A run with its coverage, in which nothing was hit."""
    report = load_block(block).coverage("blackhole").report()
    return stored(out, (block, "counters", seed), coverage=report, profile="blackhole")


def read(folder: Path) -> set[str]:
    """The profile of a run, as each of its files has it."""
    return {
        RunRequest.from_json(folder / "request.json").profile,
        RunResult.from_json(folder / "result.json").profile,
        CoverageReport.read_json(folder / "coverage.json").profile,
    }


@pytest.mark.parametrize("all_", [True, False])
def test_a_run_is_read_as_what_it_was(tmp_path: Path, added: Added, all_: bool) -> None:
    runs = {block: store(tmp_path, block, 1) for block in ("adc", "control", "datapath")}
    for folder in runs.values():
        assert read(folder) == {"blackhole"}
        for name in ("request.json", "result.json", "coverage.json"):
            older(folder / name, all_=all_)
    assert read(runs["adc"]) == ({"blackhole"} if all_ else {"blackhole,zw_w=?"})
    added(8)
    assert read(runs["adc"]) == read(runs["datapath"]) == {OLD}
    assert read(runs["control"]) == {"blackhole"}  # which has no such parameter
    added(13)
    assert read(runs["adc"]) == {"blackhole"}
    added(profiles.NONE)
    assert read(runs["adc"]) == {"blackhole,zw_w=?"}


def test_a_value_that_was_another_is_set_by_hand(tmp_path: Path) -> None:
    folder = store(tmp_path, "adc", 1)
    path = folder / "result.json"
    path.write_text(path.read_text().replace("zw_w=13", "zw_w=8").replace("row_w=32", "row_w=16"))
    assert RunResult.from_json(path).profile == OLD
    path.write_text(path.read_text().replace("zw_w=8", "zw_w"))
    with pytest.raises(ValueError, match="are no readings"):
        RunResult.from_json(path)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ``adc`` in ``blackhole``, as it was stored before there were readings."""
    out = tmp_path_factory.mktemp("older")
    request = RunRequest("adc", "random_default", 1, FAST, "blackhole", cycles=3000, out_dir=out)
    folder = simulate(request)
    for name in ("request.json", "result.json"):
        older(folder / name)
    return folder


def test_a_run_is_checked_as_what_it_was(recorded: Path, added: Added) -> None:
    added(13)
    assert "pass, " in printed("check", recorded)
    added(8)  # which these traces are not
    assert "fail, " in printed("check", recorded, status=1)
    added(profiles.NONE)
    what = f"{recorded}: profile 'blackhole' as it was before there was zw_w: none of its values"
    refused(invoke("check", recorded), what, silent=False)


def test_the_check_says_as_what(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = profiles.parameters()["row_w"]
    assert "profile" not in printed("check", recorded)
    monkeypatch.setitem(values, "before", 16)
    assert "profile" not in printed("check", recorded)  # not a parameter of the block
    path = recorded / "request.json"
    text = path.read_text()
    path.write_text(text.replace('"blackhole"', '"blackhole,zw_w=13"'))
    assert "events checked, profile blackhole,zw_w=13\n" in printed("check", recorded)
    path.write_text(text)


def test_coverage_is_not_added_to_that_of_another_meaning(tmp_path: Path, added: Added) -> None:
    for seed in (1, 2):
        folder = store(tmp_path, "adc", seed)
        if seed == 1:
            older(folder / "result.json")
            older(folder / "coverage.json")
    assert "bins, 2 runs)" in printed("coverage", tmp_path)
    added(8)
    text = printed("coverage", tmp_path)
    assert text.count("bins, 1 runs)") == 2
    assert f"coverage of adc ({OLD})" in text and "coverage of adc (blackhole)" in text


@pytest.mark.parametrize("name", ["all.xml", "all.sqlite"])
def test_databases_of_other_tools(
    tmp_path: Path, added: Added, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store(tmp_path / "some", "adc", 1)
    file = tmp_path / name
    printed("coverage", tmp_path / "some", "--export", file)
    added(8)  # but the file says what it was
    assert "coverage of adc (blackhole)" in printed("coverage", "--import", file)
    monkeypatch.setattr("tilepath.engine.commands.exchange.readings_of", lambda profile: {})
    printed("coverage", tmp_path / "some", "--export", file)  # as before there were readings
    assert f"coverage of adc ({OLD})" in printed("coverage", "--import", file)
    added(profiles.NONE)
    refused(invoke("coverage", "--import", file), "as it was before there was zw_w", silent=False)


def test_a_regression_is_shown_as_what_it_was(tmp_path: Path, added: Added) -> None:
    file = tmp_path / "r.sqlite"
    group = Group(FAST, "blackhole")
    db = Store(file, create=True)
    db.begin(1, {"sources": ""}, 1, {group: []})
    plan = load_block("adc").coverage("blackhole").report()
    query = "INSERT INTO plans VALUES (1, 'adc', 'blackhole', ?)"
    db._db.execute(query, (json.dumps([plan.points, plan.axes]),))
    added(8)
    assert db.covered(1)["adc", "blackhole"].profile == "blackhole"
    db.close()
    with sqlite3.connect(file) as raw:
        raw.execute('UPDATE regressions SET options = \'{"sources": ""}\'')
    raw.close()
    assert f"coverage of adc, {OLD}" in printed("regress", file, "--show", status=2)


def test_failures_of_another_meaning_are_not_run_again(
    tmp_path: Path, added: Added, kernel: FakeKernel
) -> None:
    older(stored(tmp_path, ("alpha", "corner", 1), "", profile="blackhole") / "request.json")
    added(8)
    again = ("run", "--rerun-failed", "--out", tmp_path, "--profile")
    refused(invoke(*again, "blackhole"), f"failed in {tmp_path}; some did with {OLD}", silent=False)
    assert invoke(*again, OLD).exit_code == 0
    assert [run.seed for run in kernel.runner.runs] == [1]


def test_verdicts_on_mutants(tmp_path: Path, added: Added) -> None:
    file = tmp_path / "mutants.json"
    about: dict[str, Any] = {"block": "adc", "profile": "blackhole", "mutants": []}
    added(8)
    for more, name in (({}, OLD), ({"readings": profiles.readings("blackhole")}, "blackhole")):
        file.write_text(json.dumps(about | more))
        assert mutate.stored(file).profile == name
