# SPDX-License-Identifier: Apache-2.0
"""The front end as the kernel sees it."""

from __future__ import annotations

from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.tb.explained_words import explain_words
from tilepath.tb.frontend.balances import BALANCES
from tilepath.tb.frontend.streams import PLAYERS, STREAMS
from tilepath.tb.named import made_by

BLOCK = Block(
    name="frontend",
    dut="frontend",
    rtl=("isa", "frontend"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.frontend", "FrontendModel"),
    coverage=made_by("tb.frontend.coverage", "FrontendCoverage"),
    balances=BALANCES,
    parameters=of_profile("FifoDepth", "MDepth", "RDepth", "ReplayCount0", "MopB2bFree"),
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=made_by("tb.frontend.untimed", "UntimedFrontend"),
    max_gates=60,
    max_levels=35,
)
