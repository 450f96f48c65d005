# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs, and its ordinary bench checks what it says; no times are judged here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tb.kernel.request import RunRequest
from tb.kernel.run import run
from tests.bench.__main__ import main
from tests.bench.measure import TEST, build_folder
from tests.bench.ordinary.run import OrdinaryError, build_ordinary
from tests.bench.report import Target

_CYCLES = 4096
_SIMS = [
    "verilator",
    pytest.param(
        "icarus",
        marks=pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog here"),
    ),
]


def test_quick_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"]) == 0
    printed = capsys.readouterr().out
    assert "checked / unchecked: target ≥ 0.5" in printed
    assert "peak memory" in printed


@pytest.mark.parametrize("sim", _SIMS)
def test_ordinary_bench_sees_what_the_kernel_sees(sim: str, tmp_path: Path) -> None:
    build = build_ordinary(sim, build_folder(sim))
    ordinary = build.run(tmp_path / "run", TEST, 7, _CYCLES)
    request = RunRequest("frontend", TEST, 7, sim, cycles=_CYCLES, out_dir=tmp_path / "kernel")
    kernel = run(request)
    assert kernel.status == "pass"
    assert ordinary.cycles == kernel.cycles == _CYCLES
    assert ordinary.events == kernel.events > 5 * _CYCLES


@pytest.mark.parametrize("sim", _SIMS[-1:])
def test_ordinary_bench_fails_for_a_planted_difference(sim: str, tmp_path: Path) -> None:
    """The RTL has a transition cycle between two MOPs that the profile does not have."""
    planted = build_ordinary(sim, tmp_path / "build", parameters={"MopB2bFree": 0})
    with pytest.raises(OrdinaryError, match=r"expected \(cycle, values\)"):
        planted.run(tmp_path / "run", TEST, 7, 4096)


@pytest.mark.parametrize(
    ("value", "below", "text"),
    [(0.53, False, "≥ 0.5: 0.53 met"), (0.4, False, "≥ 0.5: 0.4 missed"), (0.4, True, "< 0.5")],
)
def test_target_says_what_came_of_it(value: float, below: bool, text: str) -> None:
    assert text in str(Target("x", value, 0.5, below))
