# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the unpackers, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import choosable, missed, others, plant_together

BUGS: Final = Catalogue(
    "unpack",
    Path(__file__).parent / "bugs",
    r"U\d+|A\d+|M\d+|P52|§5|contract [2-8](\.\d)?",
)
"""Decisions and § are the specification's, ``contract`` is docs/unpack.md with its sections."""
BLACKHOLE: Final = Catalogue(
    "unpack", Path(__file__).parent / "bugs_of_blackhole", r"U\d+|A\d+|§1\.2", "blackhole"
)
"""Bugs in what is there in this profile only, as the other encoding of NOPs."""

BATCHES: Final = 4
"""Each is a test: enough for two cores."""


def test_catalogue() -> None:
    """All decisions with an effect here are broken, the table of rates, the contract's sections.

    U1 is a profile's choice; U4, U5, U11 and U34 correct the seed's prose; U67 is not hardware.
    """
    decisions = [f"U{i}" for i in range(2, 69) if i not in (4, 5, 11, 34, 67)]
    counters = ["A9", "A10", "A11", "A14"]
    sections = [f"contract {i}" for i in ("3", "4", "5.1", "5.2", "5.3", "5.5", "6", "7", "8")]
    BUGS.check(at_least=400, decisions=[*decisions, *counters, *sections, "§5"])
    BLACKHOLE.check(at_least=10, decisions=("U1", "U33", "U57", "U58", "U69", "§1.2"))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_bugs_are_caught(batch: int, tmp_path: Path) -> None:
    assert missed(BUGS, choosable(BUGS)[batch::BATCHES], tmp_path) == []


def test_bugs_of_blackhole_are_caught(tmp_path: Path) -> None:
    assert missed(BLACKHOLE, BLACKHOLE.names(), tmp_path) == []


@pytest.mark.parametrize("catalogue", [BUGS, BLACKHOLE], ids=["baseline", "blackhole"])
def test_without_a_bug(catalogue: Catalogue, tmp_path: Path) -> None:
    together = plant_together(catalogue, tmp_path / "planted")
    runs = [("", test, seed) for test, seed in catalogue.regression(first="")]
    results = together.run(runs[:1], tmp_path / "runs")
    assert [result.status for result in results] == ["pass"]


@pytest.mark.parametrize("name", others(BUGS))
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path)
