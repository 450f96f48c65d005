# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the address counters."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import SIM, Catalogue

BUGS: Final = Catalogue("adc", Path(__file__).parent / "bugs", r"A\d+|P18|C14")

# Verilator takes longer to compile: where there is only that, these will do.
FEW: Final = (
    "unpack_double_increment",
    "addrcr_only_restores",
    "inc_touches_checkpoint",
    "z_saturates",
    "override_ignored",
    "setadcxx_one_channel",
    "conflict_by_group",
    "pack_cr_beats_clear",
    "flop_both",
)


def test_catalogue() -> None:
    """Enough bugs; all decisions are broken that have an effect in this block.

    A9, A10, A14 and A17 are about what the unpackers make of the counters; A12 is P18.
    """
    decisions = ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A11", "A13", "A15", "A16"]
    BUGS.check(at_least=60, decisions=[*decisions, "P18", "C14"])
    assert set(FEW) <= set(BUGS.names())


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    if SIM != "icarus" and name not in FEW:
        pytest.skip("without Icarus only some bugs are planted: compiling takes too long")
    BUGS.caught(name, tmp_path)
