# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint: records, bins that they hit and one that they must not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tilepath.isa.boundary.datapath import BOUNDARY
from tilepath.models.datapath.account import DatapathAccount
from tilepath.tb.datapath.coverage import DatapathCoverage
from tilepath.tests.coverage_runs import hits
from tilepath.tests.model_runs import cut
from tilepath.tests.tables import beside

Row = tuple[str, int, dict[str, int]]
CASES = beside(__file__, "coverage_points")["case"]


def _row(text: str) -> Row:
    """A record of the table."""
    stream, cycle, *fields = text.split()
    named = (field.split("=") for field in fields)
    return stream, int(cycle), {name: int(value, 0) for name, value in named}


def _covered(rows: list[Row], cuts: tuple[int, ...] = ()) -> DatapathCoverage:
    seen: dict[str, Any] = {}
    for name, stream in BOUNDARY.table.items():
        own = sorted((r for r in rows if r[0] == name), key=lambda r: r[1])
        seen[name] = np.zeros(len(own), stream.dtype)
        for record, (_, cycle, fields) in zip(seen[name], own, strict=True):
            record["cycle"] = cycle
            for field, value in fields.items():
                record[field] = value
    seam, model = DatapathAccount(), DatapathCoverage("baseline")
    model.follow(seam)
    for first, last in pairwise((0, *cuts, 100)):
        part = cut(seen, first, last)
        seam.step(part, last)
        model.sample(part, first, last)
    return model


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_points(case: dict[str, Any]) -> None:
    rows = [*map(_row, case["rows"])]
    model = _covered(rows)
    found = {p: {b.replace(" ", "_") for b in own} for p, own in hits(model).items()}
    assert found == {p: set(own.split()) for p, own in case["bins"].items() if own}
    assert model.contradicted() == []
    cycles = tuple(sorted({cycle + more for _, cycle, _ in rows for more in (0, 1)}))
    assert hits(_covered(rows, cycles)) == hits(model), "cut at every record, and behind it"


def test_unpacker_0_and_the_matrix_unit_together_contradict() -> None:
    rows = "u0.unpack_write2 5 dst=1", "standin_matrix_write 5 target=2 row=8"
    assert len(_covered([*map(_row, rows)]).contradicted()) == 1


def test_every_point_has_a_test() -> None:
    points = set(DatapathCoverage("baseline").report().points)
    assert {point for case in CASES for point in case["bins"]} == points
