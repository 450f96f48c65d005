# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the flag pipe, on both platforms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import missed

A2A3: Final = "baseline,platform=a2a3"
BUGS: Final = Catalogue("flag_pipe", Path(__file__).parent / "bugs", r"T\d+|contract [1-6]")
"""``contract`` is docs/flag_pipe.md with its sections."""
BUGS_OF_A2A3: Final = Catalogue(
    "flag_pipe", Path(__file__).parent / "bugs_of_a2a3", BUGS.decision, A2A3
)
"""Bugs that are there on this platform only."""


def test_catalogue() -> None:
    """All decisions that show in the RTL are broken, and the eighteen mutations that matter most.

    T4, T14, T16, T17, T22, T26 to T28 and T30 to T32 are about programs, names and parameters.
    """
    decisions = (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 18, 19, 20, 21, 23, 24, 25, 29)
    BUGS.check(at_least=60, decisions=[f"T{i}" for i in decisions])
    BUGS_OF_A2A3.check(at_least=15, decisions=["T15"])
    numbers = {name[:3] for c in (BUGS, BUGS_OF_A2A3) for name in c.names() if name[0] == "m"}
    assert {f"m{i:02}" for i in range(1, 19)} <= numbers


def test_bugs_are_caught(tmp_path: Path) -> None:
    assert missed(BUGS, BUGS.names(), tmp_path) == []


def test_bugs_of_a2a3_are_caught(tmp_path: Path) -> None:
    assert missed(BUGS_OF_A2A3, BUGS_OF_A2A3.names(), tmp_path) == []
