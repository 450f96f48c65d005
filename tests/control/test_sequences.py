# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the control block: repeatable, well formed, live, legal where it says so."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import TestSpec
from tilepath.isa import decode
from tilepath.models.control import ControlState
from tilepath.sequences.control import TESTS, ports, tables
from tilepath.sequences.control import words as w
from tilepath.sequences.control.random_program import words_of
from tilepath.sequences.control.word_tables import FORMS, UNITS
from tilepath.sequences.control.words import WARNINGS
from tilepath.tb.control.block import BLOCK
from tilepath.tb.control.streams import FAULTS, THREADS
from tilepath.tests.control import item_fields
from tilepath.tests.control.control_play import mutex_free, mutex_get, sem_init, sem_wait
from tilepath.tests.control.model_helpers import OWN, random_words
from tilepath.tests.stimulus.helpers import Case

ENDLESS = [test for test in TESTS.values() if test.endless]
PLAYER = BLOCK.player_table
LEGAL = [name for name, preset in tables.PRESETS.items() if preset.legal]


def thread_words(preset: str, count: int, thread: int = 1) -> list[int]:
    """At least ``count`` words of a preset for one thread."""
    return random_words(derive(3, preset), preset, count, thread)


def test_sets_of_opcodes_do_not_overlap() -> None:
    sets = (w.ADC, w.UNPACK, w.PACK, (w.XMOV,), w.UNSUPPORTED, w.WAITS, w.MATH, w.SFPU, w.ILLEGAL)
    members = [opcode for one in sets for opcode in one]
    assert len(members) == len(set(members))
    assert set(members) | OWN == set(range(256))


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_items_wait_for_nothing(test: TestSpec) -> None:
    for player, items in Case("control", test).first_blocks(blocks=8).items():
        if PLAYER[player].kind == "item":
            assert not item_fields.after(player, items).any()


def check_liveness(words: Sequence[int], longest: int = 40) -> None:
    """``ValueError`` if the words of one thread may make it wait for ever, or others for it.

    Mutexes are taken in ascending order, and none for more than ``longest`` words. A SEMINIT of
    all semaphores comes before the first SEMWAIT; each has a maximum of 2 or more.
    """
    held: dict[int, int] = {}
    started = False
    for place, word in enumerate(words):
        instruction = decode(word)
        name = instruction.mnemonic
        if name == "ATGETM" and instruction["index"] in w.MUTEXES:
            index = instruction["index"]
            if any(other > index for other in held if index not in held):
                raise ValueError(f"word {place} wants mutex {index}, and {list(held)} are held")
            held.setdefault(index, place)
        elif name == "ATRELM":
            held.pop(instruction["index"], None)
        elif name == "SEMINIT":
            started |= instruction["sem_mask"] == 0xFF
            if instruction["max"] < 2:
                raise ValueError(f"word {place}: a maximum of {instruction['max']}")
        elif name == "SEMWAIT" and not started:
            raise ValueError(f"word {place} waits for semaphores without a maximum")
        if any(place - since > longest for since in held.values()):
            raise ValueError(f"word {place}: a mutex is held for long")


@pytest.mark.parametrize("preset", tables.PRESETS)
@pytest.mark.parametrize("thread", range(THREADS))
def test_threads_cannot_wait_for_ever(preset: str, thread: int) -> None:
    check_liveness(thread_words(preset, 8_000, thread))


def test_liveness_is_checked() -> None:
    start = sem_init(0xFF, 1, 3)
    check_liveness([start, mutex_get(0), mutex_get(2), mutex_get(2), mutex_free(0), mutex_free(2)])
    with pytest.raises(ValueError, match="wants mutex 0"):
        check_liveness([mutex_get(2), mutex_get(0)])
    with pytest.raises(ValueError, match="held for long"):
        check_liveness([mutex_get(2), *[w.NOP] * 50])
    with pytest.raises(ValueError, match="maximum of 1"):
        check_liveness([sem_init(1, 0, 1)])
    with pytest.raises(ValueError, match="without a maximum"):
        check_liveness([sem_wait(1, 1, 1), start])


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
