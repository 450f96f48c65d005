# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug, and says where and how to see it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import SIM, Catalogue, plant

BUGS: Final = Catalogue("frontend", Path(__file__).parent / "bugs", r"F\d+")

# Verilator takes most of a minute to compile: where there is only that, these will do.
FEW: Final = (
    "fifo_depth_31",
    "mop_mask_hi_cleared",
    "mop_no_trans",
    "mop_trans_before_mop",
    "qstatus_not_registered",
    "replay_count0_is_none",
    "replay_record_executes_replay",
    "t0_mask_sticky",
    "t1_end1_without_end0",
    "t1_flip_skipped_on_override",
    "t1_hardware_bug_left_out",
)


def test_catalogue() -> None:
    """Enough bugs, each with its header and in one place; nearly every decision is broken."""
    BUGS.check(at_least=24, decisions=[f"F{i}" for i in range(1, 23)])  # nothing is built of F23
    assert set(FEW) <= set(BUGS.names())


def test_a_patch_that_does_not_fit(tmp_path: Path) -> None:
    bug = BUGS.read("mop_no_trans")
    stale = replace(bug, diff=bug.diff.replace("next.none", "next.some"))
    with pytest.raises(ValueError, match="mop_no_trans no longer applies to rtl/frontend/mop_exp"):
        plant(stale, tmp_path)


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    if SIM != "icarus" and name not in FEW:
        pytest.skip("without Icarus only some bugs are planted: compiling takes too long")
    BUGS.caught(name, tmp_path)
