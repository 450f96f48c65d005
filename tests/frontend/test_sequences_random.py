# SPDX-License-Identifier: Apache-2.0
"""Constrained random stimulus: repeatable, well formed, legal where it says so."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.stimulus.tables import TableError
from tilepath.isa import tables
from tilepath.models.frontend import FunctionalThread
from tilepath.sequences.frontend import TESTS
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.presets import PRESETS, varied
from tilepath.sequences.frontend.random_program import core_items
from tilepath.tb.frontend.streams import CORE
from tilepath.tests.stimulus.helpers import Case

ENDLESS = [test for test in TESTS.values() if test.endless]
LEGAL = [name for name in PRESETS if PRESETS[name].legal]


def check_core_items(items: Items) -> None:
    """``ValueError`` unless ``items`` can be played by ``core``, and say no more than they do."""
    fields = CORE.unpack(items)
    wrong = (fields["push"] == 0) & (fields["word"] != 0)
    wrong |= (fields["mopcfg"] == 0) & ((fields["data"] != 0) | (fields["index"] != 0))
    wrong |= (fields["background"] != 0) & (fields["sync"] == 0)
    check_items(CORE, items, wrong)


def unguarded_writes(items: Items) -> int:
    """MopCfg writes of a whole ``core`` stream that a MOP pushed earlier may still race (F7).

    Such a write has no blocking mop_sync, of an earlier item, behind the last MOP before it.
    """
    fields = CORE.unpack(items)
    place = np.arange(len(items))
    is_mop = (fields["push"] != 0) & (fields["word"] >> 24 == w.OP_MOP)
    blocks = (fields["sync"] != 0) & (fields["background"] == 0)
    last_mop = np.maximum.accumulate(np.where(is_mop, place, -1))
    last_sync = np.maximum.accumulate(np.where(blocks, place, -1))
    # what an item does in its first cycle comes before its own push has arrived
    before_mop = np.concatenate(([-1], last_mop[:-1]))
    before_sync = np.concatenate(([-1], last_sync[:-1]))
    writes = fields["mopcfg"] != 0
    return int((writes & (before_mop > before_sync)).sum())


def faulty_words(items: Items) -> int:
    """Pushed words and MopCfg words of a ``core`` stream that end as illegal ones (F17)."""
    barred = np.array(tables.must_not_issue())
    fields = CORE.unpack(items)
    words, data, index = fields["word"] >> 24, fields["data"] >> 24, fields["index"]
    consumed = np.isin(words, (w.OP_MOP, w.OP_MOP_CFG, w.OP_REPLAY))
    pushed = (fields["push"] != 0) & barred[words] & ~consumed
    operation = (fields["mopcfg"] != 0) & (index >= 2)
    stored = operation & barred[data] & (data != w.OP_REPLAY)
    beyond = (fields["mopcfg"] != 0) & (index >= w.MOPCFG_WORDS)
    return int((pushed | stored | beyond).sum())


def stream(preset: str, count: int, seed: int = 3, profile: str = "baseline") -> Items:
    """At least ``count`` items of a preset for one core."""
    blocks: list[Items] = []
    for block in core_items(derive(seed, preset), PRESETS[preset], profile):
        blocks.append(block)
        if sum(map(len, blocks)) >= count:
            break
    return np.concatenate(blocks)


@pytest.mark.parametrize("test", ENDLESS, ids=lambda test: test.name)
def test_core_items_are_well_formed(test: TestSpec) -> None:
    for player, items in Case("frontend", test).first_blocks(blocks=8).items():
        if player.endswith(".core"):
            check_core_items(items)


def test_items_that_say_more_than_they_do_are_not() -> None:
    for more in ({"word": 1}, {"index": 1}, {"data": 1}, {"background": 1}):
        with pytest.raises(ValueError, match="core: item 0 "):
            check_core_items(CORE.pack(**more))


def test_presets_say_whether_they_are_legal() -> None:
    assert {"default", "backpressure", "busy"} <= set(LEGAL)
    assert not {"mix", "race", "illegal", "brisc", "replay"} & set(LEGAL)


@pytest.mark.parametrize("preset", PRESETS)
def test_blocks_are_large_enough_to_be_cheap(preset: str) -> None:
    blocks = list(itertools.islice(core_items(derive(1), PRESETS[preset], "baseline"), 5))
    assert min(len(block) for block in blocks[1:]) > 1000


@pytest.mark.parametrize("preset", LEGAL)
@pytest.mark.parametrize("thread", range(3))
def test_a_legal_preset_stays_legal_on_every_thread(preset: str, thread: int) -> None:
    assert all(varied(table, thread).legal for table in PRESETS[preset].values())


@pytest.mark.parametrize("preset", LEGAL)
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_default_constraints_cause_no_fault(preset: str, profile: str) -> None:
    items = stream(preset, 20_000, profile=profile)
    assert unguarded_writes(items) == 0
    assert faulty_words(items) == 0
    pushes = pushed(items)
    replays = pushes[pushes >> 24 == w.OP_REPLAY]
    assert ((replays >> 4 & 0x3F >= 1) & (replays >> 4 & 0x3F <= 32)).all()
    mops = pushes[pushes >> 24 == w.OP_MOP]
    assert (mops[mops >> 23 & 1 == 1] & 0x7F_FFFF == 0).all()
    barred = np.array(tables.must_not_issue())
    assert not barred[issued_by(items, profile) >> 24].any()


def pushed(items: Items) -> NDArray[Any]:
    """The words that items of a core push."""
    found = CORE.unpack(items)
    return found["word"][found["push"] != 0]


def written(items: Items) -> tuple[NDArray[Any], NDArray[Any]]:
    """Index and data of the MopCfg writes in items of a core."""
    found = CORE.unpack(items)
    writes = found["mopcfg"] != 0
    return found["index"][writes], found["data"][writes]


def issued_by(items: Items, profile: str) -> Items:
    """What the items of a core turn into, by the golden model."""
    words: list[int] = []
    writes: list[tuple[int, int, int]] = []
    position = 0
    found = CORE.unpack(items)
    for push, write, index, word, data in zip(
        *(found[name].tolist() for name in ("push", "mopcfg", "index", "word", "data")), strict=True
    ):
        # a write in the cycle of a push comes before the word is ingested
        if write:
            writes.append((position, index, data))
        if push:
            words.append(word)
            position += 1
    return FunctionalThread(profile).feed(words, writes)


@pytest.mark.parametrize("preset", ["default", "mop", "replay", "backpressure"])
def test_expansion_is_in_proportion(preset: str) -> None:
    items = stream(preset, 20_000)
    assert 1 < len(issued_by(items, "baseline")) / len(pushed(items)) < 20


def test_racing_and_illegal_presets_break_the_default_constraints() -> None:
    assert unguarded_writes(stream("race", 20_000)) > 100
    assert faulty_words(stream("illegal", 20_000)) > 100


def test_payloads_do_not_repeat_with_the_pool() -> None:
    items = stream("default", 30_000)
    words = CORE.unpack(items)["word"]
    plain = words[np.isin(words >> 24, w.PLAIN)]
    assert len(np.unique(plain)) > 0.95 * len(plain)


def test_threads_draw_the_same_kinds_with_other_weights() -> None:
    each = [varied(PRESETS["mix"]["plain"], thread).columns["group"].listed for thread in range(3)]
    shares = [one[1] for one in each if one]
    assert len({tuple(one) for one in shares}) == 3
    assert all(((one > 0) == (shares[0] > 0)).all() for one in shares)


@pytest.mark.parametrize(
    ("knob", "says"),
    [
        ("group=nonsense:1", "knob group: it has no 'nonsense'"),
        ("stored=plain:0", "knob stored: all weights are 0"),
        ("gate.pattern=none:1,random:-1", "knob pattern: weight -1.0 of random is no number"),
        ("racing=1.5", "knob racing: 1.5 is not a share between 0 and 1"),
        ("stall=-1", "knob stall: -1 is not a mean from 0 to 65535"),
        ("budget=0", "knob budget: it has no '0'"),
        ("does=mop", "knob does: 'mop': there is nothing to set, it is by kind"),
    ],
)
def test_knobs_out_of_range_are_refused(knob: str, says: str) -> None:
    with pytest.raises(TableError, match=f"^{re.escape(says)}[^\n]*$"):
        PRESETS["mix"].adjusted([knob])


def test_what_is_asked_of_columns_is_drawn() -> None:
    """Columns that others are drawn for, and conditions on names that a column has by another."""
    where = 'does != "mask" and group == "math" and stored in ("play", "nop")'
    tables = PRESETS["mix"].adjusted(["kind=mops:3,rewrite:1", "pace=none"], where)
    blocks = core_items(derive(3), tables, "baseline")
    next(blocks)
    items = np.concatenate(list(itertools.islice(blocks, 4)))
    opcodes = set((pushed(items) >> 24).tolist())
    assert opcodes == {w.OP_MOP, w.OP_REPLAY, *w.OPCODES["math"]}
    index, data = written(items)
    assert set((data >> 24).tolist()) == {w.OP_REPLAY, w.OP_NOP} and index.min() == 2
    assert not CORE.unpack(items)["gap"].any()
