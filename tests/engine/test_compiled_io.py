# SPDX-License-Identifier: Apache-2.0
"""Streams of a boundary as kernels of the models take and give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from tilepath.engine.description.boundary import Boundary, Field, Origin, Stream
from tilepath.engine.description.cycle_model import CompiledCycleModel, CycleModel
from tilepath.isa.boundary import adc

# the model of adc may be loaded in this process, whose tuples have more
BOUNDARY: Final = replace(adc.BOUNDARY, name="of_a_test")


def records(stream: str, *cycles: int) -> Records:
    """Records of an input of ``adc`` in these cycles."""
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


# an event and a level of two fields, each way; and an event without any
_SUMS: Final = Boundary(
    "sums",
    (
        Stream("add", "input", "event", (Field("one", 8), Field("other", 8))),
        Stream("scale", "input", "level", (Field("value", 4),)),
        Stream("clear", "input", "event"),
        Stream("sum", "output", "event", (Field("value", 32),)),
        Stream("seen", "output", "level", (Field("most", 32), Field("count", 8))),
    ),
)


class _Sums(CompiledCycleModel):
    """Scaled sums: the largest, and how many since the last clear."""

    boundary = _SUMS
    held = record(most=np.int64, count_=np.int64)

    @staticmethod
    def loop(state: Records, given: Records, made: Records) -> None:
        """Not compiled, as nobody waits for it."""
        held = state[0]
        for now, out in zip(given, made, strict=True):
            out.sum_, out.sum_value = now.add, (now.add_one + now.add_other) * now.scale
            held.most = max(held.most, out.sum_value)
            held.count_ = 0 if now.clear else (held.count_ + now.add) % 256
            out.seen_most, out.seen_count = held.most, held.count_


class _SumsByCycle(CycleModel):
    """The same, called cycle by cycle."""

    boundary = _SUMS

    def __init__(self, profile: str = "") -> None:
        super().__init__(profile)
        self._most = self._count = 0

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cycle."""
        added = given["add"] is not None
        value = sum(given["add"] or ()) * given["scale"]
        self._most = max(self._most, value)
        self._count = 0 if given["clear"] is not None else (self._count + added) % 256
        return {"sum": value if added else None, "seen": (self._most, self._count)}


def test_a_loop_over_cycles_is_the_model_that_is_called_each_cycle() -> None:
    """However a run is cut, blocks of no cycle and of none with an event among them."""
    rng = np.random.default_rng(1)
    one, other = _Sums(), _SumsByCycle()
    begin, made = 0, 0
    for end in (0, 7, 8, 8, 200, 210, 1500):
        inputs = {}
        for name in _SUMS.inputs:
            stream = _SUMS.table[name]
            cycles = np.flatnonzero(rng.random(end - begin) < 0.2 * (end != 210)) + begin
            inputs[name] = np.zeros(len(cycles), stream.dtype)
            inputs[name]["cycle"] = cycles
            for field in stream.fields:
                inputs[name][field.name] = rng.integers(0, 1 << field.width, len(cycles))
        found, wanted = one.step(inputs, end), other.step(inputs, end)
        assert found.keys() == wanted.keys()
        for name, rows in wanted.items():
            assert found[name].dtype == rows.dtype and found[name].tolist() == rows.tolist()
            made += len(rows)
        begin = end
    assert made > 400


def test_a_loop_over_cycles_takes_no_wide_fields() -> None:
    wide = Stream("s", "input", fields=(Field("a", 8), Field("b", 33)))

    class Wide(CompiledCycleModel):
        boundary, held = Boundary("wide", (wide,)), record(x=np.int64)

    with pytest.raises(ValueError, match="s: b has more bits than a compiled cycle takes: 32"):
        Wide()
