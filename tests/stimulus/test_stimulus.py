# SPDX-License-Identifier: Apache-2.0
"""Stimulus of every block: repeatable, well formed, of bounded length; its draws and tables."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath import sequences
from tilepath.engine.commands.draws import aimed_at
from tilepath.engine.description import registry
from tilepath.engine.description.player import HELD
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, scaled_floor
from tilepath.engine.stimulus.at_random import strays
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.stimulus.draw import Draw, integers
from tilepath.engine.stimulus.tables import Tables
from tilepath.tests.engine.fakes import PLAYERS
from tilepath.tests.stimulus.helpers import PROFILES, Case, cases

BLOCKS: Final = registry.block_names()
ENDLESS: Final = [case for block in BLOCKS for case in cases(block, endless=True)]
FINITE: Final = [case for block in BLOCKS for case in cases(block, endless=False)]

SOURCES: Final = sorted(Path(sequences.__path__[0]).rglob("*.py"))

LONGEST: Final = {"adc": 8_000, "control": 50_000, "unpack": 30_000}
"""Cycles that a finite test of a block may take; of others 200 000."""

ALL_TOGETHER: Final = {"control": 300_000, "frontend": 500_000}
"""Cycles that all finite tests of a block may take."""

EVERY_PLAYER: Final = ("control", "flag_pipe", "pack", "unpack")
"""Blocks whose random tests have items for every player."""

NOT_DRAWN: Final = {"frontend": ("gate",)}
"""Players whose items may be the same with every seed."""


def main_players(block: str) -> list[str]:
    """The players that bring the threads' instructions."""
    names = load_block(block).player_table
    return [name for name in names if name.partition(".")[2] in ("core", "issue")]


@pytest.mark.parametrize("block", BLOCKS)
def test_random_tests_are_the_endless_ones(block: str) -> None:
    tests = registry.tests_of(block)
    assert all(name == test.name for name, test in tests.items())
    drawn = {
        name for name, test in tests.items() if test.kind == "random" or "corner" in test.labels
    }
    assert drawn == {name for name, test in tests.items() if test.endless}
    assert any(test.endless for test in tests.values())


@pytest.mark.parametrize("case", [*ENDLESS, *FINITE], ids=str)
def test_every_test_has_a_floor_and_a_summary(case: Case) -> None:
    block = load_block(case.block)
    # of an instance, or of all instances of a stream together
    streams = {stream.name: stream for stream in block.streams} | block.stream_table
    floor = case.test.floor
    if "corner" in case.test.labels:  # there is no chance that floors would be for
        assert not floor and case.test.summary
        return
    assert floor and set(floor) <= set(streams)
    asked = scaled_floor(case.test, 50_000).values()  # a rare event is not asked for in short runs
    assert (max(asked) if case.test.endless else min(asked)) > 0
    assert any(streams[name].direction == "output" for name in floor)
    assert case.test.summary and "\n" not in case.test.summary


@pytest.mark.parametrize("case", FINITE, ids=str)
@pytest.mark.parametrize("profile", PROFILES)
def test_finite_tests_end_and_keep_the_layout(case: Case, profile: str) -> None:
    known = load_block(case.block).player_table
    players, again = case.played(profile), case.played(profile)
    assert players and set(players) == set(again) <= set(known)
    for name, items in players.items():
        check_items(known[name], items)
        assert known[name].cycles(items) < LONGEST.get(case.block, 200_000)
        assert np.array_equal(items, again[name]), name


@pytest.mark.parametrize("block", ALL_TOGETHER)
def test_all_finite_tests_together_are_short(block: str) -> None:
    assert sum(case.cycles() for case in cases(block, endless=False)) < ALL_TOGETHER[block]


@pytest.mark.parametrize("case", ENDLESS, ids=str)
def test_same_seed_same_items_whatever_the_consumption(case: Case) -> None:
    known = load_block(case.block).player_table
    once, again = case.stimulus(), case.stimulus()
    assert set(once) == set(again) <= set(known)
    assert case.block not in EVERY_PLAYER or set(once) == set(known)
    # one player after the other, against all in turn
    whole = {name: list(itertools.islice(items, 5)) for name, items in once.items()}
    turns = {name: iter(items) for name, items in again.items()}
    for step in range(5):
        for name in reversed(list(turns)):
            assert np.array_equal(whole[name][step], next(turns[name])), name


@pytest.mark.parametrize("case", ENDLESS, ids=str)
def test_seeds_and_threads_differ(case: Case) -> None:
    one, two = case.first_blocks(seed=1), case.first_blocks(seed=2)
    drawn = [n for n in one if n.partition(".")[2] not in NOT_DRAWN.get(case.block, ())]
    assert [name for name in drawn if np.array_equal(one[name], two[name])] == []
    # behind what every thread begins with
    threads = [one[name][8:100] for name in main_players(case.block)]
    assert not any(np.array_equal(a, b) for a, b in itertools.combinations(threads, 2))


@pytest.mark.parametrize("case", ENDLESS, ids=str)
def test_random_items_keep_their_layout(case: Case) -> None:
    known = load_block(case.block).player_table
    for name, items in case.first_blocks(blocks=8).items():
        check_items(known[name], items)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "-".join(path.parts[-2:]))
def test_no_global_randomness(path: Path) -> None:
    """Every draw comes from a generator that was handed in."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {"random", "secrets", "time"}
        elif isinstance(node, ast.ImportFrom):
            assert node.module not in ("random", "secrets", "time")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert ast.unparse(node.func.value) not in ("np.random", "numpy.random")


def test_items_that_are_not_well_formed() -> None:
    source, gate = PLAYERS
    good = source.pack(word=[1, 2], gap=3)
    check_items(source, good)
    with pytest.raises(ValueError, match=r"source: int64 items of shape \(2, 2\)"):
        check_items(source, good.astype(np.int64))
    with pytest.raises(ValueError, match=r"source: uint32 items of shape \(2, 1\)"):
        check_items(source, good[:, :1])
    with pytest.raises(ValueError, match="source: item 1 is"):
        check_items(source, good, np.array([False, True]))
    long = gate.pack(cycles=[3, 4])
    long[1, 0] = 0
    with pytest.raises(ValueError, match="gate: item 1 is"):
        check_items(gate, long)


def test_a_strobe_without_a_plan_comes_at_any_time() -> None:
    found = strays(Context("flag_pipe", "random_default", 1, "baseline", 100))
    made = load_block("flag_pipe").player_table["clr"].unpack(next(iter(found["clr"])))
    assert set(made["pairs"].tolist()) == {0, 1, 2, 3}
    assert made["gap"].min() == 0 and made["gap"].max() > 255
    assert not any(made[name].any() for name in HELD)


# -- single draws are those of NumPy's generator, by its method, whatever is drawn in between


MANY_REJECTED = 3 * (1 << 29) + 1
"""More than a quarter of all words are rejected for it."""
TOPS = (1, 2, 3, 7, 40, 256, 1 << 16, 65_535, MANY_REJECTED, (1 << 31) - 1, 1 << 32)


@pytest.mark.parametrize("seed", range(4))
def test_one_number(seed: int) -> None:
    d, same = Draw(np.random.default_rng(seed)), np.random.default_rng(seed)
    for k in range(2_000):
        top = TOPS[k % len(TOPS)]
        assert d.below(top) == same.integers(0, top)
        if k % 7 == 0:
            assert d.chance(0.3) == (same.random() < 0.3)
        if k % 11 == 0:
            assert (d.rng.integers(0, 100, 3) == same.integers(0, 100, 3)).all()


@pytest.mark.parametrize("tops", [(2, 3, 40), (MANY_REJECTED, 7), (1 << 32, MANY_REJECTED, 256)])
def test_many_numbers(tops: tuple[int, ...]) -> None:
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    for count in (1, 2, 50):
        for top, found in zip(tops, integers(rng, count, *tops), strict=True):
            assert found.tolist() == same.integers(0, top, count).tolist()
        assert rng.integers(0, 1 << 20) == same.integers(0, 1 << 20)


def test_nothing_to_draw_from() -> None:
    with pytest.raises(ValueError):
        Draw(np.random.default_rng(1)).below(0)


# -- tables of all blocks' tests: who has them, and which of them make faults


_FREE_BY_LUCK = {
    f"frontend/{name}" for name in ("random_mop", "loop_ends", "bug_ends", "zero_masks")
}


@pytest.mark.parametrize("block", registry.block_names())
def test_every_endless_test_draws_from_tables(block: str) -> None:
    tests = [test for test in registry.tests_of(block).values() if test.endless]
    assert tests and all(isinstance(test.tables, Tables) for test in tests)


@pytest.mark.parametrize("block", registry.block_names())
def test_a_test_of_illegal_tables_declares_faults(block: str) -> None:
    for test in registry.tests_of(block).values():
        if isinstance(test.tables, Tables):
            # legal traffic of some raises warnings; a preset may be free of faults by luck
            named = f"{block}/{test.name}"
            warned = ("unpack", "pack", "control", "frontend_control")
            assert test.tables.legal or test.faults or named in _FREE_BY_LUCK
            assert not test.tables.legal or not test.faults or block in warned


@pytest.mark.parametrize("block", registry.block_names())
def test_columns_name_points_of_the_coverage_plan(block: str) -> None:
    tests = registry.tests_of(block).values()
    presets = [test.tables for test in tests if isinstance(test.tables, Tables)]
    for table in {id(table): table for preset in presets for table in preset.values()}.values():
        assert all(aimed_at(block, table, column) for column in table.aims)
