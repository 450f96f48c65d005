# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the front end: words in, words out."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances

BALANCES = Balances(
    # R empty, which FIFO and M drain into, and nothing offered that was not taken
    pairs=(("push", "accept"), ("rq", "issue"), ("brisc", "brisc_accept"), ("sync", "sync_ack")),
    # bits 0 to 10 of qstatus: what is in the queues
    rest=(("status", "mop_state", 0b11), ("qstatus", "value", 0x7FF)),
)
