# SPDX-License-Identifier: Apache-2.0
"""Programs of ``vectors.toml``, whose head says how one is written, and of ``points.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tilepath import isa
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stream import stream_table
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.tb.control.block import BLOCK
from tilepath.tb.control.streams import STREAMS
from tilepath.tests.control.model_helpers import seen, streams, words
from tilepath.tests.coverage_runs import Example, counted, recorded
from tilepath.tests.model_runs import Records
from tilepath.tests.tables import beside, cases

Vector = dict[str, Any]
GIVEN: Final = {*BOUNDARY.inputs, "busy"}
SETTINGS: Final = {"t0", "t1", "t2", "cycles", "profile", "hazard", "bins"}
_TABLE: Final = stream_table(STREAMS)


def entries(program: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Words, and from which cycle on each is offered."""
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


def inputs_of(vector: Vector) -> dict[str, Records]:
    """All input streams."""
    given: dict[str, Any] = {"unit_ready": [(0, 63)]}
    given |= {name: some for name, some in vector.items() if name in GIVEN}
    given |= {f"t{n}.offer": words(*entries(vector.get(f"t{n}", []))) for n in range(3)}
    return {name: BOUNDARY.stream(name).empty() for name in BOUNDARY.inputs} | streams(given)


def covered_by(vector: Vector) -> CoverageModel:
    """What RTL that keeps the contract hits."""
    profile, cycles = vector.get("profile", "baseline"), vector.get("cycles", 80)
    shown = recorded(_TABLE, seen(inputs_of(vector), cycles, profile))
    found = counted(BLOCK, profile, shown, cycles)
    found.finish()
    return found


CASES: Final[Mapping[str, Vector]] = cases(__file__, "vectors")
EXAMPLES: Final[list[Example]] = [
    (one, *one["bins"])
    for one in (*CASES.values(), *beside(__file__, "points")["example"])
    if "bins" in one
]
