# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the front end: items and records; words in, words out."""

from __future__ import annotations

from tilepath.tb.frontend.items import INDEX_SHIFT, MOPCFG, PUSH, SYNC
from tilepath.tb.kernel.description.accounts import Accounts, Echo, bits

ACCOUNTS = Accounts(
    echoes=(
        Echo(
            "core",
            "push",
            lambda items: {"word": items[:, 1]},
            chosen=lambda items: (items[:, 0] & PUSH) != 0,
        ),
        Echo(
            "core",
            "mopcfg",
            lambda items: {"index": bits(items, 0, INDEX_SHIFT, 4), "data": items[:, 2]},
            chosen=lambda items: (items[:, 0] & MOPCFG) != 0,
        ),
        Echo("core", "sync", lambda _items: {}, chosen=lambda items: (items[:, 0] & SYNC) != 0),
        Echo("brisc", "brisc", lambda items: {"word": items[:, 1]}),
        Echo("gate", "ready", lambda items: {"ready": items[:, 1] & 1}, idle={"ready": 1}),
        Echo("sfpu_cc", "sfpu_cc", lambda items: {"busy": items[:, 1] & 1}, idle={"busy": 0}),
    ),
    # R empty, which FIFO and M drain into, and nothing offered that was not taken
    pairs=(("push", "accept"), ("rq", "issue"), ("brisc", "brisc_accept"), ("sync", "sync_ack")),
    # bits 0 to 10 of qstatus: what is in the queues
    rest=(("status", "mop_state", 0b11), ("qstatus", "value", 0x7FF)),
)
