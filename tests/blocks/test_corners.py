# SPDX-License-Identifier: Apache-2.0
"""Rows of ``corners.toml``: what is wrong with them, what they are needed for, their seeds."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tilepath.cli import corners as command
from tilepath.cli import lint
from tilepath.sequences.kernel import corners
from tilepath.sequences.kernel.corners import with_seeds
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused

GOOD = """\
[few]
what = "loops of one word"
of = "random_mop"
knobs = ["outer=1:1"]
draw = "segment.index in (1, 2)"
for = ["fault.kind illegal"]
"""
BAD = {
    "two rows of one name": (f"{GOOD}[few]\n", ":7: Cannot declare"),
    "no TOML": ("[few\n", ":1: Expected ']'"),
    "no row": ("few = 1\n", ":1: few is no table [few]"),
    "unknown key": (GOOD.replace("what", "waht"), ":1: few: 'waht' is no key; did you mean what?"),
    "no text": (GOOD.replace('"random_mop"', "7"), ":1: few: of is not a text"),
    "no list": (GOOD.replace('["outer=1:1"]', "[1]"), ":1: few: knobs is not a list of str"),
    "no seed": (f"{GOOD}seeds = [-1]\n", ":1: few: seeds are from 0"),
    "no test named": (GOOD.replace('of = "random_mop"\n', ""), ":1: few: it has no of"),
    "for nothing": (GOOD.partition("for")[0], ":1: few: it names neither bins"),
    "unknown test": (
        GOOD.replace("random_mop", "random_mob"),
        ":1: few: 'random_mob': did you mean random_mop?",
    ),
    "a test without tables": (GOOD.replace("random_mop", "math"), ":1: few: 'math': there are"),
    "a test of that name": (GOOD.replace("[few]", "[math]"), ":1: there is a test 'math'"),
    "unknown knob": (GOOD.replace("outer=", "outter="), ":1: few: no table has a column 'outter'"),
    "never holds": (GOOD.replace("(1, 2)", "(-1,)"), ":1: few: table segment, segment.index in"),
    "together never": (
        GOOD.replace("segment.index in (1, 2)", "segment.index > 9 and segment.index + last < 9"),
        ":1: few: table segment: no row of 102,400 keeps constraint",
    ),
}
UNKNOWN = {
    "unknown bin": (GOOD.replace("illegal", "ilegal"), ":1: few: no bin is 'fault.kind ilegal'"),
    "unknown bug": (f'{GOOD}only = ["nosuch"]\n', ":1: few: no bug is 'nosuch'; there are: "),
}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rows of ``frontend``, the only block that has any, for whoever loads its tests anew."""
    path = tmp_path / "corners.toml"
    path.write_text(GOOD)
    for module in (corners, command):
        monkeypatch.setattr(
            module, "corners_file", lambda block: path if block == "frontend" else tmp_path / block
        )
    monkeypatch.delitem(sys.modules, "tilepath.sequences.frontend", raising=False)
    return path


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_a_bad_row_is_one_line_in_every_command(file: Path, text: str, expected: str) -> None:
    file.write_text(text)
    for arguments in (("run", "--block", "frontend", "--list"), ("corners", "frontend")):
        assert f"{file}:" in refused(invoke(*arguments), expected)
    assert any(str(file) in line and expected in line for line in command.problems())


@pytest.mark.parametrize(("text", "expected"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_row_for_what_there_is_not(file: Path, text: str, expected: str) -> None:
    file.write_text(text)
    assert f"{file}:" in refused(invoke("corners", "frontend"), expected)
    assert [expected in line for line in command.problems()] == [True]


def test_lint_looks_at_the_rows() -> None:
    step = next(step for step in lint.rules() if "corners" in step.title)
    assert step.check() == ""


def test_a_block_without_rows() -> None:
    for name in ("datapath", "nosuch"):
        refused(invoke("corners", name), f"no corners of '{name}'; there are: ")


def test_a_row_is_a_test(file: Path) -> None:
    file.write_text(f"{GOOD}seeds = [5, 3]\n")
    test = tests_of("frontend")["few"]
    assert (test.kind, test.seeds, test.known, test.labels) == ("random", 2, (5, 3), ("corner",))


@dataclass(frozen=True)
class Seen:
    """A run, as the command sees it, and the bins of ``fault.kind`` that it hit."""

    test: str
    seed: int
    bins: tuple[str, ...]
    folder: Path
    cycles: int = 100

    @property
    def coverage_file(self) -> Path:
        report = load_block("frontend").coverage("baseline").report()
        for name in self.bins:
            report.points["fault.kind"][name] = 1
        path = self.folder / f"{self.test}-{self.seed}.json"
        report.write_json(path)
        return path


Runs = Mapping[str, Sequence[tuple[str, int, tuple[str, ...]]]]
_ROW, _OTHER = ("illegal",), ("collision",)


@pytest.mark.parametrize(
    ("runs", "status", "told", "seeds"),
    [
        ({"rest": [("random_mop", 1, _OTHER)], "rows": [("few", 7, _OTHER), ("few", 8, _ROW)]},
         0, "few: 1 bins with seeds 8; bugs: none", [8]),
        # one hit of others is chance, two are not
        ({"rest": [("random_mop", 1, _ROW), ("random_mop", 2, _OTHER)], "rows": [("few", 7, _ROW)]},
         0, "few: 1 bins with seeds 7", [7]),
        ({"rest": [("random_mop", 1, _ROW), ("random_mop", 2, _ROW)], "rows": [("few", 7, _ROW)]},
         1, "few is needed for no bin and no bug", None),
        ({"rest": [("vectors", 1, _ROW)], "rows": [("few", 7, _ROW)]},
         1, "few is needed for no bin and no bug", None),
        ({"rest": [("random_mop", 1, _OTHER)], "rows": [("few", 7, _OTHER)]},
         1, "no row hits fault.kind illegal", None),
    ],
)  # fmt: skip
def test_what_a_row_is_needed_for(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    runs: Runs,
    status: int,
    told: str,
    seeds: list[int] | None,
) -> None:
    monkeypatch.setattr(command, "ROOT", file.parent)
    monkeypatch.setattr(
        command, "_runs", lambda _wanted, name, _: [Seen(*one, file.parent) for one in runs[name]]
    )
    done = invoke("corners", "frontend", "--write")
    assert done.exit_code == status and told in done.output
    assert file.read_text() == (GOOD if seeds is None else f"{GOOD}seeds = {seeds}\n")


def test_rows_are_not_judged_by_runs_that_failed(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "run_regression", lambda *_, **__: 1)
    done = invoke("corners", "frontend", "--write", "--out", tmp_path / "out")
    assert "not all runs passed: " in refused(done, str(tmp_path / "out" / "rest"))
    assert file.read_text() == GOOD


def test_a_row_of_bugs_is_needed_where_nothing_else_finds_them(tmp_path: Path) -> None:
    name = "mop_cfg_too_wide"
    row = next(one for one in corners.read_rows(corners.corners_file("frontend")) if one.bugs)
    wanted = command.Wanted("frontend", "baseline", 1, 1, tmp_path, False)
    bug = command._bugs("frontend")[name]
    assert name in row.bugs
    assert command._needed(wanted, row, bug, ("matmul",))
    assert not command._needed(wanted, row, bug, (row.name,))


def test_seeds_are_written_behind_their_rows() -> None:
    text = f"# first\n\n{GOOD}seeds = [1]\n\n{GOOD.replace('few', 'more')}"
    written = f"# first\n\n{GOOD}seeds = [4, 5]\n\n{GOOD.replace('few', 'more')}seeds = [6]\n"
    assert with_seeds(text, {"few": [4, 5], "more": [6]}) == written
    assert with_seeds(written, {"few": [4, 5], "more": [6]}) == written
