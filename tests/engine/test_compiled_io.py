# SPDX-License-Identifier: Apache-2.0
"""Streams of a boundary as kernels of the models take and give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
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
from tilepath.engine.compiled.records import Records, record
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
    """A compiled kernel that is kept finds its tuple by that name."""
    LoopInputs(BOUNDARY)
    with pytest.raises(AssertionError, match="of_a_test_rows has had other fields"):
        compiled_io._tuple("of_a_test_rows", ("other",))


# an event and a level of two fields, one of them wide; and an event without any
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
    """Scaled sums, the last wide value, and how many since the last clear; not compiled."""

    boundary = _SUMS
    held = record(wide=(np.int64, 2), count_=np.int64)

    @staticmethod
    def loop(state: Records, given: Records, made: Records) -> None:
        """All cycles."""
        held = state[0]
        for now, out in zip(given, made, strict=True):
            out.sum_, out.sum_value = now.add, (now.add_one + now.add_wide[0]) * now.scale
            if now.add:
                held.wide[:] = now.add_wide
            held.count_ = 0 if now.clear else (held.count_ + now.add) % 256
            out.seen_wide, out.seen_count = held.wide, held.count_


class _Called(CycleModel):
    """The same, called cycle by cycle."""

    boundary = _SUMS
    wide: Any = 0
    count = 0

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cycle."""
        found = {}
        if given["add"] is not None:
            one, self.wide = given["add"]
            self.count = (self.count + 1) % 256
            found["sum"] = (one + self.wide[0]) * given["scale"]
        if given["clear"]:
            self.count = 0
        return {**found, **({"seen": (self.wide, self.count)} if self.wide else {})}


def test_a_loop_over_cycles_is_the_model_that_is_called_each_cycle() -> None:
    """However a run is cut, into blocks of no cycle and of none with an event among others."""
    rng = np.random.default_rng(1)
    loop, called = _Loop(), _Called()
    counts: Counter[str] = Counter()
    for begin, end in pairwise((0, 0, 7, 8, 8, 200, 210, 1500)):
        inputs = {}
        for name in _SUMS.inputs:
            cycles = np.flatnonzero(rng.random(end - begin) < 0.2 * (end != 210)) + begin
            rows = inputs[name] = np.zeros(len(cycles), _SUMS.table[name].dtype)
            rows["cycle"] = cycles
            for field in _SUMS.table[name].fields:
                most = 1 << min(field.width, 8)
                rows[field.name] = rng.integers(0, most, rows[field.name].shape)
        found, wanted = loop.step(inputs, end), called.step(inputs, end)
        for name, rows in wanted.items():
            assert found[name].tobytes() == rows.tobytes()
            counts[name] += len(rows)
            # what came last, or in this cycle as the last of the inputs
            for cycle, origin_ in rows[["cycle", "origin"]].tolist() if end == 7 else ():
                last = [(r["cycle"][r["cycle"] <= cycle], n) for n, r in enumerate(inputs.values())]
                at, number = max((int(c[-1]), n) for c, n in last if len(c))
                index = np.searchsorted(list(inputs.values())[number]["cycle"], at)
                assert origin_ == index * 256 + number
    assert counts["sum"] > 200 and counts["seen"] > 200
