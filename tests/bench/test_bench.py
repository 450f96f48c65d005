# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs, and its ordinary bench checks what it says; no times are judged here."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.host.request import RunRequest
from tilepath.tb.kernel.host.run import run
from tilepath.tests.bench import tiers
from tilepath.tests.bench.__main__ import main
from tilepath.tests.bench.measure import TESTS, build_folder
from tilepath.tests.bench.ordinary.run import OrdinaryError, build_ordinary
from tilepath.tests.bench.report import Target

_CYCLES = 4096
_SIMS = [
    "verilator",
    pytest.param(
        "icarus",
        marks=pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog here"),
    ),
]


@pytest.mark.parametrize("block", TESTS)
def test_quick_benchmark_runs(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--block", block]) == 0
    printed = capsys.readouterr().out
    assert f"{block}, verilator, checked / unchecked: target ≥ 0.5" in printed
    assert f"{block}, peak memory" in printed
    assert f"{block}, cycle-exact" in printed


def test_rates_of_the_unpackers(tmp_path: Path) -> None:
    """Alone an unpacker gets what it wants, together they get what the contract's table grants."""
    found = tiers.measure("icarus" if shutil.which("iverilog") else "verilator", tmp_path)
    assert len(found) == 6 + 18
    assert {tier.most for tier in found if 0 in tier.wants} == {16, 32, 64}
    assert {tier.wants for tier in found if 0 not in tier.wants} == set(tiers.GRANTS)
    assert [tier for tier in found if not tiers.LEAST <= tier.share <= 1] == []


@pytest.mark.parametrize("sim", _SIMS)
@pytest.mark.parametrize(
    ("block", "least"), [("frontend", 5), ("adc", 2), ("control", 2), ("unpack", 0.5)]
)
def test_ordinary_bench_sees_what_the_kernel_sees(
    block: str, least: float, sim: str, tmp_path: Path
) -> None:
    build = build_ordinary(block, sim, build_folder(block, sim))
    test = TESTS[block]
    ordinary = build.run(tmp_path / "run", test, 7, _CYCLES)
    kernel = run(RunRequest(block, test, 7, sim, cycles=_CYCLES, out_dir=tmp_path / "kernel"))
    assert kernel.status == "pass"
    assert ordinary.cycles == kernel.cycles == _CYCLES
    assert ordinary.events == kernel.events > least * _CYCLES


@pytest.mark.parametrize("sim", _SIMS[-1:])
@pytest.mark.parametrize(
    ("block", "parameters"),
    [
        ("frontend", {"MopB2bFree": 0}),  # a transition cycle that the profile does not have
        ("adc", {"ZwW": 13}),  # Z and W of the other profile
        ("unpack", {"RowW": 16}),  # a row of half the datums
    ],
)
def test_ordinary_bench_fails_for_a_planted_difference(
    block: str, parameters: dict[str, int], sim: str, tmp_path: Path
) -> None:
    planted = build_ordinary(block, sim, tmp_path / "build", parameters=parameters)
    with pytest.raises(OrdinaryError, match=r"expected \(cycle, values\)"):
        planted.run(tmp_path / "run", TESTS[block], 7, _CYCLES)


@pytest.mark.parametrize("sim", _SIMS[-1:])
def test_ordinary_bench_of_control_fails_for_exchanged_instructions(
    sim: str, tmp_path: Path
) -> None:
    """Control has no parameters; here its SEMPOST is SEMGET."""
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl")
    package = tmp_path / "rtl" / "isa" / "tilepath_isa_pkg.sv"
    text, count = re.subn(
        r"\bOP_SEM(POST|GET)\b",
        lambda found: {"POST": "OP_SEMGET", "GET": "OP_SEMPOST"}[found[1]],
        package.read_text(),
    )
    assert count == 2
    package.write_text(text)
    planted = build_ordinary("control", sim, tmp_path / "build", source_root=tmp_path)
    with pytest.raises(OrdinaryError, match=r"expected \(cycle, values\)"):
        planted.run(tmp_path / "run", TESTS["control"], 7, _CYCLES)


@pytest.mark.parametrize(
    ("value", "below", "text"),
    [(0.53, False, "≥ 0.5: 0.53 met"), (0.4, False, "≥ 0.5: 0.4 missed"), (0.4, True, "< 0.5")],
)
def test_target_says_what_came_of_it(value: float, below: bool, text: str) -> None:
    assert text in str(Target("x", value, 0.5, below))
