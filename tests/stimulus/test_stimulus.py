# SPDX-License-Identifier: Apache-2.0
"""Stimulus of every block: repeatable, well formed, of bounded length, with floors."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath import sequences
from tilepath.engine.description import registry
from tilepath.engine.description.player import HELD
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, scaled_floor
from tilepath.engine.stimulus.at_random import strays
from tilepath.engine.stimulus.checks import check_items
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
