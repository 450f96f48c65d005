# SPDX-License-Identifier: Apache-2.0
"""Real programs on the RTL: what it writes to L1 is the bytes of the tiles, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import FAST, needs_icarus, recorded, simulate
from tilepath.tests.pack.program_bytes import UNTOUCHED, check
from tilepath.tests.pack.recorded_l1 import l1_of


def play(program: str, sim: str, profile: str, folder: Path) -> None:
    request = RunRequest(
        block="pack", test=program, seed=1, sim=sim, profile=profile, coverage=False,
        out_dir=folder, block_cycles=1_024,  # it ends with one, and Icarus is slow
    )  # fmt: skip
    streams = recorded(simulate(request))
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
