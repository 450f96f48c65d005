# SPDX-License-Identifier: Apache-2.0
"""What is said of tables that are wrong, knobs and conditions as typed, what a table prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.description.seeds import derive
from tilepath.engine.stimulus.tables import (
    Table,
    TableError,
    Tables,
    by,
    chance,
    choice,
    column,
    mix,
    only,
    pauses,
    phases,
    require,
    uniform,
)
from tilepath.tests.stimulus.test_tables import KINDS, PAIRS, SETUP

# -- what is wrong with a table


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Table("t", span=uniform(0, 3), limit=column(lambda spam: spam)),
         "table t, limit: no column 'spam': did you mean span? there are: span"),
        (lambda: Table("t", limit=column(lambda span: span), span=uniform(0, 3)),
         "table t, limit: no column 'span': it is drawn behind this"),
        (lambda: Table("t", a=uniform(0, 3), ok=require(lambda b: b)),
         "table t, ok: no column 'b': there are: a"),
        (lambda: Table("t", kind=choice(KINDS), n=by("kind", {"plan": 0}, other=1)),
         "table t, n: kind has no 'plan'; did you mean plain? there are: plain, packed, tilize"),
        (lambda: Table("t", kind=choice(KINDS), n=by("kind", {"plain": 0})),
         "table t, n: nothing for kind packed, tilize"),
        (lambda: Table("t", a=object()), "neither a distribution nor a number or a function"),
        (lambda: choice(()), "a choice of neither names nor numbers"),
        (lambda: choice(("a", "b"), {"c": 1}), "it has no 'c'; there are: a, b"),
        (lambda: choice(("a", "b"), {"a": -1}), "weight -1 of a is no number from 0 on"),
        (lambda: choice(("a", "b"), {"a": 0}), "all weights are 0"),
        (lambda: choice(("a", "b"), (1,)), "1 weights for 2 options"),
        (lambda: choice(("a", "b"), (1, -1)), "weights must be positive in sum, none below 0"),
        (lambda: chance(1.5), "1.5 is not a share between 0 and 1"),
        (lambda: uniform(3, 2), "there is no number from 3 to 2"),
        (lambda: pauses(-1), "-1 is not a mean"),
        (lambda: phases(by("a", {0: 0}), 4), "phases of what depends on other columns"),
        (lambda: Tables(SETUP, SETUP), "two tables of one name"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_one_line(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(TableError) as caught:
        make()
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (Table("t", a=uniform(0, 99), few=require(lambda a: a < 9)),
         "table t: constraint few refuses 91 % of rows: let the columns be drawn so"),
        (Table("t", a=uniform(0, 99), no=require(lambda a: a < 0), ok=require(lambda a: a > 9)),
         "table t: no row of 102,400 keeps constraint no"),
        (Table("t", a=uniform(0, 99), low=require(lambda a: a < 50), up=require(lambda a: a > 60)),
         "table t: no row of 102,400 keeps constraints low, up"),
        (Table("t", a=uniform(0, 1), n=uniform(3, lambda a: a + 2)),
         "table t, n: there is no number between the bounds of a row"),
        (Table("t", a=uniform(0, 1), n=by("a", {0: 1})), "table t, n: nothing for a 1"),
        (Table("t", a=uniform(0, 1), n=choice((1, 2), lambda a: np.stack([a, a], -1))),
         "table t, n: weights of a row must be positive in sum"),
        (Table("t", n=column(lambda: np.zeros(3))), "table t, n: 3 values for"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_one_line(table: Table, says: str) -> None:
    with pytest.raises(TableError) as caught:
        table.rows(derive(1, "no"), 10)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_names_that_arrays_have_are_refused() -> None:
    with pytest.raises(ValueError, match="field size: every record has an attribute"):
        Table("t", size=uniform(0, 1)).rows(derive(1, "x"), 1)


# -- knobs


@pytest.mark.parametrize(
    ("knobs", "says"),
    [
        ({"kidn": {}}, "table setup has no column 'kidn'; did you mean kind? there are: kind, "),
        ({"kind": {"tilze": 1}}, "knob kind: it has no 'tilze'; did you mean tilize?"),
        ({"kind": {"plain": -1}}, "knob kind: weight -1 of plain is no number from 0 on"),
        ({"kind": {"plain": float("nan")}}, "knob kind: weight nan of plain"),
        ({"kind": {}}, "knob kind: all weights are 0"),
        ({"wrap": 1.01}, "knob wrap: 1.01 is not a share between 0 and 1"),
        ({"wrap": "often"}, "knob wrap: 'often' is not a share between 0 and 1"),
        ({"length": range(1, 66)}, "knob length: 1 … 65 is not within 1 … 64"),
        ({"length": (5, 4)}, "knob length: 5 … 4 is not within 1 … 64"),
        ({"field": 8}, "knob field: 8 is not within 0 … 7"),
        ({"length": 0.5}, "knob length: 0.5 is no number or range"),
        ({"begin": 3}, "knob begin: 3 is not within"),
        ({"limit": 3}, "knob limit: 3: there is nothing to set, it is from wrap, begin, span"),
        ({"rows": 3}, "knob rows: 3: there is nothing to set, it is by kind"),
        ({"gap": -1}, "knob gap: -1 is not a mean from 0 to 65535"),
    ],
)  # fmt: skip
def test_wrong_knobs_are_one_line(knobs: dict[str, Any], says: str) -> None:
    more = {"length": uniform(7, within=range(1, 65)), "field": uniform(1, within=3)}
    with pytest.raises(TableError) as caught:
        SETUP.replaced(**more, gap=pauses(2)).weighted(**knobs)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_knobs() -> None:
    table = Table(
        "t", kind=choice(KINDS), wrap=chance(0.5), n=uniform(7, within=5), gap=pauses(2),
        one=choice((3, 8)), part=mix({"a": (1, 0), "b": (1, uniform(5, 9))}),
    )  # fmt: skip
    made = Tables(table).adjusted(
        ["kind=tilize:3,plain:1", "t.wrap=1", "n=0x10..17", "gap=0", "one=8", "part=b:2"]
    )["t"]
    rows = made.rows(derive(1, "knobs"), 4000)
    assert set(rows["kind"].tolist()) == {0, 2} and 0.72 < np.mean(rows["kind"] == 2) < 0.78
    assert rows["wrap"].all() and set(rows["n"].tolist()) == {16, 17} and not rows["gap"].any()
    assert (rows["one"] == 8).all() and set(rows["part"].tolist()) == {5, 6, 7, 8, 9}
    # what was narrowed before stays so
    assert "packed" not in str(table.narrowed(kind=("plain", "tilize")).weighted(kind={"plain": 1}))


def test_knobs_go_to_all_tables_that_have_the_column() -> None:
    one = Table("one", wrap=chance(0.5), n=uniform(0, 9))
    other = Table("other", wrap=chance(0.5))
    both = Tables(one, other).weighted(wrap=1.0)
    assert all(table.rows(derive(1, "x"), 50)["wrap"].all() for table in both.values())
    single = Tables(one, other).adjusted(["other.wrap=1"], "one.wrap == 0")
    assert single["other"].row(derive(1, "x")).wrap and not single["one"].row(derive(1, "x")).wrap
    with pytest.raises(TableError, match=r"no table has a column 'other.n'; did you mean other"):
        Tables(one, other).weighted(**{"other.n": 1})
    with pytest.raises(TableError, match=r"of different tables: one.n of one, other.wrap of other"):
        Tables(one, other).adjusted([], "one.n == 3 or other.wrap")


@pytest.mark.parametrize(
    "text",
    [
        *("wrap", "=3", "wrap=", "a b=3", "n=3..", "n=1..x", "wrap=nan", "wrap=inf"),
        *("kind=:3", "kind=plain:x", "kind=plain:1,plain:2", "kind=plain:1,", "kind=plain:1e999"),
        "n=" + "9" * 2000,
    ],
)
def test_texts_that_are_no_knobs(text: str) -> None:
    table = Table("t", kind=choice(KINDS), wrap=chance(0.5), n=uniform(0, 9))
    with pytest.raises(TableError) as caught:
        Tables(table).adjusted([text])
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


# -- conditions


WHERE: Final = Table(
    "t",
    kind=choice(KINDS),
    pair=choice(PAIRS),
    wrap=chance(0.5),
    a=uniform(-4, 20),
    b=uniform(0, lambda a: abs(a)),
    four=uniform(0, 7, shape=4),
    wrapped=only("wrap", uniform(1, 7, shape=4)),
)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("wrapped[2] in (0, 7)", lambda r: r.wrapped[2] in (0, 7)),
        ("1 <= a <= 4 or a >= 19", lambda r: 1 <= r.a <= 4 or r.a >= 19),
        ("a + b * 2 - 1 < 9", lambda r: r.a + r.b * 2 - 1 < 9),
        ("a // 3 == b % 4", lambda r: r.a // 3 == r.b % 4),
        ("a & 6 != 0", lambda r: (r.a & 6) != 0),
        ("(a & 6) != 0 and (b | 1) ^ 1 < 9", lambda r: (r.a & 6) != 0 and (r.b | 1) ^ 1 < 9),
        ("~a << 2 > -20 and b >> 1 in [0, 1, 5]",
         lambda r: (~r.a << 2) > -20 and (r.b >> 1) in (0, 1, 5)),
        ("not (wrap or a == b)", lambda r: not (r.wrap or r.a == r.b)),
        ("-a < -3", lambda r: -r.a < -3),
        ("a not in {1, 2, 3}", lambda r: r.a not in (1, 2, 3)),
        ("a > 2.5", lambda r: r.a > 2.5),
        ("wrap == True", lambda r: r.wrap),
        ("kind != 'plain' and 'packed' != kind", lambda r: r.kind == 2),
        ("kind in ('plain', 'tilize') and kind == 2", lambda r: r.kind == 2),
        ("pair != 'FP32' and pair[0] == 6", lambda r: r.pair == [6, 5]),
        ("pair == 'BF16'", lambda r: r.pair == [5, 5]),
        ("four[0] > four[3]", lambda r: r.four[0] > r.four[3]),
        ("t.a == 3", lambda r: r.a == 3),
    ],
)  # fmt: skip
def test_conditions_mean_what_they_mean_in_python(text: str, same: Callable[[Any], bool]) -> None:
    kept = Tables(WHERE).adjusted([], text)["t"].rows(derive(1, text), 400)
    assert all(same(row) for row in WHERE.tuples(kept))
    # and it keeps all that it should: as often as without it
    every = WHERE.rows(derive(2, text), 4000)
    share = np.mean([bool(same(row)) for row in WHERE.tuples(every)])
    values = {row[3] for row in WHERE.tuples(kept)}
    likely = {row[3] for row in WHERE.tuples(every) if same(row)}
    assert 0 < share < 1 and len(values) > 0.6 * len(likely)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no condition"),
        ("a <", "no condition: invalid syntax"),
        ("a = 3", "no condition"),
        ("a; b", "no condition"),
        ("aa == 3", "no table has a column 'aa'; did you mean a?"),
        ("1 == 1", "names no column"),
        ("a == 99", "it has no such value"),
        ("a > 3 and a < 3", "it has no such value"),
        ("b > 20 and b", "no row of 102,400 keeps constraint b > 20"),
        ("four[0] == 9", "no row of 102,400 keeps constraint four[0] == 9"),
        ("a + b == 40 and four[0] + four[1] + four[2] == 21", "102,400 keeps constraints"),
        ("kind == 'plan'", "kind has no 'plan'; did you mean plain?"),
        ("kind < 'plain'", "it has no such value"),
        ("pair < 'BF16'", "these values have no order"),
        ("'plain' == 'plain' and a", "names no column"),
        ("a + 1 == 'plain'", "'plain' is not compared with a column"),
        ("a == 'plain'", "a has no 'plain'; there are: none"),
        ("four == 3", "four has several values: say which, four[0]"),
        ("four[9] == 3", "four has no value 9"),
        ("a[0] == 3", "a has no value 0"),
        ("a ** 9 ** 9", "is not for conditions"),
        ("a / 2 == 1", "is not for conditions"),
        ("a is 3", "'is' is not for conditions"),
        ("a in b", "behind 'in' there must be values in brackets"),
        ("a if b else a", "is not for conditions"),
        ("(lambda: a)()", "is not for conditions"),
        ("__import__('os').system('true') == a", "no table has a column '__import__'"),
        ("a.__class__", "no table has a column 'a.__class__'"),
        ("[a for a in a]", "is not for conditions"),
        ("a == 99999999999999999999", "is not for conditions"),
        ("a == 1j", "is not for conditions"),
        ("f'{a}' == a", "is not for conditions"),
        ("(" * 400 + "a" + ")" * 400, "is no condition"),
        ("not " * 240 + "a == 99", ""),
        ("a == " + "-" * 900 + "1 and a == 99", ""),
        ("a == 3 or " * 120 + "a", "longer than 1000"),
    ],
)
def test_what_is_no_condition(text: str, says: str) -> None:
    with pytest.raises(TableError) as caught:
        Tables(WHERE).adjusted([], text or " ")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 250


# -- what tables tell


def test_a_table_prints_itself() -> None:
    lines = str(SETUP.narrowed(few=require(lambda limit: limit > 0))).splitlines()
    assert lines[0].startswith("table setup, 8 columns; 3 constraints keep 8")
    assert "  kind   plain 57.1 %, packed 28.6 %, tilize 14.3 %" in lines
    assert "  pair   one of FP32, BF16, BFP8->BF16" in lines
    assert "  begin  0 … by kind" in lines
    assert "  span   edges 60 % (0 25 %, 1 50 %, 4 25 %), any 40 % (0 … 5)" in lines
    assert "  rows   by kind; packed: 2 … 3; plain/tilize: 1 75 %, 5 25 %" in lines
    assert "  limit  from wrap, begin, span" in lines
    assert "  which  one of 0, 1, 2, weights by wrap" in lines
    (fits,) = [line for line in lines if line.startswith("  fits")]
    share = float(fits.removeprefix("  fits   constraint of kind, pair; refuses ").rstrip(" %"))
    assert abs(share - 100 / 21) < 1


def test_what_is_legal() -> None:
    table = Table(
        "t", bad=chance(0.0, faulty=True), kind=choice(("a", "b"), {"a": 1}, legal=("a",)),
        part=mix({"fine": (1, 0), "odd": (0, 9)}, legal=("fine",)),
    )  # fmt: skip
    assert table.legal and Tables(table).legal
    for knob in ({"bad": 0.1}, {"kind": {"b": 1}}, {"part": {"fine": 1, "odd": 0.1}}):
        assert not table.weighted(**knob).legal
        assert not Tables(table).weighted(**knob).legal
    assert table.narrowed(kind="a", bad=False).legal
