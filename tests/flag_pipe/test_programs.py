# SPDX-License-Identifier: Apache-2.0
"""1,000 random programs: the checker's verdict is what the hardware does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.flag_pipe.random_programs import PROGRAMS
from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.cosim_runs import FAST

PLATFORMS: Final = ("a5", "a2a3")
RUNS: Final = 7
HANGS: Final = 6


def played(test: str, platform: str, seed: int, folder: Path) -> str:
    """What is wrong with a run; nothing: empty."""
    profile = f"baseline,platform={platform}"
    request = RunRequest(
        "flag_pipe", test, seed, FAST, profile, out_dir=folder, coverage=False,
        rerun_for_waves=False,
    )  # fmt: skip
    result = run(request)
    return "" if result.status == "pass" else f"seed {seed}: {result.message}"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_programs_that_end(platform: str, tmp_path: Path) -> None:
    """One after the other in a few long runs."""
    assert len(PLATFORMS) * RUNS * PROGRAMS >= 1000
    found = [played("programs", platform, seed, tmp_path) for seed in range(RUNS)]
    assert [text for text in found if text] == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_programs_that_stand_still(platform: str, tmp_path: Path) -> None:
    found = [played("programs_hang", platform, seed, tmp_path) for seed in range(HANGS)]
    assert [text for text in found if text] == []
