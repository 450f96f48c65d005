# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact models of all blocks must do, however a run of them is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary import Boundary, Origin

Records = NDArray[Any]


def stream(boundary: Boundary, name: str, rows: Iterable[Sequence[int]]) -> Records:
    """Records of an input stream from rows (cycle, fields); fields that a row leaves out are 0."""
    dtype = boundary.stream(name).dtype
    width = len(dtype.names or ())
    return np.array([(*row, *[0] * (width - len(row))) for row in rows], dtype)


def streams(boundary: Boundary, rows: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, Records]:
    """Records of several input streams."""
    return {name: stream(boundary, name, some) for name, some in rows.items()}


def rows(records: Records, *fields: str) -> list[tuple[int, ...]]:
    """Chosen fields of each record as plain tuples."""
    return [tuple(int(record[field]) for field in fields) for record in records]


def fields_of(boundary: Boundary, records: Records, fields: Sequence[str]) -> list[Any]:
    """Chosen fields of each record, of a single one its value alone.

    ``origin``: the input's record; ``flags``: names of those that are set.
    """

    def value(record: Any, field: str) -> Any:
        if field == "origin":
            origin = Origin.decode(int(record[field]), boundary.inputs)
            return f"{origin.stream} {origin.index}" if origin else ""
        if field == "flags":
            return " ".join(n for n in (records.dtype.names or ())[1:-1] if record[n])
        return int(record[field])

    found = [[value(record, field) for field in fields] for record in records]
    return found if len(fields) > 1 else [one for (one,) in found]


def level(value: Callable[[int], int], cycles: int) -> list[tuple[int, int]]:
    """Rows of a level stream, which is 0 at first, from its value in each cycle."""
    values = [0, *map(value, range(cycles))]
    return [(t, new) for t, (old, new) in enumerate(pairwise(values)) if new != old]


def random_level(
    rng: np.random.Generator, cycles: int, bits: int, share: float
) -> Callable[[int], int]:
    """Values by cycle: each bit is 1 with ``share``, for one cycle or for long."""
    values: list[int] = []
    while len(values) < cycles:
        length = 1 if rng.random() < 0.8 else int(rng.integers(1, 40))
        value = sum(int(rng.random() < share) << n for n in range(bits))
        values += [value] * length
    return values.__getitem__


def as_offered(
    inputs: Mapping[str, Records],
    outputs: Mapping[str, Records],
    answers: Mapping[str, str],
    cycles: int,
) -> dict[str, Records]:
    """``inputs`` as a port shows them: an offer comes when the one before it has been taken.

    ``answers``: stream of offers → the output with a record for each that is taken.
    """
    shown = dict(inputs)
    for name in answers.keys() & inputs.keys():
        taken = outputs[answers[name]]["cycle"]
        offers = inputs[name][: len(taken) + 1].copy()
        np.maximum(offers["cycle"][1:], taken[: len(offers) - 1] + 1, out=offers["cycle"][1:])
        shown[name] = offers[offers["cycle"] < cycles]
    return shown


def random_cuts(rng: np.random.Generator, cycles: int, most: int) -> list[int]:
    """Up to ``most`` cycles, in order, in which a run of ``cycles`` is cut; the last is its end."""
    count = int(rng.integers(0, most))
    return sorted({*rng.integers(0, cycles, count).tolist(), cycles})


def cut(inputs: Mapping[str, Records], first: int, last: int) -> dict[str, Records]:
    """The events in cycles ``first`` to ``last - 1``."""
    return {name: a[(a["cycle"] >= first) & (a["cycle"] < last)] for name, a in inputs.items()}


def run_in_pieces(
    model: Any, inputs: Mapping[str, Records], cuts: Iterable[int]
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    parts = []
    start = 0
    for end in cuts:
        part = model.step(cut(inputs, start, end), end)
        for name, records in part.items():
            inside = records["cycle"][(records["cycle"] < start) | (records["cycle"] >= end)]
            assert not inside.size, name
        parts.append(part)
        start = end
    return {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}


def assert_same(
    boundary: Boundary, got: Mapping[str, Records], want: Mapping[str, Records]
) -> None:
    """Assert that both have the same records of the same outputs, by ``boundary``'s layout."""
    assert got.keys() == want.keys()
    for name, records in want.items():
        assert got[name].dtype == records.dtype == boundary.stream(name).expected_dtype
        np.testing.assert_array_equal(got[name], records, err_msg=name)
