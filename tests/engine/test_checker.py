# SPDX-License-Identifier: Apache-2.0
"""The comparison: which event is reported first, and as what."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tilepath.engine.checking.causes import Causes
from tilepath.engine.checking.checker import Checker
from tilepath.engine.checking.edit import WINDOW, first_edit
from tilepath.engine.checking.mismatch import Mismatch, MismatchError
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.description.stream import Field, Stream
from tilepath.tests.engine.fakes import TABLE, FakeModel, fake_block, records, side, trace_block

WIDE = (1, 2, 0x3F)


def checker(*expected: dict[str, Any]) -> tuple[Checker, FakeModel]:
    """A checker whose model expects these blocks; the first model asked for is only warmed up."""
    model = FakeModel(expected)
    return Checker(fake_block(FakeModel(), model), "baseline"), model


def found_by(it: Checker, actual: TraceBlock) -> Mismatch:
    with pytest.raises(MismatchError) as caught:
        it.check(actual)
    return caught.value.mismatch


def mismatch(expected: dict[str, Any], actual: TraceBlock) -> Mismatch:
    it, _ = checker(expected)
    found = found_by(it, actual)
    assert it.events == 0
    return found


NARROW = np.zeros(1, [("cycle", "<u4"), ("word", "<u2"), ("wide", "<u4", 3)])


@pytest.mark.parametrize(
    ("expected", "says"),
    [
        ({n: records(n) for n in side() if n != "t1.tick"}, r"step\(\) returns no .* of t1\.tick"),
        (side() | {"got": NARROW}, "records of got are laid out as"),
    ],
)
def test_a_model_that_says_something_else(expected: dict[str, Any], says: str) -> None:
    it, _ = checker(expected)
    with pytest.raises(ValueError, match=says):
        it.check(trace_block(0, 10))


def test_equal_blocks_are_counted() -> None:
    got = records("got", [(3, 1, WIDE), (5, 2, WIDE)], origins=[5, 6])  # which are not compared
    it, model = checker(side(t0__tick=[(4,)]) | {"got": got}, side(state=[(10, 2)]))
    it.check(trace_block(0, 10, put=[(1, 7)], got=[(3, 1, WIDE), (5, 2, WIDE)], t0__tick=[(4,)]))
    it.check(trace_block(10, 20, put=[(11, 7), (12, 8)], gate=[(13, 1)], state=[(10, 2)]))
    assert model.steps == [({"put": 1, "gate": 0}, 10), ({"put": 2, "gate": 1}, 20)]
    assert it.events == 4 and it.cycles == 20
    assert it.compared == {"got": 2, "t0.tick": 1, "t1.tick": 0, "state": 1, "fault": 0}
    assert it.seen("got") == 2 and it.seen("put") == 3 and it.seen("no such stream") == 0


@pytest.mark.parametrize(
    ("actual", "headline"),
    [
        ([(3, 9, WIDE), (5, 2, WIDE)], "got event 0, cycle 3: word differs"),
        ([(3, 1, WIDE), (6, 2, WIDE)], "got event 1, cycle 5: 1 cycle late"),
        ([(3, 1, WIDE), (4, 2, WIDE)], "got event 1, cycle 4: 1 cycle early"),
        ([(3, 1, (0, 2, 0x3F)), (5, 2, WIDE)], "got event 0, cycle 3: wide differs"),
        ([(4, 2, WIDE)], "got event 0, cycle 3: missing: the model expects an event"),
        ([(3, 1, WIDE)], "got event 1, cycle 5: missing: the model expects an event"),
        ([(3, 1, WIDE), (5, 2, WIDE), (8, 3, WIDE)], "got event 2, cycle 8: extra: the RTL has an"),
    ],
)
def test_first_difference_of_a_stream(actual: list[tuple[Any, ...]], headline: str) -> None:
    found = mismatch(side(got=[(3, 1, WIDE), (5, 2, WIDE)]), trace_block(0, 10, got=actual))
    assert found.headline().startswith(headline) and found.others == []


def test_an_extra_and_a_missing_event_in_an_empty_stream() -> None:
    there = {"t1__tick": [(4,)]}
    assert "4: extra" in mismatch(side(), trace_block(0, 10, **there)).headline()
    assert "4: missing" in mismatch(side(**there), trace_block(0, 10)).headline()


def test_the_earliest_cycle_comes_first_then_the_order_of_streams() -> None:
    expected = side(got=[(7, 1, WIDE)], t0__tick=[(5,)], t1__tick=[(5,)], state=[(6, 1)])
    found = mismatch(expected, trace_block(0, 10, got=[(7, 2, WIDE)], state=[(6, 1)]))
    assert (found.stream, found.cycle) == ("t0.tick", 5)
    assert found.others == [("t1.tick", 5), ("got", 7)]
    # the RTL's event is the earlier one
    found = mismatch(expected, trace_block(0, 10, got=[(2, 1, WIDE)], state=[(1, 1)]))
    assert (found.stream, found.cycle) == ("state", 1)
    assert [name for name, _ in found.others] == ["got", "t0.tick", "t1.tick"]


def test_events_are_numbered_over_all_blocks() -> None:
    rows = [(cycle, cycle, WIDE) for cycle in range(6)]
    it, _ = checker(side(got=rows), side(got=[(12, 1, WIDE), (13, 2, WIDE)]))
    it.check(trace_block(0, 10, got=rows))
    found = found_by(it, trace_block(10, 20, got=[(12, 1, WIDE), (13, 3, WIDE)]))
    assert found.event == 7
    assert found.before["cycle"].tolist() == [3, 4, 5, 12]
    assert found.expected["word"].tolist() == [2] and found.actual["word"].tolist() == [3]
    assert it.events == 6 and it.cycles == 10


def test_as_many_events_as_are_laid_side_by_side() -> None:
    model, rtl = ([(n, value, WIDE) for n in range(2 * WINDOW)] for value in (0, 1))
    found = mismatch(side(got=model), trace_block(0, 10, got=rtl))
    assert len(found.expected) == len(found.actual) == WINDOW and len(found.before) == 0


# -- what caused it


def cause(origin: int, blocks: int = 1) -> tuple[str, int, list[Any]] | None:
    """Cause of a mismatch in the last of some blocks with two input events each."""
    quiet = [side() for _ in range(blocks - 1)]
    it, _ = checker(*quiet, side() | {"got": records("got", [(99, 1, WIDE)], origins=[origin])})
    *before, last = [
        trace_block(10 * n, 10 * n + 10, put=[(10 * n, 20 * n), (10 * n + 1, 20 * n + 1)])
        for n in range(blocks)
    ]
    for block in before:
        it.check(block)
    found = found_by(it, last).cause
    return None if found is None else (found[0], found[1], found[2].tolist())


def test_cause_is_an_input_of_this_block_or_a_few_before() -> None:
    assert cause(1) == ("put", 1, [(1, 1)])
    assert cause(3, blocks=2) == ("put", 3, [(11, 21)])
    assert cause(0, blocks=4) == ("put", 0, [(0, 0)])
    # five blocks ago: no longer kept
    assert cause(0, blocks=5) == ("put", 0, [])


def odd(actual: list[tuple[Any, ...]], *origins: int) -> Mismatch:
    """A mismatch of ``got``, two events of which come from inputs in cycles 1, 2 and 6."""
    both = side(put=[(1, 7), (2, 8), (6, 9)])
    rows = [(3, 1, WIDE), (9, 2, WIDE)]
    expected = {"got": records("got", rows[-len(origins) :], origins=origins)}
    return mismatch(both | expected, TraceBlock(0, 10, both | {"got": records("got", actual)}))


def test_what_may_have_caused_an_extra_event_is_not_later() -> None:
    """The last input as much earlier as the model's events take; the cause of the event before."""
    for cycle, inputs in ((4, [1, 0]), (8, [2, 0])):
        found = odd([(3, 1, WIDE), (cycle, 5, WIDE), (9, 2, WIDE)], 0, 2)  # 2 cycles behind, and 3
        assert (found.edit, found.cycle) == (("extra", 1), cycle)
        assert [index for _, index, _ in found.suspects] == inputs
    text = found.report()
    assert "caused by: not known (the model expects no such event), perhaps one of\n" in text
    assert "    put event 2: cycle 6  word 0x00000009\n    put event 0: " in text


def test_what_comes_before_its_cause_is_another_event() -> None:
    """With the same values it would be early, were it not for the input of cycle 6."""
    for origin, edit in ((1, ("early", 1)), (2, ("extra", 1))):
        found = odd([(4, 2, WIDE)], origin)
        assert (found.edit, found.cycle) == (edit, 4)
        assert bool(found.suspects) == (origin == 2)
        assert ("caused by: put event 1" in found.report()) == (origin == 1)


def test_another_threads_input_is_no_cause() -> None:
    cmd = Stream("cmd", "input", fields=(Field("word"),), copies=2)
    block = replace(fake_block(), streams=(cmd, *fake_block().streams))
    causes = Causes(block)
    there = np.array([(2, 0)], cmd.dtype)
    causes.keep({"t0.cmd": (0, there), "t1.cmd": (0, there), "put": (4, records("put", [(2, 7)]))})
    found = causes.last("t1.tick", block.stream_table["t1.tick"].empty(), 5)
    assert [cause[:2] for cause in found] == [("t1.cmd", 0), ("put", 4)]


def test_no_cause() -> None:
    assert cause(-1) is None  # the block knows no input
    assert mismatch(side(got=[(3, 1, WIDE)]), trace_block(0, 10)).cause is None  # no origin
    extra = side() | {"got": records("got", [], origins=[])}
    assert mismatch(extra, trace_block(0, 10, got=[(3, 1, WIDE)])).cause is None


def test_wide_fields_are_compared_in_every_word() -> None:
    good = trace_block(0, 10, got=[(3, 1, WIDE)])
    for place in range(3):
        bad = side(got=[(3, 1, WIDE)])
        bad["got"]["wide"][0, place] ^= np.uint32(1 << (5 * place))
        assert mismatch(bad, good).headline().endswith("wide differs")


# -- what is different about a stream, from small traces of both sides


Rows = list[tuple[Any, ...]]
WORDS: Rows = [(10 * n, 0x100 + 7 * n) for n in range(1, 40)]
"""Events far apart, each with a value of its own."""

DENSE: Rows = [(n, 0x100 + 7 * n) for n in range(1, 40)]
TICKS: Rows = [(10 * n,) for n in range(1, 40)]
LEVEL: Rows = [(10 * n, n % 4) for n in range(1, 40)]


def moved(rows: Rows, cycles: int, add: int = 0) -> Rows:
    """The same events later, with other values."""
    return [(cycle + cycles, *(value + add for value in values)) for cycle, *values in rows]


def check(stream: str, expected: Rows, actual: Rows, kind: str, count: int = 1) -> None:
    fields = [field.name for field in TABLE[stream].fields]
    held = records(stream, [()] if TABLE[stream].kind == "level" else [])
    sides = records(stream, expected), records(stream, actual)
    assert first_edit(*sides, fields, held) == (kind, count)


@pytest.mark.parametrize("rows", [WORDS, DENSE])
def test_words(rows: Rows) -> None:
    odd = (rows[0][0], 0x9999)
    check("put", rows, [odd, *rows[1:]], "different")
    check("put", rows, moved(rows, 0, add=1), "different")  # all that follows is, too
    check("put", rows, rows[3:], "missing", 3)
    check("put", rows[1:], rows, "extra")
    check("put", rows, moved(rows, 1), "late")
    check("put", moved(rows, 1), rows, "early")
    # what takes a place moves what follows
    check("put", rows, [odd, *moved(rows, 1)], "extra")
    check("put", rows, [(c, *value) for (c, _), (_, *value) in pairwise(rows)], "missing")
    check("put", rows, [odd, *rows[2:]], "different")  # and the one behind it missing
    swapped = [(c, rows[n ^ 1][1]) for n, (c, _) in enumerate(rows[:38])]  # two by two
    check("put", rows, swapped, "different")


def test_words_far_apart() -> None:
    check("put", WORDS, [moved(WORDS, 3)[0], *WORDS[1:]], "late")
    check("put", WORDS, [(13, 0x9999), *WORDS[1:]], "missing")  # and another one extra
    odd = [(row[0] - 5, 0x107 + 7 * n % 5) for n, row in enumerate(WORDS)]
    check("put", WORDS, sorted([*WORDS, *odd]), "extra")
    # from here on the RTL does something else; one of its values is one of the model's
    other = [(10 * n, WORDS[4][1] if n == 3 else 0x5000 + n) for n in range(1, 40)]
    for cycles, kind in ((0, "different"), (-1, "extra"), (1, "missing")):
        check("put", WORDS, moved(other, cycles), kind)


def test_the_same_values_in_the_same_order() -> None:
    """Cycles are those of the next event each; the values tell that none is extra or missing."""
    values = [1, 1, 2, 2, *[3] * 30]
    model = [(20 + n, value) for n, value in enumerate(values)]
    rtl = [(17, 1), *((19 + n, value) for n, value in enumerate(values) if n)]
    check("put", model, [(17, 1), (20, 1), *rtl[2:]], "early")
    check("put", rtl, model, "late")
    check("put", model, [(17, 1), *model], "extra")


def test_events_without_values() -> None:
    check("t0.tick", TICKS, TICKS[1:], "missing")
    check("t0.tick", TICKS[2:], TICKS, "extra", 2)
    check("t0.tick", TICKS, [(11,), *TICKS[1:]], "late")
    check("t0.tick", TICKS[:1], [(9,)], "early")


def test_of_a_level_changes_count() -> None:
    """A bit that is wrong and stays wrong does not hide what changes in which cycle."""
    check("state", LEVEL, LEVEL[1:], "missing")
    check("state", LEVEL, moved(LEVEL, 1), "late")
    wrong = [(cycle, value ^ 2) for cycle, value in LEVEL]
    check("state", LEVEL[1:], wrong, "extra")
    check("state", LEVEL, wrong, "different")


def test_at_the_end_of_a_trace() -> None:
    check("put", [], WORDS[:2], "extra", 2)
    check("put", WORDS, [], "missing", WINDOW)
    check("put", WORDS[:1], moved(WORDS[:1], 2), "late")
    check("put", WORDS[:1], moved(WORDS[:1], 0, add=1), "different")
    check("put", WORDS[:1], moved(WORDS[:1], 2, add=1), "missing")
    check("put", WORDS[1:2], WORDS[:2], "extra")
