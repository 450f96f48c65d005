# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the address counters."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import choosable, missed, others

BUGS: Final = Catalogue("adc", Path(__file__).parent / "bugs", r"A\d+|P18|C14")


def test_catalogue() -> None:
    """Enough bugs; all decisions are broken that have an effect in this block.

    A9, A10, A14 and A17 are about what the unpackers make of the counters; A12 is P18.
    """
    decisions = ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A11", "A13", "A15", "A16"]
    BUGS.check(at_least=60, decisions=[*decisions, "P18", "C14"])


def test_bugs_are_caught(tmp_path: Path) -> None:
    assert missed(BUGS, choosable(BUGS), tmp_path) == []


@pytest.mark.parametrize("name", others(BUGS))
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path)
