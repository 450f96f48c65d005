# SPDX-License-Identifier: Apache-2.0
"""Tables draw what they say: compared with an enumeration of all rows, by chi-square."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.description.seeds import derive
from tilepath.engine.stimulus.tables import (
    Quick,
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
    repeated,
    require,
    uniform,
)
from tilepath.engine.stimulus.tables.table import BLOCK, LONGEST_BLOCK
from tilepath.isa import encode
from tilepath.sequences.word_forms import Forms, form, raw

KINDS: Final = ("plain", "packed", "tilize")
PAIRS: Final = {"BF16": (5, 5), "BFP8->BF16": (6, 5), "FP32": (0, 0)}
Row = dict[str, Any]
Shares = Mapping[Any, float]
Made = Callable[..., np.random.Generator]

SETUP: Final = Table(
    "setup",
    kind=choice(KINDS, {"plain": 4, "packed": 2, "tilize": 1}),
    pair=choice(PAIRS),
    fits=require(lambda kind, pair: ~((kind == 2) & (pair[:, 0] == 6))),
    wrap=chance(lambda kind: np.where(kind == 1, 0.75, 0.25)),
    begin=uniform(0, lambda kind: 3 + kind),
    span=mix({"edges": (0.6, choice((0, 1, 1, 4))), "any": (0.4, uniform(0, 5))}),
    near=require(lambda begin, span: begin + span < 7),
    rows=by("kind", {"packed": uniform(2, 3), ("plain", "tilize"): choice((1, 5), (3, 1))}),
    limit=column(lambda wrap, begin, span: np.where(wrap, begin + span, 9)),
    which=choice((0, 1, 2), weights=lambda wrap: np.stack([1 + wrap, wrap, 2 - wrap], -1)),
)


def _span(_: Row) -> Shares:
    return {value: 0.6 * edges + 0.4 / 6 for value, edges in enumerate((0.25, 0.5, 0, 0, 0.25, 0))}


# The same once more, for one row at a time and in words of their own: value → share.
COLUMNS: Final[dict[str, Callable[[Row], Shares]]] = {
    "kind": lambda _: {0: 4 / 7, 1: 2 / 7, 2: 1 / 7},
    "pair": lambda _: {pair: 1 / 3 for pair in PAIRS.values()},
    "wrap": lambda row: {1: 0.75, 0: 0.25} if row["kind"] == 1 else {1: 0.25, 0: 0.75},
    "begin": lambda row: {n: 1 / (4 + row["kind"]) for n in range(4 + row["kind"])},
    "span": _span,
    "rows": lambda row: {2: 0.5, 3: 0.5} if row["kind"] == 1 else {1: 0.75, 5: 0.25},
    "limit": lambda row: {row["begin"] + row["span"] if row["wrap"] else 9: 1.0},
    "which": lambda row: {0: 0.5, 1: 0.25, 2: 0.25} if row["wrap"] else {0: 1 / 3, 2: 2 / 3},
}
HOLDS: Final = (
    lambda row: not (row["kind"] == 2 and row["pair"][0] == 6),
    lambda row: row["begin"] + row["span"] < 7,
)


def enumerated(*more: Callable[[Row], bool]) -> list[tuple[Row, float]]:
    """All rows with their shares, conditioned on the constraints and on ``more``."""
    rows: list[tuple[Row, float]] = [({}, 1.0)]
    for name, shares in COLUMNS.items():
        rows = [
            (row | {name: value}, share * own)
            for row, share in rows
            for value, own in shares(row).items()
            if own
        ]
    rows = [(row, share) for row, share in rows if all(test(row) for test in (*HOLDS, *more))]
    total = sum(share for _, share in rows)
    return [(row, share / total) for row, share in rows]


plain: Final[Made] = partial(derive, 3)


def quick(*names: str) -> Quick:
    return Quick(derive(3, *names).bit_generator)


def drawn_cells(table: Table, names: tuple[str, ...], count: int, made: Made) -> Counter[Any]:
    rows = table.rows(made(*names), count)
    return Counter(
        tuple(tuple(cell) if isinstance(cell, list) else int(cell) for cell in row)
        for row in zip(*[rows[name].tolist() for name in names], strict=True)
    )


def strange(
    expected: list[tuple[Row, float]],
    table: Table,
    names: tuple[str, ...],
    made: Made = plain,
) -> float:
    """How far chi-square of the cells of ``names`` is from what is expected, in deviations."""
    count = 40_000
    shares: defaultdict[Any, float] = defaultdict(float)
    for row, share in expected:
        shares[tuple(row[name] for name in names)] += share
    cells = drawn_cells(table, names, count, made)
    if cells.keys() - shares.keys():
        return math.inf  # a row that cannot be
    rare = [key for key, share in shares.items() if share * count < 5]
    pooled = {key: share for key, share in shares.items() if key not in rare}
    square = sum((cells[k] - s * count) ** 2 / (s * count) for k, s in pooled.items())
    rest = sum(shares[key] for key in rare) * count
    if rest >= 5:
        square += (sum(cells[key] for key in rare) - rest) ** 2 / rest
    freedom = len(pooled) + (rest >= 5) - 1
    if not freedom:
        return 0.0
    # Wilson and Hilferty: the cube root of chi-square by its degrees of freedom is nearly normal
    spread = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


PAIRS_OF_COLUMNS: Final = [
    *((name,) for name in COLUMNS),
    *itertools.combinations(COLUMNS, 2),
]


@pytest.mark.parametrize("names", PAIRS_OF_COLUMNS, ids=" x ".join)
def test_marginals_and_crosses(names: tuple[str, ...]) -> None:
    assert strange(enumerated(), SETUP, names) < 3.7
    assert strange(enumerated(), SETUP, names, quick) < 3.7


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"span": mix({0.6: choice((0, 1, 1, 4)), 0.45: uniform(0, 5)})}, ("span",)),
        ({"kind": choice(KINDS, (4, 2, 1.2))}, ("kind",)),
        ({"near": require(lambda begin, span: begin + span < 8)}, ("begin", "span")),
        ({"wrap": chance(0.39)}, ("kind", "wrap")),
    ],
)
def test_another_table_is_noticed(change: dict[str, Any], names: tuple[str, ...]) -> None:
    assert strange(enumerated(), SETUP.replaced(**change), names) > 3.7


@pytest.mark.parametrize(
    ("table", "same"),
    [
        (SETUP.narrowed(kind="packed"), lambda row: row["kind"] == 1),
        (SETUP.narrowed(kind=("plain", 2), span=range(1, 5)),
         lambda row: row["kind"] != 1 and 1 <= row["span"] < 5),
        (SETUP.narrowed(pair=[(6, 5), "FP32"], rows=(1, 2)),
         lambda row: row["pair"] != (5, 5) and row["rows"] in (1, 2)),
        (SETUP.narrowed(few=require(lambda limit: limit < 4)), lambda row: row["limit"] < 4),
        (Tables(SETUP).adjusted([], 'span <= 2 and kind in ("plain", "tilize")')["setup"],
         lambda row: row["span"] <= 2 and row["kind"] != 1),
        (Tables(SETUP).adjusted([], 'pair == "BF16" or not wrap and pair[0] > 5')["setup"],
         lambda row: row["pair"] == (5, 5) or (not row["wrap"] and row["pair"][0] > 5)),
        (Tables(SETUP).adjusted([], "limit == 9 and begin")["setup"],
         lambda row: row["limit"] == 9 and row["begin"] > 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", [("kind", "span"), ("pair", "wrap"), ("limit", "which")])
def test_narrowed_is_conditioned(
    table: Table, same: Callable[[Row], bool], names: tuple[str, ...]
) -> None:
    assert strange(enumerated(same), table, names) < 3.7


@pytest.mark.parametrize("names", [("kind", "wrap"), ("span", "begin")])
def test_rows_for_given_values(names: tuple[str, ...]) -> None:
    kinds = np.arange(40_000) % 3
    table = SETUP.replaced()
    table.rows = lambda rng, count: SETUP.rows(rng, count, kind=kinds)  # type: ignore[method-assign]
    assert (SETUP.rows(derive(1, "x"), 300, kind=kinds[:300])["kind"] == kinds[:300]).all()
    # of each kind a third, however often constraints refuse it
    apart = [enumerated(lambda row, kind=kind: row["kind"] == kind) for kind in range(3)]  # type: ignore[misc]
    even = [(row, share / 3) for rows in apart for row, share in rows]
    assert strange(even, table, names) < 3.7
    with pytest.raises(TableError, match="rows depends on others"):
        SETUP.rows(derive(1, "x"), 1, rows=1)
    with pytest.raises(TableError, match="no row for"):
        Table("t", a=uniform(0, 3), no=require(lambda a: a > 0)).rows(derive(1, "x"), 9, a=0)


def test_shapes_and_parts() -> None:
    table = Table(
        "t",
        top=choice((7, 255)),
        values=mix({"0": (1, 0), "max": (1, lambda top: top), "any": (2, uniform(0, 3))}, shape=3),
        bits=chance(0.5, shape=(2, 2)),
        pair=choice(PAIRS, shape=2),
        few=uniform(0, lambda top: np.where(top == 7, 1, 2), shape=2),
    )
    rows = table.rows(derive(1, "shapes"), 4000)
    assert rows["values"].shape == (4000, 3) and rows["bits"].shape == (4000, 2, 2)
    assert rows["pair"].shape == (4000, 2, 2) and rows["few"].shape == (4000, 2)
    top = rows["top"][:, None]
    assert set(rows["values"][rows["top"] == 7].reshape(-1).tolist()) == {0, 1, 2, 3, 7}
    assert ((rows["values"] == top).mean(0) > 0.2).all()
    assert (rows["values"][:, 0] != rows["values"][:, 1]).any()
    assert rows["few"][rows["top"] == 7].max() == 1 and rows["few"].max() == 2
    narrowed = table.narrowed(values=range(4), few=(0, 1), bits=True).rows(derive(1, "n"), 500)
    assert narrowed["values"].max() == 3 and narrowed["few"].max() == 1 and narrowed["bits"].all()


def test_phases() -> None:
    table = Table("t", pace=phases(choice(("a", "b"), (1, 3)), 4), gap=by("pace", {"a": 0, "b": 9}))
    rows = table.rows(derive(2, "phases"), 4000)
    assert (rows["pace"].reshape(-1, 4) == rows["pace"][::4, None]).all()
    assert 0.7 < rows["pace"].mean() < 0.8 and ((rows["gap"] == 9) == rows["pace"]).all()
    assert not table.narrowed(pace="a").rows(derive(2, "a"), 9)["pace"].any()
    assert table.weighted(pace={"b": 1}).rows(derive(2, "b"), 9)["pace"].all()


def test_repeated() -> None:
    values = mix({"few": (1, choice((3, 9))), "any": (1, uniform(0, 99))}, shape=4)
    table = Table("t", big=chance(0.5), each=repeated(values, 0.4), by_kind=repeated(
        by("big", {True: uniform(50, 99, shape=4)}, uniform(0, 49, shape=4)), 0.25
    ))  # fmt: skip
    rows = table.rows(derive(3, "repeated"), 20_000)
    for name, share in (("each", 0.4), ("by_kind", 0.25)):
        same = (rows[name] == rows[name][:, :1]).all(1)
        assert abs(same.mean() - share) < 0.02
        assert len(np.unique(rows[name][:, 3][same])) > 40
    assert ((rows["by_kind"] >= 50) == rows["big"][:, None]).all()
    few = table.weighted(each={"few": 1}).rows(derive(3, "few"), 500)["each"]
    assert set(few.reshape(-1).tolist()) == {3, 9} and (few != few[:, :1]).any()
    limited = table.narrowed(each=(3, 9)).rows(derive(3, "limited"), 500)["each"]
    assert set(limited.reshape(-1).tolist()) == {3, 9}
    assert "all the same 40 %" in str(table)


def test_tilted() -> None:
    table = Table("t", a=choice(("a", "b", "c", "d"), (1, 1, 4, 2)))

    def shares(tilted: Table) -> list[float]:
        listed = tilted.columns["a"].listed
        assert listed is not None
        return [round(float(share), 6) for share in listed[1]]

    # 2, 0.5, 4, 4 of 10.5; and 1, 1, 4, 4 of 10
    assert shares(table.tilted("a", (1.0, 2.0, 0.5), 1)) == [0.190476, 0.047619, 0.380952, 0.380952]
    assert shares(table.tilted("a", (1.0, 2.0), 0, but=("b",))) == [0.1, 0.1, 0.4, 0.4]


def test_names_of_the_values_of_parts() -> None:
    apart = Table("t", a=chance(0.5), b=by("a", {True: choice({"x": 4})}, choice({"y": 5})))
    assert apart.columns["b"].names == {"x": 4, "y": 5}
    other = Table("t", a=chance(0.5), b=by("a", {True: choice({"x": 4})}, choice({"x": 5})))
    assert other.columns["b"].names == {}


def test_words_of_forms() -> None:
    forms = Forms(
        {
            "wrcfg": form("WRCFG", gpr="low", cfg_index="high", is128=1),
            "rmwcib": form("RMWCIB0", ("low", 24, 2), mask=0xFF, data="high", cfg_index=9),
            "raw": raw(0x8000_0000, ("high", 0, 4), ("low", 8, 3)),
        }
    )
    table = Table("t", form=choice(forms.names), low=uniform(0, 3), high=uniform(0, 200))
    for kind, name in enumerate(forms.names):
        columns = ("high", "low") if name == "raw" else ("low", "high")
        rows = table.some(derive(4, name), 300, columns, form=kind)
        words = forms.words(derive(4, name), table, kind, 300).tolist()
        for low, high, word in zip(rows["low"].tolist(), rows["high"].tolist(), words, strict=True):
            if name == "wrcfg":
                assert word == encode("WRCFG", gpr=low, cfg_index=high, is128=1)
            elif name == "rmwcib":
                assert word == encode(f"RMWCIB{low}", mask=0xFF, data=high, cfg_index=9)
            else:
                assert word == 0x8000_0000 | high & 15 | low << 8


def test_where_only() -> None:
    table = Table("t", on=chance(0.25), each=only("on", uniform(1, 9, shape=2)), never=chance(0))
    table = table.replaced(twice=only("on", lambda each: 2 * each))
    rows = table.some(quick("only"), 4000, ("twice",))
    assert "never" not in rows and (rows["twice"] == 2 * rows["each"]).all()
    assert ((rows["each"] > 0).all(1) == rows["on"]).all() and 0.2 < rows["on"].mean() < 0.3
    assert set(rows["each"][rows["on"]].reshape(-1).tolist()) == set(range(1, 10))
    for asked in (table.weighted(each=7), table.narrowed(each=7)):
        assert set(asked.rows(quick("asked"), 500)["each"].reshape(-1).tolist()) == {0, 7}
    constrained = table.narrowed(few=require(lambda each: each[:, 0] < 3))
    rows = constrained.some(quick("few"), 500, ("twice",))
    assert rows["twice"][:, 0].max() == 4 and not rows["never"].any()
    some = mix({"a": (1, lambda on: on + 1), "b": (1, 2)}, shape=2)
    rows = table.replaced(nowhere=only("never", some)).rows(quick("nowhere"), 50)
    assert rows["nowhere"].shape == (50, 2) and not rows["nowhere"].any()


@pytest.mark.parametrize("made", [plain, quick])
def test_pauses(made: Made) -> None:
    table = Table("t", gap=pauses(3.0), none=pauses(0), few=pauses(9, most=20))
    rows = table.rows(made("gaps"), 20_000)
    assert 2.9 < rows["gap"].mean() < 3.1 and not rows["none"].any() and rows["few"].max() == 20
    assert abs(np.mean(rows["gap"] == 0) - 0.25) < 0.01


class Op(IntEnum):
    NOP = 2
    SET = 5


def test_options() -> None:
    rows = Table("t", op=choice(Op, {"set": 3, "nop": 1}), n=choice((4, 4, 7))).rows(
        derive(1, "options"), 9000
    )
    assert set(rows["op"].tolist()) == {2, 5} and 0.7 < np.mean(rows["op"] == Op.SET) < 0.8
    assert 0.64 < np.mean(rows["n"] == 4) < 0.69


# -- how rows are had


def test_rows_one_by_one_are_those_of_blocks() -> None:
    one_by_one = SETUP.drawn(derive(5, "rows"), 64)
    block = next(SETUP.blocks(derive(5, "rows"), 64))
    for row, same in zip(itertools.islice(one_by_one, 64), block, strict=True):
        assert row.kind == same["kind"] and row.pair == same["pair"].tolist()
        assert row._fields == tuple(COLUMNS)
    assert SETUP.row(derive(6, "row")) == next(SETUP.drawn(derive(6, "row"), 1))
    assert len(SETUP.rows(derive(5, "rows"), 0)) == 0


def test_blocks_get_longer_and_can_be_had_by_column() -> None:
    free = Table("free", **{name: SETUP.columns[name] for name in COLUMNS})
    for table in (free, SETUP):
        blocks = list(itertools.islice(table.blocks(derive(5, "rows")), 5))
        assert [len(rows) for rows in blocks] == [BLOCK, 2 * BLOCK, 4 * BLOCK, *[LONGEST_BLOCK] * 2]
        by_column = list(itertools.islice(table.by_column(derive(5, "rows")), 5))
        for rows, columns in zip(blocks, by_column, strict=True):
            assert all((rows[name] == columns[name]).all() for name in COLUMNS)


@pytest.mark.parametrize("options", (1, 2, 7, 127, 128, 300))
def test_what_many_draws_choose(options: int) -> None:
    weights = 1.0 + np.arange(options) % 3
    sums = np.cumsum(weights) / weights.sum()
    for count in (1, 1000, 40_000):
        drawn = choice(range(options), weights).one(derive(5, "many"), {}, count)
        wanted = sums.searchsorted(derive(5, "many").random(count), "right")
        assert (drawn == wanted).all() and drawn.dtype == np.int64


def test_the_same_seed_gives_the_same_rows() -> None:
    for count in (1, 1000):
        one, other = (SETUP.rows(derive(4, "same"), count) for _ in range(2))
        assert one.tobytes() == other.tobytes()
        again = SETUP.replaced().rows(derive(4, "same"), count)
        assert one.tobytes() == again.tobytes()


@compiled
def _walk(rows: Any) -> int:
    total = 0
    for row in rows:
        if row.wrap:
            total += row.begin + row.pair[0]
    return total


def test_rows_go_into_compiled_code() -> None:
    rows = SETUP.rows(derive(7, "walk"), 500)
    expected = (rows["wrap"] * (rows["begin"] + rows["pair"][:, 0])).sum()
    assert _walk(rows) == expected
