# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the control block: plans over the account of ``models/control``.

Source: frontend-config section 7. ``gate`` (what holds words), ``latches`` (what they wait for),
``sync`` (who gets what, semaphores), ``config`` (what enters the config unit), ``words`` (what
issues, and its faults), ``scalar`` (that unit, and values that are used as they change).
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tb.control.coverage import config, gate, latches, scalar, sync, words

__all__ = ["PLANS", "ControlCoverage"]

PLANS: Final = (
    *gate.PLANS, *latches.PLANS, *sync.PLANS, *config.PLANS, *words.PLANS, *scalar.PLANS,
)  # fmt: skip


class ControlCoverage(PlannedCoverage):
    """Coverage model of the block ``control``.

    ``ValueError`` for an unknown ``profile``.
    """

    def __init__(self, profile: str) -> None:
        told = "the order of words decides it: Machine tells (docs/machine.md)"
        super().__init__("control", profile, PLANS, dict.fromkeys(("C28", "C29", "C30"), told))
