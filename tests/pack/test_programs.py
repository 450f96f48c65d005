# SPDX-License-Identifier: Apache-2.0
"""Real programs on the RTL: what it writes to L1 is the bytes of the tiles, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tests.cosim_runs import FAST, needs_icarus, recorded_program
from tilepath.tests.pack.program_bytes import UNTOUCHED, check
from tilepath.tests.pack.recorded_l1 import l1_of


def play(program: str, sim: str, profile: str, folder: Path) -> None:
    streams = recorded_program("pack", program, sim, profile, folder)
    check(program, profile, l1_of(streams, profile, UNTOUCHED))
    assert not [name for name, found in streams.items() if "fault" in name and len(found)]


@pytest.mark.parametrize(
    ("program", "profile"),
    [
        ("matmul", "baseline"),
        ("pack_tile", "baseline"),
        ("pack_accumulate", "baseline"),
        ("pack_tile", "blackhole"),
        ("pack_untilize", "blackhole"),
    ],
)
def test_l1_gets_the_tiles(program: str, profile: str, tmp_path: Path) -> None:
    play(program, FAST, profile, tmp_path)


@needs_icarus
def test_icarus(tmp_path: Path) -> None:
    play("add1", "icarus", "blackhole", tmp_path)
