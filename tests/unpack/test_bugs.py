# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug in the unpackers, and says where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import SIM, Catalogue

BUGS: Final = Catalogue(
    "unpack", Path(__file__).parent / "bugs", r"U\d+|A\d+|§5|contract [3-8](\.\d)?"
)
"""Decisions and § are the specification's, ``contract`` is docs/unpack.md with its sections."""
BLACKHOLE: Final = Catalogue(
    "unpack", Path(__file__).parent / "bugs_of_blackhole", r"U\d+|A\d+|§1\.2", "blackhole"
)
"""Bugs in what is there in this profile only, as the other encoding of NOPs."""

# Verilator takes minutes to compile: where there is only that, these will do; otherwise the first
# two of them show that it makes no difference.
FEW: Final = (
    "bank_flip_early",
    "context_without_offset",
    "wrap_at_the_limit",
    "bfp_minus_zero",
    "bfpa_of_written_only",
    "group_not_skipped",
    "rates_4_and_2",
    "turn_stays",
    "zerosrc_waits_swapped",
    "dst_low_half_valid",
)


def test_catalogue() -> None:
    """All decisions with an effect here are broken, the table of rates, the contract's sections.

    U1 is a profile's choice; U4, U5, U11 and U34 correct the seed's prose; U67 is not hardware.
    """
    decisions = [f"U{i}" for i in range(2, 67) if i not in (4, 5, 11, 34)]
    counters = ["A9", "A10", "A11", "A14"]
    sections = [f"contract {i}" for i in ("3", "4", "5.1", "5.2", "5.3", "5.5", "6", "7", "8")]
    BUGS.check(at_least=180, decisions=[*decisions, *counters, *sections, "§5"])
    assert set(FEW) <= set(BUGS.names())
    BLACKHOLE.check(at_least=10, decisions=("U1", "U57", "U58", "§1.2"))


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
