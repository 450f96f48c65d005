# SPDX-License-Identifier: Apache-2.0
"""What runs inside the simulator: the pyuvm test, environment, agents, monitor and scoreboard."""

from __future__ import annotations
