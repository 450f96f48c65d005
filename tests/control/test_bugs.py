# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug of the control block, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import SIM, Catalogue

BUGS: Final = Catalogue("control", Path(__file__).parent / "bugs", r"C\d+|§5\.[34]|contract [2-8]")
"""Decisions and §§ are the specification's, ``contract`` is docs/control.md with its sections."""

# Verilator takes most of a minute to compile: where there is only that, these will do; otherwise
# the first two of them show that it makes no difference.
FEW: Final = (
    "reordering_left_out",
    "streamwait_hi_late",
    "shiftmask_carry_in_mask",
    "shiftmask_rotate_by_0",
    "wait_replaces_wait",
    "sem_get_below_zero",
    "config_bank_ignored",
    "wrcfg_visible_early",
    "nop_held_by_any_block",
    "pointer_stays",
)


def test_catalogue() -> None:
    """Each decision is broken, both of the specification's tables, and the contract's sections."""
    tables = ["§5.3", "§5.4"]
    sections = [f"contract {section}" for section in (2, 3, 4, 5, 6, 8)]
    BUGS.check(at_least=40, decisions=[*(f"C{i}" for i in range(1, 25)), *tables, *sections])
    assert set(FEW) <= set(BUGS.names())


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    if SIM != "icarus" and name not in FEW:
        pytest.skip("without Icarus only some bugs are planted: compiling takes too long")
    BUGS.caught(name, tmp_path)


@pytest.mark.skipif(SIM == FAST, reason="done above")
@pytest.mark.parametrize("name", FEW[:2])
def test_verilator_catches_it_too(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path, FAST)
