# SPDX-License-Identifier: Apache-2.0
"""The floors of the random tests: of what they follow, and whether the table is that of today."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.commands.regress.floors import digests, endless, streams
from tilepath.engine.description.registry import tests_of
from tilepath.engine.description.stimulus import FLOOR_CYCLES, scaled_floor
from tilepath.engine.stimulus import floors
from tilepath.engine.stimulus.floors import DEVIATIONS, ENOUGH, LEAST, Measured, Row

TESTS = endless()


def out_of_date(name: str, about: Measured | None, digest: str) -> str:
    """What is wrong with the table's part of a test; empty: nothing."""
    block, _, test = name.partition("/")
    again = f"tilepath regress FILE --block {block} --test {test} --cycles {FLOOR_CYCLES} --seeds N"
    again += f", then tilepath floors FILE --block {block} --test {test} --write"
    if about is None:
        return f"{name} has no floors: {again}"
    if about.stimulus != digest:
        return f"{name} plays something else than when its floors were measured: {again}"
    for stream, least in about.floors.items():
        written = tomllib.loads(floors.FILE.read_text())[name][stream]["floor"]
        if written != least or about.seeds < LEAST:
            return f"{name}: {about.seeds} seeds give {stream} a floor of {least}, not {written}"
        if about.rows[stream].instances != len(streams(block)[stream]):
            return f"{name}: {stream} has other instances: {again}"
    return ""


@pytest.mark.parametrize("name", TESTS)
def test_floors_are_those_of_the_table_which_is_of_today(name: str) -> None:
    block, _, test = name.partition("/")
    about = floors.measured().get(name)
    assert not out_of_date(name, about, digests({name: TESTS[name]})[name])
    assert about is not None and tests_of(block)[test].floor == about.floors


def test_the_table_has_no_test_that_is_gone() -> None:
    assert set(floors.measured()) <= set(TESTS)


def test_what_makes_a_part_of_the_table_old() -> None:
    name = "adc/random"
    about = floors.measured()[name]
    stream = next(iter(about.rows))
    assert "has no floors: tilepath regress" in out_of_date(name, None, "")
    assert "plays something else" in out_of_date(name, about, "0" * 16)
    lower = replace(about.rows[stream], fewest=about.rows[stream].fewest - 9)
    old = replace(about, rows={**about.rows, stream: lower})
    assert f"seeds give {stream} a floor of" in out_of_date(name, old, about.stimulus)
    other = replace(about.rows[stream], instances=about.rows[stream].instances + 1)
    assert "has other instances" in out_of_date(
        name, replace(about, rows={stream: other}), about.stimulus
    )
    assert "29 seeds give" in out_of_date(name, replace(about, seeds=29), about.stimulus)


def test_a_digest_is_of_what_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    test = TESTS["adc/random"]
    first = digests({"adc/random": test})
    assert digests({"adc/random": test}) == first
    other = replace(test, stimulus=TESTS["adc/random_wrap"].stimulus, tables=None)
    assert digests({"adc/random": other}) != first
    # a table that draws one column otherwise
    tables = test.tables
    assert tables is not None
    knobs = replace(test, tables=tables.adjusted(["illegal=0.9"]))
    assert digests({"adc/random": knobs}) != first
    assert digests({"adc/random": replace(test, endless=False)}) == {}


def runs(mean: float, deviation: float, seeds: int) -> list[list[int]]:
    """Counts whose roots are normal."""
    roots = np.random.default_rng(5).normal(mean**0.5, deviation, seeds)
    return [[int(root**2)] for root in roots]


def test_half_of_the_fewest_of_many_seeds_a_quarter_of_few() -> None:
    many, few = Row.of(runs(400, 1.0, ENOUGH)), Row.of(runs(400, 1.0, LEAST))
    assert many.fewest <= many.percent <= many.median and many.one == many.fewest
    assert many.floor(ENOUGH).most == many.fewest // 2
    assert few.floor(LEAST).most == few.fewest // 4
    narrow = Row.of(runs(400, 0.3, LEAST))
    assert narrow.floor(LEAST).most == narrow.fewest // 2  # so far away is half of it
    # of one instance an eighth of its share is asked for
    assert Row.of([[399, 1]] * LEAST).floor(LEAST).most == 15
    assert Row.of([[9]]).spread == 0


@pytest.mark.parametrize("mean", [20, 100, 400, 10_000])
@pytest.mark.parametrize("deviation", [0.5, 1.0, 2.0])
def test_no_run_of_any_length_is_asked_for_what_chance_may_leave_out(
    mean: float, deviation: float
) -> None:
    row = Row.of(runs(mean, deviation, ENOUGH))
    spec = replace(TESTS["adc/random"], floor={"issue": row.floor(ENOUGH)})
    asked = []
    for cycles in range(500, 8 * FLOOR_CYCLES, 500):
        asked.append(scaled_floor(spec, cycles)["issue"])
        chance = mean**0.5 * (cycles / FLOOR_CYCLES) ** 0.5 - (DEVIATIONS - 0.5) * deviation
        assert asked[-1] <= max(0.0, chance) ** 2, cycles
        assert asked[-1] <= row.fewest / 2 * cycles / FLOOR_CYCLES
    assert asked == sorted(asked) and asked[1] == 0 and (asked[-1] > 0 or mean < 100)


def test_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "floors.toml"
    rows = {"issue": Row.of([[30, 50], [31, 49]]), "t0.out": Row.of([[4], [6]])}
    table = {"b/x": Measured("ab", 40, rows)}
    monkeypatch.setattr(floors, "FILE", path)
    floors.write(table)
    floors.measured.cache_clear()
    try:
        assert floors.measured() == table
        assert floors.floors("b", "x") == {"issue": 36, "t0.out": 0}
        assert not floors.floors("b", "y")
    finally:
        floors.measured.cache_clear()
