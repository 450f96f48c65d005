# SPDX-License-Identifier: Apache-2.0
"""Items of sequences: checked fields, draws, tables; what is refused of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count as count_from
from pathlib import Path

import numpy as np
import pytest
from pyuvm import uvm_sequence_item

from tilepath.engine.commands import draws
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context
from tilepath.engine.stimulus.scene import running
from tilepath.engine.stimulus.tables import (
    Table,
    TableError,
    Tables,
    choice,
    column,
    require,
    uniform,
)
from tilepath.engine.stimulus.uvm import Item, Sequence, as_tests, items
from tilepath.isa import assemble
from tilepath.tests.engine.test_mismatch import caught
from tilepath.tests.stimulus.test_uvm import FRONTEND, UNPACK, run_body, sequence, stimulus

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
        (lambda: FRONTEND.core().randomize(wrod=1), "no field wrod; did you mean word"),
        (lambda: FRONTEND.core().randomize(index=range(17)), "index: 0 to 15, not 16"),
        (lambda: FRONTEND.core().randomize(index=[]), "index: a choice of nothing"),
        (lambda: FRONTEND.core().randomize(where=lambda i: i.index > 15), "none is as where says"),
        (lambda: _Tabled().randomize(kind="c"), "has no 'c'"),
    ],
)
def test_names_values_and_draws_that_cannot_be_are_told(
    draw: Callable[[], Item], what: str
) -> None:
    with pytest.raises((AttributeError, ValueError)) as caught:
        _drawn(draw, 1)
    assert what in str(caught.value) and "\n" not in str(caught.value)


def test_the_seed_decides_what_is_drawn() -> None:
    async def body(self: Sequence) -> None:
        for _ in range(50):
            await self.send(FRONTEND.core().randomize(gap=int(self.rng.integers(9))))

    def bytes_of(seed: int) -> bytes:
        made = stimulus("frontend", sequence(body), seed, on="t0.core")
        return np.concatenate(list(made["t0.core"])).tobytes()

    assert bytes_of(1) == bytes_of(1) != bytes_of(2)


# -- what sequences, tables and their pictures refuse that no other test asks of them


TABLE = Table("t", a=uniform(0, 9), few=require(lambda a: a < 9))
Ask = Callable[[Sequence], Awaitable[object]]


async def _no_player(self: Sequence) -> None:
    getattr(self.sequencer, "t7_core")  # noqa: B009  # so that nothing else is said of it


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (_no_player, "no player t7_core"),
        (lambda self: self.sequencer.t0_core.get_response(), "response"),
        (lambda self: self.send(FRONTEND.core()), "say on which player: on='t0.core' or"),
    ],
)
def test_what_a_body_cannot_ask_for(ask: Ask, what: str) -> None:
    async def body(self: Sequence) -> None:
        await ask(self)

    with pytest.raises((AttributeError, RuntimeError, ValueError), match=what):
        run_body("frontend", body)


def test_nothing_is_asked_where_no_sequence_runs() -> None:
    with pytest.raises(RuntimeError, match="only a sequence that a test has started"):
        running()


def test_a_line_that_is_there_already() -> None:
    with pytest.raises(TableError, match="table t has a line few already"):
        TABLE.narrowed(few=require(lambda a: a < 5))


def test_a_text_compared_with_nothing() -> None:
    with pytest.raises(TableError, match="'x' is not compared with a column"):
        Tables(TABLE).adjusted((), "a == 1 or 'x'")["t"].rows(np.random.default_rng(1), 4)


def test_aims_that_the_plan_has_not() -> None:
    with pytest.raises(UsageError, match=r"table t, a: no point of adc is 'nowhere\.\*'"):
        draws.aimed_at("adc", TABLE.aimed(a="nowhere.*"), "a")


@pytest.mark.parametrize("text", [f"a < {'-' * 990}1", f"a{'+1' * 490}"])
def test_a_condition_nested_too_deep(text: str) -> None:
    with pytest.raises(TableError, match="the condition is nested too deep"):
        Tables(TABLE).adjusted((), text)


def _giving(*, fails_at: int = 0, noted: list[str] | None = None) -> type[Sequence]:
    """Items for threads in turn, without end or up to an error; what is ``noted`` at its end."""

    async def body(self: Sequence) -> None:
        try:
            for count in count_from(1):
                await self.send(FRONTEND.core(push=1), on=f"t{count % 3}.core")
                if count == fails_at:
                    raise ValueError("so far and no further")
        finally:
            if noted is not None:
                try:
                    await self.send(FRONTEND.core(push=1), on="t0.core")
                except RuntimeError as error:
                    noted.append(str(error))

    return sequence(body)


def test_a_player_that_something_else_has_items_for() -> None:
    with pytest.raises(ValueError, match=r"the items of t0\.core come from elsewhere"):
        stimulus("frontend", _giving(), on="t0.core", beside=lambda _: {"t0.core": iter(())})


def test_what_went_wrong_is_told_to_each_player() -> None:
    made = stimulus("frontend", _giving(fails_at=5000))
    for player in ("t0.core", "t1.core", "t2.core"):
        with pytest.raises(ValueError, match="so far and no further"):
            list(made[player])


def test_a_sequence_that_ends_because_another_failed_has_no_turn() -> None:
    noted: list[str] = []

    async def body(self: Sequence) -> None:
        self.fork(_giving(noted=noted)().start(), _giving(fails_at=5000)().start())

    made = stimulus("frontend", sequence(body))
    with pytest.raises(ValueError, match="so far and no further"):
        list(made["t0.core"])
    assert noted == ["it is no sequence's turn"]


def test_rows_that_cannot_be_drawn_have_no_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Tables(Table("odd", a=uniform(0, 9), b=uniform(lambda a: a, 3)))
    monkeypatch.setattr(draws, "adjusted_tables", lambda *_: odd)
    with pytest.raises(UsageError, match="table odd, b: there is no number between the bounds"):
        list(draws.histograms(draws.Wanted("adc", "random", (), "", 100, 1)))


CALLS = """\
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.words import unpacr
from tilepath.engine.description.stimulus import TestSpec
"""


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("Setup(ctx_in=(1, 2))", "Setup: ctx_in: a tuple of 8, each a whole number from 0 to 15, "),
        ("Setup(shift=(0, 0, 0, 16))", "Setup: shift: a tuple of 4, each a whole number from 0 to"),
        ("Setup().with_(x_dim=65536)", "Setup: x_dim: a whole number from 0 to 65535, not 65536"),
        ("Setup(1.5)", "Setup: in_format: a whole number from 0 to 15, not 1.5"),
        ("unpacr(0, inc=(0, 4, 0, 0))", "unpacr: inc: a tuple of 4, each a whole number from 0 to"),
        ("unpacr(np.array([0, 2]))", "unpacr: unpacker: a whole number from 0 to 1, not array(["),
        ("TestSpec(faults='sem_lost')", "TestSpec: faults: a tuple, each a str, not 'sem_lost'"),
        (
            "TestSpec(floor=[3])",
            "TestSpec: floor: a mapping, a str to a whole number each, ",
        ),
        ("TestSpec(floor={'issue': '9'})", "TestSpec: floor: a mapping, a str to a whole number "),
        ("TestSpec(kind='rnd')", "TestSpec: kind: one of random, directed, program, not 'rnd'"),
        ("TestSpec(untimed='no')", "TestSpec: untimed: true or false or a Callable, not 'no'"),
        ("TestSpec(seeds=-1)", "TestSpec: seeds: a whole number from 0 to 100000, not -1"),
        ("Thread(state=2).words()", "CFG_STATE_ID_StateID: 2 does not fit 1 bits"),
    ],
)
def test_an_argument_that_does_not_fit_is_told_with_its_line(
    tmp_path: Path, call: str, what: str
) -> None:
    told = caught(tmp_path / "my.py", CALLS + call)
    assert told.startswith(f"{tmp_path}/my.py:4: ValueError: {what}"), told
