# SPDX-License-Identifier: Apache-2.0
"""Plans of coverage: what their lines mean, what is generated from them, and wrong ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilepath.engine.compiled.columns import column
from tilepath.engine.compiled.records import record
from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.generated import counting
from tilepath.engine.coverage.plan import (
    Bins,
    CoveragePlan,
    Kept,
    Planner,
    Point,
    among,
    each,
    numbers,
    yes,
)
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tests.engine.plan_meanings import counted, rows_by_chance

WORD = record(cycle=np.uint32, kind=np.int8, value=np.uint16, by=(np.int8, 3))
PLAN = record(word=np.int64, kind=np.int64, source=record(count=np.int64, at=(np.uint16, 2)))
SAMPLED = record(cycle=np.uint32, plan=PLAN, other=record(kind=np.int8))
CONSTANTS = {"SET": 1, "ADDS": (2, 3), "RANK": (2, -1, 0, 1)}
BINS = {
    "kind": Bins("kind", ("none", "set", "add", "sub")),
    "thread": each(("t0", "t1", "t2")),
    "by": Bins("by[thread] + 1", ("nobody", "0", "1")),
    "size": Bins({"zero": "value == 0", "small": "value < 5", "odd": "value & 1", "even": "1"}),
    "some": Bins("not value", ("yes", "no")),
}


def plan(*points: Point, **bins: Bins) -> CoveragePlan:
    return CoveragePlan("word", WORD, {**BINS, **bins}, points, CONSTANTS)


def rows(*some: tuple[Any, ...]) -> Any:
    return np.array(list(some), WORD)


def hits(plan: CoveragePlan, counts: np.ndarray[Any, Any]) -> dict[str, dict[str, int]]:
    return {
        point.name: {
            name: int(n)
            for name, n in zip(
                point.bins(), counts[point.base : point.base + point.size], strict=True
            )
            if n
        }
        for point in plan.group.points
    }


EVERYTHING = plan(
    Point("word.kind", "D1"),
    Point("word.kind_x_size", "D1 D2", when="kind != SET or value > 2"),
    Point("word.thread_x_by", "D3", when="kind in ADDS and by[thread] < 1"),
    Point("word.thread_x_sum", "D3"),
    Point("word.other", "D3", "some", when="not (kind == SET and value) and by[thread] >= 0"),
    Point("word.arithmetic", "D3"),
    Point("word.rank", "D3"),
    Point("word.often", "D4", "kind", when="value", times="value * (kind == SET) + 1"),
    thread_bits=each(("a", "b")),
    rank=Bins("RANK[value]", ("two", "three", "none")),
    sum=Bins("(by[0] if value > 3 else by[thread]) + (kind == SET) * 2", tuple("012345")),
    arithmetic=Bins("((value << 1) - value // 2 + ~kind ^ kind | 1) % 7 * -1 + 6",
                    tuple("0123456")),
)  # fmt: skip


def test_what_lines_mean() -> None:
    some = rows((0, 1, 4, (0, -1, 5)), (1, 2, 0, (0, 0, 0)), (2, 7, 9, (-1, -1, -1)))
    assert hits(EVERYTHING, EVERYTHING.plain(some)) == {
        "word.kind": {"set": 1, "add": 1},  # 7 is in no bin
        "word.kind_x_size": {"set*small": 1, "add*zero": 1},
        "word.thread_x_by": {"t0*0": 1, "t1*0": 1, "t2*0": 1},
        "word.thread_x_sum": {
            "t0*2": 1, "t1*2": 1, "t2*2": 1,  # by[0] = 0, for each, and 2 of SET
            "t0*0": 1, "t1*0": 1, "t2*0": 1,
        },
        "word.other": {"no": 3},
        "word.rank": {"none": 2},  # 4 is looked up as 0, 9 as 1, which is in no bin
        "word.often": {"set": 5},
        "word.arithmetic": hits(EVERYTHING, EVERYTHING.plain(some))["word.arithmetic"],
    }  # fmt: skip
    assert sum(hits(EVERYTHING, EVERYTHING.plain(some))["word.arithmetic"].values()) == 3


def test_what_is_generated_means_the_same() -> None:
    some = rows_by_chance(EVERYTHING)
    counts = np.zeros(EVERYTHING.group.size, np.int64)
    counted = counting([EVERYTHING])["word"]
    memory = EVERYTHING.memory()
    counted(some[:1000], [counts], [memory])
    counted(some[1000:], [counts], [memory])
    assert np.array_equal(counts, EVERYTHING.plain(some))
    assert all(hits(EVERYTHING, counts).values())


def nested(*points: Point, **bins: Bins) -> CoveragePlan:
    words, derived = (
        {"word": {"flip": (6, 1), "mode": (2, 3)}},
        {
            "both": "count + plan.kind",
            "loop": "loop + 1",
        },
    )
    return CoveragePlan("sampled", SAMPLED, bins, points, {"NO": 7}, words, derived)


KEPT = CoveragePlan(
    "sampled",
    SAMPLED,
    {
        "since": among("cycle - set.cycle", 0, 1, 2, "3-9", other="more"),
        "change": Bins("2 * before.source.at[0] + source.at[0]", numbers(4)),
        "flips": yes("before.word.flip != word.flip or before.sum"),
    },
    (
        Point("a.since", "D1", when="set.plan.kind", times="sum"),
        Point("a.change_x_flips", "D1"),
    ),
    words={"word": {"flip": (6, 1)}},
    derived={"sum": "count + plan.kind"},
    kept={"before": Kept("count", 3), "set": Kept(where="plan.kind == 1")},
)


def test_rows_from_before_are_kept() -> None:
    """Also across cuts; of rows that are alike in a column apart."""
    some = np.zeros(5, SAMPLED)
    some["cycle"] = 3, 4, 6, 7, 30
    some["plan"]["kind"] = 1, 0, 0, 1, 0
    some["plan"]["source"]["count"] = 0, 1, 0, 1, 2
    some["plan"]["source"]["at"][:, 0] = 1, 0, 1, 1, 1
    assert hits(KEPT, KEPT.plain(some)) == {
        "a.since": {"1": 1, "3-9": 2, "more": 2},
        "a.change_x_flips": {"1*no": 2, "0*no": 1, "3*yes": 1, "1*yes": 1},
    }
    chance = rows_by_chance(KEPT)
    counts, expected = np.zeros((2, KEPT.group.size), np.int64)
    by_c, by_numpy = KEPT.memory(), KEPT.memory()
    for rows in np.split(chance, (0, 1, 7, 999)):
        counting([KEPT])["sampled"](rows, [counts], [by_c])
        expected += KEPT.plain(rows, by_numpy)
    assert np.array_equal(counts, KEPT.plain(chance)) and np.array_equal(counts, expected)
    assert counts.all()
    for path in KEPT.columns:
        assert np.array_equal(column(by_c, path), column(by_numpy, path))


def test_a_row_before_one_that_is_kept_is_none() -> None:
    point = Point("a.since", "D1", when="set.back")
    with pytest.raises(ValueError, match=r"before\.cycle is of a row before set"):
        replace(KEPT, derived={"back": "before.cycle"}, points=(point,))


def test_columns_are_read_by_path() -> None:
    """The end of a path is enough, derived columns are further ones, words have fields."""
    made = nested(
        Point("a.count_x_flip", "D1", when="plan.kind == 2 and both != NO"),
        Point("a.mode_x_place", "D1", when="source.at[place] > 1"),
        count=Bins("count", tuple("0123")),
        flip=yes("plan.word.flip"),
        mode=Bins("word.mode", tuple("0123")),
        place=each("ab"),
    )
    some = np.zeros(3, SAMPLED)
    some["plan"]["kind"] = 2, 2, 1
    some["plan"]["word"] = 64 + 2 * 4 + 3, 4, 0xFF
    some["plan"]["source"]["count"] = 3, 5, 1
    some["plan"]["source"]["at"] = (2, 0), (0, 300), (1, 1)
    assert hits(made, made.plain(some)) == {
        "a.count_x_flip": {"3*yes": 1}, "a.mode_x_place": {"2*a": 1, "1*b": 1},
    }  # fmt: skip
    chance = rows_by_chance(made)
    assert np.array_equal(counted(made, chance), made.plain(chance))
    assert all(hits(made, counted(made, chance)).values())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("plan.colour", "the account has no column plan.colour"),
        ("kind", "kind is plan.kind or other.kind"),
        ("plan.word.flap", "the account has no column plan.word.flap"),
        ("source.count.flip", "the account has no column source.count.flip"),
        ("plan", "the account has no column plan"),
        ("loop", "the account has no column loop"),
        ("(both + 1).flip", "the account has no column (both + 1).flip"),
        ("source.at[2]", "plan.source.at[2] may not be there"),
    ],
)
def test_a_path_that_is_none_is_named(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"^coverpoint a\.side: ") as caught:
        nested(Point("a.side", "", when=f"{name} == 0"), side=each("ab"))
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("point", "says"),
    [
        (Point("a.kind", "", when="colour == 2"), "the account has no column colour"),
        (Point("a.kind", "", times="colour"), "the account has no column colour"),
        (Point("a.colour", ""), "no bins colour"),
        (Point("a.kind", "", when="by[3]"), "by[3] may not be there"),
        (Point("a.kind", "", when="kind[0]"), "kind[0] may not be there"),
        (Point("a.kind", "", when="by[kind]"), "by[kind] may not be there"),
        (Point("a.four", "", when="by[four]"), "by[four] may not be there"),
        (Point("a.kind", "", when="kind =="), "invalid syntax"),
        (Point("a.kind", "", when="kind / 2"), "is nothing to count by"),
        (Point("a.kind", "", when="print(kind)"), "is nothing to count by"),
        (Point("a.kind", "", when="kind == 1.5"), "is nothing to count by"),
        (Point("a.kind", "", exclude=(Exclude(("set",), " "),)), "an exclusion without a reason"),
        (Point("a.kind", "", exclude=(Exclude(("sit",), "why"),)), "excludes nothing"),
    ],
)
def test_wrong_lines_are_named(point: Point, says: str) -> None:
    with pytest.raises(ValueError, match=r"^coverpoint a\.") as caught:
        plan(point, four=each("abcd"))
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_place_that_is_called_like_a_column() -> None:
    with pytest.raises(ValueError, match="account word has a column value itself"):
        plan(Point("a.kind", ""), value=each("ab"))


def test_bins_of_numbers() -> None:
    assert among("by[0]", 0, 3, "4-7", other="more").where == {
        "0": "by[0] == 0", "3": "by[0] == 3", "4-7": "by[0] < 8", "more": "1",
    }  # fmt: skip
    assert among("value", 1).labels == ("1",)
    assert numbers(3, "p") == ("p0", "p1", "p2")
    assert yes("value") == Bins("value", ("no", "yes"))


def test_a_planner_adds_what_a_block_shares() -> None:
    planner = Planner({"word": WORD}, {"SET": 1}, BINS)
    made = planner(
        "word", {"some": yes("value == SET + 2 * TWO")}, Point("a.kind_x_some", ""), TWO=2
    )
    assert list(made.bins) == ["kind", "some"]  # of the shared ones that one which is named
    assert hits(made, made.plain(rows((0, 1, 5, (0, 0, 0))))) == {"a.kind_x_some": {"set*yes": 1}}
    with pytest.raises(ValueError, match="no bins colour"):
        planner("word", {}, Point("a.colour", ""))


def test_plans_of_a_profile_are_made_once() -> None:
    def made(chosen: Any) -> CoveragePlan:
        return plan(Point(f"a_{chosen.name}.kind", "D1"))

    few = [PlannedCoverage("fake", name, [EVERYTHING, made]) for name in ("baseline",) * 2]
    assert few[0].plans == few[1].plans
    assert PlannedCoverage("fake", "blackhole", [made]).report().missing()[0] == (
        "a_blackhole.kind",
        "none",
    )
    with pytest.raises(ValueError, match="profile"):
        PlannedCoverage("fake", "none", [])


def test_coverage_follows_a_model_that_leaves_an_account() -> None:
    coverage = PlannedCoverage("fake", "baseline", [plan(Point("a.kind", "D1"))])
    with pytest.raises(ValueError, match="coverage of fake follows no model"):
        coverage.sample({}, 0, 1)
    with pytest.raises(TypeError, match="object leaves no account"):
        coverage.follow(object())
