# SPDX-License-Identifier: Apache-2.0
"""Streams of a boundary as kernels of the models take and give them."""

from __future__ import annotations

from typing import Final

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
from tilepath.engine.compiled.records import Records
from tilepath.engine.description.boundary import Boundary, Fault, Field, Origin, Stream, flags

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
