# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the control block: repeatable, well formed, live, legal where it says so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.checks import check_items
from tilepath.isa import encode
from tilepath.models.control import ControlState
from tilepath.sequences.control import TESTS, checks, ports, tables
from tilepath.sequences.control import words as w
from tilepath.sequences.control.deadlock import DEADLOCKS
from tilepath.sequences.control.pieces import BARRIER_BIT, OPENED, Piece, Pieces
from tilepath.sequences.control.word_tables import FORMS, UNITS, words_of
from tilepath.sequences.control.words import WARNINGS
from tilepath.tb.control import items as layout
from tilepath.tb.control.block import BLOCK
from tilepath.tb.control.streams import FAULTS, THREADS
from tilepath.tests.control import item_fields
from tilepath.tests.control.model_helpers import OWN, random_words
from tilepath.tests.stimulus.helpers import Case, starts

ENDLESS = [test for test in TESTS.values() if test.endless]
PLAYER = BLOCK.player_table
STREAM_NAMES = {*BLOCK.stream_table, *(stream.name for stream in BLOCK.streams)}
KINDS = ("mix", "default", "config", "sync", "gate", "scalar", "stream", "faults")
LEGAL = [name for name, preset in tables.PRESETS.items() if preset.legal]


def thread_words(preset: str, count: int, thread: int = 1) -> list[int]:
    """At least ``count`` words of a preset for one thread."""
    return random_words(derive(3, preset), preset, count, thread)


# -- all tests


def test_names_are_those_of_the_tests() -> None:
    assert all(name == test.name for name, test in DEADLOCKS.items())
    assert {f"random_{kind}" for kind in KINDS} == {test.name for test in ENDLESS}


@pytest.mark.parametrize("test", DEADLOCKS.values(), ids=lambda test: test.name)
def test_deadlocks_are_well_formed_and_no_part_of_the_regression(test: TestSpec) -> None:
    assert test.name not in TESTS
    assert test.floor and set(test.floor) <= STREAM_NAMES
    assert max(test.floor.values()) > 0 and test.summary and "\n" not in test.summary
    for player, items in Case("control", test).played().items():
        check_items(PLAYER[player], items)


# -- pieces


def behind_barrier(pieces: Pieces) -> dict[str, list[int]]:
    """Cycles of what a piece's players do behind the item that they all wait with, of the last."""
    result = {}
    for player, items in pieces.stimulus().items():
        (rows,) = [items] if isinstance(items, np.ndarray) else items
        found = item_fields.fields(player, rows)
        words = np.where(found["after_source"] == 1, found["after_count"], 0)  # of thread 0
        lead = int(np.flatnonzero(words == words.max())[0])
        cycles = starts(rows[lead:], cost=2 if player == "risc" else 1)
        result[player] = [cycle - cycles[0] for cycle in cycles[1:]]
    return result


def test_players_of_a_scene_keep_step() -> None:
    pieces = Pieces("baseline")
    pieces.add(Piece().issue(1, w.NOP).sem_post(1))
    piece = Piece().issue(2, w.DMANOP, w.DMANOP, at=4).risc_read(5, at=4).risc_write(6, 7)
    pieces.add(piece.stream(1, 29, 5, at=6).sem_read(3, at=4).sem_get(3))
    cycles = behind_barrier(pieces)
    zero = cycles["t2.issue"][0] - 4
    assert cycles["t2.issue"] == [zero + 4, zero + 5]
    assert cycles["risc"] == [zero + 4, zero + 6]
    assert cycles["stream"] == [zero + 6]
    assert cycles["risc_sem"] == [zero + 4, zero + 5]


def test_a_barrier_waits_for_all_that_came_before() -> None:
    pieces = Pieces("baseline")
    pieces.add(Piece().issue(1, w.NOP, w.NOP).issue(2, w.NOP).risc_read(0).sem_get(0))
    rows = next(iter(pieces.stimulus()["t0.issue"]))
    waited = set(item_fields.after("t0.issue", rows).tolist())
    # one word more than the piece has: everybody begins with one behind the barrier
    assert int(layout.after_issue(1, 3)) in waited
    assert int(layout.after_issue(2, 2)) in waited
    assert int(layout.after_risc(2)) in waited
    assert int(layout.after_sem(2)) in waited


def test_a_barrier_comes_after_the_last_write_of_a_stream() -> None:
    pieces = Pieces("baseline")
    pieces.add(Piece().stream(1, 2, 3, at=50))
    rows = next(iter(pieces.stimulus()["t0.issue"]))
    lead = int(np.flatnonzero(item_fields.after("t0.issue", rows))[0])
    assert PLAYER["t0.issue"].cycles(rows[lead:]) > 50


def test_windows_hold_a_condition_but_for_one_cycle() -> None:
    pieces = Pieces("baseline", window=40)
    pieces.add(
        Piece(work=(3, 0, 0, 0, 0, 0)).force(2, 5, busy=1, stream_busy=True, stall=2, hold=5)
    )
    pieces.add(Piece(length=100))
    players = {name: next(iter(items)) for name, items in pieces.stimulus().items()}
    found = item_fields.fields("conditions", players["conditions"])
    levels = {name: np.repeat(found[name], found["cycles"]) for name in found}
    opened = np.flatnonzero(levels["busy0"] >> BARRIER_BIT & 1 == 0)
    assert not (levels["busy1"] >> BARRIER_BIT & 1).any()
    first = int(opened[0])
    assert opened.tolist() == [first, first + 40, first + 140]
    forced = np.flatnonzero(levels["busy0"] & 1)
    assert np.array_equal(forced, np.flatnonzero(levels["busy2"] & levels["busy1"] & 1))
    assert np.array_equal(forced, np.flatnonzero(levels["hold"] == 5))
    assert forced.tolist() == list(range(first + OPENED + 2, first + OPENED + 7))
    assert (levels["stream_busy"][forced] == 1).all() and (levels["stall"][forced] == 2).all()
    assert PLAYER["work"].cycles(players["work"]) == first + 140
    stalls = [w.stallwait(w.ALL_BLOCKED, 1 << BARRIER_BIT), w.NOP]
    assert players["t0.issue"][:2, 1].tolist() == stalls


@pytest.mark.parametrize(
    ("piece", "window", "says"),
    [
        (Piece().force(0, 1, busy=1), 0, "needs a window"),
        (Piece(work=(1, 0, 0, 0, 0, 0)), 0, "needs a window"),
        (Piece().issue(0, w.NOP, w.NOP, at=3).issue(0, w.NOP, at=4), 0, "not free in cycle 4"),
        (Piece().risc_read(1, at=3).risc_read(2, at=4), 0, "not free in cycle 4"),
        (Piece().issue(1, w.NOP, at=39), 40, "longer than its window"),
        (Piece().stream(1, 1, 1, at=70_000), 0, "a gap"),
    ],
)
def test_scenes_that_cannot_be_played(piece: Piece, window: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Pieces("baseline", window).add(piece)


def test_scenes_that_the_bench_cannot_count() -> None:
    pieces = Pieces("baseline")
    pieces.add(Piece().issue(1, *[w.NOP] * 60_001))
    with pytest.raises(ValueError, match="at most 60000"):
        pieces.stimulus()


# -- words


def test_words_of_arrays_are_those_of_the_encoder() -> None:
    made = w.words("WRCFG", gpr=np.array([1, 65]), cfg_index=np.array([300, 2]), is128=1)
    assert made.tolist() == [
        encode("WRCFG", gpr=1, cfg_index=300, is128=1),
        encode("WRCFG", gpr=1, cfg_index=2, is128=1),
    ]
    assert w.words("DMANOP").tolist() == w.DMANOP
    assert (
        w.flop_of(1, 2, 3, 1)
        == encode("REG2FLOP", flop_channel=1, flop_adc_sel=2, flop_xyzw=3, flop_cr=1) >> 6 & 0x3FF
    )
    assert (w.look(0, 0x1FF), w.look(1, 3, 1), w.look(2, 3)) == (0x420001FF, 0x42800203, 0x41000003)


def test_sets_of_opcodes_do_not_overlap() -> None:
    sets = (w.ADC, w.UNPACK, w.PACK, (w.XMOV,), w.UNSUPPORTED, w.WAITS, w.MATH, w.SFPU, w.ILLEGAL)
    members = [opcode for one in sets for opcode in one]
    assert len(members) == len(set(members))
    assert set(members) | OWN == set(range(256))


# -- random


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_items_wait_for_nothing(test: TestSpec) -> None:
    for player, items in Case("control", test).first_blocks(blocks=8).items():
        if PLAYER[player].kind == "item":
            assert not item_fields.after(player, items).any()


@pytest.mark.parametrize("preset", tables.PRESETS)
@pytest.mark.parametrize("thread", range(THREADS))
def test_threads_cannot_wait_for_ever(preset: str, thread: int) -> None:
    checks.check_liveness(thread_words(preset, 8_000, thread))


def test_liveness_is_checked() -> None:
    start = w.seminit(0xFF, 1, 3)
    checks.check_liveness([start, w.atgetm(0), w.atgetm(2), w.atgetm(2), w.atrelm(0), w.atrelm(2)])
    with pytest.raises(ValueError, match="wants mutex 0"):
        checks.check_liveness([w.atgetm(2), w.atgetm(0)])
    with pytest.raises(ValueError, match="held for long"):
        checks.check_liveness([w.atgetm(2), *[w.NOP] * 50])
    with pytest.raises(ValueError, match="maximum of 1"):
        checks.check_liveness([w.seminit(1, 0, 1)])
    with pytest.raises(ValueError, match="without a maximum"):
        checks.check_liveness([w.semwait(1, 1, 1), start])


def faults(words: list[int]) -> list[tuple[str, ...]]:
    """The faults of each word of a thread, by the golden model."""
    state = ControlState()
    return [state.execute(1, word).faults for word in words]


@pytest.mark.parametrize("preset", LEGAL)
def test_legal_presets_cause_no_fault(preset: str) -> None:
    found = {name for names in faults(thread_words(preset, 8_000)) for name in names}
    assert found <= set(WARNINGS)


def test_presets_say_whether_they_are_legal() -> None:
    assert set(tables.PRESETS) - set(LEGAL) == {"mix", "faults"}
    for name, thread in itertools.product(LEGAL, range(THREADS)):
        segment = tables.PRESETS[name]["segment"]
        assert tables.varied(segment, thread).legal


def test_the_fault_preset_causes_every_fault() -> None:
    found = faults(thread_words("faults", 8_000))
    # the model without time never sees an illegal word as one: it has no effect at all; this
    # profile's chip reads no stale register
    assert {name for names in found for name in names} >= set(FAULTS) - {"illegal", "stale_gpr"}


def test_every_kind_of_fault_is_one() -> None:
    words = {table.name: table for table, _ in UNITS}
    for kind in set(tables.FAULTS):
        kinds = np.full(60, FORMS.index(kind))
        found = faults(words_of(derive(4), words, kinds).tolist())
        if kind == "flop_size":
            # an odd byte is a fault for 32 and for 16 bits, not for 8
            assert any(found), kind
        elif kind != "illegal":
            assert all(found), kind


def test_all_kinds_of_words_appear() -> None:
    opcodes = {word >> 24 for word in thread_words("default", 20_000)}
    assert OWN | set(w.ADC) | set(w.UNPACK) | set(w.PACK) | {w.XMOV} <= opcodes
    assert len(opcodes & set(w.MATH)) > 20 and len(opcodes & set(w.SFPU)) > 20
    assert not opcodes & {*w.ILLEGAL, *w.UNSUPPORTED}


def test_semaphores_come_to_1_again_and_again() -> None:
    values = np.full(8, 15)
    ones = np.zeros(8, int)
    together = 0
    for block in itertools.islice(ports.sem_items(derive(1), tables.SEM), 6):
        for write, index, get in item_fields.rows("risc_sem", block, "write", "index", "get"):
            if write:
                change = -1 if get else 1
                values[index] = min(15, max(0, values[index] + change))
                ones[index] += values[index] == 1
                together += bool((values == 1).all())
    assert (ones > 10).all() and together >= 4


def test_streams_come_to_their_largest_values_again_and_again() -> None:
    largest = dict.fromkeys(itertools.product(range(64), ports.REGISTERS), 0)
    for block in itertools.islice(ports.stream_items(derive(1), tables.STREAM), 16):
        for *place, data in item_fields.rows("stream", block, "stream", "register", "data"):
            if data == ports.LARGEST and tuple(place) in largest:
                largest[*place] += 1
    assert min(largest.values()) >= 4
    assert max(largest.values()) >= 16


def test_nothing_is_forced_for_long() -> None:
    for preset in tables.PRESETS.values():
        blocks = itertools.islice(ports.condition_items(derive(3), preset["level"]), 4)
        rows = np.concatenate(list(blocks))
        free = np.flatnonzero(np.repeat((rows[:, 1:] == 0).all(1), rows[:, 0]))
        assert np.diff(free).max() < 400
