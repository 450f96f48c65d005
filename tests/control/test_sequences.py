# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the control block: that it is as it says; what runs and their bins do not show."""

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
from tilepath.tb.control.block import BLOCK
from tilepath.tb.control.streams import THREADS
from tilepath.tests.control import model_helpers as helpers
from tilepath.tests.control.model_helpers import OWN, random_words
from tilepath.tests.control.vectors import entries
from tilepath.tests.stimulus.helpers import Case

ENDLESS = [test for test in TESTS.values() if test.endless]
PLAYER = BLOCK.player_table
LEGAL = [name for name, preset in tables.PRESETS.items() if preset.legal]


def test_sets_of_opcodes_do_not_overlap() -> None:
    sets = (w.ADC, w.UNPACK, w.PACK, (w.XMOV,), w.UNSUPPORTED, w.WAITS, w.MATH, w.SFPU, w.ILLEGAL)
    members = [opcode for one in sets for opcode in one]
    assert len(members) == len(set(members))
    assert set(members) | OWN == set(range(256))


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_items_wait_for_nothing(test: TestSpec) -> None:
    for player, items in Case("control", test).first_blocks(blocks=8).items():
        if PLAYER[player].kind == "item":
            assert not helpers.after(player, items).any()


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
    check_liveness(random_words(derive(3, preset), preset, 8_000, thread))


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (("ATGETM index=2", "ATGETM"), "wants mutex 0"),
        (("ATGETM index=2", "NOP x50"), "held for long"),
        (("SEMINIT sem_mask=1 max=1",), "maximum of 1"),
        (("SEMWAIT block=1 sem_mask=1 cond=1", "SEMINIT sem_mask=255 max=3"), "without a maximum"),
    ],
)
def test_liveness_is_checked(program: Sequence[str], says: str) -> None:
    live = "SEMINIT sem_mask=255 max=3", "ATGETM", "ATGETM index=2 x2", "ATRELM", "ATRELM index=2"
    check_liveness([word for _, word in entries(live)])
    with pytest.raises(ValueError, match=says):
        check_liveness([word for _, word in entries(program)])


def faults(words: list[int]) -> list[tuple[str, ...]]:
    """The faults of each word of a thread, by the golden model."""
    state = ControlState()
    return [state.execute(1, word).faults for word in words]


def test_presets_say_whether_they_are_legal() -> None:
    assert set(tables.PRESETS) - set(LEGAL) == {"mix", "faults"}
    for name, thread in itertools.product(LEGAL, range(THREADS)):
        segment = tables.PRESETS[name]["segment"]
        assert tables.varied(segment, thread).legal


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


def test_nothing_is_forced_for_long() -> None:
    for preset in tables.PRESETS.values():
        blocks = itertools.islice(ports.condition_items(derive(3), preset["level"]), 4)
        rows = np.concatenate(list(blocks))
        free = np.flatnonzero(np.repeat((rows[:, 1:] == 0).all(1), rows[:, 0]))
        assert np.diff(free).max() < 400
