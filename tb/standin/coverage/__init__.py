# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the math stand-in: plans over the account of ``models/standin``.

``words`` (instructions: banks, clearing, faults, time, pauses), ``formats``, ``counters`` (row
counters and the rows that follow from them), ``values`` (data).
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.tb.standin.coverage import counters, formats, values, words

__all__ = ["StandinCoverage"]

_PLANS: Final = (
    words.plan, formats.plan, counters.PLAN, *values.PLANS, words.pause_plan, words.STORES,
)  # fmt: skip
_WITHOUT: Final = {"M1": "a parameter of the profile", "M33": "not modelled"}


class StandinCoverage(PlannedCoverage):
    """Coverage model of the block ``standin``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("standin", profile, _PLANS, _WITHOUT)
