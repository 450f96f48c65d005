# SPDX-License-Identifier: Apache-2.0
"""Streams of a boundary as loops of the models take and give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.compiled import compiled_io
from tilepath.engine.compiled.compiled_io import (
    NEVER,
    LoopInputs,
    Room,
    due,
    has,
    look,
    next_cycle,
    origin,
    put,
    put_flags,
    take,
)
from tilepath.engine.compiled.records import Records, record, zeros
from tilepath.engine.description.boundary import Boundary, Fault, Field, Origin, Stream, flags
from tilepath.engine.description.cycle_model import CompiledCycleModel, CycleModel

FAULTS: Final = tuple(Fault(name, "fault", k, "") for k, name in enumerate(("odd", "late", "lost")))
BOUNDARY: Final = Boundary(
    "of_a_test",
    (
        Stream("pack", "input", fields=(Field("word", 32),)),
        Stream("flop", "input", "level", (Field("value", 8),)),
        Stream("issue", "input", fields=(Field("word", 32),), copies=3),
        Stream("fault", "output", fields=flags(FAULTS), copies=3),
        Stream("conflict", "output", fields=(Field("where", 2),)),
    ),
    FAULTS,
)


def records(stream: str, *cycles: int) -> Records:
    """Records of an input in these cycles."""
    found = np.zeros(len(cycles), BOUNDARY.table[stream].dtype)
    found["cycle"] = cycles
    return found


def test_what_is_not_taken_stays_for_the_next_block() -> None:
    inputs = LoopInputs(BOUNDARY)
    given = {"flop": records("flop", 3, 5), "t1.issue": records("t1.issue", 4)}
    rows = inputs.rows(inputs.checked(given, 0, 10))
    assert not has(rows.flop, 2) and has(rows.flop, 3) and look(rows.flop).cycle == 3
    assert take(rows.flop).cycle == 3
    assert (due(rows.flop), due(rows.issue[1]), due(rows.issue[0])) == (5, 4, NEVER)
    rows = inputs.rows(inputs.checked({"flop": records("flop", 12)}, 10, 20))
    taken = []
    for each in (rows.flop, rows.flop, rows.issue[1]):
        cycle = take(each).cycle
        taken.append((int(cycle), Origin.decode(int(origin(each)), BOUNDARY.inputs)))
    assert taken == [(5, Origin("flop", 1)), (12, Origin("flop", 2)), (4, Origin("t1.issue", 0))]


@pytest.mark.parametrize("far", [9, 1 << 21], ids=["near", "far"])
def test_the_next_cycle_is_that_of_any_input(far: int) -> None:
    inputs = LoopInputs(BOUNDARY)
    given = {"flop": records("flop", 3, far), "pack": records("pack", 3, 7)}
    rows = inputs.rows(inputs.checked(given, 0, far + 1))
    assert [next_cycle(rows, cycle) for cycle in (0, 3, 4, 8, far + 1)] == [3, 3, 7, far, NEVER]
    assert next_cycle(inputs.rows(inputs.checked({}, far + 1, far + 2)), 0) == 3  # none was taken


def test_what_is_put_is_taken_once() -> None:
    room = Room(BOUNDARY, 4)
    out = room.outputs()
    put_flags(out.fault[2], 6, 0b101, 17)
    put(out.conflict[0], 7, 18).where = 3
    found = room.taken()
    names = [field.name for field in BOUNDARY.table["t2.fault"].fields]
    assert [int(found["t2.fault"][0][name]) for name in names] == [1, 0, 1]
    assert found["t2.fault"][["cycle", "origin"]].tolist() == [(6, 17)]
    assert found["conflict"][["cycle", "where", "origin"]].tolist() == [(7, 3, 18)]
    assert list(found) == [*BOUNDARY.outputs]
    assert sum(map(len, found.values())) == 2 and not any(map(len, room.taken().values()))


def test_a_name_stands_for_the_same_fields_always() -> None:
    """A compiled loop that is kept finds its tuple by that name."""
    LoopInputs(BOUNDARY)
    with pytest.raises(AssertionError, match="of_a_test_rows has had other fields"):
        compiled_io._tuple("of_a_test_rows", ("other",))


# events and levels of one field and of two, one of them wide; and an event without any
_SUMS: Final = Boundary(
    "sums",
    (
        Stream("add", "input", "event", (Field("one", 8), Field("wide", 40))),
        Stream("scale", "input", "level", (Field("value", 4),)),
        Stream("clear", "input", "event"),
        Stream("sum", "output", "event", (Field("value", 32),)),
        Stream("seen", "output", "level", (Field("wide", 40), Field("count", 8))),
    ),
)


class _Loop(CompiledCycleModel):
    """Scaled sums; and as registers the last wide value, how many since the last clear."""

    boundary = _SUMS
    held = record(wide=(np.int64, 2), count_=np.int64)

    @staticmethod
    def loop(state: Records, given: Records, made: Records) -> None:
        """All cycles; not compiled."""
        held = state[0]
        for now, out in zip(given, made, strict=True):
            out.seen_wide, out.seen_count = held.wide, held.count_
            out.sum_, out.sum_value = now.add, (now.add_one + now.add_wide[0]) * now.scale
            held.wide[:] = now.add_wide if now.add else held.wide
            held.count_ = 0 if now.clear else held.count_ + now.add


class _Called(CycleModel):
    """The same, called cycle by cycle."""

    boundary = _SUMS
    seen: Any = (None, 0)

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cycle; a level that is left out stays."""
        out = {"seen": self.seen} if self.seen[1] or given["scale"] == 4 else {}
        wide, count = self.seen
        if given["add"] is not None:
            one, wide = given["add"]
            out["sum"], count = (one + (wide & 0xFFFF_FFFF)) * given["scale"], count + 1
        self.seen = wide, 0 if given["clear"] else count
        return out


@pytest.mark.parametrize("made", [_Loop, _Called])
@pytest.mark.parametrize("cut", range(8))
def test_a_loop_over_cycles_is_a_model_that_is_called_each_cycle(made: type, cut: int) -> None:
    """A run may be cut anywhere; what came last, the last of the inputs, is the origin."""
    rows = {
        "add": [(1, 2, (5, 1)), (4, 7, (6, 3))],
        "scale": [(0, 3), (5, 4)],
        "clear": [(4,)],
    }
    model, found = made(), {"sum": [], "seen": []}
    for begin, end in ((0, cut), (cut, cut), (cut, 8)):
        inputs = {}
        for name, each in rows.items():
            dtype = _SUMS.table[name].dtype
            some = [row for row in each if begin <= row[0] < end]
            inputs[name] = np.zeros(len(some), dtype)
            for field, values in zip(dtype.names or (), zip(*some, strict=True), strict=False):
                inputs[name][field] = values
        for name, records_ in model.step(inputs, end).items():
            found[name] += records_.tolist()
    assert found["sum"] == [(1, 21, 0), (4, 39, 2)]
    seen = [(cycle, wide.tolist(), *rest) for cycle, wide, *rest in found["seen"]]
    assert seen == [(2, [5, 1], 1, 0), (5, [6, 3], 0, 257)]


class _Counter(CycleModel):
    """Nothing goes in; what comes out has a name that Python has a use for."""

    boundary = Boundary("counter", (Stream("in", "output", "level", (Field("value", 8),)),))

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """One more every cycle but the first."""
        self.count = getattr(self, "count", -1) + 1
        assert not given
        return {"in" if self.count < 4 else "out": self.count}


def test_a_model_without_inputs() -> None:
    model = _Counter()
    assert model.step({}, 4)["in"].tolist() == [(n, n, -1) for n in (1, 2, 3)]
    with pytest.raises(ValueError, match=r"gave .out.; there are: in"):
        model.step({}, 5)


def test_columns_of_one_name_are_refused() -> None:
    class Twice(_Loop):
        boundary = Boundary(
            "x", (Stream("a", "input", fields=(Field("b"),)), Stream("a_b", "input"))
        )

    with pytest.raises(ValueError, match="a_b: another stream has a column a_b, too"):
        Twice()


@pytest.mark.parametrize("name", ["size", "data", "copy", "T", "item", "view", "lambda", "field"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"field {name}: "):
        record(**{name: np.int64})


def test_fields_are_reached_by_name_at_every_depth() -> None:
    entry = record(word=np.uint32, time=np.int64)
    queue = record(entries=(entry, 4), head=entry, count=np.int64)
    made = zeros(queue, 3)
    assert made.shape == (3,)
    made[1].entries[2].word = 5
    made[1].head.time = -1
    made[1].count += 2
    assert made["entries"]["word"].sum() == 5
    assert made.head.time.tolist() == [0, -1, 0]
    assert made.copy()[1].count == 2
