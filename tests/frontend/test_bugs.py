# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug, and says where and how to see it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue, plant
from tilepath.tests.planted_together import choosable, missed, others

BUGS: Final = Catalogue("frontend", Path(__file__).parent / "bugs", r"F\d+")


def test_catalogue() -> None:
    """Enough bugs, each with its header and in one place; nearly every decision is broken."""
    BUGS.check(at_least=24, decisions=[f"F{i}" for i in range(1, 23)])  # nothing is built of F23


def test_a_patch_that_does_not_fit(tmp_path: Path) -> None:
    bug = BUGS.read("mop_no_trans")
    stale = replace(bug, diff=bug.diff.replace("next.none", "next.some"))
    with pytest.raises(ValueError, match="mop_no_trans no longer applies to rtl/frontend/mop_exp"):
        plant(stale, tmp_path)


def test_bugs_are_caught(tmp_path: Path) -> None:
    assert missed(BUGS, choosable(BUGS), tmp_path) == []


@pytest.mark.parametrize("name", others(BUGS))
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path)
