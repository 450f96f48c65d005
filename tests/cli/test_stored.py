# SPDX-License-Identifier: Apache-2.0
"""``tilepath check``, ``coverage`` and ``pipe-timeline`` of stored runs, or of what is none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

import tilepath.engine.checking.stored
from tilepath.engine.coverage.report import CoverageReport
from tilepath.tests.cli import files
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused


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
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
def test_check_tells_by_its_status(stored: Path, kinds: str, status: int) -> None:
    text = printed("check", *(stored / kind for kind in kinds.split()), status=status)
    assert ("1,234 events checked" in text) is (kinds != "empty")
    assert ("word differs" in text) is ("fail" in kinds)


def test_check_of_an_unreadable_run_is_one_line(stored: Path) -> None:
    refused(invoke("check", stored / "unreadable"), "issue.bin", silent=False)


def test_check_of_a_run_of_another_block_is_one_line(tmp_path: Path) -> None:
    folder = files.stored(tmp_path, ("adc", "counters", 1), "", ends=[100])
    refused(invoke("check", folder, "--block", "pack"), "is a run of block adc, not of pack")


@pytest.mark.parametrize("command", ["check", "coverage"])
def test_a_folder_without_a_run_is_one_line(tmp_path: Path, command: str) -> None:
    refused(invoke(command, tmp_path))


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
