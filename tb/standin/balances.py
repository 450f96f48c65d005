# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the math stand-in: no instruction is inside at the end."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances

BALANCES = Balances(rest=(("busy", "value", 0b111),))
