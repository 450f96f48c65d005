# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the packers: plans over the account of ``models/pack``.

Source: pack section 7; docs/pack.md. ``instructions`` (words, counters, PACR_SETREG),
``packer_work`` (what packers do for them), ``rows`` (datums from Dst to an element), ``values``
(groups, compressed rows, sums), ``timing`` (what waits for what); ``recorded`` over the streams as
they are (faults, and what packers are given).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.stream import Records
from tilepath.tb.pack.coverage import instructions, packer_work, recorded, rows, timing, values

__all__ = ["PackCoverage"]

_OTHER: Final = "of the newer chip, whose profiles have points for it"
_WITHOUT: Final = {
    "P1": "where fields are; what they do has points",
    "P31": "undefined with formats that it concerns, and without effect with others",
    "P41": "never concerns the data",
    "P45": "not part of the block",
    "P47": "the block has no soft reset",
    "P48": "says what the decisions on addresses and positions come to",
    "P49": "says what that on groups comes to",
    "P67": "parameters of the profile",
    **dict.fromkeys(("P50", "P52", "P53", "P55", "P65"), _OTHER),
}
_PLANS: Final = (
    instructions.DEPARTURES, rows.EDGES, *values.PLANS, instructions.instruction_plan,
    packer_work.share_plan, rows.row_plan, timing.dst_plan, timing.step_plan, timing.line_plan,
    timing.read_plan, timing.level_plans, recorded.plans,
)  # fmt: skip


class PackCoverage(PlannedCoverage):
    """Coverage model of the block ``pack``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("pack", profile, _PLANS, _WITHOUT)
        cited = {n for plan in self.plans for point in plan.points for n in point.decisions.split()}
        self.without = {n: why for n, why in _WITHOUT.items() if n not in cited}

    def recorded(self, streams: Mapping[str, Records]) -> Mapping[str, Records]:
        """As the base says."""
        return recorded.rows(streams)
