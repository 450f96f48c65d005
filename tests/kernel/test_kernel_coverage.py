# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: declaration, counting, merging, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.tb.kernel.coverage.model import CoverageModel, CoverageReport, merge_files
from tilepath.tests.kernel.fakes import FakeCoverage


def report(**counts: int) -> CoverageReport:
    """Counts of point ``size``."""
    model = FakeCoverage()
    for name, count in counts.items():
        model.hit("size", name, count)
    return model.report()


def data(it: CoverageReport) -> tuple[Any, ...]:
    return it.block, it.profile, it.runs, it.points


def test_bins_exist_before_the_first_sample() -> None:
    it = FakeCoverage().report()
    assert it.points == {
        "size": {"small": 0, "large": 0},
        "pair": {"a*x": 0, "a*y": 0, "b*x": 0},
    }
    assert (it.total, it.hit, it.percent, it.runs) == (5, 0, 0.0, 1)
    assert len(it.missing()) == 5


def test_hits() -> None:
    model = FakeCoverage()
    model.hit("size", "large")
    model.hit("size", "large", 2)
    # a negative index is a sample that belongs to no bin
    model.hit_indices("pair", np.array([2, -1, 0, 2, -5]))
    model.hit_indices("pair", np.array([], np.int64))
    model.add_counts("pair", np.array([0, 0, 10]))
    it = model.report()
    assert it.points == {"size": {"small": 0, "large": 3}, "pair": {"a*x": 1, "a*y": 0, "b*x": 12}}
    assert it.percent == 60.0
    assert it.missing() == [("size", "small"), ("pair", "a*y")]
    assert it.table_rows() == [("size", 1, 2, "small"), ("pair", 2, 3, "a*y")]
    assert model.bins("pair") == ("a*x", "a*y", "b*x")


def test_wrong_hits_are_errors() -> None:
    model = FakeCoverage()
    with pytest.raises(KeyError):
        model.hit("colour", "small")
    with pytest.raises(ValueError, match="tuple"):
        model.hit("size", "medium")
    with pytest.raises(ValueError):
        model.hit_indices("size", np.array([2]))
    with pytest.raises(ValueError, match="coverpoint size has 2 bins"):
        model.add_counts("size", np.array([1, 2, 3]))
    with pytest.raises(KeyError):
        model.bins("colour")


@pytest.mark.parametrize("bins", [["x"], []])
def test_a_point_twice_or_without_bins(bins: list[str]) -> None:
    model = FakeCoverage()
    with pytest.raises(ValueError, match="coverpoint size"):
        model.point("size", bins)


def test_bins_given_twice_and_unknown_exclusions() -> None:
    model = FakeCoverage()
    with pytest.raises(ValueError, match="coverpoint new: declared twice, or with no or repeated"):
        model.point("new", ["a", "b", "a"])
    with pytest.raises(ValueError, match=r"cross new: cannot exclude unknown bins \['a\*z'\]"):
        model.cross("new", ["a"], ["x"], exclude=["a*z"])
    with pytest.raises(NotImplementedError):
        model.sample({}, 0, 1)
    assert CoverageModel("b", "p").report().percent == 0.0


# -- merging


def test_merge_is_a_sum() -> None:
    it = report(small=1).merged(report(small=2, large=5))
    assert it.points["size"] == {"small": 3, "large": 5}
    assert it.runs == 2


def test_merge_is_commutative_and_associative() -> None:
    a, b, c = report(small=1), report(large=2), report(small=4, large=8)
    assert data(a.merged(b)) == data(b.merged(a))
    assert data(a.merged(b).merged(c)) == data(a.merged(b.merged(c)))


def test_a_run_without_hits_adds_none() -> None:
    a, empty = report(small=1, large=2), report()
    assert a.merged(empty).points == empty.merged(a).points == a.points
    assert empty.merged(empty).points == empty.points


def test_merge_changes_neither_operand() -> None:
    a, b = report(small=1), report(small=2)
    a.merged(b)
    assert a.points["size"]["small"] == 1 and b.points["size"]["small"] == 2


class OtherBins(FakeCoverage):
    def __init__(self) -> None:
        super().__init__()
        self.point("more", ["x"])


@pytest.mark.parametrize(
    "other",
    [
        OtherBins().report(),
        FakeCoverage("blackhole").report(),
        CoverageReport("other", "baseline", 1, FakeCoverage().report().points),
        CoverageReport("fake", "baseline", 1, {"size": {"large": 0, "small": 0}}),
    ],
    ids=["points", "profile", "block", "order of bins"],
)
def test_different_bins_are_refused(other: CoverageReport) -> None:
    with pytest.raises(ValueError, match="declare different bins"):
        report().merged(other)
    with pytest.raises(ValueError, match="declare different bins"):
        other.merged(report())


# -- files


def test_file_round_trip(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    report(small=1).write_json(paths[0])
    report(large=2).write_json(paths[1])
    assert data(CoverageReport.read_json(paths[0])) == data(report(small=1))
    assert data(merge_files(paths)) == data(report(small=1).merged(report(large=2)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_no_files_to_merge() -> None:
    with pytest.raises(ValueError, match="no coverage files to merge"):
        merge_files([])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '"x"',
        "null",
        "{}",
        '{"block": "fake", "profile": "p", "runs": 1}',
        "\xff",
    ],
)
def test_an_unreadable_file_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"coverage\.json is not a coverage file") as caught:
        merge_files([path])
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.json is not a coverage file"):
        CoverageReport.read_json(tmp_path / "none.json")


@pytest.mark.parametrize(
    "points",
    [[], 5, {"size": 5}, {"size": ["small"]}, {"size": {"small": "many"}}],
)
def test_points_of_a_wrong_shape(points: object, tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"block": "fake", "profile": "p", "runs": 1, "points": points}))
    with pytest.raises(ValueError, match="is not a coverage file"):
        CoverageReport.read_json(path)
