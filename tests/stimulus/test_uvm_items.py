# SPDX-License-Identifier: Apache-2.0
"""Items of sequences: checked fields, draws, tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pyuvm import uvm_sequence_item

from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context
from tilepath.engine.stimulus.tables import Table, Tables, choice, column, uniform
from tilepath.engine.stimulus.uvm import Item, Sequence, as_tests, items
from tilepath.isa import assemble
from tilepath.tests.stimulus.uvm_helpers import (
    FRONTEND,
    UNPACK,
    run_body,
    sequence,
    stimulus,
)

# -- items


def test_fields_are_set_by_name_and_become_items() -> None:
    async def body(self: Sequence) -> None:
        item = FRONTEND.core("a name", push=1, word="ttreplay 0,4,1,1")
        assert isinstance(item, uvm_sequence_item) and item.get_name() == "a name"
        await self.start_item(item)
        item.gap = np.uint32(7)
        await self.finish_item(item)

    found = run_body("frontend", body, on="t1.core")
    assert list(found) == ["t1.core"]
    made = found["t1.core"]
    assert (made["push"], made["gap"], made["data"]) == ([1], [7], [0])
    assert made["word"] == [assemble("ttreplay 0,4,1,1")]


def test_values_of_several_words_and_values_with_names() -> None:
    item = UNPACK.cfg(data=(1, 2), idle=3)
    assert (item.data, item.idle, item.after) == ((1, 2, 0, 0), 3, 0)
    assert UNPACK.cfg(data=5).data == (5, 0, 0, 0)
    assert UNPACK.matrix_write(target="SrcB", wide=1).target == 1
    assert str(UNPACK.matrix(zero_mode="half")) == "matrix(zero_mode=2)"


@pytest.mark.parametrize(
    ("set_", "what"),
    [
        (lambda: FRONTEND.core(wrod=1), "core has no field wrod; did you mean word?"),
        (lambda: FRONTEND.core(word=1 << 32), "word: 0 to 4294967295, not 4294967296"),
        (lambda: FRONTEND.core(word=-1), "word: 0 to 4294967295, not -1"),
        (lambda: FRONTEND.core(index="x"), "index: a whole number, not 'x'"),
        (lambda: FRONTEND.core(index=1.0), "index: a whole number, not 1.0"),
        (lambda: FRONTEND.core(word="ttrepaly 0"), "REPALY"),
        (lambda: FRONTEND.t0_gate(cycles=0), "cycles: 1 to 4294967294, not 0"),
        (lambda: UNPACK.cfg(data=range(5)), "data: at most 4 values, not 5"),
        (lambda: UNPACK.matrix_write(target="D"), "target: a whole number, or one of SrcA, SrcB"),
        (lambda: UNPACK.matrx, "unpack has no player matrx; did you mean matrix?"),
        (lambda: items("unpakc"), "no block 'unpakc'"),
    ],
)
def test_wrong_names_and_values_are_told(set_: Callable[[], object], what: str) -> None:
    with pytest.raises((AttributeError, ValueError)) as caught:
        set_()
    assert what in str(caught.value) and "\n" not in str(caught.value)


def test_classes_derived_from_an_items_class_have_attributes_of_their_own() -> None:
    class Own(FRONTEND.core):
        note = ""

    item = Own()
    item.note = "mine"
    with pytest.raises(AttributeError, match="no field ntoe"):
        item.ntoe = "mine"


# -- draws


def _drawn(draw: Callable[[], Item], count: int = 500) -> list[Item]:
    made: list[Item] = []

    async def body(self: Sequence) -> None:
        made.extend(draw() for _ in range(count))
        await self.send(FRONTEND.core())

    run_body("frontend", body, on="t0.core")
    return made


def test_randomize_draws_every_field_of_its_own_evenly() -> None:
    made = _drawn(lambda: FRONTEND.core().randomize())
    assert {item.index for item in made} == set(range(16))
    assert 200 < sum(item.push for item in made) < 300
    assert min(item.word for item in made) < 1 << 26 and max(i.word for i in made) > 62 << 26
    assert {item.gap for item in made} == {0}


def test_randomize_keeps_to_limits_and_where() -> None:
    made = _drawn(
        lambda: FRONTEND.core().randomize(
            push=1, gap=range(3), index=[2, 3, 5], word={7: 9, 8: 1}, where=lambda i: i.index != 3
        )
    )
    assert {(i.push, i.index) for i in made} == {(1, 2), (1, 5)}
    assert {item.gap for item in made} == {0, 1, 2}
    assert 400 < sum(item.word == 7 for item in made) < 490


def test_fields_of_several_words_are_drawn_too() -> None:
    made = _drawn(lambda: UNPACK.l1_write().randomize(data=range(9)), 3)
    assert all(len(item.data) == 16 and max(item.data) < 9 for item in made)


class _Tabled(FRONTEND.core):
    table = Table(
        "push", kind=choice(("a", "b")), word=column(lambda kind: kind + 5), data_=uniform(1, 2)
    )


def test_a_table_says_what_is_drawn() -> None:
    made = _drawn(lambda: _Tabled(push=1).randomize(gap=range(2)))
    assert {(i.kind, i.word) for i in made} == {(0, 5), (1, 6)}
    assert {item.push for item in made} == {1} and {item.data for item in made} == {1, 2}
    assert {item.word for item in _drawn(lambda: _Tabled().randomize(kind="b"))} == {6}


def test_a_table_of_the_test_can_be_asked_from_the_command_line() -> None:
    class OfTest(FRONTEND.core):
        table = "words"

    async def body(self: Sequence) -> None:
        for _ in range(100):
            await self.send(OfTest().randomize())

    words = Table("words", word=uniform(3, 9))
    (test,) = as_tests(sequence(body), on="t0.core", tables=Tables(words)).values()
    ctx = Context("frontend", "x", 1, "baseline", 1000, where="word > 7")
    made = np.concatenate(list(test.stimulus(ctx)["t0.core"]))
    assert set(load_block("frontend").player_table["t0.core"].unpack(made)["word"]) == {8, 9}


@pytest.mark.parametrize(
    ("draw", "what"),
    [
        (lambda: FRONTEND.core().randomize(wrod=1), "no field wrod; did you mean word"),
        (lambda: FRONTEND.core().randomize(index=range(17)), "index: 0 to 15, not 16"),
        (lambda: FRONTEND.core().randomize(index=[]), "index: a choice of nothing"),
        (lambda: FRONTEND.core().randomize(where=lambda i: i.index > 15), "none is as where says"),
        (lambda: _Tabled().randomize(kind="c"), "has no 'c'"),
    ],
)
def test_draws_that_cannot_be_are_told(draw: Callable[[], Item], what: str) -> None:
    with pytest.raises((AttributeError, ValueError), match=what):
        _drawn(draw, 1)


def test_the_seed_decides_what_is_drawn() -> None:
    async def body(self: Sequence) -> None:
        for _ in range(50):
            await self.send(FRONTEND.core().randomize(gap=int(self.rng.integers(9))))

    def bytes_of(seed: int) -> bytes:
        made = stimulus("frontend", sequence(body), seed, on="t0.core")
        return np.concatenate(list(made["t0.core"])).tobytes()

    assert bytes_of(1) == bytes_of(1) != bytes_of(2)
