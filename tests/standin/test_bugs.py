# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the math stand-in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import choosable, missed, others

BUGS: Final = Catalogue("standin", Path(__file__).parent / "bugs", r"M\d+", bench=True)
BLACKHOLE: Final = Catalogue(
    "standin", Path(__file__).parent / "bugs_of_blackhole", r"M\d+", "blackhole", bench=True
)
"""Bugs in what only this profile's chip does."""


def test_catalogue() -> None:
    """Enough bugs; decisions are broken that have an effect in this block.

    M1 is a field map that neither profile changes, M3 and M16 say what is not done, M8 is
    the wait gate's, M12 and M15 are widths; M22, M23 and M29 are forms that no kernel has.
    """
    broken = (2, 4, 5, 6, 7, 9, 10, 11, 13, 14, 17, 18, 19, 20, 21, 24, 25, 26, 27, 28, 30, 32)
    BUGS.check(at_least=40, decisions=[f"M{number}" for number in broken])
    BLACKHOLE.check(at_least=20, decisions=("M4", "M9", "M24", "M25", "M26", "M27"))


def test_bugs_are_caught(tmp_path: Path) -> None:
    for catalogue in (BUGS, BLACKHOLE):
        assert list(others(catalogue)) == []  # all go into one build
        assert missed(catalogue, choosable(catalogue), tmp_path) == []
