# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the unpackers: plans over the account of ``models/unpack``.

Source: unpack-adc section 7; docs/unpack.md. ``words`` (UNPACR, contexts, what is written beside
them), ``geometry`` (what is read, compressed rows, wraps, requests), ``datums``, ``output`` (where
they go, and when), ``nops``, ``matrix`` (the Matrix Unit's port), ``counters``, ``faults``.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.isa import profiles
from tilepath.tb.unpack.coverage import (
    counters,
    datums,
    faults,
    geometry,
    matrix,
    nops,
    output,
    words,
)

__all__ = ["UnpackCoverage"]

_PLANS: Final = (
    *words.PLANS, geometry.PLAN, datums.PLAN, *matrix.PLANS, *counters.PLANS,
    geometry.packed_plans, output.plans, nops.plans, faults.plans,
)  # fmt: skip
_WITHOUT: Final = {"U67": "left to programs"}


class UnpackCoverage(PlannedCoverage):
    """Coverage model of the block ``unpack``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        super().__init__("unpack", profile, _PLANS, _WITHOUT)
        if profiles.get(profile).nop_enc == "WH":
            self.without = {**_WITHOUT, "U69": "of the other encoding, whose profiles have a point"}
