# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the packers: they finish."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances
from tilepath.tb.pack.streams import ALL_IDLE

BALANCES = Balances(rest=(("busy", "value", ALL_IDLE),))
