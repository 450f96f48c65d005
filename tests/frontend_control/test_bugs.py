# SPDX-License-Identifier: Apache-2.0
"""The default regression of ``frontend+control`` catches deliberate bugs at the seam."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue

BUGS: Final = Catalogue("frontend_control", r"F17|contract 10")

SEEN_AT: Final = {
    "offered_late": "offer",
    "illegal_is_offered": "issue",
    "taken_without_grant": "dispatch",
}
"""Bug → the stream of the seam that shows it first."""


def test_catalogue() -> None:
    BUGS.check(at_least=3, decisions=["F17", "contract 10"])
    assert SEEN_AT.keys() == set(BUGS.names())


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    result = BUGS.caught(name, tmp_path)
    assert result.message.split(" ")[0].partition(".")[2] == SEEN_AT[name]
