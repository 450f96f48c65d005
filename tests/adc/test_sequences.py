# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the address counters: repeatable, well formed, legal where it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import TestSpec
from tilepath.isa import config_fields, decode, encode
from tilepath.sequences.adc import TESTS
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.random_items import issue_words
from tilepath.sequences.adc.tables import PRESETS
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tests.stimulus.helpers import Case, starts

ENDLESS = [test for test in TESTS.values() if test.endless]


# -- all tests


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_items_come_in_large_blocks(test: TestSpec) -> None:
    for items in Case("adc", test).first_blocks(blocks=3).values():
        assert len(items) >= 3 * 500


# -- random words


def words(preset: str, count: int = 20_000) -> list[int]:
    drawn: list[int] = issue_words(PRESETS[preset]["issue"].rows(derive(3, preset), count)).tolist()
    return drawn


def test_illegal_words_appear_where_they_are_asked_for() -> None:
    for preset in PRESETS:
        bad = [word for word in words(preset) if word >> 24 not in w.OPCODES.values()]
        assert bool(bad) == (preset in ("random", "random_conflict", "updates")), preset


def test_default_words_have_neither_fault_nor_override() -> None:
    for word in words("random_default"):
        found = decode(word)
        assert found["target"] and not found.ignored
        assert found.mnemonic == "SETADCXX" or found["thread_override"] == 0
        if found.mnemonic.lower() in w.MASKED:
            assert found["mask"]


def test_default_stimulus_takes_turns() -> None:
    """Threads in the even cycles, updates and REG2FLOP in different odd ones."""
    players = Case("adc", TESTS["random_default"]).first_blocks()
    for name, items in players.items():
        period, slot = {"unpack": (4, 1), "pack": (4, 1), "flop": (4, 3)}.get(name, (2, 0))
        assert {start % period for start in starts(items)} == {slot}, name


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
