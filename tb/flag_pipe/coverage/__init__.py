# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the flag pipe: plans over the account of ``models/flag_pipe``.

``commands`` (what they meet and answer), ``moves`` (tiles on their way, and their pairs). Labels
and exclusions depend on the profile.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tb.flag_pipe.coverage import commands, moves

__all__ = ["FlagPipeCoverage"]

_PROGRAM: Final = "of programs, which are checked and expanded before a core sees a command"
_WITHOUT: Final = {
    "T4": "a parameter of the profile",
    "T28": "a name",
    "T29": "not there: such commands are bad_op",
    **dict.fromkeys(("T22", "T30", "T31", "T32"), _PROGRAM),
}
_PLANS: Final = (
    commands.RESPONSES, moves.FLAGS, commands.profile_plan, commands.command_plan,
    moves.wait_plan, moves.transfer_plan, moves.beat_plan, moves.endpoint_plan,
    moves.strobe_plan, moves.fault_plan, moves.deadlock_plan,
)  # fmt: skip


class FlagPipeCoverage(PlannedCoverage):
    """Coverage model of the block ``flag_pipe``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("flag_pipe", profile, _PLANS, _WITHOUT)
