# SPDX-License-Identifier: Apache-2.0
"""The flag pipe as the engine sees it."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.flag_pipe import BOUNDARY, STATES, STREAMS
from tilepath.tb.flag_pipe.streams import PLAYERS
from tilepath.tb.named import made_by


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
    # every core is IDLE, and no SET is on its way
    balances=Balances(rest=(("core", "state", 7), ("flags", "flying", 15))),
    longest_wait=8192,
    parameters=of_profile("Nflags", "FlagLat", "BeatBytes", "HoldMax"),
    bench=of_profile("Platform"),
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.flag_pipe.untimed", "UntimedFlagPipe"),
    max_gates=45,
)
