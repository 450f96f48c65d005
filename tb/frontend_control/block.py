# SPDX-License-Identifier: Apache-2.0
"""Front end and control, joined, as the engine sees them."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block
from tilepath.isa.boundary.frontend_control import BOUNDARY, RENAMED
from tilepath.tb.control import block as control
from tilepath.tb.frontend import block as frontend
from tilepath.tb.frontend_control.streams import PLAYERS, STREAMS
from tilepath.tb.named import executes, made_by

_ORIGINAL = {new: old for old, new in RENAMED.items()}
_OF_FRONTEND = frozenset(frontend.BLOCK.stream_table)


def _parameters(profile: str) -> Mapping[str, int]:
    return {**frontend.BLOCK.parameters(profile), **control.BLOCK.parameters(profile)}


def _explain(stream: str, field: str, value: int) -> str:
    if stream in _OF_FRONTEND:
        return frontend.BLOCK.explain(stream, field, value)
    thread, dot, suffix = stream.rpartition(".")
    return control.BLOCK.explain(f"{thread}{dot}{_ORIGINAL.get(suffix, suffix)}", field, value)


BLOCK = Block(
    name="frontend_control",
    dut="",
    rtl=("isa", "frontend", "control"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.frontend_control", "JoinedModel"),
    coverage=made_by("tb.frontend_control.coverage", "JoinedCoverage"),
    balances=Balances(
        partly=control.BLOCK.balances.partly,
        pairs=(
            *frontend.BLOCK.balances.pairs,
            *((RENAMED.get(a, a), RENAMED.get(b, b)) for a, b in control.BLOCK.balances.pairs),
        ),
        rest=frontend.BLOCK.balances.rest + control.BLOCK.balances.rest,
    ),
    parameters=_parameters,
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.frontend_control.untimed", "UntimedJoined"),
    also=executes("models.control", "ControlState", "SEMINIT 1, 0, 1"),
    borrows=("frontend", "control"),
)
