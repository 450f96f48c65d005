# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the address counters: repeatable, well formed, legal where it says so."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.isa import config_fields, decode, encode
from tilepath.sequences.adc import TESTS, knobs
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import KINDS, PLACES, Place, Shared, reached, top
from tilepath.sequences.adc.random_items import addr_mods, flop_fields, issue_words, unpack_fields
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.adc.streams import PLAYERS, STREAMS
from tilepath.tb.kernel.description.player import GAP_MASK, Items
from tilepath.tb.kernel.description.seeds import derive
from tilepath.tb.kernel.description.stimulus import Context, TestSpec

ENDLESS = [test for test in TESTS.values() if test.endless]
FINITE = [test for test in TESTS.values() if not test.endless]
PLAYER = {name: player for player in PLAYERS for name in player.instances}
STREAM_NAMES = {name for stream in STREAMS for name in (stream.name, *stream.instances)}
OUTPUTS = {n for s in STREAMS if s.direction == "output" for n in (s.name, *s.instances)}
RANDOM = ("random", "random_default", "random_wrap", "random_conflict", "threads", "updates")
DIRECTED = ("after_reset", "instructions", "counters", "order", "conflicts", "faults", "vectors")
PROGRAMS = ("unpack_tiles", "tilize", "untilize", "pack_tiles", "pipeline")


def context(test: TestSpec, seed: int = 7, profile: str = "baseline") -> Context:
    return Context("adc", test.name, seed, profile, 5000)


def check_items(player: str, items: Items) -> None:
    assert items.dtype == np.uint32 and items.shape[1:] == (PLAYER[player].words,)
    assert not PLAYER[player].malformed(items).any()


def first_blocks(test: TestSpec, seed: int = 7, blocks: int = 4) -> dict[str, Items]:
    stimulus = test.stimulus(context(test, seed))
    return {
        player: np.concatenate(list(itertools.islice(items, blocks)))
        for player, items in stimulus.items()
    }


def played(test: TestSpec, profile: str = "baseline") -> dict[str, Items]:
    stimulus = test.stimulus(context(test, profile=profile))
    return {player: np.concatenate(list(items)) for player, items in stimulus.items()}


def starts(items: Items) -> list[int]:
    """Cycle of each item, counted from the first that a player can use."""
    return [int(cycle) for cycle in np.cumsum((items[:, 0] & GAP_MASK) + 1) - 1]


# -- all tests


def test_every_kind_of_test_exists() -> None:
    assert {test.name for test in ENDLESS} == set(RANDOM) == set(knobs.PRESETS)
    assert {*DIRECTED, *PROGRAMS} <= {test.name for test in FINITE}
    assert all(name == test.name for name, test in TESTS.items())
    assert {test.kind for test in ENDLESS} == {"random"}
    assert {TESTS[name].kind for name in PROGRAMS} == {"program"}


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
def test_every_test_has_a_floor_and_a_summary(test: TestSpec) -> None:
    assert test.floor and set(test.floor) <= STREAM_NAMES
    assert min(test.floor.values()) > 0
    assert set(test.floor) & OUTPUTS
    assert test.summary and "\n" not in test.summary


@pytest.mark.parametrize("test", FINITE, ids=lambda test: test.name)
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_finite_tests_end_and_keep_the_layout(test: TestSpec, profile: str) -> None:
    players = played(test, profile)
    assert players
    for player, items in players.items():
        check_items(player, items)
        assert PLAYER[player].cycles(items) < 8000
    again = played(test, profile)
    assert all(np.array_equal(players[name], again[name]) for name in players)


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_same_seed_same_items_whatever_the_consumption(test: TestSpec) -> None:
    once = test.stimulus(context(test))
    again = test.stimulus(context(test))
    assert set(once) == set(again) <= set(PLAYER)
    # one player after the other, against all in turn
    whole = {name: list(itertools.islice(items, 5)) for name, items in once.items()}
    turns = {name: iter(items) for name, items in again.items()}
    for step in range(5):
        for name in reversed(list(turns)):
            assert np.array_equal(whole[name][step], next(turns[name])), name


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_seeds_and_threads_differ(test: TestSpec) -> None:
    one, two = first_blocks(test, seed=1), first_blocks(test, seed=2)
    assert all(not np.array_equal(one[name], two[name]) for name in one)
    assert not np.array_equal(one["t0.issue"], one["t1.issue"])
    assert not np.array_equal(one["t1.issue"], one["t2.issue"])


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_items_keep_their_layout_and_come_in_large_blocks(test: TestSpec) -> None:
    for player, items in first_blocks(test, blocks=3).items():
        check_items(player, items)
        assert len(items) >= 3 * 500


# -- random words


def words(preset: str, count: int = 20_000, zw_width: int = 8) -> list[int]:
    drawn = issue_words(derive(3, preset), knobs.PRESETS[preset], zw_width, count)
    return [int(word) for word in drawn]


def test_every_instruction_target_and_override_appears() -> None:
    seen = {(word >> 24, word >> 21 & 7) for word in words("random")}
    for opcode in w.OPCODES.values():
        assert {target for op, target in seen if op == opcode} == set(range(8))
    found = [decode(word) for word in words("random", 4000) if word >> 24 in w.OPCODES.values()]
    some = {(i.mnemonic, i["thread_override"]) for i in found if i.mnemonic != "SETADCXX"}
    assert len(some) == 7 * 4
    assert any(i.ignored for i in found)


def test_illegal_words_appear_where_they_are_asked_for() -> None:
    for preset, settings in knobs.PRESETS.items():
        bad = [word for word in words(preset) if word >> 24 not in w.OPCODES.values()]
        assert bool(bad) == (settings.illegal > 0), preset


def test_default_words_have_neither_fault_nor_override() -> None:
    for word in words("random_default"):
        found = decode(word)
        assert found["target"] and not found.ignored
        assert found.mnemonic == "SETADCXX" or found["thread_override"] == 0
        if found.mnemonic.lower() in w.MASKED:
            assert found["mask"]


@pytest.mark.parametrize("zw_width", [8, 13])
def test_wide_values_reach_the_ends(zw_width: int) -> None:
    largest = {"x": 0x3FFFF, "y": 8191, "z": (1 << zw_width) - 1, "w": (1 << zw_width) - 1}
    settings = knobs.Knobs(ops={"setadc": 1.0}, illegal=0, ignored=0, override=0.5)
    drawn = issue_words(derive(3, "wide"), settings, zw_width, 40_000).tolist()
    values: dict[str, set[int]] = {name: set() for name in largest}
    for word in drawn:
        found = decode(word)
        values["xyzw"[found["xyzw"]]].add(found["value"])
    for name, most in largest.items():
        assert {0, 1, most, most - 7} <= values[name], name
        if name != "x":
            assert any(value & 0xFFFF > most for value in values[name])


def test_default_stimulus_takes_turns() -> None:
    """Threads in the even cycles, updates and REG2FLOP in different odd ones."""
    players = first_blocks(TESTS["random_default"])
    for name, items in players.items():
        period, slot = {"unpack": (4, 1), "pack": (4, 1), "flop": (4, 3)}.get(name, (2, 0))
        assert {start % period for start in starts(items)} == {slot}, name


def test_updates_and_flops_have_faults_only_where_asked() -> None:
    for settings, some in (
        (knobs.Knobs(unit_faults=0.3), True),
        (knobs.Knobs(unit_faults=0), False),
    ):
        update = unpack_fields(derive(1, "a"), settings, 2000)
        flop = flop_fields(derive(1, "b"), settings, 8, 2000)
        for column in (update["thread"], update["adc"], flop["thread"], flop["select"]):
            assert bool((column == 3).any()) == some and column.min() == 0
    same = update["thread"] == update["adc"]
    assert 0.4 < same.mean() < 0.6


def test_every_field_of_addr_mod_is_drawn() -> None:
    drawn = addr_mods(derive(1, "mods"), knobs.Knobs(), 5000)
    assert int(np.bitwise_or.reduce(drawn)) == 0xFFFF
    assert (drawn == 0).any() and drawn.min() >= 0


@pytest.mark.parametrize(
    "change",
    [
        {"ops": {"nonsense": 1.0}},
        {"masks": {"one": 0.0}},
        {"gaps": {"none": 1.0, "long": -1.0}},
        {"override": 1.5},
        {"unpack": -1.0},
    ],
)
def test_knobs_out_of_range_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"knob {next(iter(change))}"):
        replace(knobs.PRESETS["random"], **change)  # type: ignore[arg-type]


# -- words and timelines


def test_words_are_those_of_the_isa() -> None:
    assert int(w.setadcxx(1, 0, 255)) == 0x5E23FC00
    assert int(w.packed("setadcxy", 3, (0, 0, 0, 0), 0b1011)) == 0x5160000B
    assert int(w.packed("addrcrzw", 1, (0, 0, 0, 0), 1)) == 0x56200001
    assert int(w.setadc(1, 2, 2)) == 0x50280002
    for op in w.PACKED:
        mask = {"mask": 9} if op in w.MASKED else {}
        letters = op[-2:]
        suffix = "val" if op.startswith("set") else "inc"
        names = [f"{letters[k & 1]}{k >> 1}_{suffix}" for k in range(4)]
        fields: dict[str, Any] = dict(zip(names, (1, 2, 3, 4), strict=True)) | mask
        expected = encode(op, target=5, thread_override=2, **fields)
        assert int(w.packed(op, 5, (1, 2, 3, 4), 9, 2)) == expected


def test_addr_mod_fields() -> None:
    names = {f.name.removeprefix("ADDR_MOD_PACK_SEC0_") for f in config_fields()}
    assert set(w.ADDR_MOD) <= names
    assert int(w.addr_mod(YsrcIncr=4, YdstIncr=4)) == 260  # the seeds' ttsetc16 37,260
    assert int(w.addr_mod(**{name: 1 for name in w.ADDR_MOD})) == 0xFC71


def test_commands_of_a_cycle_stay_together() -> None:
    tl = Timeline().step(3).issue(0, 1).unpack(1, 0, 2, z1=3).step().issue(0, 2).step(5)
    tl.issue(0, 3).pack(4, YsrcIncr=1)
    players = {name: np.concatenate(list(items)) for name, items in tl.stimulus().items()}
    assert {name: starts(items) for name, items in players.items()} == {
        "t0.issue": [3, 4, 9],
        "unpack": [3],
        "pack": [9],
    }


def test_a_port_takes_one_command_a_cycle() -> None:
    tl = Timeline().issue(1, 5)
    with pytest.raises(ValueError, match=r"two commands at t1.issue in cycle 0"):
        tl.issue(1, 6)


@pytest.mark.parametrize(
    ("kind", "where", "by"),
    [
        ("setadcxx", (0, 0, 1), None),
        ("setadcxx", (0, 0, 0), 1),
        ("incadcxy", (0, 0, 2), None),
        ("unpack", (0, 2, 1), None),
        ("unpack", (0, 1, 3), None),
        ("pack", (0, 0, 1), None),
    ],
)
def test_a_counter_that_is_not_reached(
    kind: str, where: tuple[int, int, int], by: int | None
) -> None:
    with pytest.raises(ValueError, match="reach"):
        Timeline().touch(kind, where, by=by)


def test_shared_counters() -> None:
    shared = Shared()
    for one, other in itertools.product(KINDS, KINDS):
        both: set[Place | None] = {p for p in reached(one) if p in reached(other)}
        seen = {shared.next(one, other) for _ in range(2 * len(PLACES))}
        assert seen == (both or {None}), (one, other)


def test_largest_values() -> None:
    assert [top("baseline", c) for c in range(4)] == [0x3FFFF, 8191, 255, 255]
    assert [top("blackhole", c) for c in (4, 5, 6, 7)] == [0x3FFFF, 8191, 8191, 8191]


def test_no_global_randomness() -> None:
    """Every draw comes from a generator that was handed in."""
    for path in Path(knobs.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not {alias.name for alias in node.names} & {"random", "secrets", "time"}
            elif isinstance(node, ast.ImportFrom):
                assert node.module not in ("random", "secrets", "time")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert ast.unparse(node.func.value) not in ("np.random", "numpy.random"), path.name
