# SPDX-License-Identifier: Apache-2.0
"""Gaps between the items of a player, as columns of its table."""

from __future__ import annotations

from typing import Any, Final

from tilepath.engine.stimulus.tables import by, choice, mix, phases, uniform

PACES: Final = ("none", "sparse", "frequent", "long")
_STRETCH: Final = 256


def paced(weights: dict[str, float], longest: tuple[int, int]) -> dict[str, Any]:
    """Columns ``pace``, the same for a stretch of items, and ``gap``, idle cycles of that pace.

    Long gaps are of ``longest`` cycles, both included, and rare.
    """
    return {
        "pace": phases(choice(PACES, weights), _STRETCH),
        "gap": by(
            "pace",
            {
                "none": 0,
                "sparse": mix({0.9: 0, 0.1: uniform(1, 8)}),
                "frequent": mix({0.4: 0, 0.6: uniform(1, 5)}),
                "long": mix({0.97: 0, 0.03: uniform(*longest)}),
            },
        ),
    }
