# SPDX-License-Identifier: Apache-2.0
"""Each connection is told when a block got what nobody gave."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tilepath.engine.checking.mismatch import cause_text
from tilepath.engine.compiled.records import Records
from tilepath.engine.description.boundary import Origin
from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.datapath import BOUNDARY, CONNECTIONS
from tilepath.models.datapath import DatapathModel
from tilepath.models.datapath.connections import ISSUES, Connections
from tilepath.models.levels import Levels
from tilepath.tb.datapath.block import BLOCK


def _told(changed: str = "", record: Records | None = None) -> list[str]:
    """Names of connections that differ, with one ``record`` in all streams, which is the cause."""
    streams: dict[str, Any] = {name: s.empty() for name, s in BOUNDARY.table.items()}
    missing = Connections("baseline").step(streams, {}, *_updates(), 64)
    assert len(missing) == 0, "nothing is got where nothing is given"
    streams |= {changed: record}
    found = Connections("baseline").step(streams, {}, *_updates(), 64)
    causes = [Origin.decode(int(origin), tuple(BOUNDARY.inputs)) for origin in found["origin"]]
    assert causes == [(changed, 0)]
    return [CONNECTIONS[where] for where in found["where"]]


def _updates() -> tuple[Records, Records]:
    return ADC.table["unpack"].empty(), ADC.table["pack"].empty()


def _stream(connection: str) -> str:
    """The stream of what is got."""
    found = re.fullmatch(r"((?:[tuwp]\d\.)?)(\w+) of (\w+), from .*", connection)
    assert found is not None, connection
    copy, name, block = found.groups()
    return f"{copy}{name}" if block in ("control", "l1") else f"{copy}{block}_{name}"


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_what_nobody_gave(connection: str) -> None:
    name = _stream(connection)
    stream = BOUNDARY.table[name]
    record = np.zeros(1, stream.dtype)
    record["cycle"] = 7
    for field in stream.fields:
        record[field.name] = 1
    assert _told(name, record) == [connection]


@pytest.mark.parametrize("unit", ISSUES)
def test_a_word_that_a_unit_does_not_know_is_told_with_its_thread(unit: str) -> None:
    """Its model would raise; the report shows thread and word of the origin."""
    inputs = {name: BOUNDARY.table[name].empty() for name in BOUNDARY.inputs}
    record = np.zeros(1, BOUNDARY.table[unit].dtype)
    record["cycle"], record["thread"], record["word"] = 7, 2, 0x02000000  # NOP
    model = DatapathModel("baseline")
    found = model.step({**inputs, unit: record}, 64)["connection"]
    (origin,) = found["origin"][found["cycle"] == 7]
    assert Origin.decode(int(origin), tuple(BOUNDARY.inputs)) == (unit, 0)
    assert re.search(r"thread 0x2 .*NOP", cause_text(BLOCK, (unit, 0, record)))


def test_a_level_is_known_although_nobody_asked_when_it_changed() -> None:
    described = np.dtype([("cycle", np.uint32), ("value", np.uint32)])
    levels = Levels()
    for changes in ([(5, 4)], [], [(30, 9)]):
        levels.begin({"level": np.array(changes, described)})
    assert levels.at(np.array([20, 31]), "level").tolist() == [4, 9]
