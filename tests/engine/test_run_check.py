# SPDX-License-Identifier: Apache-2.0
"""The verdict on a run: faults that nobody declared, floors, and what is left waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.mismatch import MismatchError
from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.description.stimulus import ANY, Context, Floor, TestSpec, scaled_floor
from tilepath.engine.description.stream import Records
from tilepath.tests.engine.fakes import FakeModel, fake_block, records, side, trace_block

SPEC = TestSpec("t", "t", "directed", lambda _ctx: {})
ENDLESS = replace(SPEC, endless=True)
LONGEST = fake_block().longest_wait
SOURCE = fake_block().players[0]
WIDE = (1, 2, 0x3F)
NO_TRACES = Path("no traces")  # the fake block has no architectural state
STATES = dict.fromkeys(("source", "t0.gate", "t1.gate"), PlayerState(0, True))


class Waiting(FakeModel):
    """A model that knows what waits."""

    lines: tuple[str, ...] = ()

    def waiting(self) -> list[str]:
        return list(self.lines)


def run_check(spec: TestSpec, *expected: Mapping[str, Records], model: Any = None) -> RunCheck:
    model = model or FakeModel()
    model.expected = list(expected)
    block = fake_block(FakeModel(), model)
    check = RunCheck(block, "baseline", spec, 8000, NO_TRACES)
    for name in STATES:
        check.finished(name)
    return check


def with_fault(row: tuple[int, ...] = (5, 1, 1, 0), origin: int = 0) -> dict[str, Records]:
    return side(got=[(4, 1, WIDE)]) | {"fault": records("fault", [row], origins=[origin])}


def play(check: RunCheck, **rows: Any) -> None:
    items = SOURCE.pack(word=np.array([word for _, word in rows.get("put", ())], np.uint32))
    check.sent("source", items)
    states = STATES | {"source": PlayerState(len(items), True)}
    check.check(trace_block(0, 10, **rows), states)


# -- faults


@pytest.mark.parametrize("faults", [("bad",), ("fault.bad",), ("b*",), ("odd", "bad"), ANY])
def test_declared_faults_are_counted(faults: tuple[str, ...]) -> None:
    check = run_check(replace(SPEC, faults=faults), with_fault())
    play(check, put=[(3, 7)], got=[(4, 1, WIDE)], fault=[(5, 1, 1, 0)])
    check.finish(True)
    assert check.faults == {"fault.bad": 1}


@pytest.mark.parametrize("faults", [(), ("odd",), ("prime", "even")])
def test_any_other_fault_fails_with_its_name_and_its_cause(faults: tuple[str, ...]) -> None:
    check = run_check(replace(SPEC, faults=faults), with_fault())
    with pytest.raises(CheckError) as caught:
        play(check, put=[(3, 7)], got=[(4, 1, WIDE)], fault=[(5, 1, 1, 0)])
    text = str(caught.value)
    assert text.startswith("fault bad, cycle 5: this test declares no such fault; caused by put")
    assert caught.value.cycle == 5
    assert caught.value.report.startswith("FAULT fault bad, cycle 5: ")
    assert "caused by: put event 0: cycle 3  word 0x00000007" in caught.value.report


def test_bits_of_a_field_are_faults_with_names() -> None:
    row = (5, 1, 0, 0b101)
    check = run_check(replace(SPEC, faults=("prime",)), with_fault(row))
    with pytest.raises(CheckError, match="fault odd, cycle 5"):
        play(check, put=[(3, 7)], got=[(4, 1, WIDE)], fault=[row])
    assert check.faults == {"fault.odd": 1, "fault.prime": 1}


def test_a_declaration_must_name_a_fault() -> None:
    with pytest.raises(ValueError, match="block fake has no fault worse"):
        run_check(replace(SPEC, faults=("bad", "worse")))


# -- the end


def test_a_finite_test_leaves_nothing_waiting() -> None:
    model = Waiting()
    check = run_check(replace(SPEC, leaves=("gate",)), side(got=[(4, 1, WIDE)]), model=model)
    play(check, got=[(4, 1, WIDE)])
    check.finish(True)
    model.lines = ("word 3 waits for the gate",)
    check.finish(True)
    model.lines = ("word 3 waits for the gate", "word 4 waits for the moon")
    check.finish(False)  # an endless test is cut off
    with pytest.raises(CheckError) as caught:
        check.finish(True)
    assert str(caught.value) == (
        "the test leaves something waiting in cycle 10: word 4 waits for the moon"
    )
    assert caught.value.report.startswith("LEFT the test leaves something waiting")
    assert "word 3 waits for the gate" in caught.value.report


def test_pairs_and_levels_must_come_to_rest() -> None:
    block = fake_block(FakeModel(), FakeModel([side(got=[(4, 1, WIDE)], state=[(5, 3)])]))
    balances = replace(
        block.balances, pairs=(("put", "got"),), rest=(("state", "value", 1), ("gate", "open", 1))
    )
    check = RunCheck(replace(block, balances=balances), "baseline", SPEC, 8000, NO_TRACES)
    for name in STATES:
        check.finished(name)
    play(check, put=[(2, 7), (3, 8)], got=[(4, 1, WIDE)], state=[(5, 3)])
    with pytest.raises(
        CheckError, match=r"put had 2 events, got 1; state value is not at rest: BUSY"
    ):
        check.finish(True)


def endless(cycles: int, gap: int = 0, spec: TestSpec = ENDLESS, **rows: Any) -> RunCheck:
    """A check of a run that ends in cycle ``cycles``; its first item came at once, no other."""
    check = run_check(spec, side(got=[(4, 1, WIDE)]), side(**rows))
    check.sent("source", SOURCE.pack(word=[1, 2], gap=[0, gap]))
    states = STATES | {"source": PlayerState(1, False)}
    check.check(trace_block(0, 10, put=[(3, 1)], got=[(4, 1, WIDE)]), states)
    check.check(trace_block(10, cycles, **rows), states)
    return check


def test_an_endless_test_must_go_on() -> None:
    endless(LONGEST).finish(False)
    endless(3 * LONGEST, gap=2 * LONGEST + 1000).finish(False)
    with pytest.raises(CheckError, match="source: item 0 stands for 8182 cycles or more"):
        endless(2 * LONGEST).finish(False)


def test_where_something_else_is_asked_for_an_item_may_stand() -> None:
    spec = replace(ENDLESS, floor={"got": 50})
    run = Context("fake", "t", 1, "baseline", 8000)
    for asked in (replace(run, where="ready < 2"), replace(run, knobs=("ready=2",))):
        check = endless(2 * LONGEST, spec=spec.drawn_as(asked))
        check.finish(False)
        asked_for = "--where 'ready < 2'" if asked.where else "--knob ready=2"
        assert check.waits()[-1].startswith(f"its tables were asked for {asked_for}: what is ")
    with pytest.raises(CheckError, match="got had only 1 events"):
        endless(2 * LONGEST, spec=spec.drawn_as(run)).finish(False)


def test_floors_grow_with_the_length_of_an_endless_test() -> None:
    spec = replace(SPEC, floor={"got": 200, "rare": 1})
    assert scaled_floor(spec, 50) == {"got": 200, "rare": 1}
    lasting = replace(spec, endless=True)
    assert scaled_floor(lasting, 11_000) == {"got": 200, "rare": 1}
    assert scaled_floor(lasting, 51_000) == {"got": 1000, "rare": 5}
    assert scaled_floor(lasting, 500) == {"got": 1, "rare": 1}
    # of one that was measured chance is known, which weighs more in a short run
    measured = replace(lasting, floor={"got": Floor(200, root=20.0, away=5.0)})
    asked = {
        cycles: scaled_floor(measured, cycles)["got"] for cycles in (500, 2000, 10_000, 51_000)
    }
    assert asked == {500: 0, 2000: 15, 10_000: 180, 51_000: 1000} and measured.floor["got"] == 180


def floor_of(floor: dict[str, int], **counts: int) -> RunCheck:
    """A finished run of a block with two instances of ``got`` that had ``counts`` events."""
    block = fake_block(FakeModel(), FakeModel())
    streams = tuple(
        replace(stream, copies=2) if stream.name == "got" else stream for stream in block.streams
    )
    block = replace(block, streams=streams, _tables={})
    check = RunCheck(block, "baseline", replace(SPEC, floor=floor), 8000, NO_TRACES)
    check.checker.compared |= {f"{thread}.got": count for thread, count in counts.items()}
    for name in STATES:
        check.finished(name)
    return check


def test_a_floor_is_of_all_instances_together_or_of_one() -> None:
    floor_of({"got": 160, "t0.got": 100}, t0=150, t1=10).finish(True)
    with pytest.raises(CheckError, match=r"^got had only 159 events; this test needs 160"):
        floor_of({"got": 160}, t0=149, t1=10).finish(True)
    with pytest.raises(CheckError, match=r"^t1.got had only 9 events; this test needs 10"):
        floor_of({"got": 160}, t0=990, t1=9).finish(True)
    with pytest.raises(CheckError, match=r"^t0.got had only 99 events; this test needs 100"):
        floor_of({"t0.got": 100}, t0=99, t1=500).finish(True)


def test_a_floor_of_no_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="test t has a floor of gott, no stream of fake"):
        run_check(replace(SPEC, floor={"got": 1, "gott": 1}))


# -- together


def test_a_mismatch_says_if_the_stimulus_is_wrong_too() -> None:
    check = run_check(SPEC, side(got=[(4, 2, WIDE)]))
    check.sent("source", SOURCE.pack(word=[7, 8]))
    states = STATES | {"source": PlayerState(2, False)}
    with pytest.raises(MismatchError) as caught:
        check.check(trace_block(0, 10, put=[(3, 8)], got=[(4, 1, WIDE)]), states)
    assert caught.value.report.startswith("MISMATCH got event 0, cycle 4: word differs")
    assert "the stimulus is not as it was sent either:\n  item 0 of source" in caught.value.report
