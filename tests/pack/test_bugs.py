# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the packers and Dst, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import missed, others, plant_together

BUGS: Final = Catalogue("pack", Path(__file__).parent / "bugs", r"P\d+|contract ([2-9]|10)")
"""Decisions are those of docs/decisions/pack.md, ``contract`` is docs/pack.md with its sections."""
BLACKHOLE: Final = Catalogue(
    "pack", Path(__file__).parent / "bugs_of_blackhole", BUGS.decision, "blackhole"
)
"""Bugs in what is there in this profile only, as several lanes."""

ALONE: Final = "push_before_pop"

BATCHES: Final = 4
"""Each is a test: few, so that what their bugs share is made seldom, and enough for two cores."""


def test_catalogue() -> None:
    """All decisions with an effect in this RTL are broken, and the contract's sections.

    P41, P45 and P47 are not part of the block; P48 and P67 are programs and parameters; P51 is
    about a parameter that neither profile sets; P50, P52, P53, P55, P59 and P65 show with several
    lanes only.
    """
    lanes = (50, 52, 53, 55, 59, 65)
    left_out = (41, 45, 47, 48, 51, 67, *lanes)
    decisions = [f"P{i}" for i in range(1, 71) if i not in left_out]
    BUGS.check(at_least=120, decisions=[*decisions, *(f"contract {i}" for i in (2, *range(4, 11)))])
    BLACKHOLE.check(at_least=20, decisions=[f"P{i}" for i in lanes])
    assert others(BUGS) == others(BLACKHOLE) == []  # Icarus takes too long


@pytest.mark.parametrize("batch", range(BATCHES))
def test_bugs_are_caught(batch: int, tmp_path: Path) -> None:
    assert missed(BUGS, BUGS.names()[batch::BATCHES], tmp_path) == []


def test_bugs_of_blackhole_are_caught(tmp_path: Path) -> None:
    assert missed(BLACKHOLE, BLACKHOLE.names(), tmp_path) == []


@pytest.mark.parametrize("catalogue", [BUGS, BLACKHOLE], ids=["baseline", "blackhole"])
def test_without_a_bug(catalogue: Catalogue, tmp_path: Path) -> None:
    together = plant_together(catalogue, tmp_path / "planted")
    runs = [("", test, seed) for test, seed in catalogue.regression(first="")]
    results = together.run(runs[:1], tmp_path / "runs")
    assert [result.status for result in results] == ["pass"]


@needs_icarus
def test_alone_on_icarus(tmp_path: Path) -> None:
    """One in the old way shows that it makes no difference."""
    BUGS.caught(ALONE, tmp_path, "icarus")
