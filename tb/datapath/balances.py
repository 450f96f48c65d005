# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the joined design."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances
from tilepath.tb.frontend_control.balances import BALANCES as FRONT

BALANCES = Balances(
    pairs=(*FRONT.pairs, ("item", "item_done")),
    rest=(*FRONT.rest, *((f"{unit}_busy", "value", -1) for unit in ("unpack", "standin", "pack"))),
)
