# SPDX-License-Identifier: Apache-2.0
"""What was sent against what was recorded: what became of an item is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.sent import PlayerState, SentCheck
from tilepath.engine.description.balances import Balances, PartlyRecorded
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.recorded import Recorded
from tilepath.engine.description.stream import Field, Records, Stream
from tilepath.tests import coverage_runs

STREAMS = (
    Stream("put", "input", fields=(Field("word", 32),)),
    Stream("kick", "input"),
    Stream("shared", "input", fields=(Field("who", 2), Field("wide", 70))),
    Stream("part", "input", fields=(Field("value", 8),)),
    Stream("level", "input", "level", (Field("value", 8),)),
)
PLAYERS = (
    Player(
        "source",
        fields=(Field("word", 32), Field("put"), Field("kick")),
        records=(Recorded("put", when="put"), Recorded("kick", when="kick")),
    ),
    Player("part", fields=(Field("value", 8), Field("vague"))),
    Player(
        "each",
        fields=(Field("wide", 70),),
        copies=2,
        records=(Recorded("shared", copy="who"),),
    ),
    Player(
        "level",
        "level",
        (Field("number", 8),),
        essential=False,
        rest={"number": 5},
        records=(Recorded("level", named={"value": "number"}),),
    ),
    Player("quiet", "level", (Field("value"),), essential=False, unrecorded="nothing shows it"),
)
BALANCES = Balances(
    partly=(
        PartlyRecorded(
            "part",
            "part",
            lambda columns: {"value": columns["value"]},
            lambda columns: {"value": np.where(columns["vague"], 0x0F, 0xFF).astype(np.uint32)},
        ),
    )
)
NONE = PlayerState(0, False)


def block(balances: Balances = BALANCES) -> Block:
    return Block("b", "b", (), STREAMS, PLAYERS, None, None, balances=balances)  # type: ignore[arg-type]


def put(*words: int, put: int = 1, kick: int = 0, gap: int = 0) -> Items:
    return PLAYERS[0].pack(word=words, put=put, kick=kick, gap=gap)


streams = partial(coverage_runs.streams, block().stream_table)


def states(**known: PlayerState) -> dict[str, PlayerState]:
    return dict.fromkeys(("source", "part", "t0.each", "t1.each", "level", "quiet"), NONE) | known


def puts(*words: int) -> dict[str, Records]:
    return streams(level=[(0, 5)], put=list(enumerate(words, 10)))


def message(check: SentCheck, given: dict[str, Records], consumed: int) -> str:
    with pytest.raises(CheckError) as caught:
        check.check(given, states(source=PlayerState(consumed, False)), 100)
    assert caught.value.report.startswith(f"STIMULUS {caught.value}\n")
    return str(caught.value)


def sent(*words: int) -> SentCheck:
    check = SentCheck(block())
    check.sent("source", put(*words))
    return check


def test_all_is_well() -> None:
    check = sent(1, 2, 3)
    check.check(puts(1, 2), states(source=PlayerState(2, False)), 100)
    check.sent("source", put(4))
    check.finished("source")
    rest = streams(put=[(110, 3), (111, 4)])
    check.check(rest, states(source=PlayerState(4, True)), 200)


def test_the_last_item_presented_may_be_recorded_later() -> None:
    check = sent(1, 2, 3)
    check.check(puts(1), states(source=PlayerState(2, False)), 100)
    check.check(streams(put=[(100, 2)]), states(source=PlayerState(3, False)), 200)
    check.check(streams(put=[(200, 3)]), states(source=PlayerState(3, False)), 300)


@pytest.mark.parametrize(
    ("recorded", "consumed", "text"),
    [
        ((1, 3, 4, 5), 4, "item 1 of source never reached the DUT (put, cycle 11)"),
        ((1, 4, 5), 4, "item 1 of source never reached the DUT, nor 1 more (put, cycle 11)"),
        ((1, 2, 2, 3), 4, "item 2 of source was recorded after the one before it had come twice"),
        ((1, 9, 3, 4), 4, "item 1 of source was changed (put, cycle 11)"),
        ((1, 3, 2, 4), 4, "item 1 of source came in another order (put, cycle 11)"),
        ((1, 2), 4, "item 2 of source never reached put"),
        ((1, 2, 3, 4, 5, 6), 6, "one item more than sent of source was recorded (put, cycle 15)"),
        ((1, 2, 3, 4, 5, 5), 6, "one item more than sent of source was recorded after the one"),
        ((1, 2, 3), 1, "item 2 of source was recorded in put; the player says that it presented 1"),
        ((1, 2, 3, 4, 5), 7, "player source says that it played 7 of 5 items"),
    ],
)
def test_what_became_of_an_item(recorded: tuple[int, ...], consumed: int, text: str) -> None:
    assert message(sent(1, 2, 3, 4, 5), puts(*recorded), consumed).startswith(text)


def test_an_item_that_comes_again_in_the_next_block_of_cycles() -> None:
    check = sent(1, 2, 3)
    check.check(puts(1), states(source=PlayerState(1, False)), 100)
    text = message(check, streams(put=[(100, 1), (101, 2)]), 3)
    assert text.startswith("item 1 of source was recorded after the one before it had come twice")


def test_a_player_that_ends_too_early() -> None:
    check = sent(1, 1, 1)
    check.finished("source")
    with pytest.raises(CheckError, match="player source ended after 2 items; 3 were sent"):
        check.check(puts(1, 1), states(source=PlayerState(2, True)), 100)


def test_items_are_recorded_where_they_are_chosen_for() -> None:
    check = SentCheck(block())
    check.sent("source", np.concatenate([put(1), put(0, put=0, kick=1), put(3, kick=1)]))
    given = puts(1, 3) | {"kick": streams(kick=[(11, 0), (12, 0)])["kick"]}
    check.check(given, states(source=PlayerState(3, False)), 100)
    check = SentCheck(block())
    check.sent("source", np.concatenate([put(1), put(0, put=0, kick=1), put(3)]))
    assert "item 1 of source never reached kick" in message(check, puts(1, 3), 3)


@pytest.mark.parametrize(
    ("vague", "value", "right"), [(1, 0x9A, True), (1, 0x3B, False), (0, 0x9A, False)]
)
def test_bits_that_are_not_the_players_are_not_compared(
    vague: int, value: int, right: bool
) -> None:
    check = SentCheck(block())
    check.sent("part", PLAYERS[1].pack(value=0x3A, vague=vague))
    given = streams(level=[(0, 5)], part=[(5, value)])
    played = states(part=PlayerState(1, False))
    if right:
        check.check(given, played, 100)
    else:
        with pytest.raises(CheckError, match="item 0 of part was changed"):
            check.check(given, played, 100)


def test_instances_that_share_a_stream() -> None:
    check = SentCheck(block())
    check.sent("t0.each", PLAYERS[2].pack(wide=[(1, 2, 3), (4, 5, 6)]))
    check.sent("t1.each", PLAYERS[2].pack(wide=[(7, 8, 9)]))
    given = streams(
        shared=[(1, 0, (1, 2, 3)), (2, 1, (7, 8, 9)), (3, 0, (4, 5, 7))], level=[(0, 5)]
    )
    with pytest.raises(CheckError, match=r"item 1 of t0\.each was changed"):
        check.check(
            given,
            states(**{"t0.each": PlayerState(2, False), "t1.each": PlayerState(1, False)}),
            100,
        )


# -- levels: an item holds from cycle 1 on, for as many cycles as it says

LEVEL = PLAYERS[3].pack(cycles=[10, 5, 20, 1000], number=[7, 7, 9, 1])
RIGHT = [(1, 7), (16, 9), (36, 1)]


def check_levels(records: Sequence[tuple[int, int]], consumed: int, ends: Sequence[int]) -> None:
    check = SentCheck(block())
    check.sent("level", LEVEL)
    start = 0
    for end in ends:
        part = [record for record in [(0, 5), *records] if start <= record[0] < end]
        played = int(np.searchsorted([1, 11, 16, 36], end, side="right"))
        state = PlayerState(consumed if end == ends[-1] else played, False)
        check.check(streams(level=part), states(level=state), end)
        start = end


def test_levels_hold_as_long_as_they_should() -> None:
    check_levels(RIGHT, 4, [100])
    check_levels(RIGHT, 4, [11, 16, 20, 100])
    check_levels([*RIGHT, (1036, 5)], 4, [100, 2000])  # idle again


@pytest.mark.parametrize(
    ("records", "text"),
    [
        (RIGHT[:1] + RIGHT[2:], "item 2 of level is not what level shows in cycle 16"),
        ([(1, 7), (15, 9), (36, 1)], "item 1 of level is not what level shows in cycle 15"),
        ([(2, 7), *RIGHT[1:]], "item 0 of level is not what level shows in cycle 1"),
        ([(1, 3), *RIGHT[1:]], "item 0 of level is not what level shows in cycle 1"),
        ([*RIGHT, (90, 2)], "item 3 of level is not what level shows in cycle 90"),
    ],
)
def test_levels_that_are_wrong(records: list[tuple[int, int]], text: str) -> None:
    with pytest.raises(CheckError, match=text):
        check_levels(records, 4, [100])


def test_a_level_player_that_runs_ahead() -> None:
    with pytest.raises(CheckError, match="player level played 3 items; 4 were due"):
        check_levels(RIGHT, 3, [100])


def test_a_player_that_nothing_records_must_keep_time() -> None:
    check = SentCheck(block())
    check.sent("quiet", LEVEL)
    with pytest.raises(CheckError, match="player quiet played 4 items; 3 were due"):
        check.check(streams(level=[(0, 5)]), states(quiet=PlayerState(4, False)), 20)


# -- the rest


def test_what_is_compared_is_forgotten() -> None:
    check = SentCheck(block())
    words = np.arange(1000)
    for number in range(50):
        check.sent("source", put(*words))
        check.sent("level", PLAYERS[3].pack(cycles=100, number=number % 200))
        first = [(0, 5)] if number == 0 else []
        cycles = [(100 * number + place // 10, word) for place, word in enumerate(words)]
        given = streams(
            put=cycles,
            level=[*first, (100 * number + 1, number % 200)] if number else [*first, (1, 0)],
        )
        played = PlayerState(1000 * (number + 1), False)
        level = PlayerState(number + 1, False)
        check.check(given, states(source=played, level=level), 100 * (number + 1))
    kept = [len(echo._index) for echo in check._echoes["source"]]  # type: ignore[union-attr]
    assert max(kept) <= 1
    assert len(check._echoes["level"][0]._cycles) <= 2  # type: ignore[union-attr]
    assert len(check._progress["source"]._next) == 0


def test_items_that_stand() -> None:
    check = SentCheck(block())
    check.sent("source", np.concatenate([put(1), put(2), put(3, gap=500)]))
    check.check(puts(1), states(source=PlayerState(1, False)), 100)
    line = "source: item 0 stands for 900 cycles or more"
    assert check.standing(1000) == [("source", 900, line)]
    check.check(streams(put=[(110, 2)]), states(source=PlayerState(2, False)), 200)
    # the gap before the next one counts for nothing
    assert [stands for _, stands, _ in check.standing(1000)] == [300]
    assert check.waits(block()) == []  # the last one may be done, and the next one in its gap
    check.check(streams(), states(source=PlayerState(2, False)), 800)
    assert check.waits(block()) == ["source: item 1 is offered to the DUT: word 2, put 1"]
    check.finished("source")
    check.check(streams(put=[(850, 3)]), states(source=PlayerState(3, True)), 900)
    assert check.waits(block()) == []


def test_every_player_must_be_accounted_for() -> None:
    players = tuple(replace(p, unrecorded="") for p in PLAYERS)
    with pytest.raises(ValueError, match="does not say where quiet is recorded"):
        SentCheck(replace(block(), players=players))
