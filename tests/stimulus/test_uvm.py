# SPDX-License-Identifier: Apache-2.0
"""Sequences: items with checked fields, what they wait for, turns, draws, objects of others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
import vsc
from constrainedrandom import RandObj
from pyuvm import uvm_sequence, uvm_sequence_item

from tilepath.isa import assemble
from tilepath.sequences.adc import TESTS as ADC
from tilepath.sequences.kernel import scene
from tilepath.sequences.kernel.tables import Table, Tables, choice, column, uniform
from tilepath.sequences.kernel.uvm import Item, Sequence, as_tests, items
from tilepath.tb.control.items import sem_above
from tilepath.tb.frontend import items as arrays
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec
from tilepath.tb.unpack.streams import HOLDING

FRONTEND: Final = items("frontend")
UNPACK: Final = items("unpack")
Body = Callable[[Sequence], Any]


def _sequence(body: Body) -> type[Sequence]:
    return type("Mine", (Sequence,), {"body": body})


def _stimulus(block: str, top: Any, seed: int = 1, **spec: Any) -> Stimulus:
    (test,) = as_tests(top, **spec).values()
    return test.stimulus(Context(block, test.name, seed, "baseline", 1000))


def _made(block: str, top: Any, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    """Player → field → values, of all players that get items."""
    table = load_block(block).player_table
    found = {name: list(arrays) for name, arrays in _stimulus(block, top, **spec).items()}
    return {
        name: {n: v.tolist() for n, v in table[name].unpack(np.concatenate(some)).items()}
        for name, some in found.items()
        if some
    }


def _run(block: str, body: Body, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    return _made(block, _sequence(body), **spec)


# -- items


def test_fields_are_set_by_name_and_become_items() -> None:
    async def body(self: Sequence) -> None:
        item = FRONTEND.core("a name", push=1, word="ttreplay 0,4,1,1")
        assert isinstance(item, uvm_sequence_item) and item.get_name() == "a name"
        await self.start_item(item)
        item.gap = np.uint32(7)
        await self.finish_item(item)

    found = _run("frontend", body, on="t1.core")
    assert list(found) == ["t1.core"]
    made = found["t1.core"]
    assert (made["push"], made["gap"], made["data"]) == ([1], [7], [0])
    assert made["word"] == [assemble("ttreplay 0,4,1,1")]


def test_values_of_several_words_and_values_with_names() -> None:
    item = UNPACK.cfg(data=(1, 2), idle=3)
    assert (item.data, item.idle, item.after) == ((1, 2, 0, 0), 3, 0)
    assert UNPACK.cfg(data=5).data == (5, 0, 0, 0)
    assert UNPACK.matrix(op="release", file="SrcB").op == 1
    assert str(UNPACK.matrix(op="release")) == "matrix(op=1)"


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
        (lambda: UNPACK.matrix(op="raed"), "op: a whole number, or one of read, release"),
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

    _run("frontend", body, on="t0.core")
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
    (test,) = as_tests(_sequence(body), on="t0.core", tables=Tables(words)).values()
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
        made = _stimulus("frontend", _sequence(body), seed, on="t0.core")
        return np.concatenate(list(made["t0.core"])).tobytes()

    assert bytes_of(1) == bytes_of(1) != bytes_of(2)


# -- sequences


class _Marked(Sequence):
    """Gives items with one index."""

    def __init__(self, index: int, count: int = 3) -> None:
        super().__init__()
        self.index, self.count = index, count

    async def body(self) -> None:
        for _ in range(self.count):
            await self.send(FRONTEND.core(index=self.index))


def test_sequences_on_one_sequencer_take_turns() -> None:
    async def body(self: Sequence) -> None:
        await self.fork(_Marked(1).start(self.sequencer), _Marked(2).start(self.sequencer))
        await _Marked(3, 1).start(self.sequencer)

    assert _run("frontend", body, on="t0.core")["t0.core"]["index"] == [1, 2, 1, 2, 1, 2, 3]


def test_pyuvms_own_sequence_with_what_stands_around_its_body() -> None:
    class Plain(uvm_sequence):
        async def _one(self, index: int) -> None:
            item = FRONTEND.core("item")
            await self.start_item(item)
            item.index = index
            await self.finish_item(item)

        async def pre_body(self) -> None:
            await self._one(1)

        async def body(self) -> None:
            await _Marked(2, 1).start(self.sequencer)

        async def post_body(self) -> None:
            await self._one(3)

    assert _made("frontend", Plain, on="t0.core")["t0.core"]["index"] == [1, 2, 3]


def test_a_virtual_sequence_reaches_all_players() -> None:
    async def body(self: Sequence) -> None:
        await _Marked(1, 1).start(self.sequencer.t0_core)
        await _Marked(2, 1).start(self.player("t1.core"))
        await _Marked(3, 1).start("t2.core")
        await self.send(FRONTEND.t0_gate(cycles=5), FRONTEND.sfpu_cc(cycles=3, busy=1))
        await self.start_item(item := FRONTEND.core(index=4), "t0.core")
        await self.finish_item(item, "t0.core")
        await self.send(arrays.push([1, 2, 3]), on="t2.core")

    found = _run("frontend", body)
    indices = {name: made["index"] for name, made in found.items() if "index" in made}
    assert indices == {"t0.core": [1, 4], "t1.core": [2], "t2.core": [3, 0, 0, 0]}
    assert found["t0.gate"]["cycles"] == [5] and found["sfpu_cc"]["busy"] == [1]
    assert found["t2.core"]["word"] == [0, 1, 2, 3]


def test_arrays_play_beside_a_sequence() -> None:
    def others(ctx: Context) -> Stimulus:
        return {"t1.core": [arrays.push([ctx.seed])]}

    found = _made("frontend", lambda: _Marked(1), on="t0.core", name="x", beside=others)
    assert found["t1.core"]["word"] == [1] and len(found["t0.core"]["word"]) == 3


def test_a_sequence_takes_the_place_of_a_player_in_a_test_of_the_blocks() -> None:
    async def body(self: Sequence) -> None:
        while True:
            await self.send(items("adc").pack(sets=5))

    project = ADC["random"]
    (test,) = as_tests(_sequence(body), on="pack", beside=project, seeds=7).values()
    assert (test.endless, test.floor, test.seeds) == (True, project.floor, 7)
    made = test.stimulus(Context("adc", "mine", 3, "baseline", 1000))
    theirs = project.stimulus(Context("adc", "random", 3, "baseline", 1000))
    assert set(made) >= set(theirs)
    assert (next(iter(made["unpack"])) == next(iter(theirs["unpack"]))).all()
    sets = load_block("adc").player_table["pack"].unpack(next(iter(made["pack"])))["sets"]
    assert set(sets) == {5}


def test_endless_sequences_of_several_players_go_on_as_each_is_played() -> None:
    async def endless(self: Sequence) -> None:
        while True:
            await self.send(FRONTEND.core(push=1))

    async def body(self: Sequence) -> None:
        self.fork(*(_sequence(endless)().start(f"t{t}.core") for t in range(3)))
        while True:
            await self.send(FRONTEND.t0_gate(cycles=9))

    made = _stimulus("frontend", _sequence(body), endless=True)
    for name in ("t1.core", "t0.gate", "t1.core", "t2.core"):
        assert sum(len(some) for some, _ in zip(made[name], range(9), strict=False)) > 500
    assert list(made["t1.brisc"]) == []  # of which there will be none


def test_a_player_that_has_come_to_its_end_gets_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scene, "AHEAD", 100)

    async def body(self: Sequence) -> None:
        for _ in range(2000):
            await self.send(FRONTEND.t0_core(push=1))
        await self.send(FRONTEND.t1_core(push=1))

    made = _stimulus("frontend", _sequence(body))
    assert list(made["t1.core"]) == []
    with pytest.raises(ValueError, match=r"t1\.core comes after 100 of other players"):
        list(made["t0.core"])


# -- what items wait for


def _waits(made: dict[str, list[Any]]) -> Iterator[tuple[int, int]]:
    """Of each item: what its first condition counts, and how many."""
    yield from zip(made["after_source"], made["after_count"], strict=True)


def test_what_is_waited_for_stands_in_the_next_item_of_each_player() -> None:
    async def body(self: Sequence) -> None:
        await self.send(UNPACK.cfg(index=1), UNPACK.cfg(index=2))
        await self.done("cfg")
        await self.idle("u1")
        await self.send(UNPACK.t0_issue(word=1), UNPACK.t0_issue(word=2), UNPACK.matrix())
        await self.done("t0.issue", "matrix", 7)
        await self.send(UNPACK.cfg(index=3))

    found = _run("unpack", body)
    sources = {name: number for number, name in enumerate(HOLDING.sources, 1)}
    issue, cfg = found["t0.issue"], found["cfg"]
    assert issue["after_source"] == [sources["cfg"], 0] and issue["after_count"] == [2, 0]
    assert issue["idle"] == [0b101010, 0] and issue["and_source"] == [0, 0]
    assert found["matrix"]["after_source"] == [sources["cfg"]]
    assert cfg["after_source"] == [0, 0, sources["t0.issue"]] and cfg["after_count"] == [0, 0, 2]
    assert cfg["and_source"] == [0, 0, sources["matrix"]] and cfg["and_count"] == [0, 0, 7]


def test_everything_before_can_be_waited_for_and_branches_inherit() -> None:
    async def late(self: Sequence) -> None:
        await self.send(UNPACK.t1_issue(word=3))

    async def body(self: Sequence) -> None:
        await self.send(UNPACK.cfg(), UNPACK.t0_issue())
        await self.done("cfg")
        await self.send(UNPACK.matrix())
        await self.done()
        await self.fork(_sequence(late)().start("t1.issue"))
        await self.send(arrays_of_l1, on="l1_write")

    l1 = load_block("unpack").player_table["l1_write"]
    arrays_of_l1 = l1.pack(line=[4, 8])
    found = _run("unpack", body)
    everyone = len(HOLDING.sources) + 1
    assert [*_waits(found["t1.issue"])] == [(everyone, 3)]
    assert [*_waits(found["l1_write"])] == [(everyone, 3), (0, 0)]
    assert found["l1_write"]["line"] == [4, 8]


def test_conditions_of_control_and_of_the_joined_block() -> None:
    block = items("frontend+control")

    async def cores(self: Sequence) -> None:
        for _ in range(3):
            await self.when(sem_above(2, 1))
            await self.send(block.risc(write=1))

    async def body(self: Sequence) -> None:
        self.fork(_sequence(cores)().start("risc"))
        await self.done("t1.issue", 5)
        await self.send(block.risc_sem(), block.stream())

    found = _run("frontend_control", body)
    assert (found["risc"]["after_source"], found["risc"]["after_semaphore"]) == ([7] * 3, [2] * 3)
    assert found["risc_sem"]["after_count"] == [5]


@pytest.mark.parametrize(
    ("block", "waits", "what"),
    [
        ("frontend", lambda self: self.done("t0.core"), "can wait for nothing but their gap"),
        ("unpack", lambda self: self.done("cgf"), "no item can wait for cgf; did you mean cfg"),
        ("unpack", lambda self: self.idle("u2"), "no item can wait for unit u2; there are: u0, u1"),
        ("unpack", lambda self: self.done("cfg", 1 << 28), "count: 0 to 268435455"),
        ("control", lambda self: self.idle(), "no item can wait for unit any"),
        ("control", lambda self: self.done(), "cannot be told here when all"),
        ("frontend+control", lambda self: self.done("t0.issue"), "how many of t0.issue"),
    ],
)
def test_what_cannot_be_waited_for_is_told(block: str, waits: Body, what: str) -> None:
    async def body(self: Sequence) -> None:
        await waits(self)

    with pytest.raises(ValueError, match=what):
        _run(block.replace("+", "_"), body)


def test_more_conditions_than_an_item_has_room_for() -> None:
    async def body(self: Sequence) -> None:
        await self.send(UNPACK.cfg(), UNPACK.t0_issue(), UNPACK.matrix())
        await self.done("cfg", "t0.issue", "matrix")
        await self.send(UNPACK.l1_write())

    with pytest.raises(ValueError, match=r"room for 2 conditions, .* 3: cfg, t0\.issue, matrix"):
        _run("unpack", body)

    async def level(self: Sequence) -> None:
        await self.done("cfg", 1)
        await self.send(UNPACK.l1_latency(latency=3))

    with pytest.raises(ValueError, match="items of l1_latency cannot wait"):
        _run("unpack", level)


# -- objects of other libraries


class _Push(RandObj):
    """Of constrainedrandom."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.add_rand_var("word", domain=range(256))
        self.add_rand_var("gap", domain=range(4))
        self.add_constraint(lambda word, gap: word & 3 == gap, ("word", "gap"))
        self.push = 1


@vsc.randobj
class _Solved:
    """Of PyVSC."""

    def __init__(self) -> None:
        self.word = vsc.rand_uint32_t()
        self.gap = vsc.rand_uint8_t()
        self.push = 1

    @vsc.constraint
    def _small(self) -> None:
        self.word < 256  # noqa: B015  # a constraint is what is noted by looking at it
        self.gap == (self.word & 3)  # noqa: B015


def _with(make: Callable[[int], Any]) -> list[tuple[int, int, int]]:
    async def body(self: Sequence) -> None:
        item = make(int(self.rng.integers(1 << 31)))
        for _ in range(20):
            await self.start_item(item)
            item.randomize()
            await self.finish_item(item)

    made = _run("frontend", body, on="t0.core")["t0.core"]
    return list(zip(made["push"], made["word"], made["gap"], strict=True))


def _solved(seed: int) -> Any:
    item = _Solved()
    item.set_randstate(vsc.RandState.mkFromSeed(seed))
    return item


@pytest.mark.parametrize("make", [lambda seed: _Push(random.Random(seed)), _solved])
def test_objects_of_other_libraries_are_items_by_their_names(make: Callable[[int], Any]) -> None:
    made = _with(make)
    assert len(set(made)) > 5 and made == _with(make)
    assert all(push == 1 and word < 256 and gap == word & 3 for push, word, gap in made)


def test_objects_without_the_fields_are_told() -> None:
    class Wrong:
        def __init__(self) -> None:
            self.wrod = 1

    async def wrong(self: Sequence) -> None:
        await self.send(Wrong())

    async def empty(self: Sequence) -> None:
        await self.send(object())

    with pytest.raises(AttributeError, match="core has no field wrod; did you mean word"):
        _run("frontend", wrong, on="t0.core")
    with pytest.raises(ValueError, match=r"has no field of t0\.core"):
        _run("frontend", empty, on="t0.core")


# -- speed


def test_items_cost_python_once() -> None:
    async def body(self: Sequence) -> None:
        for number in range(20_000):
            item = FRONTEND.core()
            await self.start_item(item)
            item.randomize(push=1, gap=range(4))
            item.index = number & 15
            await self.finish_item(item)

    began = time.process_time()
    made = _run("frontend", body, on="t0.core")["t0.core"]
    assert len(made["push"]) == 20_000
    assert 20_000 / (time.process_time() - began) > 20_000


def test_tests_are_named_by_their_sequences() -> None:
    class TwoWords(Sequence):
        """What it does.

        And more.
        """

    (test,) = as_tests(TwoWords, on="t0.core", seeds=4, faults=("illegal",)).values()
    assert isinstance(test, TestSpec) and test.tried
    assert (test.name, test.summary, test.seeds) == ("two_words", "What it does", 4)
    assert test.kind == "random" and test.faults == ("illegal",)
