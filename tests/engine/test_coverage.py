# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: declaration, counting, merging, files, names of axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.commands import report as shown
from tilepath.engine.coverage.bins import Exclude, PointGroup
from tilepath.engine.coverage.model import CoverageModel, Tally
from tilepath.engine.coverage.report import CoverageReport, merge_files
from tilepath.engine.description.stream import Field, Stream
from tilepath.tests.engine.fakes import POINTS, FakeCoverage

SIZES = ("small", "large")


def report(**counts: int) -> CoverageReport:
    """Counts of point ``size``."""
    model = FakeCoverage()
    for name, count in counts.items():
        model.tally.hit("size", np.full(count, SIZES.index(name)))
    return model.report()


def data(it: CoverageReport) -> tuple[Any, ...]:
    return it.block, it.profile, it.runs, it.points


def test_hits() -> None:
    model = FakeCoverage()
    model.tally.hit("size", np.array([1, 1, 1]))
    # rows that are not ``where`` belong to no bin; a number stands for a column of it
    rows = np.array([1, 0, 0, 1]), np.array([0, -1, 1, 0])
    model.tally.hit("pair", *rows, where=np.array([True, False, False, True]))
    model.tally.hit("pair", 0, 0, where=np.array([True, True, False]))
    model.tally.hit("pair", 0, np.array([], np.int64))
    model.tally.hit("pair", 0, np.array([5]), where=np.array([False]))
    model.tally.of(POINTS.named["pair"])[2] += 10
    it = model.report()
    assert it.points == {"size": {"small": 0, "large": 3}, "pair": {"a*x": 2, "a*y": 0, "b*x": 12}}
    assert it.percent == 60.0
    assert it.missing() == [("size", "small"), ("pair", "a*y")]
    assert it.table_rows() == [("size", 1, 2, "small"), ("pair", 2, 3, "a*y")]
    assert list(POINTS.named["pair"].bins()) == ["a*x", "a*y", "b*x", "b*y"]
    # a report takes nothing away
    assert model.report().points == it.points


def test_two_models_of_the_same_points_count_apart() -> None:
    one, other = FakeCoverage(), FakeCoverage()
    one.tally.hit("size", np.array([0]))
    assert (one.report().hit, other.report().hit) == (1, 0)


def test_wrong_hits_are_errors() -> None:
    model = FakeCoverage()
    with pytest.raises(KeyError):
        model.tally.hit("colour", np.array([0]))
    for wrong in (2, -1):
        with pytest.raises(ValueError):
            model.tally.hit("size", np.array([wrong]))
    with pytest.raises(ValueError):
        model.tally.hit("pair", np.array([1]))


NONE = "declared twice, or with no or repeated"


@pytest.mark.parametrize(
    ("name", "axes", "excluded", "says"),
    [
        ("size", [("x",)], (), NONE),
        *((name, axes, (), NONE) for name in ("size", "new") for axes in ([], [()], [("x",), ()])),
        ("new", [("a", "b", "a")], (), NONE),
        ("new", [("a",), ("x",)], ("a", "z"), r"\('a', 'z'\) excludes nothing"),
        ("new", [("a",)], (("a", "z"),), r"\('z',\) excludes nothing"),
    ],
)
def test_points_that_cannot_be(
    name: str, axes: list[tuple[str, ...]], excluded: Any, says: str
) -> None:
    group = PointGroup()
    group.add("size", ("x", "y"))
    rules = (Exclude(excluded, "no reason"),) if excluded else ()
    with pytest.raises(ValueError, match=f"coverpoint {name}: {says}"):
        group.add(name, *axes, exclude=rules)
    assert [point.name for point in group.points] == ["size"] and group.size == 2
    with pytest.raises(ValueError, match="coverpoint size: declared twice"):  # in two groups
        FakeCoverage("baseline", Tally(group))


def test_a_model_without_points() -> None:
    with pytest.raises(NotImplementedError):
        CoverageModel("b", "p").sample({}, 0, 1)
    assert CoverageModel("b", "p").report().percent == 0.0


def test_an_exclusion_of_several_labels_is_one_of_each() -> None:
    group = PointGroup()
    rule = Exclude((("a", "b"), None, ("1", "3")), "why")
    group.add("p", ("a", "b", "c"), ("x",), ("1", "2", "3"), exclude=(rule,))
    found = [name for name, _ in group.named["p"].excluded("any").values()]
    assert found == ["a*x*1", "a*x*3", "b*x*1", "b*x*3"]


# -- exclusions


def profiled() -> tuple[CoverageModel, Tally]:
    group = PointGroup()
    group.add(
        "mode",
        ("off", "on", "odd"),
        exclude=(
            Exclude(("on",), "outside the constraints", ("small",)),
            Exclude(("odd",), "never"),
        ),
    )
    tally = Tally(group)
    return CoverageModel("fake", "small", tally), tally


def test_excluded_bins_have_a_reason_and_are_in_no_report() -> None:
    model, tally = profiled()
    assert model.exclusions() == [
        ("mode", "on", "outside the constraints"),
        ("mode", "odd", "never"),
    ]
    assert model.report().points == {"mode": {"off": 0}}
    assert CoverageModel("fake", "large", tally).report().points == {"mode": {"off": 0, "on": 0}}


def test_only_what_is_impossible_is_contradicted() -> None:
    model, tally = profiled()
    tally.hit("mode", np.array([0, 1]))
    assert model.contradicted() == []
    tally.hit("mode", np.array([2]))
    assert model.contradicted() == [("mode", "odd", "never")]
    model.report()
    assert model.contradicted() == [("mode", "odd", "never")]


# -- ranges


class Ranges(CoverageModel):
    """Remembers what it was asked to count."""

    def __init__(self) -> None:
        super().__init__("fake", "baseline")
        self.seen: list[tuple[int, int]] = []

    def count(self, _streams: object, start: int, end: int) -> None:
        self.seen.append((start, end))


def test_ranges_follow_each_other() -> None:
    model = Ranges()
    for start, end in ((0, 4), (4, 4), (4, 9)):
        model.sample({}, start, end)
    for start, end in ((8, 12), (10, 12), (9, 8)):
        with pytest.raises(ValueError, match=f"cycles {start} to {end} do not follow 9"):
            model.sample({}, start, end)
    # nothing happens in no cycle
    assert model.seen == [(0, 4), (4, 9)]


@pytest.mark.parametrize("cycles", [[3], [9], [5, 9]])
def test_a_record_outside_its_range(cycles: list[int]) -> None:
    stream = Stream("put", "input", fields=(Field("word", 32),))
    records = np.zeros(len(cycles), stream.dtype)
    records["cycle"] = cycles
    model = Ranges()
    model.sample({"put": stream.empty()}, 0, 4)
    with pytest.raises(ValueError, match="put has a record outside cycles 4 to 9"):
        model.sample({"put": records}, 4, 9)
    assert model.seen == [(0, 4)]


# -- merging


def test_merge_is_a_sum_in_any_order_that_changes_neither() -> None:
    a, b, c = report(small=1), report(small=2, large=5), report(small=4, large=8)
    empty = report()
    assert data(a.merged(b)) == data(b.merged(a))
    assert data(a.merged(b).merged(c)) == data(a.merged(b.merged(c)))
    assert a.merged(b).points["size"] == {"small": 3, "large": 5} and a.merged(b).runs == 2
    assert b.merged(empty).points == empty.merged(b).points == b.points
    assert empty.merged(empty).points == empty.points
    assert (data(a), data(b)) == (data(report(small=1)), data(report(small=2, large=5)))


def other_bins() -> CoverageReport:
    more = PointGroup()
    more.add("more", ("x",))
    return FakeCoverage("baseline", Tally(more)).report()


@pytest.mark.parametrize(
    "other",
    [
        other_bins(),
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


_FILE = {"block": "fake", "profile": "p", "runs": 1, "points": {}, "axes": {}}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "7", '"x"', "null", "{}", '{"block": "fake", "profile": "p", "runs": 1}'),
        "\xff",
        *(_FILE | {"axes": axes} for axes in (5, {"pair": 5})),
        *(_FILE | {"points": points} for points in ([], 5, {"size": 5}, {"size": ["small"]})),
        _FILE | {"points": {"size": {"small": "many"}}},
        None,
    ],
)
def test_a_file_of_another_kind_or_none_is_named(content: object, tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps(_FILE))
    assert CoverageReport.read_json(path).points == {}
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(text.encode("latin-1"))
    if content is None:
        path.unlink()
    for read in (CoverageReport.read_json, lambda one: merge_files([one])):
        with pytest.raises(ValueError, match=r"coverage\.json is not a coverage file") as caught:
            read(path)
        assert "\n" not in str(caught.value)


# -- bins of crosses are told with the names of their axes


def crosses(**axes: str) -> CoverageModel:
    group = PointGroup()
    group.add("order.first_x_second", ("a", "b"), ("c",))
    group.add("order.when", ("early",), ("late",))
    group.add("size", ("small", "large"))
    return CoverageModel(
        "fake", "baseline", Tally(group), axes={f"order.{k}": v for k, v in axes.items()}
    )


def test_names_of_axes_are_in_the_file_and_in_their_sum(tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    crosses(when="begin end").report().write_json(path)
    found = merge_files([path, path])
    assert found.axes == {
        "order.first_x_second": ("first", "second"),
        "order.when": ("begin", "end"),
    }
    assert found.described("order.first_x_second", "b*c") == "first=b second=c"
    assert found.described("size", "small") == "small"
    assert [row[3] for row in found.table_rows()] == [
        "first=a second=c, first=b second=c", "begin=early end=late", "small, large",
    ]  # fmt: skip


def test_a_cross_without_names_keeps_its_labels_and_with_another_number_is_refused() -> None:
    assert crosses().report().described("order.when", "early*late") == "early*late"
    with pytest.raises(ValueError, match=r"coverpoint order\.when: 2 axes, not \('end',\)"):
        crosses(when="end")


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    shown.print_coverage(shown.make_console(), "fake", crosses(when="begin end").report(), 1)
    printed = capsys.readouterr().out
    assert "first=a second=c, and 1 more (--all lists them)" in printed
    assert "begin=early end=late" in printed
