# SPDX-License-Identifier: Apache-2.0
"""Vectors of the decisions: programs in time, and what the cycle-exact model makes of them.

They are in ``vectors.toml``, whose head says how one is written. The model without time comes to
the same state.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from tilepath import isa
from tilepath.engine.compiled.state import differences
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel
from tilepath.tb.control.untimed import UntimedControl
from tilepath.tests.control.model_helpers import streams, words
from tilepath.tests.model_runs import Records

_VECTORS: Final = tomllib.loads(Path(__file__).with_name("vectors.toml").read_text())
_GIVEN: Final = {*BOUNDARY.inputs, "busy"}


def _put(what: Any, values: Mapping[str, Any]) -> Any:
    """``what`` with ``{name}`` replaced: by the value where nothing else is in a text."""
    if isinstance(what, dict):
        return {_put(name, values): _put(one, values) for name, one in what.items()}
    if isinstance(what, list):
        return [_put(one, values) for one in what]
    if isinstance(what, str):
        alone = re.fullmatch(r"\{(\w+)\}", what)
        return values[alone[1]] if alone else what.format_map(values)
    return what


def _cases() -> Iterator[Any]:
    """A vector, or one for each combination of what its ``each`` has."""
    for name, given in _VECTORS.items():
        vector = dict(given)
        every = vector.pop("each", {})
        for number, chosen in enumerate(product(*every.values())):
            values: dict[str, Any] = {}
            for names, some in zip(every, chosen, strict=True):
                columns = names.split()
                values |= zip(columns, some if len(columns) > 1 else [some], strict=True)
            case = f"{name}-{number}" if every else name
            yield pytest.param(_put(vector, values), id=case)


def _entries(program: list[str]) -> Iterator[int | tuple[int, int]]:
    for text in program:
        first, _, rest = text.partition(" ")
        cycle = int(first[1:]) if first[0] == "@" else 0
        mnemonic, *fields = (rest if first[0] == "@" else text).split()
        times = int(fields.pop().removeprefix("x")) if fields and fields[-1][0] == "x" else 1
        pairs = (field.split("=") for field in fields)
        given = {field: int(value, 0) for field, value in pairs}
        hexadecimal = re.fullmatch("[0-9A-F]{8}", mnemonic)
        word = int(mnemonic, 16) if hexadecimal else isa.encode(mnemonic, **given)
        yield from [(cycle, word)] * times


def _seen(records: Records, fields: list[str]) -> list[Any]:
    """Chosen fields of each record; of a single one its value alone."""

    def value(record: Any, field: str) -> Any:
        if field == "origin":
            origin = Origin.decode(int(record[field]), BOUNDARY.inputs)
            return f"{origin.stream} {origin.index}" if origin else ""
        if field == "flags":
            return " ".join(n for n in (records.dtype.names or ())[1:-1] if record[n])
        return int(record[field])

    found = [[value(record, field) for field in fields] for record in records]
    return found if len(fields) > 1 else [one for (one,) in found]


@pytest.mark.parametrize("vector", list(_cases()))
def test_vector(vector: dict[str, Any]) -> None:
    given: dict[str, Any] = {"unit_ready": [(0, 63)]}
    given |= {name: some for name, some in vector.items() if name in _GIVEN}
    given |= {f"t{n}.offer": words(*_entries(vector.get(f"t{n}", ()))) for n in range(3)}
    model, cycles = ControlModel(vector.get("profile", "baseline")), vector.get("cycles", 80)
    inputs = {name: BOUNDARY.stream(name).empty() for name in BOUNDARY.inputs} | streams(given)
    out = model.step(inputs, cycles)
    untimed = UntimedControl("baseline")
    untimed.follow(inputs, out)
    assert "hazard" in vector or not differences(untimed.state(), model.state())
    told = vector.keys() - _GIVEN - {"t0", "t1", "t2", "cycles", "profile", "hazard"}
    assert told
    for name in told:
        stream, _, fields = name.partition(": ")
        if name == "waiting":
            assert model.waiting() == vector[name]
        else:
            assert _seen(out[stream], fields.split() or ["cycle"]) == vector[name], name
