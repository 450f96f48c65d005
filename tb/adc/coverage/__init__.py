# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the address counters: plans over the account of ``models/adc``.

``words`` (instructions and their faults), ``updates`` (update ports and REG2FLOP), ``counters``
(values, sums, order), ``conflicts`` (commands that meet).
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tb.adc.coverage import conflicts, counters, updates, words

__all__ = ["PLANS", "AdcCoverage"]

PLANS: Final = (
    words.PLAN, updates.UNPACKERS, updates.PACKERS, updates.REG2FLOP,
    counters.VALUES, counters.TOUCHES, conflicts.CYCLES, conflicts.CONFLICTS, conflicts.PAIRS,
)  # fmt: skip
_OF_UNPACK: Final = "how unpackers use the counters is covered in unpack"


class AdcCoverage(PlannedCoverage):
    """Coverage model of the block ``adc``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("adc", profile, PLANS, dict.fromkeys(("A9", "A14", "A17"), _OF_UNPACK))
