# SPDX-License-Identifier: Apache-2.0
"""Vectors of the decisions: what the cycle-exact model makes of commands in time.

The model without time comes to the same state, and where it is asked to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa.boundary.flag_pipe import BOUNDARY, CORES
from tilepath.models.flag_pipe import Command, FlagPipe, FlagPipeModel
from tilepath.tb.flag_pipe.untimed import UntimedFlagPipe
from tilepath.tests.flag_pipe.model_helpers import (
    Records,
    free,
    init,
    offers,
    pop,
    ports,
    push,
    stream,
)
from tilepath.tests.model_runs import fields_of
from tilepath.tests.tables import cases

CASES: Final = cases(__file__, "vectors")
_MAKE: Final[Mapping[str, Callable[..., Command]]] = {
    "INIT": init, "TPUSH": push, "TPOP": pop, "TFREE": free,
}  # fmt: skip
_CORES: Final = [f"core{n}" for n in range(len(CORES))]
_GIVEN: Final = {*_CORES, "clr", "ports", "profile", "cycles", "hazard"}


def commands(core: int, program: Iterable[str]) -> Iterator[tuple[int, Command]]:
    """Commands of a core, and from which cycle on each is offered."""
    following = 0
    for text in program:
        first, _, rest = text.partition(" ")
        line = rest if first[0] == "@" else text
        following = max(following, int(first[1:])) if first[0] == "@" else following
        several, _, times = line.partition(" x")
        for name, *fields in [one.split() for one in several.split("; ")] * int(times or "1"):
            given = {key: int(value, 0) for key, value in (one.split("=") for one in fields)}
            command = _MAKE[name](**given)
            vector = core > 0 and name == "INIT"  # which has the rings of its pair
            yield following, command._replace(peer=0) if vector else command
            following += 1


def programs(vector: Mapping[str, Any]) -> list[list[tuple[int, Command]]]:
    """Those of all cores."""
    return [list(commands(n, vector.get(name, ()))) for n, name in enumerate(_CORES)]


def inputs_of(vector: Mapping[str, Any]) -> dict[str, Records]:
    """All input streams."""
    given = ports(**vector.get("ports", {})) | {"clr": stream("clr", vector.get("clr", ()))}
    return given | offers(programs(vector))


@pytest.mark.parametrize("vector", CASES.values(), ids=CASES)
def test_vector(vector: Mapping[str, Any]) -> None:
    profile, inputs = vector.get("profile", "baseline"), inputs_of(vector)
    model, untimed, walk = FlagPipeModel(profile), UntimedFlagPipe(profile), FlagPipe(profile)
    out = model.step(inputs, vector.get("cycles", 200))
    untimed.follow(inputs, out)
    assert "hazard" in vector or not differences(untimed.state(), model.state())
    told = vector.keys() - _GIVEN
    assert told
    for name in told:
        found: Any
        if name == "waiting":
            found = model.waiting()
        elif name == "flags":
            found = model.state()[name].tolist()
        elif name == "endpoints":
            found = model.state()[name].any(axis=1).tolist()
        elif name == "walk":
            outcome = walk.run([[one for _, one in given] for given in programs(vector)])
            found = [outcome.verdict, *outcome.lines]
        else:
            where, _, fields = name.partition(": ")
            found = fields_of(BOUNDARY, out[where], fields.split() or ["cycle"])
        assert found == vector[name], name
