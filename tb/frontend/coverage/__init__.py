# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the front end: plans over the account of ``models/frontend``.

Source: frontend-config section 7. ``mops`` (what a MOP finds when it is ingested), ``expansions``
(what it leads to), ``replays``, ``queues`` (levels and states, cycle by cycle), ``ports``
(mop_sync, BRISC, MopCfg, faults). The three threads count into the same bins.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tb.frontend.coverage import expansions, mops, ports, queues, replays

__all__ = ["PLANS", "FrontendCoverage"]

PLANS: Final = (mops.PLAN, *expansions.PLANS, *replays.PLANS, *queues.PLANS, *ports.PLANS)
_WITHOUT: Final = {"F23": "not modelled: BRISC has no address for it"}


class FrontendCoverage(PlannedCoverage):
    """Coverage model of the block ``frontend``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("frontend", profile, PLANS, _WITHOUT)
