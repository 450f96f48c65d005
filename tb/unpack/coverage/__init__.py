# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the unpackers: plans over the account of ``models/unpack``.

Source: unpack-adc section 7; docs/unpack.md. ``words`` (UNPACR, contexts, what is written beside
them), ``geometry`` (what is read), ``packed`` (compressed rows, wraps, requests), ``datums``,
``output`` (where they go, and when), ``nops``, ``matrix`` (the Matrix Unit's port), ``counters``,
``faults``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tilepath.isa import profiles
from tilepath.tb.kernel.coverage.plan import Plan
from tilepath.tb.kernel.coverage.planned import PlannedCoverage
from tilepath.tb.unpack.coverage import (
    counters,
    datums,
    faults,
    geometry,
    matrix,
    nops,
    output,
    packed,
    words,
)

__all__ = ["UnpackCoverage", "plans"]

_WITHOUT: Final = {"U67": "left to programs"}


@cache
def plans(profile: str) -> tuple[Plan, ...]:
    """With the row width, the encoding of UNPACR_NOP, and so on, of the profile.

    ``ValueError`` for an unknown one.
    """
    values = profiles.get(profile)
    fixed = (*words.PLANS, geometry.PLAN, datums.PLAN, *matrix.PLANS, *counters.PLANS)
    topics = (packed, output, nops, faults)
    return (*fixed, *(plan for topic in topics for plan in topic.plans(values)))


class UnpackCoverage(PlannedCoverage):
    """Coverage model of the block ``unpack``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("unpack", profile, plans(profile), _WITHOUT)
