# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the flag pipe: every core is IDLE, and no SET is on its way."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances

BALANCES = Balances(rest=(("core", "state", 7), ("flags", "flying", 15)))
