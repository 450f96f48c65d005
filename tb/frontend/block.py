# SPDX-License-Identifier: Apache-2.0
"""The front end as the engine sees it."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.tb.frontend.streams import PLAYERS, STREAMS
from tilepath.tb.instruction_words import explain_words
from tilepath.tb.named import made_by

BLOCK = Block(
    name="frontend",
    dut="frontend",
    rtl=("isa", "frontend"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.frontend", "FrontendModel"),
    coverage=made_by("tb.frontend.coverage", "FrontendCoverage"),
    balances=Balances(
        # R empty, which FIFO and M drain into, and nothing offered that was not taken
        pairs=(
            ("push", "accept"),
            ("rq", "issue"),
            ("brisc", "brisc_accept"),
            ("sync", "sync_ack"),
        ),
        # bits 0 to 10 of qstatus: what is in the queues
        rest=(("status", "mop_state", 0b11), ("qstatus", "value", 0x7FF)),
    ),
    parameters=of_profile("FifoDepth", "MDepth", "RDepth", "ReplayCount0", "MopB2bFree"),
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=made_by("tb.frontend.untimed", "UntimedFrontend"),
    max_gates=60,
    max_levels=35,
)
