# SPDX-License-Identifier: Apache-2.0
"""Decisions of the specification, as ``decisions.toml`` has them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import numpy as np
import pytest

from tilepath.models import Machine
from tilepath.tests.tables import cases
from tilepath.tests.unpack.model_helpers import (
    CONTEXTS,
    NOT_WRITTEN,
    coded,
    compressed,
    emitted,
    number_list,
    numbered,
    places,
    put,
    said,
    set_up,
    word_of,
)

CASES: Final = cases(__file__, "decisions")


def machine(case: dict[str, Any]) -> Machine:
    """A machine as a table sets it up, behind all that is given."""
    more = {"profile": case.get("profile", "baseline"), "make": Machine}
    if "rsi" in case:
        entries, nibbles = number_list(case["rsi"]), number_list(case.get("nibbles", ""))
        m = compressed(entries, nibbles, **case["numbered"], **more)
    elif "contexts" in case:
        m = numbered(**{**CONTEXTS, **coded(case["contexts"])}, **more)
    elif "numbered" in case:
        m = numbered(**case["numbered"], **more)
    else:
        m = set_up(case, Machine)
    if "emitted" in case["see"]:
        m.src_a[:] = NOT_WRITTEN
    for line in filter(None, case["given"]):
        thread, name, fields = said(line)
        if name == "put":
            put(m, **{field: values[0] for field, values in fields.items()})
        elif name == "release":
            m.unpack.release(*fields["file"], *fields["bank"])
        elif name == "set":
            for what, values in fields.items():
                array, index = part(m, what)
                array[index] = np.reshape(values, array[index].shape)
        elif name.startswith("0x"):
            m.push(thread, int(name, 0))
        else:
            m.push(thread, word_of(name, fields, case.get("profile", "baseline")))
    return m


def part(m: Machine, text: str) -> tuple[Any, tuple[int | slice, ...]]:
    """An array, and places in it: ``src_a[0,2:]``."""
    name, _, inside = text.partition("[")
    found: list[int | slice] = []
    for one in inside.rstrip("]").split(",") if inside else ():
        ends = [int(end) if end else None for end in one.split(":")]
        found.append(slice(*ends) if len(ends) > 1 else int(one))
    return attrgetter(name)(m), tuple(found)


def observed(m: Machine, key: str) -> list[Any]:
    """What ``see`` names, as a list."""
    if key == "faults":
        return [fault.name for fault in m.faults]
    if key == "events":
        return [(event.name, *event.values) for event in m.events]
    if key == "emitted":
        return emitted(m)
    how, _, what = key.rpartition(" ")
    array, index = part(m, what)
    values = np.ravel(array[index])
    if how == "where":
        return np.flatnonzero(values).tolist()
    return places(values) if how == "from" else values.tolist()


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    case = CASES[name]
    m = machine(case)
    assert case["see"]
    for key, text in case["see"].items():
        wanted: list[Any] = str(text).split()
        if key == "events":
            parts = (event.partition(":") for event in wanted)
            wanted = [(one, *number_list(values)) for one, _, values in parts]
        elif key != "faults":
            wanted = number_list(str(text))
        assert observed(m, key) == wanted, key
