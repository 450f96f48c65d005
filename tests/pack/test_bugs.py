# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the packers and Dst, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import SIM, Catalogue

BUGS: Final = Catalogue("pack", Path(__file__).parent / "bugs", r"P\d+|contract ([2-9]|10)")
"""Decisions are those of docs/decisions/pack.md, ``contract`` is docs/pack.md with its sections."""
BLACKHOLE: Final = Catalogue(
    "pack", Path(__file__).parent / "bugs_of_blackhole", BUGS.decision, "blackhole"
)
"""Bugs in what is there in this profile only, as several lanes."""

# Verilator takes minutes to compile: where there is only that, these will do; otherwise the first
# two of them show that it makes no difference.
FEW: Final = (
    "push_before_pop",
    "bf16_at_half_down",
    "eleven_under_way",
    "wrap_at_the_limit",
    "dst_zero_half_swapped",
    "edge_mask_2_is_3",
    "histogram_wraps",
    "bfp_no_clamp",
    "block_of_31",
    "acc_sticky_lost",
)


def test_catalogue() -> None:
    """All decisions with an effect in this RTL are broken, and the contract's sections.

    P41, P45 and P47 are not part of the block; P48 and P67 are programs and parameters; P51 is
    about a parameter that neither profile sets; P50, P52, P53, P55, P59 and P65 show with several
    lanes only.
    """
    lanes = (50, 52, 53, 55, 59, 65)
    left_out = (41, 45, 47, 48, 51, 67, *lanes)
    decisions = [f"P{i}" for i in range(1, 68) if i not in left_out]
    BUGS.check(at_least=120, decisions=[*decisions, *(f"contract {i}" for i in (2, *range(4, 11)))])
    assert set(FEW) <= set(BUGS.names())
    BLACKHOLE.check(at_least=20, decisions=[f"P{i}" for i in lanes])


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    if SIM != "icarus" and name not in FEW:
        pytest.skip("without Icarus only some bugs are planted: compiling takes too long")
    BUGS.caught(name, tmp_path)


@pytest.mark.skipif(SIM != "icarus", reason="compiling takes too long without Icarus")
@pytest.mark.parametrize("name", BLACKHOLE.names())
def test_bug_of_blackhole_is_caught(name: str, tmp_path: Path) -> None:
    BLACKHOLE.caught(name, tmp_path)


@pytest.mark.skipif(SIM == FAST, reason="done above")
@pytest.mark.parametrize("name", FEW[:2])
def test_verilator_catches_it_too(name: str, tmp_path: Path) -> None:
    BUGS.caught(name, tmp_path, FAST)
