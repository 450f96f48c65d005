# SPDX-License-Identifier: Apache-2.0
"""The Matrix Unit's cycles, and bins that they hit, as ``timelines.toml`` has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

from tilepath.isa.boundary.standin import BOUNDARY
from tilepath.tb.standin.block import BLOCK
from tilepath.tests.coverage_runs import counted, hits
from tilepath.tests.standin.port_memory import Given, Memory
from tilepath.tests.standin.standin_cover import own, random_run, seen, settings
from tilepath.tests.standin.test_decisions import place, shaped, values_of, word_said
from tilepath.tests.tables import cases
from tilepath.tests.unpack.model_cycle_helpers import seen as rows_seen
from tilepath.tests.unpack.model_helpers import number_list, said

CASES: Final = cases(__file__, "timelines")
_FLAGS: Final = [fault.name for fault in BOUNDARY.faults_of("fault")]


def _said(line: str, profile: str) -> Iterator[Given]:
    """What a line gives: records with their cycles."""
    cycles, rest = line.split(maxsplit=1)
    thread, name, fields = said(rest)
    for k, cycle in enumerate(number_list(cycles)):
        if name in ("set", "own"):
            chosen = {field: values[0] for field, values in fields.items()}
            words = settings(**chosen) if name == "set" else own(thread or 1, **chosen)
            yield from ((cycle + late, *record) for late, *record in words)  # type: ignore[misc]
        elif name.isupper() or name.startswith("0x"):
            yield cycle, "issue", {"thread": thread or 1, "word": word_said(rest, profile)}
        else:
            shapes = BOUNDARY.stream(name).dtype
            yield (
                cycle,
                name,
                {
                    field: values if shapes[field].shape else values[k % len(values)]
                    for field, values in fields.items()
                },
            )


def _shown(memory: Memory, key: str) -> list[tuple[Any, ...]]:
    how, *rest = key.split()
    if how == "reads":
        bit = 1 << "abd".index(rest[0])
        return [(int(one["cycle"]),) for one in memory.found["matrix"] if one["read"] & bit]
    name, *fields = rest if how == "where" else (how, *rest)
    if name == "fault":
        return [
            (int(one["cycle"]), int(one["thread"]),
             *(flag for bit, flag in enumerate(_FLAGS) if int(one["flags"]) >> bit & 1))
            for one in memory.found[name]
        ]  # fmt: skip
    records = memory.found[name]
    chosen = [one for one in records if one[fields[0]]] if how == "where" else records
    return [tuple(int(one[field]) for field in ("cycle", *fields)) for one in chosen]


@pytest.mark.parametrize("name", CASES)
def test_timeline(name: str) -> None:
    case = CASES[name]
    profile = case.get("profile", "baseline")
    memory = Memory(profile)
    given = [record for line in case["given"] for record in _said(line, profile)]
    memory.run(given, int(case.get("cycles", 80)))
    if not memory.model.waiting():
        memory.check()
    for key, wanted in case.get("see", {}).items():
        if key == "waiting":
            assert memory.model.waiting() == [wanted][: bool(wanted)]
        elif key == "cleared":
            assert np.flatnonzero(memory.valid == 0).tolist() == number_list(wanted)
        elif "[" in key:
            array, index = place(key)
            found = getattr(memory, array)[index]
            assert (found == shaped(values_of(array, wanted), found.shape)).all(), key
        else:
            assert _shown(memory, key) == rows_seen(wanted), key
    if "bins" in case:
        found = hits(counted(BLOCK, profile, seen(memory), memory.model.now))
        assert {point: found.get(point, {}) for point in case["bins"]} == case["bins"]


def test_every_word_is_counted() -> None:
    streams, end, profile = random_run(0)
    model = counted(BLOCK, profile, streams, end)
    assert sum(model.report().points["word.op_x_thread"].values()) == len(streams["issue"])
