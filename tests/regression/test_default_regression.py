# SPDX-License-Identifier: Apache-2.0
"""The default regression of every block, as ``make`` runs it: all tests pass, every bin is hit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tilepath.tb.kernel.coverage.report import merge_files
from tilepath.tb.kernel.description import registry
from tilepath.tests.cosim_runs import needs_icarus

_SHORT: Final = {"pack": 2500, "unpack": 4000, "flag_pipe": 3000}
"""Cycles of random tests under Icarus, of blocks of which it makes a few hundred a second."""

_STEPS: Final = {"flag_pipe": 4}
"""Of how many tests of a block one runs in each profile under Icarus, where not of two."""

_OF_PARAMETERS: Final = (
    "random_default", "random_bidirectional", "random_errors", "sweep_free", "hold_limit",
    "clear_refused", "lone_bits",
)  # fmt: skip
"""Tests of the flag pipe in which depth, latency, width and slots held matter most."""

_INSTEAD: Final = {("flag_pipe", "blackhole"): "baseline,platform=a2a3"}
"""Of a block in which the profiles do not differ: another choice of parameters, which do."""

_CONFIGURATIONS = [
    ("verilator", "baseline"),
    ("verilator", "blackhole"),
    pytest.param("icarus", "baseline", marks=needs_icarus),
    pytest.param("icarus", "blackhole", marks=needs_icarus),
]


@pytest.mark.parametrize("block", registry.block_names())
@pytest.mark.parametrize(("sim", "profile"), _CONFIGURATIONS)
def test_default_regression(tmp_path: Path, sim: str, profile: str, block: str) -> None:
    """With a fixed root seed, so that a failure here is a failure for everybody."""
    _passes(tmp_path, sim, _INSTEAD.get((block, profile), profile), block)


@pytest.mark.parametrize(
    "values", ["nflags=4,flag_lat=1,hold_max=2", "flag_lat=4,hold_max=8,beat_bytes=16"]
)
@pytest.mark.parametrize("platform", ["a5", "a2a3"])
def test_other_flag_pipes(tmp_path: Path, platform: str, values: str) -> None:
    """Depth, latency, width and slots held; coverage is asked for with the usual ones only."""
    profile = f"baseline,platform={platform},{values}"
    _passes(tmp_path, "verilator", profile, "flag_pipe", only=_OF_PARAMETERS)


def test_values_that_no_profile_has(tmp_path: Path) -> None:
    """Rows of 16 datums (U25), zeros by the other table (U40), E5M2 without the rule of U49."""
    profile = "baseline,row_w=16,upsample_zeros=0:1:2:4,fp8_e5m2_fill=0,zerosrc_neginf_srcb=1"
    _passes(tmp_path, "verilator", profile, "unpack")


def _passes(tmp_path: Path, sim: str, profile: str, block: str, only: Sequence[str] = ()) -> None:
    """Run and judge what ``make`` runs.

    Under Icarus a part of the tests runs in each profile, and bins are left to Verilator: traces
    are the same (``tests/traces``), and so is what is covered.
    """
    command = [sys.executable, "-m", "tilepath", "run", "--block", block]
    command += ["--sim", sim, "--profile", profile]
    command += ["--root-seed", "1", "--jobs", "1", "--out", str(tmp_path)]
    if sim == "icarus":
        first, step = int(profile != "baseline"), _STEPS.get(block, 2)
        names = list(registry.tests_of(block))[first::step]
        command += ["--no-coverage", *(f"--test={name}" for name in names)]
        if block in _SHORT:
            command += ["--cycles", str(_SHORT[block])]
    elif only:
        command += ["--no-coverage", *(f"--test={name}" for name in only)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2400, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    if "--no-coverage" in command:
        return
    coverage = merge_files(sorted(tmp_path.glob(f"{block}/*/coverage.json")))
    assert coverage.missing() == []
