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
    # FIFO and R empty, nothing offered that was not taken; M empties while R does
    pairs=(
        ("push", "accept"),
        ("accept", "ingest"),
        ("rq", "issue"),
        ("brisc", "brisc_accept"),
        ("sync", "sync_ack"),
    ),
    rest={("status", "mop_state"): 0},
)
