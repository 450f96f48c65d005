# SPDX-License-Identifier: Apache-2.0
"""Sequences: turns, what items wait for, objects of others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
import vsc
from constrainedrandom import RandObj
from pyuvm import uvm_sequence

from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.stimulus import scene
from tilepath.engine.stimulus.uvm import Sequence, as_tests, items
from tilepath.sequences.adc import TESTS as ADC
from tilepath.tb.control.items import sem_above
from tilepath.tb.frontend import items as arrays
from tilepath.tb.unpack.streams import HOLDING

FRONTEND: Final = items("frontend")
UNPACK: Final = items("unpack")
Body = Callable[[Sequence], Any]


def sequence(body: Body) -> type[Sequence]:
    return type("Mine", (Sequence,), {"body": body})


def stimulus(block: str, top: Any, seed: int = 1, **spec: Any) -> Stimulus:
    (test,) = as_tests(top, **spec).values()
    return test.stimulus(Context(block, test.name, seed, "baseline", 1000))


def made_by(block: str, top: Any, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    """Player → field → values, of all players that get items."""
    table = load_block(block).player_table
    found = {name: list(arrays) for name, arrays in stimulus(block, top, **spec).items()}
    return {
        name: {n: v.tolist() for n, v in table[name].unpack(np.concatenate(some)).items()}
        for name, some in found.items()
        if some
    }


def run_body(block: str, body: Body, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    return made_by(block, sequence(body), **spec)


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

    assert run_body("frontend", body, on="t0.core")["t0.core"]["index"] == [1, 2, 1, 2, 1, 2, 3]


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

    assert made_by("frontend", Plain, on="t0.core")["t0.core"]["index"] == [1, 2, 3]


def test_a_virtual_sequence_reaches_all_players() -> None:
    async def body(self: Sequence) -> None:
        await _Marked(1, 1).start(self.sequencer.t0_core)
        await _Marked(2, 1).start(self.player("t1.core"))
        await _Marked(3, 1).start("t2.core")
        await self.send(FRONTEND.t0_gate(cycles=5), FRONTEND.sfpu_cc(cycles=3, busy=1))
        await self.start_item(item := FRONTEND.core(index=4), "t0.core")
        await self.finish_item(item, "t0.core")
        await self.send(arrays.push([1, 2, 3]), on="t2.core")

    found = run_body("frontend", body)
    indices = {name: made["index"] for name, made in found.items() if "index" in made}
    assert indices == {"t0.core": [1, 4], "t1.core": [2], "t2.core": [3, 0, 0, 0]}
    assert found["t0.gate"]["cycles"] == [5] and found["sfpu_cc"]["busy"] == [1]
    assert found["t2.core"]["word"] == [0, 1, 2, 3]


def test_arrays_play_beside_a_sequence() -> None:
    def others(ctx: Context) -> Stimulus:
        return {"t1.core": [arrays.push([ctx.seed])]}

    found = made_by("frontend", lambda: _Marked(1), on="t0.core", name="x", beside=others)
    assert found["t1.core"]["word"] == [1] and len(found["t0.core"]["word"]) == 3


def test_a_sequence_takes_the_place_of_a_player_in_a_test_of_the_blocks() -> None:
    async def body(self: Sequence) -> None:
        while True:
            await self.send(items("adc").pack(sets=5))

    project = ADC["random"]
    (test,) = as_tests(sequence(body), on="pack", beside=project, seeds=7).values()
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
        self.fork(*(sequence(endless)().start(f"t{t}.core") for t in range(3)))
        while True:
            await self.send(FRONTEND.t0_gate(cycles=9))

    made = stimulus("frontend", sequence(body), endless=True)
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

    made = stimulus("frontend", sequence(body))
    assert list(made["t1.core"]) == []
    with pytest.raises(ValueError, match=r"t1\.core comes after 100 of other players"):
        list(made["t0.core"])


# -- what items wait for


def _waits(made: dict[str, list[Any]]) -> Iterator[tuple[int, int]]:
    """Return what each item's first condition counts, and how many."""
    yield from zip(made["after_source"], made["after_count"], strict=True)


def test_what_is_waited_for_stands_in_the_next_item_of_each_player() -> None:
    async def body(self: Sequence) -> None:
        await self.send(UNPACK.cfg(index=1), UNPACK.cfg(index=2))
        await self.done("cfg")
        await self.idle("u1")
        await self.send(UNPACK.t0_issue(word=1), UNPACK.t0_issue(word=2), UNPACK.matrix())
        await self.done("t0.issue", "matrix", 7)
        await self.send(UNPACK.cfg(index=3))

    found = run_body("unpack", body)
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
        await self.fork(sequence(late)().start("t1.issue"))
        await self.send(arrays_of_l1, on="l1_write")

    l1 = load_block("unpack").player_table["l1_write"]
    arrays_of_l1 = l1.pack(line=[4, 8])
    found = run_body("unpack", body)
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
        self.fork(sequence(cores)().start("risc"))
        await self.done("t1.issue", 5)
        await self.send(block.risc_sem(), block.stream())

    found = run_body("frontend_control", body)
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
        run_body(block.replace("+", "_"), body)


def test_more_conditions_than_an_item_has_room_for() -> None:
    async def body(self: Sequence) -> None:
        await self.send(UNPACK.cfg(), UNPACK.t0_issue(), UNPACK.matrix())
        await self.done("cfg", "t0.issue", "matrix")
        await self.send(UNPACK.l1_write())

    with pytest.raises(ValueError, match=r"room for 2 conditions, .* 3: cfg, t0\.issue, matrix"):
        run_body("unpack", body)

    async def level(self: Sequence) -> None:
        await self.done("cfg", 1)
        await self.send(UNPACK.l1_latency(latency=3))

    with pytest.raises(ValueError, match="items of l1_latency cannot wait"):
        run_body("unpack", level)


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

    made = run_body("frontend", body, on="t0.core")["t0.core"]
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
        run_body("frontend", wrong, on="t0.core")
    with pytest.raises(ValueError, match=r"has no field of t0\.core"):
        run_body("frontend", empty, on="t0.core")


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
    made = run_body("frontend", body, on="t0.core")["t0.core"]
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
