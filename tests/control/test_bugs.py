# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug of the control block, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import choosable, missed, others

BUGS: Final = Catalogue("control", Path(__file__).parent / "bugs", r"C\d+|§5\.[34]|contract [2-8]")
"""Decisions and §§ are the specification's, ``contract`` is docs/control.md with its sections."""
OF_BLACKHOLE: Final = Catalogue(
    "control", Path(__file__).parent / "bugs_of_blackhole", "C27", "blackhole"
)
"""Bugs that are there with the parameters of this profile only."""


def test_catalogue() -> None:
    """Each decision is broken, both of the specification's tables, and the contract's sections."""
    tables = ["§5.3", "§5.4"]
    sections = [f"contract {section}" for section in (2, 3, 4, 5, 6, 8)]
    BUGS.check(at_least=40, decisions=[*(f"C{i}" for i in range(1, 28)), *tables, *sections])
    OF_BLACKHOLE.check(at_least=4, decisions=["C27"])


def test_bugs_are_caught(tmp_path: Path) -> None:
    assert missed(BUGS, choosable(BUGS), tmp_path) == []


def test_bugs_of_blackhole_are_caught(tmp_path: Path) -> None:
    assert missed(OF_BLACKHOLE, OF_BLACKHOLE.names(), tmp_path) == []


@pytest.mark.parametrize("name", others(BUGS))
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path)
