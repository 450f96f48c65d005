# SPDX-License-Identifier: Apache-2.0
"""The block's default regression, as ``make`` runs it: all tests pass and every bin is hit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tb.kernel.coverage import merge_files

_NEEDS_ICARUS = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="Icarus Verilog is not installed"
)
_CONFIGURATIONS = [
    ("verilator", "baseline"),
    ("verilator", "blackhole"),
    pytest.param("icarus", "baseline", marks=_NEEDS_ICARUS),
    pytest.param("icarus", "blackhole", marks=_NEEDS_ICARUS),
]


@pytest.mark.parametrize(("sim", "profile"), _CONFIGURATIONS)
def test_default_regression(tmp_path: Path, sim: str, profile: str) -> None:
    """With a fixed root seed, so that a failure here is a failure for everybody."""
    command = [sys.executable, "-m", "tilepath", "run", "--block", "control", "--sim", sim]
    command += ["--profile", profile, "--root-seed", "1", "--jobs", "1", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    coverage = merge_files(sorted(tmp_path.glob("control/*/coverage.json")))
    assert coverage.missing() == []
