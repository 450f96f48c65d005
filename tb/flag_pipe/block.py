# SPDX-License-Identifier: Apache-2.0
"""The flag pipe as the kernel sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import BOUNDARY, STATES, STREAMS
from tilepath.tb.flag_pipe.accounts import ACCOUNTS
from tilepath.tb.flag_pipe.streams import PLAYERS
from tilepath.tb.kernel.description.block import Block
from tilepath.tb.named import made_by

# Parameter of the RTL → parameter of a profile
_PARAMETERS: Final = {
    "Nflags": "NFLAGS",
    "FlagLat": "FLAG_LAT",
    "BeatBytes": "BEAT_BYTES",
    "HoldMax": "HOLD_MAX",
}


def _parameters(profile: str) -> Mapping[str, int]:
    values = profiles.get(profile).rtl_parameters()
    return {name: values[source] for name, source in _PARAMETERS.items()}


def _bench(profile: str) -> Mapping[str, int]:
    return {"Platform": profiles.get(profile).rtl_parameters()["PLATFORM"]}


def _explain(_stream: str, field: str, value: int) -> str:
    return STATES[value] if field == "state" and value < len(STATES) else ""


BLOCK = Block(
    name="flag_pipe",
    dut="flag_pipe",
    rtl=("flag_pipe",),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.flag_pipe", "FlagPipeModel"),
    coverage=made_by("tb.flag_pipe.coverage", "FlagPipeCoverage"),
    accounts=ACCOUNTS,
    parameters=_parameters,
    bench=_bench,
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.flag_pipe.untimed", "UntimedFlagPipe"),
    max_gates=45,
)
