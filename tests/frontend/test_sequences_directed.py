# SPDX-License-Identifier: Apache-2.0
"""Directed tests and the script builder."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa import IsaError
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.mop_lengths import mop_cycles, mop_words
from tilepath.tb.frontend import items as layout
from tilepath.tb.frontend.streams import CORE
from tilepath.tests.frontend.test_sequences_random import (
    faulty_words,
    unguarded_writes,
)

# -- lengths


def test_lengths_of_the_extremes() -> None:
    op = 0x42000001
    assert mop_words(w.mop(1), [127, 127, op, op, op, op, op, op, op]) == 32639
    assert mop_words(w.mop(0, 127), [0, 3, *[op] * 7]) == 640
    assert mop_words(w.mop(1), [0x81, 0, w.NOP, w.DMANOP, w.NOP, op, op, op, op]) == 129
    assert mop_words(w.mop(0, 3, 0b0101), [0, 1, *[op] * 7], 0) == 8


def test_replays_count_as_what_they_play() -> None:
    play = w.replay(0, 16)
    config = [1, 4, w.NOP, w.NOP, w.NOP, play, w.NOP, play, play]
    assert mop_cycles(w.mop(1), config) == 1 + 64


# -- builder


def test_builder_makes_the_items_of_the_layout() -> None:
    script = ThreadScript().asm("ttmop 1,0,0").gap(3).mopcfg({5: w.NOP}).sync().sync(True)
    assert script.items().tolist() == np.concatenate([
        layout.push(0x01800000),
        layout.mopcfg(5, w.NOP, 3),
        layout.sync(),
        layout.sync(background=True),
    ]).tolist()  # fmt: skip
    found = {name: some.tolist() for name, some in CORE.unpack(script.items()).items()}
    assert found == {
        "gap": [0, 3, 0, 0],
        "push": [1, 0, 0, 0],
        "mopcfg": [0, 1, 0, 0],
        "sync": [0, 0, 1, 1],
        "background": [0, 0, 0, 1],
        "index": [0, 5, 0, 0],
        "word": [0x01800000, 0, 0, 0],
        "data": [0, w.NOP, 0, 0],
    }
    assert script.cycles == 7


def test_builder_writes_all_of_mopcfg_and_pushes_with_the_last() -> None:
    items = ThreadScript().mopcfg(list(range(9)), push=w.NOP).items()
    found = CORE.unpack(items)
    assert found["index"].tolist() == list(range(9)) == found["data"].tolist()
    assert found["word"][8] == w.NOP and found["push"].tolist() == [0] * 8 + [1]
    assert items.shape == (9, CORE.words)


@pytest.mark.parametrize("gap", [0, 1, 65534, 65535, 65536, 200_001])
def test_gaps_of_any_length(gap: int) -> None:
    script = ThreadScript().push(w.NOP).gap(gap).push(w.NOP)
    assert CORE.cycles(script.items()) == script.cycles == gap + 2
    alone = ThreadScript().gap(gap)
    assert CORE.cycles(alone.items()) == gap
    both = alone.extend(script)
    assert CORE.cycles(both.items()) == both.cycles == 2 * gap + 2


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.push(1 << 32),
        lambda s: s.push(-1),
        lambda s: s.mopcfg([1, 2, 3]),
        lambda s: s.mopcfg({16: 0}),
        lambda s: s.mopcfg({1: 1 << 32}),
        lambda s: s.gap(-1),
        lambda s: s.item(),
    ],
)
def test_builder_refuses_what_cannot_be_played(call: object) -> None:
    assert callable(call)
    with pytest.raises(ValueError):
        call(ThreadScript())


def test_builder_passes_on_what_the_assembler_says() -> None:
    with pytest.raises(IsaError, match="REPLAY"):
        ThreadScript().asm("ttreplay 1,2")


# -- words


def test_words_against_the_assembler() -> None:
    def word(line: str) -> int:
        return int(ThreadScript().asm(line).items()[0, 1])

    assert w.mop(1) == word("ttmop 1,0,0")
    assert w.mop(0, 3, 0xFF) == word("ttmop 0,3,0xFF")
    assert w.mop_cfg(0xABCD) == word("ttmop_cfg 0xABCD")
    assert w.replay(16, 16, 0, 1) == word("ttreplay 16,16,0,1")
    assert w.replay(0, 5, 1, 1) == word("ttreplay 0,5,1,1")
    assert (word("nop"), word("ttdmanop"), word("ttsfpnop")) == (w.NOP, w.DMANOP, w.SFPNOP)


def test_opcodes_are_sorted_into_classes_once() -> None:
    members = [opcode for name in w.CLASSES for opcode in w.OPCODES[name]]
    assert len(members) == len(set(members))
    front_end = {1, 3, 4, 5}
    assert set(members) | set(w.UNASSIGNED) | front_end == set(range(256))


def test_checks_find_what_is_wrong() -> None:
    good = ThreadScript().push(w.mop(1)).sync().mopcfg({2: w.NOP}).items()
    assert unguarded_writes(good) == 0
    assert unguarded_writes(good[[0, 2]]) == 1
    assert unguarded_writes(ThreadScript().push(w.mop(1)).sync(True).items()) == 0
    late = ThreadScript().push(w.mop(1)).sync(True).mopcfg({2: w.NOP})
    assert unguarded_writes(late.items()) == 1
    same = ThreadScript().push(w.mop(1)).item(mopcfg=(2, w.NOP), sync=True)
    assert unguarded_writes(same.items()) == 1
    assert faulty_words(ThreadScript().push(0).mopcfg({12: w.NOP}).items()) == 2
